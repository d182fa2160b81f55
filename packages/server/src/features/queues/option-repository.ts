import type { QueueId, QueueOptionId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { OptionRow } from "./option.ts";

/** Below a parent, at the root, or the whole tree. */
export type Level = QueueOptionId | "root" | "all";

/** Options of a queue by their parents and numbers; null when the company has no such queue. */
export async function listOptions(
  ctx: Ctx,
  tx: Tx,
  queueId: QueueId,
  level: Level,
): Promise<OptionRow[] | null> {
  const rows = await tx.query<OptionRow | { id: null }>(listStatement, [
    ctx.companyId,
    queueId,
    level === "all",
    typeof level === "string" ? null : level,
  ]);
  if (rows.length === 0) return null;
  return rows.filter((row) => row.id !== null);
}

export async function findOption(
  ctx: Ctx,
  tx: Tx,
  id: QueueOptionId,
): Promise<OptionRow | undefined> {
  const [row] = await tx.query<OptionRow>(findStatement, [ctx.companyId, id]);
  return row;
}

export async function lockOption(
  ctx: Ctx,
  tx: Tx,
  id: QueueOptionId,
): Promise<OptionRow | undefined> {
  const [row] = await tx.query<OptionRow>(lockStatement, [ctx.companyId, id]);
  return row;
}

/** How many options a held queue has, and how many of them under a parent; whether the parent is one of them. */
export async function countOptions(
  ctx: Ctx,
  tx: Tx,
  queueId: QueueId,
  parentId: QueueOptionId | null,
): Promise<{ inQueue: number; inLevel: number; hasParent: boolean }> {
  type Counts = { inQueue: number; inLevel: number; hasParent: boolean };
  const [row] = await tx.query<Counts>(countStatement, [ctx.companyId, queueId, parentId]);
  return row ?? { inQueue: 0, inLevel: 0, hasParent: false };
}

/** How many options each queue with any has. */
export function countOptionsOfQueues(
  ctx: Ctx,
  tx: Tx,
): Promise<{ queueId: QueueId; count: number }[]> {
  return tx.query(countAllStatement, [ctx.companyId]);
}

export type OptionValues = Pick<OptionRow, "number" | "title" | "message">;

export async function insertOption(
  ctx: Ctx,
  tx: Tx,
  {
    queueId,
    parentId,
    number,
    title,
    message,
  }: OptionValues & Pick<OptionRow, "queueId" | "parentId">,
  now: Date,
): Promise<QueueOptionId> {
  const [row] = await tx.query<{ id: QueueOptionId }>(insertStatement, [
    ...[ctx.companyId, queueId, parentId, number, title, message],
    now,
  ]);
  if (!row) throw new Error("the option was not stored");
  return row.id;
}

export async function saveOption(
  ctx: Ctx,
  tx: Tx,
  id: QueueOptionId,
  { number, title, message }: OptionValues,
  now: Date,
): Promise<void> {
  await tx.query(saveStatement, [ctx.companyId, id, number, title, message, now]);
}

/** Null takes the file away. */
export async function saveOptionFile(
  ctx: Ctx,
  tx: Tx,
  id: QueueOptionId,
  file: { key: string; name: string } | null,
  now: Date,
): Promise<void> {
  await tx.query(attachStatement, [ctx.companyId, id, file?.key ?? null, file?.name ?? null, now]);
}

/** Numbers options of one level from 1 in the given order, in one statement: numbers are unique at its end. */
export async function numberOptions(
  ctx: Ctx,
  tx: Tx,
  ids: readonly QueueOptionId[],
  now: Date,
): Promise<void> {
  await tx.query(numberStatement, [ctx.companyId, ids, now]);
}

/** Removes an option and all below it; answers the keys of their files. */
export async function deleteOption(ctx: Ctx, tx: Tx, id: QueueOptionId): Promise<string[]> {
  const rows = await tx.query<{ fileKey: string | null }>(deleteStatement, [ctx.companyId, id]);
  return rows.flatMap(({ fileKey }) => (fileKey === null ? [] : [fileKey]));
}

const columns = `
  o.id, o.company_id as "companyId", o.queue_id as "queueId", o.parent_id as "parentId", o.number,
  o.title, o.message, o.file_key as "fileKey", o.file_name as "fileName", f.mime as "fileMime",
  o.created_at as "createdAt", o.updated_at as "updatedAt"`;

const fileJoin = `left join files f on f.company_id = o.company_id and f.key = o.file_key`;

const listStatement = {
  name: "queue-options.list",
  // One row without an option where the queue has none.
  text: `
select ${columns}
from queues q
left join queue_options o on o.company_id = q.company_id and o.queue_id = q.id
  and ($3 or o.parent_id is not distinct from $4)
${fileJoin}
where q.company_id = $1 and q.id = $2 and q.deleted_at is null
order by o.parent_id nulls first, o.number, o.id`,
};

const findStatement = {
  name: "queue-options.find",
  text: `
select ${columns} from queue_options o ${fileJoin} where o.company_id = $1 and o.id = $2`,
};

const lockStatement = {
  name: "queue-options.lock",
  text: `${findStatement.text} for no key update of o`,
};

const countStatement = {
  name: "queue-options.count",
  text: `
select count(*)::int as "inQueue",
  count(*) filter (where parent_id is not distinct from $3)::int as "inLevel",
  coalesce(bool_or(id = $3), false) as "hasParent"
from queue_options where company_id = $1 and queue_id = $2`,
};

const countAllStatement = {
  name: "queue-options.count-all",
  text: `
select queue_id as "queueId", count(*)::int as count
from queue_options where company_id = $1 group by queue_id order by queue_id`,
};

const insertStatement = {
  name: "queue-options.insert",
  text: `
insert into queue_options (company_id, queue_id, parent_id, number, title, message, created_at, updated_at)
values ($1, $2, $3, $4, $5, $6, $7, $7)
returning id`,
};

const saveStatement = {
  name: "queue-options.save",
  text: `
update queue_options set number = $3, title = $4, message = $5, updated_at = $6
where company_id = $1 and id = $2`,
};

const attachStatement = {
  name: "queue-options.attach",
  text: `
update queue_options set file_key = $3, file_name = $4, updated_at = $5
where company_id = $1 and id = $2`,
};

const numberStatement = {
  name: "queue-options.number",
  text: `
update queue_options o set number = wanted.place, updated_at = $3
from unnest($2::int[]) with ordinality as wanted(id, place)
where o.company_id = $1 and o.id = wanted.id and o.number <> wanted.place`,
};

const deleteStatement = {
  name: "queue-options.delete",
  // All of them by one statement: the foreign key would go down level by level.
  text: `
with recursive below as (
  select id from queue_options where company_id = $1 and id = $2
  union all
  select o.id from below b
  join queue_options o on o.company_id = $1 and o.parent_id = b.id
)
delete from queue_options where company_id = $1 and id in (select id from below)
returning file_key as "fileKey"`,
};
