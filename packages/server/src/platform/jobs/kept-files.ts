import type { CompanyId } from "@balcao/contract";
import { addDays } from "date-fns/addDays";
import { addMinutes } from "date-fns/addMinutes";
import { subDays } from "date-fns/subDays";
import type { SQL } from "drizzle-orm";
import { and, eq, isNotNull, lt, or } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { toIso } from "../db/records.ts";
import type { companyArchives, personExports } from "../db/schema/index.ts";
import type { Wake } from "../db/wake.ts";
import type { Logger } from "../logging/logger.ts";
import type { MediaStore } from "../media/media-store.ts";
import { newMediaKey } from "../media/media-store.ts";
import type { Clock, IdSource } from "../sources.ts";
import { DueWorker } from "./due-worker.ts";

// Files that a user asks for and downloads for a day. A row of the table is the request, and stays as the record of it.

export type KeptFilesDeps = {
  db: Database;
  clock: Clock;
  ids: IdSource;
  wake: Wake;
  log: Logger;
  /** Outside the public files; files of a company are removed with it. */
  archives: MediaStore;
};

type Table = typeof companyArchives | typeof personExports;

export type KeptFile = { companyId: CompanyId; id: string; storeKey: string; attempts: number };

type KeptFilesKind = {
  /** The worker's name, and the topic that wakes it. */
  name: string;
  table: Table;
  /** Which rows of the table are such requests; all without it. */
  only?: SQL;
  extension: string;
  maxBytes: number;
  write(
    file: KeptFile,
    signal: AbortSignal,
    onProgress: (percent: number) => void,
  ): AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>;
};

const LOOK_EVERY_MS = 30_000;
/** A run says so this often; one that has not for `LOST_AFTER_MINUTES` was lost with its process. */
const TELL_EVERY_MS = 1_000;
const LOST_AFTER_MINUTES = 3;
const ATTEMPTS = 3;
const KEPT_DAYS = 1;

/** Statements have the type of one table for both: drizzle has none for all tables with the same columns. */
const typed = (table: Table): typeof companyArchives => table as typeof companyArchives;

/** Writes the files that were asked for, one at a time. A run that is cut off begins anew. */
export function createFileKeeper(deps: KeptFilesDeps, kind: KeptFilesKind): DueWorker<KeptFile> {
  return new DueWorker<KeptFile>({
    name: kind.name,
    log: deps.log,
    lookEveryMs: LOOK_EVERY_MS,
    wokenBy: { wake: deps.wake, topic: kind.name, inMs: 0 },
    look: async (limit) => ({ due: limit < 1 ? [] : await claim(deps, kind) }),
    work: {
      ...{ atOnce: 1, batch: 1 },
      idOf: ({ id, attempts }) => `${id} ${attempts}`,
      companyOf: ({ companyId }) => companyId,
      run: (file, signal) => run(deps, kind, file, signal),
    },
  });
}

/** The key of the file is stored before the file is written, so that none is ever without a row. */
async function claim(
  { db, clock, ids, archives }: KeptFilesDeps,
  { table, only, extension }: KeptFilesKind,
): Promise<KeptFile[]> {
  const now = clock.now();
  const its = typed(table);
  const storeKey = newMediaKey(ids, extension);
  const isLost = and(eq(its.state, "running"), lt(its.heldUntil, now));
  const row = await db.acrossCompanies(async ({ orm }) => {
    const [due] = await orm
      .select()
      .from(its)
      .where(and(only, or(eq(its.state, "waiting"), isLost)))
      .orderBy(its.createdAt)
      .limit(1)
      .for("update", { skipLocked: true });
    if (!due) return null;
    const taken = { ...progressOf(table, 0), ...{ storeKey, attempts: due.attempts + 1 } };
    const heldUntil = addMinutes(now, LOST_AFTER_MINUTES);
    await orm
      .update(its)
      .set({ ...taken, state: "running", heldUntil })
      .where(eq(its.id, due.id));
    return due;
  });
  if (row === null) return [];
  const { companyId, id, attempts } = row;
  if (row.storeKey !== null) await archives.remove({ companyId }, row.storeKey);
  return [{ companyId, id, storeKey, attempts: attempts + 1 }];
}

const progressOf = (table: Table, progress: number) => ("progress" in table ? { progress } : {});

async function run(
  { db, clock, archives, log }: KeptFilesDeps,
  { name, table, maxBytes, write }: KeptFilesKind,
  file: KeptFile,
  signal: AbortSignal,
): Promise<void> {
  const { companyId, id, storeKey, attempts } = file;
  const its = typed(table);
  const isOurs = and(eq(its.companyId, companyId), eq(its.id, id), eq(its.storeKey, storeKey));
  let percent = 0;
  const save = async (values: Partial<typeof its.$inferSelect>): Promise<boolean> => {
    const saved = await db.acrossCompanies(({ orm }) => orm.update(its).set(values).where(isOurs));
    return (saved.rowCount ?? 0) > 0;
  };
  const telling = setInterval(() => {
    const heldUntil = addMinutes(clock.now(), LOST_AFTER_MINUTES);
    save({ ...progressOf(table, percent), heldUntil }).catch(
      () => undefined, // another process takes it when this goes on
    );
  }, TELL_EVERY_MS);
  try {
    const content = await write(file, signal, (done) => {
      percent = done;
    });
    const { bytes } = await archives.put({ companyId }, storeKey, content, { maxBytes });
    const done = { ...progressOf(table, 100), bytes, heldUntil: null, endedAt: clock.now() };
    // Its subject is gone, or another process has begun anew.
    if (!(await save({ ...done, state: "done" }))) await archives.remove({ companyId }, storeKey);
  } catch (error) {
    await archives.remove({ companyId }, storeKey);
    const isOver = attempts >= ATTEMPTS && !signal.aborted;
    if (isOver) await save({ state: "failed", storeKey: null, endedAt: clock.now() });
    else await save({ state: "waiting", heldUntil: null, storeKey: null });
    if (!signal.aborted) log.error({ err: error, companyId, id }, `a file of ${name} failed`);
  } finally {
    clearInterval(telling);
  }
}

/** Removes files after their day. */
export async function expireFilesAcrossCompanies(
  { db, clock, archives }: Pick<KeptFilesDeps, "db" | "clock" | "archives">,
  table: Table,
  signal?: AbortSignal,
): Promise<void> {
  const its = typed(table);
  const isOld = lt(its.endedAt, subDays(clock.now(), KEPT_DAYS));
  const old = await db.acrossCompanies(({ orm }) =>
    orm
      .select()
      .from(its)
      .where(and(eq(its.state, "done"), isNotNull(its.storeKey), isOld)),
  );
  const ending = { storeKey: null, ...("contactId" in table ? { contactId: null } : {}) };
  for (const { companyId, id, storeKey } of old) {
    signal?.throwIfAborted();
    if (storeKey !== null) await archives.remove({ companyId }, storeKey);
    await db.acrossCompanies(({ orm }) =>
      orm
        .update(its)
        .set({ ...ending, state: "expired" })
        .where(eq(its.id, id)),
    );
  }
}

/** When the file of a request goes; null where there is none. */
export function expiryOf({
  state,
  endedAt,
}: {
  state: string;
  endedAt: Date | null;
}): string | null {
  return state === "done" && endedAt ? toIso(addDays(endedAt, KEPT_DAYS)) : null;
}
