import type { ConnectionId, NewQueue, QueueChange, QueueId, UserId } from "@balcao/contract";
import { defaultSchedules } from "@balcao/contract";
import { and, eq } from "drizzle-orm";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { queues } from "../../platform/db/schema/index.ts";
import type { QueueRow } from "./queue.ts";

/** The company's queues in their order, those without a place last. */
export async function listQueues(ctx: Ctx, tx: Tx): Promise<QueueRow[]> {
  return tx.query<QueueRow>(listStatement, [ctx.companyId]);
}

export async function findQueue(ctx: Ctx, tx: Tx, id: QueueId): Promise<QueueRow | undefined> {
  const [row] = await tx.query<QueueRow>(findStatement, [ctx.companyId, id]);
  return row;
}

/** The queue, held until the transaction ends: one change of it, or of its options, at a time. */
export async function lockQueue(ctx: Ctx, tx: Tx, id: QueueId): Promise<QueueRow | undefined> {
  const [row] = await tx.query<QueueRow>(lockStatement, [ctx.companyId, id]);
  return row;
}

export async function insertQueue(
  { companyId }: Ctx,
  tx: Tx,
  { name, color, ...rest }: NewQueue,
  now: Date,
): Promise<QueueId> {
  const [row] = await tx.orm
    .insert(queues)
    .values({
      ...{ companyId, name, color, schedules: defaultSchedules() },
      ...rest,
      ...{ createdAt: now, updatedAt: now },
    })
    .returning({ id: queues.id });
  if (!row) throw new Error("the queue was not stored");
  return row.id;
}

/** Writes what is given. */
export async function saveQueue(
  { companyId }: Ctx,
  tx: Tx,
  id: QueueId,
  change: QueueChange,
  now: Date,
): Promise<void> {
  await tx.orm
    .update(queues)
    .set({ ...change, updatedAt: now })
    .where(and(eq(queues.companyId, companyId), eq(queues.id, id)));
}

/** Null takes the file away. */
export async function saveQueueFile(
  ctx: Ctx,
  tx: Tx,
  id: QueueId,
  file: { key: string; name: string } | null,
  now: Date,
): Promise<void> {
  const values = [ctx.companyId, id, file?.key ?? null, file?.name ?? null, now];
  await tx.query(attachStatement, values);
}

/** Who and what has the queue, beside tickets. */
export type QueueHolders = { userIds: UserId[]; connectionIds: ConnectionId[] };

export async function findHolders(ctx: Ctx, tx: Tx, id: QueueId): Promise<QueueHolders> {
  const [row] = await tx.query<QueueHolders>(holdersStatement, [ctx.companyId, id]);
  return row ?? { userIds: [], connectionIds: [] };
}

const columns = `
  q.id, q.company_id as "companyId", q.name, q.color, q.greeting_message as "greetingMessage",
  q.out_of_hours_message as "outOfHoursMessage", q.order_queue as "orderQueue", q.schedules,
  q.file_key as "fileKey", q.file_name as "fileName", f.mime as "fileMime",
  q.created_at as "createdAt", q.updated_at as "updatedAt"`;

const select = `
select ${columns} from queues q
left join files f on f.company_id = q.company_id and f.key = q.file_key`;

const listStatement = {
  name: "queues.list",
  text: `${select} where q.company_id = $1 and q.deleted_at is null order by q.order_queue nulls last, q.id`,
};

const findStatement = {
  name: "queues.find",
  text: `${select} where q.company_id = $1 and q.id = $2 and q.deleted_at is null`,
};

const lockStatement = {
  name: "queues.lock",
  text: `${findStatement.text} for no key update of q`,
};

const attachStatement = {
  name: "queues.attach",
  text: `
update queues set file_key = $3, file_name = $4, updated_at = $5 where company_id = $1 and id = $2 and deleted_at is null`,
};

const holdersStatement = {
  name: "queues.holders",
  text: `
select
  array(select user_id from user_queues where company_id = $1 and queue_id = $2 order by 1) as "userIds",
  array(
    select connection_id from connection_queues where company_id = $1 and queue_id = $2
    union select id from connections where company_id = $1 and transfer_queue_id = $2
    order by 1) as "connectionIds"`,
};
