import type {
  InputOf,
  NewQueueOption,
  QueueId,
  QueueOption,
  QueueOptionChange,
  QueueOptionId,
} from "@balcao/contract";
import { limits } from "@balcao/contract";
import { and, eq, getTableColumns, isNull, sql } from "drizzle-orm";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { hasId, refuseDuplicates, requireRow, wireDates } from "../../platform/db/records.ts";
import { files, queueOptionDrafts, queueOptions, queues } from "../../platform/db/schema/index.ts";
import type { IncomingFile, StoredFile } from "../media/index.ts";
import { attachFile, detachFile } from "../media/index.ts";
import { followPublished, touchDraft } from "./chatbot-draft.ts";
import type { QueuesDeps } from "./queues.ts";
import { lockQueue } from "./queues.ts";

// The menus of queues have no events: a client that edits one reads it. A change concerns the options that customers get, or the
// draft of them (`chatbot-draft.ts`).

type Deps = QueuesDeps;
type OptionTable = typeof queueOptions;
type StoredOption = OptionTable["$inferSelect"];
/** An option with the type of its file. */
type OptionRow = StoredOption & { fileMime: string | null };
/** Whether a change concerns the draft. */
type Wish = { draft: boolean };

/** Below a parent, at the root, or the whole tree. */
type Level = QueueOptionId | "root" | "all";

/** Options by their parents and numbers. */
export async function listOptions(
  deps: Deps,
  ctx: UserCtx,
  queueId: QueueId,
  level: Level,
): Promise<QueueOption[]> {
  const rows = await deps.db.transaction(ctx, (tx) =>
    readLevel(ctx, tx, queueOptions, queueId, level),
  );
  return rows.map((row) => toOption(deps, row));
}

/** The options of all levels that customers get, or those of the draft. */
export async function readTree(
  deps: Pick<Deps, "media">,
  ctx: Ctx,
  tx: Tx,
  queueId: QueueId,
  { draft }: Wish,
): Promise<QueueOption[]> {
  const table = draft ? queueOptionDrafts : queueOptions;
  const rows = await readLevel(ctx, tx, table, queueId, "all");
  return rows.map((row) => toOption(deps, row));
}

/** The number of options of each queue that has any. */
export async function countOptions({ db }: Deps, ctx: UserCtx) {
  const { queueId, companyId } = queueOptions;
  return db.transaction(ctx, (tx) =>
    tx.orm
      .select({ queueId, count: sql<number>`count(*)` })
      .from(queueOptions)
      .where(eq(companyId, ctx.companyId))
      .groupBy(queueId)
      .orderBy(queueId),
  );
}

export async function showOption(deps: Deps, ctx: UserCtx, id: QueueOptionId) {
  return toOption(deps, await findOption(deps, ctx, id));
}

export async function createOption(
  deps: Deps,
  ctx: UserCtx,
  { option, draft, ...values }: NewQueueOption,
): Promise<QueueOption> {
  const [{ companyId }, now] = [ctx, deps.clock.now()];
  const work = deps.db.transaction(ctx, (tx) =>
    changeTree(deps, ctx, tx, values.queueId, { draft }, async (table) => {
      await requireRoom(ctx, tx, table, values);
      const rows = await tx.orm
        .insert(table)
        .values({ ...values, companyId, number: Number(option), createdAt: now, updatedAt: now })
        .returning();
      return toOption(deps, { ...requireRow(rows), fileMime: null });
    }),
  );
  return work.catch(refuseTaken);
}

export async function updateOption(
  deps: Deps,
  ctx: UserCtx,
  id: QueueOptionId,
  { title, message, option, draft }: QueueOptionChange,
): Promise<QueueOption> {
  const work = changeOption(deps, ctx, id, { draft }, async (tx, table, before) => {
    const values = {
      title: title ?? before.title,
      message: message === undefined ? before.message : (message ?? ""),
      number: Number(option ?? before.number),
    };
    const saved = await saveOption(deps, ctx, tx, table, id, values);
    return toOption(deps, { ...saved, fileMime: before.fileMime });
  });
  return work.catch(refuseTaken);
}

/** Renumbers a level; refuses when its options are no longer those of the order. */
export async function orderOptions(
  deps: Deps,
  ctx: UserCtx,
  { queueId, parentId, ids, draft }: InputOf<"POST /queue-options/order">["body"],
): Promise<QueueOption[]> {
  const level = parentId ?? "root";
  return deps.db.transaction(ctx, (tx) =>
    changeTree(deps, ctx, tx, queueId, { draft }, async (table) => {
      const before = await readLevel(ctx, tx, table, queueId, level);
      const isWhole = new Set(ids).size === ids.length && ids.length === before.length;
      if (!isWhole || !before.every(({ id }) => ids.includes(id))) {
        throw new DomainError("ERR_NO_QUEUE_OPTION_FOUND");
      }
      const numbered = [ctx.companyId, ids, deps.clock.now()];
      await tx.query(numberStatements[versionOf(table)], numbered);
      const after = await readLevel(ctx, tx, table, queueId, level);
      return after.map((row) => toOption(deps, row));
    }),
  );
}

/** With an option all options below it are removed. */
export async function removeOption(
  deps: Deps,
  ctx: UserCtx,
  id: QueueOptionId,
  wish: Wish,
): Promise<void> {
  type Removed = { fileKey: string | null };
  const removed = await changeOption(deps, ctx, id, wish, (tx, table) =>
    tx.query<Removed>(removeStatements[versionOf(table)], [ctx.companyId, id]),
  );
  const fileKeys = removed.flatMap(({ fileKey }) => fileKey ?? []);
  await deps.media.removeUnused(ctx.companyId, fileKeys);
}

/** Refuses an unknown option before anything is stored. */
export async function attachOptionFile(
  deps: Deps,
  ctx: UserCtx,
  id: QueueOptionId,
  incoming: AsyncIterable<IncomingFile>,
  wish: Wish,
): Promise<void> {
  await deps.db.transaction(ctx, (tx) => findQueueOf(ctx, tx, id, wish));
  await attachFile(deps.media, ctx, incoming, "any", (file) => saveFile(deps, ctx, id, wish, file));
}

export async function detachOptionFile(deps: Deps, ctx: UserCtx, id: QueueOptionId, wish: Wish) {
  await detachFile(deps.media, ctx, (file) => saveFile(deps, ctx, id, wish, file));
}

function saveFile(
  deps: Deps,
  ctx: UserCtx,
  id: QueueOptionId,
  wish: Wish,
  file: StoredFile | null,
): Promise<string | null> {
  return changeOption(deps, ctx, id, wish, async (tx, table, before) => {
    const values = { fileKey: file?.key ?? null, fileName: file?.name ?? null };
    await saveOption(deps, ctx, tx, table, id, values);
    return before.fileKey;
  });
}

async function saveOption(
  { clock }: Deps,
  ctx: Ctx,
  tx: Tx,
  table: OptionTable,
  id: QueueOptionId,
  values: Partial<StoredOption>,
): Promise<StoredOption> {
  const rows = await tx.orm
    .update(table)
    .set({ ...values, updatedAt: clock.now() })
    .where(hasId(ctx, table, id))
    .returning();
  return requireRow(rows);
}

/** Changes one option of a tree; throws ERR_NO_QUEUE_OPTION_FOUND. */
function changeOption<T>(
  deps: Deps,
  ctx: UserCtx,
  id: QueueOptionId,
  wish: Wish,
  change: (tx: Tx, table: OptionTable, before: OptionRow) => Promise<T>,
): Promise<T> {
  return deps.db.transaction(ctx, async (tx) => {
    const queueId = await findQueueOf(ctx, tx, id, wish);
    return changeTree(deps, ctx, tx, queueId, wish, async (table) => {
      const rows = await selectOption(ctx, tx, table, id);
      return change(tx, table, requireRow(rows, "ERR_NO_QUEUE_OPTION_FOUND"));
    });
  });
}

/**
 * One change of a queue's trees at a time, under the lock of the queue. The first change of a draft begins it; a change of the
 * published options is made in the draft too, as far as the draft has not changed the same.
 */
async function changeTree<T>(
  deps: Deps,
  ctx: UserCtx,
  tx: Tx,
  queueId: QueueId,
  { draft }: Wish,
  change: (table: OptionTable) => Promise<T>,
): Promise<T> {
  const queue = await lockQueue(ctx, tx, queueId);
  if (draft) {
    await touchDraft(deps, ctx, tx, queue);
    return change(queueOptionDrafts);
  }
  if (queue.draftChangedAt === null) return change(queueOptions);
  const before = await readLevel(ctx, tx, queueOptions, queueId, "all");
  const result = await change(queueOptions);
  await followPublished(deps, ctx, tx, queue, before);
  return result;
}

/** The queue of an option. One of the draft may be published or not. */
async function findQueueOf(ctx: Ctx, tx: Tx, id: QueueOptionId, { draft }: Wish): Promise<QueueId> {
  for (const table of draft ? [queueOptionDrafts, queueOptions] : [queueOptions]) {
    const [row] = await tx.orm
      .select({ queueId: table.queueId })
      .from(table)
      .where(hasId(ctx, table, id));
    if (row) return row.queueId;
  }
  throw new DomainError("ERR_NO_QUEUE_OPTION_FOUND");
}

async function readLevel(
  ctx: Ctx,
  tx: Tx,
  table: OptionTable,
  queueId: QueueId,
  level: Level,
): Promise<OptionRow[]> {
  const { parentId, number, id } = table;
  const inLevel = { all: undefined, root: isNull(parentId) };
  const rows = await tx.orm
    .select({ option: table, fileMime: files.mime })
    .from(queues)
    .leftJoin(
      table,
      and(
        eq(table.companyId, queues.companyId),
        eq(table.queueId, queues.id),
        typeof level === "string" ? inLevel[level] : eq(parentId, level),
      ),
    )
    .leftJoin(files, ofOption(table))
    .where(hasId(ctx, queues, queueId))
    .orderBy(sql`${parentId} nulls first`, number, id);
  // A queue without options is one row without an option.
  requireRow(rows, "ERR_QUEUE_NOT_FOUND");
  return rows.flatMap(({ option, fileMime }) => (option ? { ...option, fileMime } : []));
}

const ofOption = ({ companyId, fileKey }: OptionTable) =>
  and(eq(files.companyId, companyId), eq(files.key, fileKey));

async function findOption({ db }: Deps, ctx: Ctx, id: QueueOptionId): Promise<OptionRow> {
  const rows = await db.transaction(ctx, (tx) => selectOption(ctx, tx, queueOptions, id));
  return requireRow(rows, "ERR_NO_QUEUE_OPTION_FOUND");
}

function selectOption(ctx: Ctx, { orm }: Tx, table: OptionTable, id: QueueOptionId) {
  return orm
    .select({ ...getTableColumns(table), fileMime: files.mime })
    .from(table)
    .leftJoin(files, ofOption(table))
    .where(hasId(ctx, table, id));
}

async function requireRoom(
  ctx: UserCtx,
  tx: Tx,
  table: OptionTable,
  { queueId, parentId }: Pick<NewQueueOption, "queueId" | "parentId">,
): Promise<void> {
  type Counts = { inQueue: number; inLevel: number; hasParent: boolean };
  const of = [ctx.companyId, queueId, parentId];
  const rows = await tx.query<Counts>(countStatements[versionOf(table)], of);
  const { inQueue, inLevel, hasParent } = requireRow(rows);
  if (parentId !== null && !hasParent) throw new DomainError("ERR_NO_QUEUE_OPTION_FOUND");
  const { queueOptionsPerLevel, queueOptionsPerQueue } = limits;
  if (inQueue >= queueOptionsPerQueue) {
    throw new DomainError("ERR_QUEUE_OPTIONS_LIMIT", { max: queueOptionsPerQueue });
  }
  if (inLevel >= queueOptionsPerLevel) {
    throw new DomainError("ERR_QUEUE_OPTIONS_LIMIT", { max: queueOptionsPerLevel });
  }
}

const refuseTaken = refuseDuplicates({
  queue_options_number: "ERR_QUEUE_OPTION_EXISTS",
  queue_option_drafts_number: "ERR_QUEUE_OPTION_EXISTS",
});

function toOption({ media }: Pick<Deps, "media">, row: OptionRow): QueueOption {
  const { id, companyId, queueId, parentId, title, message, fileKey } = row;
  return {
    ...{ id, queueId, parentId, title, message },
    option: String(row.number),
    mediaPath: fileKey === null ? null : media.signedPath(companyId, fileKey),
    mediaName: row.fileName,
    mediaMime: row.fileMime,
    ...wireDates(row),
  };
}

const versionOf = (table: OptionTable): "draft" | "published" =>
  table === queueOptionDrafts ? "draft" : "published";

/** A statement for either table. */
const forBoth = (name: string, textOf: (table: string) => string) => ({
  published: { name: `queue-options.${name}`, text: textOf("queue_options") },
  draft: { name: `queue-option-drafts.${name}`, text: textOf("queue_option_drafts") },
});

// By hand: three answers by one reading.
const countStatements = forBoth(
  "count",
  (table) => `
select count(*)::int as "inQueue",
  count(*) filter (where parent_id is not distinct from $3)::int as "inLevel",
  coalesce(bool_or(id = $3), false) as "hasParent"
from ${table} where company_id = $1 and queue_id = $2`,
);

// By hand: one statement, because the numbers of a level are unique only at its end.
const numberStatements = forBoth(
  "number",
  (table) => `
update ${table} o set number = wanted.place, updated_at = $3
from unnest($2::int[]) with ordinality as wanted(id, place)
where o.company_id = $1 and o.id = wanted.id and o.number <> wanted.place`,
);

// By hand: all of them by one statement, where the foreign key would delete level by level.
const removeStatements = forBoth(
  "delete",
  (table) => `
with recursive below as (
  select id from ${table} where company_id = $1 and id = $2
  union all
  select o.id from below b
  join ${table} o on o.company_id = $1 and o.parent_id = b.id
)
delete from ${table} where company_id = $1 and id in (select id from below)
returning file_key as "fileKey"`,
);
