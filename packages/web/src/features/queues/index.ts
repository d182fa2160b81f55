export { LiveQueues, refreshQueues } from "./live-queues.ts";
