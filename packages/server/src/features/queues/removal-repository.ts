import type { QueueId, ReplyOf } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";

/** What hangs on a queue; undefined when the company has none of that id. */
export async function countUse(
  ctx: Ctx,
  tx: Tx,
  id: QueueId,
): Promise<ReplyOf<"GET /queue/:queueId/use"> | undefined> {
  const [row] = await tx.query<ReplyOf<"GET /queue/:queueId/use">>(useStatement, [
    ctx.companyId,
    id,
  ]);
  return row;
}

/** Keeps the queue where tickets go from being deleted; answers whether it is there. */
export async function holdTarget(ctx: Ctx, tx: Tx, id: QueueId): Promise<boolean> {
  const rows = await tx.query(targetStatement, [ctx.companyId, id]);
  return rows.length > 0;
}

/** Lets nobody refer to the queue any more; answers the key of its file, undefined when there is no such queue. */
export async function holdForDeletion(
  ctx: Ctx,
  tx: Tx,
  id: QueueId,
): Promise<string | null | undefined> {
  const [row] = await tx.query<{ fileKey: string | null }>(holdStatement, [ctx.companyId, id]);
  return row?.fileKey;
}

/** All of them at once, whatever their depth; answers the keys of their files. */
export async function deleteOptionsOfQueue(ctx: Ctx, tx: Tx, id: QueueId): Promise<string[]> {
  const rows = await tx.query<{ fileKey: string | null }>(optionsStatement, [ctx.companyId, id]);
  return rows.flatMap(({ fileKey }) => (fileKey === null ? [] : [fileKey]));
}

/**
 * Marks the queue as deleted: history shows its name, nothing else finds it. Its history is read by the target's agents,
 * as is that of queues whose successor it was. Its places at users and connections go.
 */
export async function deleteQueue(
  ctx: Ctx,
  tx: Tx,
  id: QueueId,
  target: QueueId | null,
): Promise<void> {
  await tx.query(deleteStatement, [ctx.companyId, id, target]);
  for (const statement of leaveStatements) await tx.query(statement, [ctx.companyId, id]);
}

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

const targetStatement = {
  name: "queues.hold-target",
  text: "select 1 from queues where company_id = $1 and id = $2 and deleted_at is null for key share",
};

const holdStatement = {
  name: "queues.hold-for-deletion",
  text: `
select file_key as "fileKey" from queues
where company_id = $1 and id = $2 and deleted_at is null for update`,
};

const optionsStatement = {
  name: "queues.delete-options",
  text: `
delete from queue_options where company_id = $1 and queue_id = $2 returning file_key as "fileKey"`,
};

const deleteStatement = {
  name: "queues.delete",
  text: `
update queues set
  deleted_at = coalesce(deleted_at, now()), successor_id = $3, file_key = null, file_name = null, updated_at = now()
where company_id = $1 and (id = $2 or successor_id = $2)`,
};

const leaveStatements = [
  {
    name: "queues.leave-users",
    text: "delete from user_queues where company_id = $1 and queue_id = $2",
  },
  {
    name: "queues.leave-connections",
    text: "delete from connection_queues where company_id = $1 and queue_id = $2",
  },
  {
    name: "queues.leave-transfers",
    text: "update connections set transfer_queue_id = null where company_id = $1 and transfer_queue_id = $2",
  },
];
