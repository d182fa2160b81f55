import type { QueueId, ReplyOf } from "@balcao/contract";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { AttachmentFiles } from "./attachment.ts";
import type { QueueEvents } from "./events.ts";
import {
  countUse,
  deleteOptionsOfQueue,
  deleteQueue,
  holdForDeletion,
  holdTarget,
} from "./removal-repository.ts";
import { findHolders, findQueue } from "./repository.ts";

export type QueueRemovalDeps = {
  db: Database;
  files: AttachmentFiles;
  events: QueueEvents;
  /** What becomes of the waiting and open tickets of a queue that is about to be deleted, in its transaction. */
  queueDeleted: (ctx: Ctx, tx: Tx, id: QueueId, target: QueueId | null) => Promise<void>;
};

export type QueueRemoval = ReturnType<typeof createQueueRemoval>;

/** Deleting a queue (wire-contract 5.18). */
export function createQueueRemoval({ db, files, events, queueDeleted }: QueueRemovalDeps) {
  /**
   * In one transaction, in statements of bounded size. The tickets come first, because everybody who changes one holds
   * the ticket before its queue; once the queue is held nobody can bring another one in, and those that came meanwhile
   * follow.
   */
  async function removeIn(ctx: UserCtx, tx: Tx, id: QueueId, target: QueueId | null) {
    await requireQueues(ctx, tx, id, target);
    await queueDeleted(ctx, tx, id, target);
    const fileKey = await holdForDeletion(ctx, tx, id);
    if (fileKey === undefined) throw new DomainError("ERR_QUEUE_NOT_FOUND");
    await queueDeleted(ctx, tx, id, target);

    const { userIds, connectionIds } = await findHolders(ctx, tx, id);
    // They read its history from now on.
    const heirs = target === null ? [] : (await findHolders(ctx, tx, target)).userIds;
    const optionFiles = await deleteOptionsOfQueue(ctx, tx, id);
    await deleteQueue(ctx, tx, id, target);
    events.deleted(ctx, tx, id);
    await events.connectionsLookDifferent(ctx, tx, connectionIds);
    return {
      userIds: [...new Set([...userIds, ...heirs])],
      fileKeys: fileKey === null ? optionFiles : [fileKey, ...optionFiles],
    };
  }

  return {
    use: (ctx: UserCtx, id: QueueId): Promise<ReplyOf<"GET /queue/:queueId/use">> =>
      db.transaction(ctx, async (tx) => {
        const use = await countUse(ctx, tx, id);
        if (!use) throw new DomainError("ERR_QUEUE_NOT_FOUND");
        return use;
      }),

    async remove(ctx: UserCtx, id: QueueId, target: QueueId | null): Promise<void> {
      const { userIds, fileKeys } = await db.transaction(ctx, (tx) =>
        removeIn(ctx, tx, id, target),
      );
      await events.announceUsers(ctx, userIds);
      await files.removeUnused(ctx.companyId, fileKeys);
    },
  };
}

/** The queue, and where its tickets go: another queue of the company, which cannot be deleted meanwhile. */
async function requireQueues(
  ctx: UserCtx,
  tx: Tx,
  id: QueueId,
  target: QueueId | null,
): Promise<void> {
  const isTarget = target === null || (target !== id && (await holdTarget(ctx, tx, target)));
  const queue = await findQueue(ctx, tx, id);
  if (!queue || !isTarget) throw new DomainError("ERR_QUEUE_NOT_FOUND");
}
