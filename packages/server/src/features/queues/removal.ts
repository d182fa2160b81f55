import type { QueueId, ReplyOf } from "@balcao/contract";
import { and, eq, or, sql } from "drizzle-orm";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { findRecord, hasId, holdReferences, requireRow } from "../../platform/db/records.ts";
import { removeReferring } from "../../platform/db/references.ts";
import { queueOptionDrafts, queueOptions, queues } from "../../platform/db/schema/index.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { QueuesDeps } from "./queues.ts";
import { findHolders } from "./queues.ts";

type QueueUse = ReplyOf<"GET /queue/:queueId/use">;

/** Counts what a deletion of the queue affects. */
export async function showQueueUse({ db }: QueuesDeps, ctx: UserCtx, id: QueueId) {
  const rows = await db.read<QueueUse>(ctx, useStatement, [ctx.companyId, id]);
  return requireRow(rows, "ERR_QUEUE_NOT_FOUND");
}

/** Deletes a queue; its waiting and open tickets go to the target, or to no queue. */
export async function removeQueue(
  deps: QueuesDeps,
  ctx: UserCtx,
  id: QueueId,
  target: QueueId | null,
): Promise<undefined> {
  const fileKeys = await deps.db.transaction(ctx, (tx) => removeIn(deps, ctx, tx, id, target));
  await deps.media.removeUnused(ctx.companyId, fileKeys);
}

/**
 * In one transaction, in statements of bounded size. Tickets come first, because every change of a ticket locks the ticket
 * before its queue. Once the queue is locked no further ticket can enter it; those that entered meanwhile are moved too.
 */
async function removeIn(
  { realtime, domainEvents }: QueuesDeps,
  ctx: UserCtx,
  tx: Tx,
  id: QueueId,
  target: QueueId | null,
): Promise<string[]> {
  const { companyId } = ctx;
  if (target === id) throw new DomainError("ERR_QUEUE_NOT_FOUND");
  if (target !== null) await holdReferences(ctx, tx, queues, [target], "ERR_QUEUE_NOT_FOUND");
  await findRecord(ctx, tx, queues, id, "ERR_QUEUE_NOT_FOUND");
  const removing = { queueId: id, targetQueueId: target };
  await domainEvents.publish(tx, ctx, "queue.removing", removing);
  const locked = await tx.orm
    .select({ fileKey: queues.fileKey })
    .from(queues)
    .where(hasId(ctx, queues, id))
    .for("update");
  const queue = requireRow(locked, "ERR_QUEUE_NOT_FOUND");
  await domainEvents.publish(tx, ctx, "queue.removing", removing);

  const { userIds, connectionIds } = await findHolders(ctx, tx, id);
  // The target's users read the history of the queue from now on.
  const heirs = target === null ? [] : (await findHolders(ctx, tx, target)).userIds;
  const options = [
    ...(await deleteTree(ctx, tx, queueOptions, id)),
    ...(await deleteTree(ctx, tx, queueOptionDrafts, id)),
  ];
  await markDeleted(ctx, tx, id, target);
  await removeReferring(ctx, tx, "queues", id);
  tx.onCommit(() => {
    const payload = { action: "delete", queueId: id } as const;
    realtime.publish(companyId, "queue", payload, [rooms.main(companyId)]);
  });
  const shown = { userIds: [...new Set([...userIds, ...heirs])], connectionIds };
  await domainEvents.publish(tx, ctx, "queue.shownDifferently", shown);
  return [queue, ...options].flatMap(({ fileKey }) => fileKey ?? []);
}

/** All options by one statement, where the foreign key would delete them level by level. Returns their files. */
export function deleteTree(
  { companyId }: Ctx,
  { orm }: Tx,
  table: typeof queueOptions,
  queueId: QueueId,
) {
  return orm
    .delete(table)
    .where(and(eq(table.companyId, companyId), eq(table.queueId, queueId)))
    .returning({ fileKey: table.fileKey });
}

/**
 * History shows the name of a deleted queue; nothing else finds it. The target's users read its history, and that of the
 * deleted queues whose successor it was.
 */
async function markDeleted({ companyId }: Ctx, tx: Tx, id: QueueId, target: QueueId | null) {
  await tx.orm
    .update(queues)
    .set({
      deletedAt: sql`coalesce(${queues.deletedAt}, now())`,
      successorId: target,
      ...{ fileKey: null, fileName: null, draftGreeting: null, draftChangedAt: null },
      updatedAt: sql`now()`,
    })
    .where(and(eq(queues.companyId, companyId), or(eq(queues.id, id), eq(queues.successorId, id))));
}

// By hand: one round trip.
const useStatement = {
  name: "queues.use",
  text: `
select
  (select count(*)::int from tickets
    where company_id = $1 and queue_id = $2 and status in ('open', 'pending')) as tickets,
  (select count(*)::int from user_queues where company_id = $1 and queue_id = $2) as users,
  (select count(*)::int from queue_options where company_id = $1 and queue_id = $2) as options,
  coalesce((
    select json_agg(json_build_object('name', w.name) order by w.name)
    from connections w
    where w.company_id = $1 and (w.transfer_queue_id = $2 or exists (
      select from connection_queues cq
      where cq.company_id = $1 and cq.connection_id = w.id and cq.queue_id = $2))), '[]') as connections
from queues where company_id = $1 and id = $2 and deleted_at is null`,
};
