import type { QuickMessageBody, QuickMessageId } from "@balcao/contract";
import { pageSizes } from "@balcao/contract";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { QuickMessageRow } from "./quick-message.ts";

/** How many there are at most in one list for the message input. */
const ALL = 1_000;

/** One page of the caller's and the company's by shortcode, and how many all pages have. */
export async function listQuickMessages(
  ctx: UserCtx,
  tx: Tx,
  { searchParam, pageNumber }: { searchParam: string; pageNumber: number },
): Promise<{ rows: QuickMessageRow[]; total: number }> {
  const offset = (pageNumber - 1) * pageSizes.quickMessages;
  const rows = await tx.query<{ total: number } & (QuickMessageRow | { id: null })>(pageStatement, [
    ctx.companyId,
    ctx.actor.userId,
    searchParam,
    pageSizes.quickMessages,
    offset,
  ]);
  return { rows: rows.filter((row) => row.id !== null), total: rows[0]?.total ?? 0 };
}

/** The caller's and the company's by shortcode. */
export async function allQuickMessages(ctx: UserCtx, tx: Tx): Promise<QuickMessageRow[]> {
  return tx.query<QuickMessageRow>(allStatement, [ctx.companyId, ctx.actor.userId, ALL]);
}

export async function findQuickMessage(
  ctx: Ctx,
  tx: Tx,
  id: QuickMessageId,
): Promise<QuickMessageRow | undefined> {
  const [row] = await tx.query<QuickMessageRow>(findStatement, [ctx.companyId, id]);
  return row;
}

export async function lockQuickMessage(
  ctx: Ctx,
  tx: Tx,
  id: QuickMessageId,
): Promise<QuickMessageRow | undefined> {
  const [row] = await tx.query<QuickMessageRow>(lockStatement, [ctx.companyId, id]);
  return row;
}

export async function insertQuickMessage(
  ctx: UserCtx,
  tx: Tx,
  { shortcode, message, geral, status }: QuickMessageBody,
  now: Date,
): Promise<QuickMessageId> {
  const [row] = await tx.query<{ id: QuickMessageId }>(insertStatement, [
    ...[ctx.companyId, ctx.actor.userId, shortcode, message, geral, status],
    now,
  ]);
  if (!row) throw new Error("the quick message was not stored");
  return row.id;
}

export async function saveQuickMessage(
  ctx: Ctx,
  tx: Tx,
  id: QuickMessageId,
  { shortcode, message, geral, status }: QuickMessageBody,
  now: Date,
): Promise<void> {
  const values = [ctx.companyId, id, shortcode, message, geral, status, now];
  await tx.query(saveStatement, values);
}

/** Null takes the attachment away. */
export async function saveAttachment(
  ctx: Ctx,
  tx: Tx,
  id: QuickMessageId,
  file: { key: string; name: string } | null,
  now: Date,
): Promise<void> {
  await tx.query(attachStatement, [ctx.companyId, id, file?.key ?? null, file?.name ?? null, now]);
}

export async function deleteQuickMessage(ctx: Ctx, tx: Tx, id: QuickMessageId): Promise<void> {
  await tx.query(deleteStatement, [ctx.companyId, id]);
}

const columns = `
  q.id, q.company_id as "companyId", q.user_id as "userId", q.shortcode, q.message, q.geral, q.status,
  q.file_key as "fileKey", q.file_name as "fileName", f.mime as "fileMime",
  q.created_at as "createdAt", q.updated_at as "updatedAt"`;

const fileJoin = `left join files f on f.company_id = q.company_id and f.key = q.file_key`;

const isOwnOrShared = `q.company_id = $1 and (q.user_id = $2 or q.geral)`;

const pageStatement = {
  name: "quick-messages.page",
  // The page may be empty while there are others: the total is there all the same.
  text: `
with found as (
  select q.* from quick_messages q
  where ${isOwnOrShared} and ($3 = '' or position(f_norm($3) in f_norm(q.shortcode)) > 0)
)
select (select count(*) from found) as total, ${columns}
from (select 1) as always
left join (
  select * from found order by f_norm(shortcode), id limit $4 offset $5
) q on true
${fileJoin}
order by f_norm(q.shortcode), q.id`,
};

const allStatement = {
  name: "quick-messages.all",
  text: `
select ${columns} from quick_messages q ${fileJoin}
where ${isOwnOrShared}
order by f_norm(q.shortcode), q.id
limit $3`,
};

const findStatement = {
  name: "quick-messages.find",
  text: `select ${columns} from quick_messages q ${fileJoin} where q.company_id = $1 and q.id = $2`,
};

const lockStatement = {
  name: "quick-messages.lock",
  text: `${findStatement.text} for no key update of q`,
};

const insertStatement = {
  name: "quick-messages.insert",
  text: `
insert into quick_messages (company_id, user_id, shortcode, message, geral, status, created_at, updated_at)
values ($1, $2, $3, $4, $5, $6, $7, $7)
returning id`,
};

const saveStatement = {
  name: "quick-messages.save",
  text: `
update quick_messages set shortcode = $3, message = $4, geral = $5, status = $6, updated_at = $7
where company_id = $1 and id = $2`,
};

const attachStatement = {
  name: "quick-messages.attach",
  text: `
update quick_messages set file_key = $3, file_name = $4, updated_at = $5
where company_id = $1 and id = $2`,
};

const deleteStatement = {
  name: "quick-messages.delete",
  text: "delete from quick_messages where company_id = $1 and id = $2",
};
