export { useQueues } from "./live-queues.ts";
