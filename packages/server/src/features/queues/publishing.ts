import type { EditedChatbot, QueueId } from "@balcao/contract";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { findRecord, requireRow, toIso } from "../../platform/db/records.ts";
import { queueOptionDrafts, queues } from "../../platform/db/schema/index.ts";
import { optionColumns, saveDraft, touchDraft } from "./chatbot-draft.ts";
import { readTree } from "./options.ts";
import type { QueueRow, QueuesDeps } from "./queues.ts";
import { lockQueue, saveQueue } from "./queues.ts";
import { deleteTree } from "./removal.ts";

/** The chatbot of a queue as it is edited, and as customers get it. */
export async function showChatbot(
  deps: QueuesDeps,
  ctx: UserCtx,
  queueId: QueueId,
): Promise<EditedChatbot> {
  return deps.db.transaction(ctx, async (tx) => {
    const queue = await findRecord(ctx, tx, queues, queueId, "ERR_QUEUE_NOT_FOUND");
    return readChatbot(deps, ctx, tx, queue);
  });
}

export async function changeGreeting(
  deps: QueuesDeps,
  ctx: UserCtx,
  queueId: QueueId,
  greetingMessage: string,
): Promise<EditedChatbot> {
  return deps.db.transaction(ctx, async (tx) => {
    const queue = await lockQueue(ctx, tx, queueId);
    // Follows later changes of the published greeting while it is the same.
    const draftGreeting = greetingMessage === queue.greetingMessage ? null : greetingMessage;
    return readChatbot(deps, ctx, tx, await touchDraft(deps, ctx, tx, queue, { draftGreeting }));
  });
}

/**
 * Customers get the draft from now on. Options keep their ids, so that customers stay where they are; whoever was shown a menu
 * that is different now sees it anew before an answer counts. Throws ERR_CHATBOT_DRAFT_CHANGED when the draft is not the one of
 * `draftAt`.
 */
export async function publishDraft(
  deps: QueuesDeps,
  ctx: UserCtx,
  queueId: QueueId,
  draftAt: string,
): Promise<EditedChatbot> {
  const { chatbot, fileKeys } = await deps.db.transaction(ctx, async (tx) => {
    const queue = await lockQueue(ctx, tx, queueId);
    if (queue.draftChangedAt === null || toIso(queue.draftChangedAt) !== draftAt) {
      throw new DomainError("ERR_CHATBOT_DRAFT_CHANGED");
    }
    const now = deps.clock.now();
    const of = [ctx.companyId, queueId];
    const { isMenuChanged, fileKeys: replaced } = requireRow(
      await tx.query<{ isMenuChanged: boolean; fileKeys: string[] }>(differenceStatement, of),
    );
    await tx.query(removeStatement, of);
    await tx.query(publishStatement, [...of, now]);
    await deleteTree(ctx, tx, queueOptionDrafts, queueId);
    const values = {
      greetingMessage: queue.draftGreeting ?? queue.greetingMessage,
      ...(isMenuChanged && { menuChangedAt: now }),
      ...withoutDraft,
    };
    await saveQueue(deps, ctx, tx, queue, values, queue.fileMime);
    const after = { ...queue, ...values };
    return { chatbot: await readChatbot(deps, ctx, tx, after), fileKeys: replaced };
  });
  await deps.media.removeUnused(ctx.companyId, fileKeys);
  return chatbot;
}

/** Discards the draft; the published chatbot stays. Does nothing without a draft. */
export async function discardDraft(
  deps: QueuesDeps,
  ctx: UserCtx,
  queueId: QueueId,
): Promise<EditedChatbot> {
  const { chatbot, removed } = await deps.db.transaction(ctx, async (tx) => {
    const queue = await lockQueue(ctx, tx, queueId);
    const rows = await deleteTree(ctx, tx, queueOptionDrafts, queueId);
    const after = await saveDraft(deps, ctx, tx, queue, withoutDraft);
    return { chatbot: await readChatbot(deps, ctx, tx, after), removed: rows };
  });
  const fileKeys = removed.flatMap(({ fileKey }) => fileKey ?? []);
  await deps.media.removeUnused(ctx.companyId, fileKeys);
  return chatbot;
}

const withoutDraft = { draftChangedAt: null, draftGreeting: null };

async function readChatbot(
  deps: QueuesDeps,
  ctx: Ctx,
  tx: Tx,
  queue: Pick<QueueRow, "id" | "greetingMessage" | "draftGreeting" | "draftChangedAt">,
): Promise<EditedChatbot> {
  const { id, greetingMessage, draftChangedAt } = queue;
  const options = await readTree(deps, ctx, tx, id, { draft: false });
  const published = { greetingMessage, options };
  if (draftChangedAt === null) return { draftAt: null, draft: published, published };
  return {
    draftAt: toIso(draftChangedAt),
    draft: {
      greetingMessage: queue.draftGreeting ?? greetingMessage,
      options: await readTree(deps, ctx, tx, id, { draft: true }),
    },
    published,
  };
}

// By hand: each compares or copies whole trees.

/** Customers saw numbers and titles; the files are those that no option has after the publication. */
const differenceStatement = {
  name: "chatbot-draft.difference",
  text: `
select
  coalesce(bool_or(o.number is distinct from d.number or o.title is distinct from d.title), false) as "isMenuChanged",
  coalesce(array_agg(o.file_key) filter (where o.file_key is distinct from d.file_key and o.file_key is not null), '{}')
    as "fileKeys"
from (select * from queue_options where company_id = $1 and queue_id = $2) o
full join (select * from queue_option_drafts where company_id = $1 and queue_id = $2) d on d.id = o.id`,
};

const removeStatement = {
  name: "chatbot-draft.remove",
  text: `
delete from queue_options o where o.company_id = $1 and o.queue_id = $2 and not exists (
  select from queue_option_drafts d where d.company_id = $1 and d.queue_id = $2 and d.id = o.id)`,
};

const publishStatement = {
  name: "chatbot-draft.publish",
  text: `
insert into queue_options as o (id, ${optionColumns}, created_at, updated_at) overriding system value
select id, ${optionColumns}, created_at, $3 from queue_option_drafts where company_id = $1 and queue_id = $2
on conflict (company_id, id) do update set
  number = excluded.number, title = excluded.title, message = excluded.message,
  file_key = excluded.file_key, file_name = excluded.file_name, updated_at = $3
where (o.number, o.title, o.message, o.file_key, o.file_name) is distinct from
  (excluded.number, excluded.title, excluded.message, excluded.file_key, excluded.file_name)`,
};
