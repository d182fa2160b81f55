import type {
  CompanyId,
  ConnectionId,
  NewQueue,
  Queue,
  QueueChange,
  QueueId,
  UserId,
} from "@balcao/contract";
import { limits, mergeSchedules, schedulesOrDefault } from "@balcao/contract";
import type { SQL } from "drizzle-orm";
import { and, eq, getTableColumns, isNull, sql } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { hasId, refuseDuplicates, requireRow, wireDates } from "../../platform/db/records.ts";
import { files, queues } from "../../platform/db/schema/index.ts";
import type { DomainEvents } from "../../platform/events.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { Clock } from "../../platform/sources.ts";
import { askedCompany, countPlanLimit, lockPlanLimit } from "../companies/index.ts";
import type { IncomingFile, MediaFiles, StoredFile } from "../media/index.ts";
import { attachFile, detachFile } from "../media/index.ts";
import { holdHelper } from "../prompts/index.ts";

declare module "../../platform/events.ts" {
  interface EventPayloads {
    /**
     * A queue is about to be deleted; its tickets go to the target, or to no queue. Published before and after the lock of
     * the queue.
     */
    "queue.removing": { queueId: QueueId; targetQueueId: QueueId | null };
    /** Waiting tickets of a queue come to its users in another way. */
    "queue.assignmentChanged": { queueId: QueueId };
    /** These users and connections have another queue, or one that looks different. */
    "queue.shownDifferently": {
      userIds: readonly UserId[];
      connectionIds: readonly ConnectionId[];
    };
  }
}

export type QueuesDeps = {
  db: Database;
  clock: Clock;
  realtime: Realtime;
  media: Pick<MediaFiles, "storeFiles" | "removeUnused" | "signedPath">;
  domainEvents: DomainEvents;
};

type StoredRow = typeof queues.$inferSelect;
/** A queue with the type of its file. */
export type QueueRow = StoredRow & { fileMime: string | null };

/** In their order; queues without a place come last. */
export async function listQueues(
  deps: QueuesDeps,
  ctx: UserCtx,
  companyId: CompanyId | undefined,
): Promise<Queue[]> {
  const scope = askedCompany(ctx, companyId);
  const isListed = and(eq(queues.companyId, scope.companyId), isNull(queues.deletedAt));
  const rows = await deps.db.transaction(scope, (tx) =>
    select(tx, isListed).orderBy(sql`${queues.orderQueue} nulls last`, queues.id),
  );
  return rows.map((row) => toQueue(deps, row));
}

export async function showQueue(deps: QueuesDeps, ctx: UserCtx, id: QueueId): Promise<Queue> {
  return toQueue(deps, await findQueue(deps, ctx, id));
}

export async function createQueue(deps: QueuesDeps, ctx: UserCtx, body: NewQueue): Promise<Queue> {
  const { schedules = [], ...values } = checkedQueue(body);
  const [{ companyId }, now] = [ctx, deps.clock.now()];
  const work = deps.db.transaction(ctx, async (tx) => {
    await lockPlanLimit(ctx, tx, "queues");
    const { count, max } = await countPlanLimit(ctx, tx, "queues");
    if (count >= max) throw new DomainError("ERR_QUEUE_LIMIT_REACHED", { max });
    const hours = mergeSchedules([], schedules);
    const helper = await holdHelper(ctx, tx, values);
    const defaults = { companyId, schedules: hours, createdAt: now, updatedAt: now };
    const rows = await tx.orm
      .insert(queues)
      .values({ ...defaults, ...values, ...helper })
      .returning();
    return tellSaved(deps, tx, { ...requireRow(rows), fileMime: null });
  });
  return work.catch(refuseTaken);
}

export async function updateQueue(
  deps: QueuesDeps,
  ctx: UserCtx,
  id: QueueId,
  body: QueueChange,
): Promise<Queue> {
  const { schedules, ...values } = checkedQueue(body);
  const work = deps.db.transaction(ctx, async (tx) => {
    const before = await lockQueue(ctx, tx, id);
    const hours = schedules && { schedules: mergeSchedules(before.schedules, schedules) };
    const helper = await holdHelper(ctx, tx, values);
    const changed = { ...values, ...helper, ...hours };
    return saveQueue(deps, ctx, tx, before, changed, before.fileMime);
  });
  return work.catch(refuseTaken);
}

/** Refuses an unknown queue before anything is stored. */
export async function attachQueueFile(
  deps: QueuesDeps,
  ctx: UserCtx,
  id: QueueId,
  incoming: AsyncIterable<IncomingFile>,
): Promise<void> {
  await findQueue(deps, ctx, id);
  await attachFile(deps.media, ctx, incoming, "any", (file) => saveFile(deps, ctx, id, file));
}

export async function detachQueueFile(deps: QueuesDeps, ctx: UserCtx, id: QueueId): Promise<void> {
  await detachFile(deps.media, ctx, (file) => saveFile(deps, ctx, id, file));
}

async function saveFile(deps: QueuesDeps, ctx: UserCtx, id: QueueId, file: StoredFile | null) {
  return deps.db.transaction(ctx, async (tx) => {
    const before = await lockQueue(ctx, tx, id);
    const values = { fileKey: file?.key ?? null, fileName: file?.name ?? null };
    await saveQueue(deps, ctx, tx, before, values, file?.mime ?? null);
    return before.fileKey;
  });
}

/** Changes a locked queue. */
export async function saveQueue(
  deps: QueuesDeps,
  ctx: Ctx,
  tx: Tx,
  before: StoredRow,
  values: PgUpdateSetSource<typeof queues>,
  fileMime: string | null,
): Promise<Queue> {
  const rows = await tx.orm
    .update(queues)
    .set({ ...values, updatedAt: deps.clock.now() })
    .where(hasId(ctx, queues, before.id))
    .returning();
  const row = requireRow(rows);
  const queue = tellSaved(deps, tx, { ...row, fileMime });
  if (isShownElsewhere(before, row)) {
    const holders = await findHolders(ctx, tx, row.id);
    await deps.domainEvents.publish(tx, ctx, "queue.shownDifferently", holders);
  }
  if (row.assignment !== before.assignment) {
    await deps.domainEvents.publish(tx, ctx, "queue.assignmentChanged", { queueId: row.id });
  }
  return queue;
}

/** The users and connections of a queue. */
export async function findHolders({ companyId }: Ctx, tx: Tx, id: QueueId) {
  type Holders = { userIds: UserId[]; connectionIds: ConnectionId[] };
  return requireRow(await tx.query<Holders>(holdersStatement, [companyId, id]));
}

async function findQueue({ db }: QueuesDeps, ctx: Ctx, id: QueueId): Promise<QueueRow> {
  const rows = await db.transaction(ctx, (tx) => select(tx, hasId(ctx, queues, id)));
  return requireRow(rows, "ERR_QUEUE_NOT_FOUND");
}

export async function lockQueue(ctx: Ctx, tx: Tx, id: QueueId): Promise<QueueRow> {
  const rows = await select(tx, hasId(ctx, queues, id)).for("no key update", { of: queues });
  return requireRow(rows, "ERR_QUEUE_NOT_FOUND");
}

function select(tx: Tx, condition: SQL | undefined) {
  const { companyId, fileKey } = queues;
  return tx.orm
    .select({ ...getTableColumns(queues), fileMime: files.mime })
    .from(queues)
    .leftJoin(files, and(eq(files.companyId, companyId), eq(files.key, fileKey)))
    .where(condition)
    .$dynamic();
}

/** The change as it is stored; throws ERR_QUEUE_INVALID_NAME and ERR_QUEUE_INVALID_COLOR. */
function checkedQueue<C extends QueueChange>(change: C): C {
  const { name, color } = change;
  if (name !== undefined && (name.length < limits.nameMin || name.length > limits.nameMax)) {
    throw new DomainError("ERR_QUEUE_INVALID_NAME");
  }
  return color === undefined ? change : { ...change, color: storedColor(color) };
}

/**
 * One spelling of each color, so that two queues never have the same one: `#RGB` is `#rrggbb`. 3 to 9 characters (spec 5): hex
 * digits, with or without transparency, or a color's name.
 */
function storedColor(given: string): string {
  const color = given.toLowerCase();
  if (/^[a-z]{3,9}$/.test(color)) return color;
  if (!/^#([\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/.test(color)) {
    throw new DomainError("ERR_QUEUE_INVALID_COLOR");
  }
  return color.length <= 5 ? color.replace(/[\da-f]/g, "$&$&") : color;
}

const refuseTaken = refuseDuplicates({
  queues_company_name: "ERR_QUEUE_NAME_ALREADY_EXISTS",
  queues_company_color: "ERR_QUEUE_COLOR_ALREADY_EXISTS",
});

/** Users and connections show these fields of their queues. */
function isShownElsewhere(before: StoredRow, after: StoredRow): boolean {
  return (["name", "color", "orderQueue", "greetingMessage"] as const).some(
    (field) => before[field] !== after[field],
  );
}

/** Clients of the family know a new queue as an update. */
export function tellSaved({ realtime, media }: QueuesDeps, tx: Tx, row: QueueRow): Queue {
  const { companyId } = row;
  const queue = toQueue({ media }, row);
  tx.onCommit(() => {
    realtime.publish(companyId, "queue", { action: "update", queue }, [rooms.main(companyId)]);
  });
  return queue;
}

function toQueue({ media }: Pick<QueuesDeps, "media">, row: QueueRow): Queue {
  const { id, companyId, name, color, greetingMessage, outOfHoursMessage, orderQueue } = row;
  return {
    ...{ id, companyId, name, color, greetingMessage, outOfHoursMessage, orderQueue },
    assignment: row.assignment,
    integrationId: row.integrationId,
    promptId: row.promptId,
    firstAnswerMinutes: row.firstAnswerMinutes,
    nextAnswerMinutes: row.nextAnswerMinutes,
    schedules: schedulesOrDefault(row.schedules),
    mediaPath: row.fileKey === null ? null : media.signedPath(companyId, row.fileKey),
    mediaName: row.fileName,
    mediaMime: row.fileMime,
    hasChatbotDraft: row.draftChangedAt !== null,
    ...wireDates(row),
  };
}

// By hand: one round trip.
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
