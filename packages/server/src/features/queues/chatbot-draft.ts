import { addMilliseconds } from "date-fns/addMilliseconds";
import { max } from "date-fns/max";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { hasId } from "../../platform/db/records.ts";
import type { queueOptions } from "../../platform/db/schema/index.ts";
import { queues } from "../../platform/db/schema/index.ts";
import type { QueueRow, QueuesDeps } from "./queues.ts";
import { tellSaved } from "./queues.ts";

// The draft of a queue's chatbot is a copy of its tree with the same ids, and its greeting. It begins with the first change and
// ends with its publication, or when it is discarded (`publishing.ts`). Everything happens under the lock of the queue.

/** Begins the draft of a locked queue if there is none, and notes that it changes. */
export async function touchDraft(
  deps: QueuesDeps,
  ctx: Ctx,
  tx: Tx,
  queue: QueueRow,
  values: { draftGreeting?: string | null } = {},
): Promise<QueueRow> {
  const { draftChangedAt: before } = queue;
  if (before === null) await tx.query(copyStatement, [ctx.companyId, queue.id]);
  const now = deps.clock.now();
  // Each state of a draft has a time of its own.
  const draftChangedAt = before === null ? now : max([now, addMilliseconds(before, 1)]);
  return saveDraft(deps, ctx, tx, queue, { ...values, draftChangedAt });
}

/** The company hears whether there is a draft, not each change of it. */
export async function saveDraft(
  deps: QueuesDeps,
  ctx: Ctx,
  tx: Tx,
  queue: QueueRow,
  values: Partial<Pick<QueueRow, "draftChangedAt" | "draftGreeting">>,
): Promise<QueueRow> {
  await tx.orm
    .update(queues)
    .set(values)
    .where(hasId(ctx, queues, queue.id));
  const after = { ...queue, ...values };
  const isOther = (queue.draftChangedAt === null) !== (after.draftChangedAt === null);
  if (isOther) tellSaved(deps, tx, after);
  return after;
}

/**
 * The published options of a queue with a draft have changed by a client that knows no drafts; `before` is how they were. The draft
 * changes too, field by field, except for what it had changed itself, so that its publication does not take the change back.
 */
export async function followPublished(
  deps: QueuesDeps,
  ctx: Ctx,
  tx: Tx,
  queue: QueueRow,
  before: readonly (typeof queueOptions.$inferSelect)[],
): Promise<void> {
  const known = before.map(({ id, number, title, message, fileKey }) => ({
    ...{ id, number, title, message, fileKey },
  }));
  const values = [ctx.companyId, queue.id, JSON.stringify(known)];
  // Two options may have the same number until the last statement.
  await tx.query(laterNumbersStatement, []);
  for (const statement of [followRemoved, followChanged, followAdded]) {
    await tx.query(statement, values);
  }
  await tx.query(freeNumbersStatement, [ctx.companyId, queue.id]);
  await touchDraft(deps, ctx, tx, queue);
}

// By hand: each copies or compares whole trees.
export const optionColumns =
  "company_id, queue_id, parent_id, number, title, message, file_key, file_name";

const copyStatement = {
  name: "chatbot-draft.copy",
  text: `
insert into queue_option_drafts (id, ${optionColumns}, created_at, updated_at) overriding system value
select id, ${optionColumns}, created_at, updated_at from queue_options where company_id = $1 and queue_id = $2`,
};

/** The published options before a change. */
const known = `jsonb_to_recordset($3::jsonb) as b(id int, number int, title text, message text, "fileKey" text)`;

const laterNumbersStatement = {
  name: "chatbot-draft.later-numbers",
  text: "set constraints queue_option_drafts_number deferred",
};

const followRemoved = {
  name: "chatbot-draft.follow-removed",
  text: `
delete from queue_option_drafts d using ${known}
where d.company_id = $1 and d.queue_id = $2 and d.id = b.id and not exists (
  select from queue_options o where o.company_id = $1 and o.queue_id = $2 and o.id = b.id)`,
};

const followChanged = {
  name: "chatbot-draft.follow-changed",
  text: `
update queue_option_drafts d set
  number = case when d.number = b.number then o.number else d.number end,
  title = case when d.title = b.title then o.title else d.title end,
  message = case when d.message = b.message then o.message else d.message end,
  file_key = case when d.file_key is not distinct from b."fileKey" then o.file_key else d.file_key end,
  file_name = case when d.file_key is not distinct from b."fileKey" then o.file_name else d.file_name end
from ${known} join queue_options o on o.company_id = $1 and o.queue_id = $2 and o.id = b.id
where d.company_id = $1 and d.queue_id = $2 and d.id = b.id`,
};

/** Not below an option that the draft has removed. */
const followAdded = {
  name: "chatbot-draft.follow-added",
  text: `
insert into queue_option_drafts (id, ${optionColumns}, created_at, updated_at) overriding system value
select id, ${optionColumns}, created_at, updated_at from queue_options o
where o.company_id = $1 and o.queue_id = $2
  and not exists (select from ${known} where b.id = o.id)
  and (o.parent_id is null or exists (
    select from queue_option_drafts d where d.company_id = $1 and d.queue_id = $2 and d.id = o.parent_id))`,
};

/** Of several options of a level with the same number the first keeps it; the others come last. */
const freeNumbersStatement = {
  name: "chatbot-draft.free-numbers",
  text: `
with placed as (
  select id, parent_id,
    row_number() over (partition by parent_id, number order by id) as place,
    max(number) over (partition by parent_id) as last
  from queue_option_drafts where company_id = $1 and queue_id = $2
),
moved as (
  select id, last + row_number() over (partition by parent_id order by id) as number from placed where place > 1
)
update queue_option_drafts d set number = moved.number from moved
where d.company_id = $1 and d.queue_id = $2 and d.id = moved.id`,
};
