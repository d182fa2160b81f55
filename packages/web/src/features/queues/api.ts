import type { Queue, ReplyOf, RequestOf } from "@balcao/contract";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { upload } from "../../api/upload.ts";
import type { AttachmentChange } from "../../ui/attachment-field.tsx";
import { queueList } from "./live-queues.ts";

/** What is set of a queue. */
export type QueueBody = RequestOf<"POST /queue">["body"];

/**
 * Saves a new (`id` null) or known queue, then the file that follows its greeting. Rejects with what was saved in
 * `SavedWithoutFile` when only the file was refused.
 */
export async function saveQueue(
  id: number | null,
  body: QueueBody,
  file: AttachmentChange,
): Promise<Queue> {
  const saved =
    id === null
      ? await call("POST /queue", { body })
      : await call("PUT /queue/:queueId", { params: { queueId: id }, body });
  queueList.apply({ row: saved });
  const params = { queueId: saved.id };
  try {
    if (file.kind === "attach") {
      await upload("POST /queue/:queueId/media-upload", { params, files: { file: [file.file] } });
    }
    if (file.kind === "remove") await call("DELETE /queue/:queueId/media-upload", { params });
    if (file.kind === "keep") return saved;
    const withFile = await call("GET /queue/:queueId", { params });
    queueList.apply({ row: withFile });
    return withFile;
  } catch (error) {
    throw new SavedWithoutFile(saved, error);
  } finally {
    queueList.readAgain();
  }
}

/** The texts are saved, the file is not; saving again goes on with the same queue. */
export class SavedWithoutFile extends Error {
  readonly queue: Queue;
  constructor(queue: Queue, cause: unknown) {
    super("the queue's file was not saved", { cause });
    this.name = "SavedWithoutFile";
    this.queue = queue;
  }
}

export type QueueUse = ReplyOf<"GET /queue/:queueId/use">;

/** What hangs on a queue, as it is now. */
export function useQueueUse(queueId: number) {
  return useQuery({
    queryKey: ["queue-use", queueId],
    queryFn: ({ signal }) => call("GET /queue/:queueId/use", { params: { queueId } }, { signal }),
    staleTime: 0,
    gcTime: 0,
  });
}

/** Its waiting and open tickets go to `targetQueueId`, or wait without a queue. */
export async function deleteQueue(queueId: number, targetQueueId: number | null): Promise<void> {
  const query = targetQueueId === null ? {} : { targetQueueId };
  await call("DELETE /queue/:queueId", { params: { queueId }, query });
  queueList.apply({ removedId: queueId });
  queueList.readAgain();
}
