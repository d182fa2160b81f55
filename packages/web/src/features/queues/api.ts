import type { Queue, ReplyOf, RequestOf } from "@balcao/contract";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { upload } from "../../api/upload.ts";
import { liveList } from "../../realtime/live-list.ts";
import type { AttachmentChange } from "../../ui/attachment-field.tsx";

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

/** Saves a new (`id` null) or known queue. */
export async function saveQueue(id: number | null, body: QueueBody): Promise<Queue> {
  const saved =
    id === null
      ? await call("POST /queue", { body })
      : await call("PUT /queue/:queueId", { params: { queueId: id }, body });
  queueList.apply({ row: saved });
  queueList.readAgain();
  return saved;
}

/** Saves the file that follows the greeting; the reply is the queue with it. */
export async function saveGreetingFile(queueId: number, file: AttachmentChange): Promise<Queue> {
  const params = { queueId };
  if (file.kind === "attach") {
    await upload("POST /queue/:queueId/media-upload", { params, files: { file: [file.file] } });
  }
  if (file.kind === "remove") await call("DELETE /queue/:queueId/media-upload", { params });
  const saved = await call("GET /queue/:queueId", { params });
  queueList.apply({ row: saved });
  queueList.readAgain();
  return saved;
}

export type QueueUse = ReplyOf<"GET /queue/:queueId/use">;

/** The tickets, users, connections and options that belong to a queue now. */
export function useQueueUse(queueId: number) {
  return useQuery({
    queryKey: ["queue-use", queueId],
    queryFn: ({ signal }) => call("GET /queue/:queueId/use", { params: { queueId } }, { signal }),
    staleTime: 0,
    gcTime: 0,
  });
}

/** Deletes a queue. Its waiting and open tickets move to `targetQueueId`, or wait without a queue. */
export async function deleteQueue(queueId: number, targetQueueId: number | null): Promise<void> {
  const query = targetQueueId === null ? {} : { targetQueueId };
  await call("DELETE /queue/:queueId", { params: { queueId }, query });
  queueList.apply({ removedId: queueId });
  queueList.readAgain();
}
