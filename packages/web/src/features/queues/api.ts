import type { Queue, RequestOf } from "@balcao/contract";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { liveList } from "../../realtime/live-list.ts";

/** The queues of the company in their order. */
export const queueList = liveList<Queue, number>({
  key: ["queues"],
  read: (signal) => call("GET /queue", { query: {} }, { signal }),
  identify: ({ id }) => id,
  order: byOrder,
  // The reply of our own change can arrive after the event of a later change.
  merge: (known, incoming) => (known.updatedAt > incoming.updatedAt ? known : incoming),
}).follow("queue", (event) =>
  event.action === "delete" ? { removedId: event.queueId } : { row: event.queue },
);

/** The company's queues in their order; undefined while unknown. */
export function useQueues(): readonly Queue[] | undefined {
  return useQuery(queueList.query).data;
}

/** By order number; queues without one come last. */
function byOrder(a: Queue, b: Queue): number {
  const order = (queue: Queue): number => queue.orderQueue ?? Number.MAX_SAFE_INTEGER;
  return order(a) - order(b) || a.id - b.id;
}

export type QueueBody = RequestOf<"POST /queue">["body"];
