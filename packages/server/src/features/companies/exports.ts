import type { CompanyArchiveState, CompanyExport, CompanyId, SentFile } from "@balcao/contract";
import { addDays } from "date-fns/addDays";
import { addMinutes } from "date-fns/addMinutes";
import { subDays } from "date-fns/subDays";
import { and, desc, eq, inArray, sql } from "drizzle-orm";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { doneBy } from "../../platform/db/database.ts";
import { toIso } from "../../platform/db/records.ts";
import { companies, companyArchives } from "../../platform/db/schema/index.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { Routes } from "../../platform/http/routes.ts";
import { DueWorker } from "../../platform/jobs/due-worker.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { MediaStore } from "../../platform/media/media-store.ts";
import { newMediaKey } from "../../platform/media/media-store.ts";
import type { Clock, IdSource } from "../../platform/sources.ts";

export type ExportsDeps = {
  db: Database;
  clock: Clock;
  ids: IdSource;
  wake: Wake;
  log: Logger;
  /** The archives: outside the public files, and removed with their company. */
  archives: MediaStore;
  /** Writes a company's archive (`operations/company`). */
  writeArchive(
    companyId: CompanyId,
    options: { signal: AbortSignal; onProgress: (percent: number) => void },
  ): AsyncIterable<Uint8Array>;
};

const TOPIC = "company-exports";
const LOOK_EVERY_MS = 30_000;
/** A run says so this often; one that has not for `LOST_AFTER_MINUTES` was lost with its process. */
const TELL_EVERY_MS = 1_000;
const LOST_AFTER_MINUTES = 3;
const ATTEMPTS = 3;
const KEPT_DAYS = 1;
const SHOWN = 10;
/** The most that an object storage takes in parts of its usual size. */
const ARCHIVE_MAX_BYTES = 50 * 1024 ** 3;

type Row = typeof companyArchives.$inferSelect;

/** Exports of companies, for super users (docs/one-company.md). */
export function createCompanyExports(deps: ExportsDeps) {
  return {
    /** Writes the archives. */
    exporter: createExporter(deps),
    sweep: (signal?: AbortSignal) => sweepExportsAcrossCompanies(deps, signal),
    register(routes: Routes): void {
      routes.handle("GET /companies/:companyId/exports", ({ ctx, params }) =>
        listExportsAcrossCompanies(deps, ctx, params.companyId),
      );
      routes.handle("POST /companies/:companyId/exports", ({ ctx, params }) =>
        requestExportAcrossCompanies(doneBy(deps, ctx), ctx, params.companyId),
      );
      routes.handle("GET /companies/:companyId/exports/:companyExportId/file", ({ ctx, params }) =>
        openExportAcrossCompanies(deps, ctx, params),
      );
    },
  };
}

/** Starts an export, or returns the one that is still written. */
async function requestExportAcrossCompanies(
  deps: ExportsDeps,
  ctx: UserCtx,
  companyId: CompanyId,
): Promise<CompanyExport> {
  const { db, clock, ids, wake, log } = deps;
  return db.acrossCompanies(async (tx) => {
    await lockCompany(tx, companyId);
    const open = await tx.orm
      .select()
      .from(companyArchives)
      .where(
        and(isExportOf(companyId), inArray(companyArchives.state, ["waiting", "running"] as const)),
      );
    if (open[0]) return toExport(ctx, open[0]);
    const { userId, name } = ctx.actor;
    const [row] = await tx.orm
      .insert(companyArchives)
      .values({
        ...{ id: ids.uuid(), companyId, kind: "export", state: "waiting" },
        ...{ requesterId: userId, requesterName: name, createdAt: clock.now() },
      })
      .returning();
    if (!row) throw new Error("the export was not stored");
    tx.onCommit(() => log.info({ companyId, userId, exportId: row.id }, "a company is exported"));
    wake.notify(tx, TOPIC);
    return toExport(ctx, row);
  });
}

async function listExportsAcrossCompanies(
  { db }: ExportsDeps,
  ctx: UserCtx,
  companyId: CompanyId,
): Promise<{ exports: CompanyExport[] }> {
  return db.acrossCompanies(async (tx) => {
    await requireCompany(tx, companyId);
    const rows = await tx.orm
      .select()
      .from(companyArchives)
      .where(isExportOf(companyId))
      .orderBy(desc(companyArchives.createdAt))
      .limit(SHOWN);
    return { exports: rows.map((row) => toExport(ctx, row)) };
  });
}

/** The archive, for the super user who asked for it. */
async function openExportAcrossCompanies(
  { db, archives, log }: ExportsDeps,
  ctx: UserCtx,
  { companyId, companyExportId }: { companyId: CompanyId; companyExportId: string },
): Promise<SentFile> {
  const { row, name } = await db.acrossCompanies(async (tx) => {
    const company = await requireCompany(tx, companyId);
    const rows = await tx.orm
      .select()
      .from(companyArchives)
      .where(and(isExportOf(companyId), eq(companyArchives.id, companyExportId)));
    return { row: rows[0], name: company.name };
  });
  const { userId } = ctx.actor;
  const isTheirs = row?.state === "done" && row.requesterId === userId;
  const file =
    isTheirs && row.storeKey !== null ? await archives.open({ companyId }, row.storeKey) : null;
  if (!file) throw new DomainError("ERR_NO_FILE_FOUND");
  log.info({ companyId, userId, exportId: companyExportId }, "a company's archive is downloaded");
  return { name: `${name}.balcao`, mime: "application/octet-stream", content: file.stream };
}

type Claim = { companyId: CompanyId; id: string; storeKey: string; attempts: number };

/** Writes the archives that were asked for, one at a time. A run that is cut off begins anew. */
function createExporter(deps: ExportsDeps): DueWorker<Claim> {
  return new DueWorker<Claim>({
    name: "company-exports",
    log: deps.log,
    lookEveryMs: LOOK_EVERY_MS,
    wokenBy: { wake: deps.wake, topic: TOPIC, inMs: 0 },
    look: async (limit) => ({ due: await claim(deps, limit) }),
    work: {
      ...{ atOnce: 1, batch: 1 },
      idOf: ({ id, attempts }) => `${id} ${attempts}`,
      companyOf: ({ companyId }) => companyId,
      run: (one, signal) => run(deps, one, signal),
    },
  });
}

/** The key of the file is stored before the file is written, so that none is ever without a row. */
async function claim({ db, clock, ids, archives }: ExportsDeps, limit: number): Promise<Claim[]> {
  if (limit < 1) return [];
  const now = clock.now();
  const storeKey = newMediaKey(ids, "tar");
  type Taken = Omit<Claim, "storeKey"> & { before: string | null };
  const taken = await db.acrossCompanies((tx) =>
    tx.query<Taken>(sql`
      update company_archives its set state = 'running', attempts = its.attempts + 1, progress = 0,
             store_key = ${storeKey}, held_until = ${addMinutes(now, LOST_AFTER_MINUTES)}
      from (select id, store_key from company_archives
             where kind = 'export' and (state = 'waiting' or (state = 'running' and held_until < ${now}))
             order by created_at limit 1 for update skip locked) due
      where its.id = due.id
      returning its.company_id as "companyId", its.id, its.attempts, due.store_key as before`),
  );
  for (const { companyId, before } of taken) {
    if (before !== null) await archives.remove({ companyId }, before);
  }
  return taken.map((one) => ({ ...one, storeKey }));
}

async function run(deps: ExportsDeps, one: Claim, signal: AbortSignal): Promise<void> {
  const { db, clock, archives, log } = deps;
  const { companyId, id, storeKey, attempts } = one;
  let progress = 0;
  const isOurs = and(eq(companyArchives.id, id), eq(companyArchives.storeKey, storeKey));
  const save = async (values: Partial<Row>): Promise<boolean> => {
    const saved = await db.acrossCompanies((tx) =>
      tx.orm.update(companyArchives).set(values).where(isOurs),
    );
    return (saved.rowCount ?? 0) > 0;
  };
  const telling = setInterval(() => {
    save({ progress, heldUntil: addMinutes(clock.now(), LOST_AFTER_MINUTES) }).catch(
      () => undefined, // another process takes it when this goes on
    );
  }, TELL_EVERY_MS);
  try {
    const content = deps.writeArchive(companyId, {
      signal,
      onProgress: (percent) => {
        progress = percent;
      },
    });
    const options = { maxBytes: ARCHIVE_MAX_BYTES };
    const { bytes } = await archives.put({ companyId }, storeKey, content, options);
    const done = { state: "done", progress: 100, bytes, heldUntil: null, endedAt: clock.now() };
    // The company is gone, or another process has begun anew.
    if (!(await save(done as Partial<Row>))) await archives.remove({ companyId }, storeKey);
  } catch (error) {
    await archives.remove({ companyId }, storeKey);
    const isOver = attempts >= ATTEMPTS && !signal.aborted;
    if (isOver) await save({ state: "failed", storeKey: null, endedAt: clock.now() });
    else await save({ state: "waiting", heldUntil: null, storeKey: null });
    if (!signal.aborted) log.error({ err: error, companyId, exportId: id }, "an export failed");
  } finally {
    clearInterval(telling);
  }
}

/** Removes archives after their day, and those of deleted companies. The row stays as the record of who asked. */
export async function sweepExportsAcrossCompanies(
  { db, clock, archives }: Pick<ExportsDeps, "db" | "clock" | "archives">,
  signal?: AbortSignal,
): Promise<void> {
  const before = subDays(clock.now(), KEPT_DAYS);
  const old = await db.acrossCompanies((tx) =>
    tx.query<{ companyId: CompanyId; id: string; storeKey: string }>(sql`
      select company_id as "companyId", id, store_key as "storeKey" from company_archives
      where state = 'done' and store_key is not null and ended_at < ${before}`),
  );
  for (const { companyId, id, storeKey } of old) {
    signal?.throwIfAborted();
    await archives.remove({ companyId }, storeKey);
    await db.acrossCompanies((tx) =>
      tx.orm
        .update(companyArchives)
        .set({ state: "expired", storeKey: null })
        .where(eq(companyArchives.id, id)),
    );
  }
  const stored = await archives.companies();
  const existing = await db.acrossCompanies((tx) =>
    tx.query<{ id: CompanyId }>(
      sql`select id from companies where id = any (${sql.param(stored)})`,
    ),
  );
  for (const companyId of stored) {
    if (!existing.some(({ id }) => id === companyId)) await archives.removeCompany({ companyId });
  }
  await archives.removeAbandoned(before);
}

const isExportOf = (companyId: CompanyId) =>
  and(eq(companyArchives.companyId, companyId), eq(companyArchives.kind, "export"));

async function requireCompany(tx: Tx, id: CompanyId): Promise<{ name: string }> {
  const rows = await tx.orm
    .select({ name: companies.name })
    .from(companies)
    .where(eq(companies.id, id));
  if (!rows[0]) throw new DomainError("ERR_NO_COMPANY_FOUND");
  return rows[0];
}

/** Two super users who ask at the same time get one export. */
async function lockCompany(tx: Tx, id: CompanyId): Promise<void> {
  const rows = await tx.query(sql`select from companies where id = ${id} for no key update`);
  if (rows.length === 0) throw new DomainError("ERR_NO_COMPANY_FOUND");
}

function toExport(ctx: UserCtx, row: Row): CompanyExport {
  const { id, progress, bytes, requesterName, endedAt } = row;
  const state: CompanyArchiveState = row.state;
  return {
    ...{ id, state, progress, bytes, requesterName },
    isMine: row.requesterId === ctx.actor.userId,
    createdAt: toIso(row.createdAt),
    expiresAt: state === "done" && endedAt ? toIso(addDays(endedAt, KEPT_DAYS)) : null,
  };
}
