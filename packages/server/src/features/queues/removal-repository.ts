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

/** Rows that one statement looks at: far below the time a statement may take. */
const ROWS_AT_ONCE = 5_000;

/** Whose queue is part of their history. */
export const histories = ["messages", "attendances"] as const;
export type History = (typeof histories)[number];
/** How far the company's rows have been walked over, in the order of their ids; null: from the first one. */
export type HistoryPosition = string | number | null;
export type HistoryStep = {
  history: History;
  id: QueueId;
  target: QueueId | null;
  after: HistoryPosition;
};

/**
 * One step over the company's rows: those of the queue that belong to no ticket which is in it now go to another queue, or
 * to none. Answers where the next step begins; null at the end. Their queue is in no index.
 */
export async function moveHistoryStep(
  ctx: Ctx,
  tx: Tx,
  { history, id, target, after }: HistoryStep,
): Promise<HistoryPosition> {
  const { first, statement } = historySteps[history];
  const values = [ctx.companyId, id, target, after ?? first, ROWS_AT_ONCE];
  const [step] = await tx.query<{ last: HistoryPosition }>(statement, values);
  return step?.last ?? null;
}

/** The few rows that are left of a queue which is held. Without a target the foreign keys do it. */
export async function moveRestOfHistory(
  ctx: Ctx,
  tx: Tx,
  id: QueueId,
  target: QueueId,
): Promise<void> {
  for (const history of histories) {
    await tx.query(historySteps[history].rest, [ctx.companyId, id, target]);
  }
}

/** All of them at once, whatever their depth; answers the keys of their files. */
export async function deleteOptionsOfQueue(ctx: Ctx, tx: Tx, id: QueueId): Promise<string[]> {
  const rows = await tx.query<{ fileKey: string | null }>(optionsStatement, [ctx.companyId, id]);
  return rows.flatMap(({ fileKey }) => (fileKey === null ? [] : [fileKey]));
}

/** With it go its places at users and connections. */
export async function deleteQueue(ctx: Ctx, tx: Tx, id: QueueId): Promise<void> {
  await tx.query(deleteStatement, [ctx.companyId, id]);
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
from queues where company_id = $1 and id = $2`,
};

const targetStatement = {
  name: "queues.hold-target",
  text: "select 1 from queues where company_id = $1 and id = $2 for key share",
};

const holdStatement = {
  name: "queues.hold-for-deletion",
  text: `
select file_key as "fileKey" from queues where company_id = $1 and id = $2 for update`,
};

const stepText = (table: History, isHistory: string, after = "") => `
with portion as materialized (
  select id from ${table} where company_id = $1 and id > $4 order by id limit $5
), last as materialized (
  select id from portion order by id desc limit 1
), moved as (
  update ${table} h set queue_id = $3
  where h.company_id = $1 and h.queue_id = $2 and h.id > $4 and h.id <= (select id from last)
    and ${isHistory}
  returning h.*
)${after}
select (select id from last) as last`;

const isOutside = `not exists (
  select from tickets t where t.company_id = $1 and t.id = h.ticket_id and t.queue_id = $2)`;

const restText = (table: History, after = "select") => `
with moved as (
  update ${table} set queue_id = $3 where company_id = $1 and queue_id = $2 returning *
)
${after}`;

/** A closed ticket stands in the list of the queue that its newest attendance has. */
const moveServed = `update tickets t set served_queue_id = $3 from moved
  where t.company_id = $1 and t.id = moved.ticket_id and t.last_attendance_id = moved.id and t.status = 'closed'`;

/** `first` is before every id. */
const historySteps = {
  messages: {
    first: "00000000-0000-0000-0000-000000000000",
    statement: { name: "queues.move-messages", text: stepText("messages", isOutside) },
    rest: { name: "queues.move-last-messages", text: restText("messages") },
  },
  attendances: {
    first: 0,
    statement: {
      name: "queues.move-attendances",
      text: stepText(
        "attendances",
        "h.finished_at is not null",
        `, served as (\n  ${moveServed}\n)`,
      ),
    },
    rest: { name: "queues.move-last-attendances", text: restText("attendances", moveServed) },
  },
};

const optionsStatement = {
  name: "queues.delete-options",
  text: `
delete from queue_options where company_id = $1 and queue_id = $2 returning file_key as "fileKey"`,
};

const deleteStatement = {
  name: "queues.delete",
  // Of the attendances the foreign key does it.
  text: `
with served as (
  update tickets set served_queue_id = null where company_id = $1 and served_queue_id = $2 and status = 'closed'
)
delete from queues where company_id = $1 and id = $2`,
};
