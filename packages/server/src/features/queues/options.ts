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
import {
  findRecord,
  hasId,
  lockRecord,
  refuseDuplicates,
  requireRow,
  wireDates,
} from "../../platform/db/records.ts";
import { files, queueOptions, queues } from "../../platform/db/schema/index.ts";
import type { IncomingFile, StoredFile } from "../media/index.ts";
import { attachFile, detachFile } from "../media/index.ts";
import type { QueuesDeps } from "./queues.ts";

// The menus of queues have no events: a client that edits one reads it.

type Deps = Pick<QueuesDeps, "db" | "clock" | "media">;
type StoredRow = typeof queueOptions.$inferSelect;
/** An option with the type of its file. */
type OptionRow = StoredRow & { fileMime: string | null };

/** Below a parent, at the root, or the whole tree. */
type Level = QueueOptionId | "root" | "all";

/** Options by their parents and numbers. */
export async function listOptions(
  deps: Deps,
  ctx: UserCtx,
  queueId: QueueId,
  level: Level,
): Promise<QueueOption[]> {
  const rows = await deps.db.transaction(ctx, (tx) => readLevel(ctx, tx, queueId, level));
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
  { option, ...values }: NewQueueOption,
): Promise<QueueOption> {
  const [{ companyId }, now] = [ctx, deps.clock.now()];
  const work = deps.db.transaction(ctx, async (tx) => {
    await lockTree(ctx, tx, values.queueId);
    await requireRoom(ctx, tx, values);
    const rows = await tx.orm
      .insert(queueOptions)
      .values({ ...values, companyId, number: Number(option), createdAt: now, updatedAt: now })
      .returning();
    return toOption(deps, { ...requireRow(rows), fileMime: null });
  });
  return work.catch(refuseTaken);
}

export async function updateOption(
  deps: Deps,
  ctx: UserCtx,
  id: QueueOptionId,
  { title, message, option }: QueueOptionChange,
): Promise<QueueOption> {
  const work = deps.db.transaction(ctx, async (tx) => {
    const before = await lockOption(ctx, tx, id);
    const values = {
      title: title ?? before.title,
      message: message === undefined ? before.message : (message ?? ""),
      number: Number(option ?? before.number),
    };
    const saved = await saveOption(deps, ctx, tx, id, values);
    return toOption(deps, { ...saved, fileMime: before.fileMime });
  });
  return work.catch(refuseTaken);
}

/** Renumbers a level; refuses when its options are no longer those of the order. */
export async function orderOptions(
  deps: Deps,
  ctx: UserCtx,
  { queueId, parentId, ids }: InputOf<"POST /queue-options/order">["body"],
): Promise<QueueOption[]> {
  const level = parentId ?? "root";
  return deps.db.transaction(ctx, async (tx) => {
    await lockTree(ctx, tx, queueId);
    const before = await readLevel(ctx, tx, queueId, level);
    const isWhole = new Set(ids).size === ids.length && ids.length === before.length;
    if (!isWhole || !before.every(({ id }) => ids.includes(id))) {
      throw new DomainError("ERR_NO_QUEUE_OPTION_FOUND");
    }
    await tx.query(numberStatement, [ctx.companyId, ids, deps.clock.now()]);
    return (await readLevel(ctx, tx, queueId, level)).map((row) => toOption(deps, row));
  });
}

/** With an option all options below it are removed. */
export async function removeOption(deps: Deps, ctx: UserCtx, id: QueueOptionId): Promise<void> {
  const removed = await deps.db.transaction(ctx, async (tx) => {
    const { queueId } = await findRecord(ctx, tx, queueOptions, id, "ERR_NO_QUEUE_OPTION_FOUND");
    await lockTree(ctx, tx, queueId);
    return tx.query<{ fileKey: string | null }>(deleteStatement, [ctx.companyId, id]);
  });
  const fileKeys = removed.flatMap(({ fileKey }) => fileKey ?? []);
  await deps.media.removeUnused(ctx.companyId, fileKeys);
}

/** Refuses an unknown option before anything is stored. */
export async function attachOptionFile(
  deps: Deps,
  ctx: UserCtx,
  id: QueueOptionId,
  incoming: AsyncIterable<IncomingFile>,
): Promise<void> {
  await findOption(deps, ctx, id);
  await attachFile(deps.media, ctx, incoming, "any", (file) => saveFile(deps, ctx, id, file));
}

export async function detachOptionFile(deps: Deps, ctx: UserCtx, id: QueueOptionId) {
  await detachFile(deps.media, ctx, (file) => saveFile(deps, ctx, id, file));
}

async function saveFile(deps: Deps, ctx: UserCtx, id: QueueOptionId, file: StoredFile | null) {
  return deps.db.transaction(ctx, async (tx) => {
    const before = await lockOption(ctx, tx, id);
    const values = { fileKey: file?.key ?? null, fileName: file?.name ?? null };
    await saveOption(deps, ctx, tx, id, values);
    return before.fileKey;
  });
}

async function saveOption(
  { clock }: Deps,
  ctx: Ctx,
  tx: Tx,
  id: QueueOptionId,
  values: Partial<StoredRow>,
): Promise<StoredRow> {
  const rows = await tx.orm
    .update(queueOptions)
    .set({ ...values, updatedAt: clock.now() })
    .where(hasId(ctx, queueOptions, id))
    .returning();
  return requireRow(rows);
}

/** One change of a tree at a time: its options are counted and its levels renumbered. */
async function lockTree(ctx: Ctx, tx: Tx, queueId: QueueId): Promise<void> {
  await lockRecord(ctx, tx, queues, queueId, "ERR_QUEUE_NOT_FOUND");
}

async function readLevel(ctx: Ctx, tx: Tx, queueId: QueueId, level: Level): Promise<OptionRow[]> {
  const { parentId, number, id } = queueOptions;
  const inLevel = { all: undefined, root: isNull(parentId) };
  const rows = await tx.orm
    .select({ option: queueOptions, fileMime: files.mime })
    .from(queues)
    .leftJoin(
      queueOptions,
      and(
        eq(queueOptions.companyId, queues.companyId),
        eq(queueOptions.queueId, queues.id),
        typeof level === "string" ? inLevel[level] : eq(parentId, level),
      ),
    )
    .leftJoin(files, ofOption)
    .where(hasId(ctx, queues, queueId))
    .orderBy(sql`${parentId} nulls first`, number, id);
  // A queue without options is one row without an option.
  requireRow(rows, "ERR_QUEUE_NOT_FOUND");
  return rows.flatMap(({ option, fileMime }) => (option ? { ...option, fileMime } : []));
}

const ofOption = and(
  eq(files.companyId, queueOptions.companyId),
  eq(files.key, queueOptions.fileKey),
);

async function findOption({ db }: Deps, ctx: Ctx, id: QueueOptionId): Promise<OptionRow> {
  const rows = await db.transaction(ctx, (tx) => selectOption(ctx, tx, id));
  return requireRow(rows, "ERR_NO_QUEUE_OPTION_FOUND");
}

async function lockOption(ctx: Ctx, tx: Tx, id: QueueOptionId): Promise<OptionRow> {
  const rows = await selectOption(ctx, tx, id).for("no key update", { of: queueOptions });
  return requireRow(rows, "ERR_NO_QUEUE_OPTION_FOUND");
}

function selectOption(ctx: Ctx, { orm }: Tx, id: QueueOptionId) {
  return orm
    .select({ ...getTableColumns(queueOptions), fileMime: files.mime })
    .from(queueOptions)
    .leftJoin(files, ofOption)
    .where(hasId(ctx, queueOptions, id));
}

async function requireRoom(
  ctx: UserCtx,
  tx: Tx,
  { queueId, parentId }: Pick<NewQueueOption, "queueId" | "parentId">,
): Promise<void> {
  type Counts = { inQueue: number; inLevel: number; hasParent: boolean };
  const rows = await tx.query<Counts>(countStatement, [ctx.companyId, queueId, parentId]);
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

const refuseTaken = refuseDuplicates({ queue_options_number: "ERR_QUEUE_OPTION_EXISTS" });

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

// By hand: three answers by one reading.
const countStatement = {
  name: "queue-options.count",
  text: `
select count(*)::int as "inQueue",
  count(*) filter (where parent_id is not distinct from $3)::int as "inLevel",
  coalesce(bool_or(id = $3), false) as "hasParent"
from queue_options where company_id = $1 and queue_id = $2`,
};

// By hand: one statement, because the numbers of a level are unique only at its end.
const numberStatement = {
  name: "queue-options.number",
  text: `
update queue_options o set number = wanted.place, updated_at = $3
from unnest($2::int[]) with ordinality as wanted(id, place)
where o.company_id = $1 and o.id = wanted.id and o.number <> wanted.place`,
};

// By hand: all of them by one statement, where the foreign key would delete level by level.
const deleteStatement = {
  name: "queue-options.delete",
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
