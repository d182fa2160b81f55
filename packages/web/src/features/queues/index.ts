export { useQueues } from "./api.ts";
