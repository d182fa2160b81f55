import type { CompanyArchiveState, CompanyExport, CompanyId, SentFile } from "@balcao/contract";
import { subDays } from "date-fns/subDays";
import { and, desc, eq, inArray, sql } from "drizzle-orm";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { doneBy } from "../../platform/db/database.ts";
import { toIso } from "../../platform/db/records.ts";
import { companies, companyArchives } from "../../platform/db/schema/index.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { KeptFilesDeps } from "../../platform/jobs/kept-files.ts";
import {
  createFileKeeper,
  expireFilesAcrossCompanies,
  expiryOf,
} from "../../platform/jobs/kept-files.ts";

export type ExportsDeps = KeptFilesDeps & {
  /** Writes a company's archive (`operations/company`). */
  writeArchive(
    companyId: CompanyId,
    options: { signal: AbortSignal; onProgress: (percent: number) => void },
  ): AsyncIterable<Uint8Array>;
};

const TOPIC = "company-exports";
const SHOWN = 10;
/** The most that an object storage takes in parts of its usual size. */
const ARCHIVE_MAX_BYTES = 50 * 1024 ** 3;

type Row = typeof companyArchives.$inferSelect;

/** Exports of companies, for super users (docs/one-company.md). */
export function createCompanyExports(deps: ExportsDeps) {
  return {
    /** Writes the archives. */
    exporter: createFileKeeper(deps, {
      ...{ name: TOPIC, table: companyArchives, only: eq(companyArchives.kind, "export") },
      ...{ extension: "tar", maxBytes: ARCHIVE_MAX_BYTES },
      write: ({ companyId }, signal, onProgress) =>
        deps.writeArchive(companyId, { signal, onProgress }),
    }),
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

/** Removes archives after their day, and those of deleted companies. The row stays as the record of who asked. */
export async function sweepExportsAcrossCompanies(
  { db, clock, archives }: Pick<ExportsDeps, "db" | "clock" | "archives">,
  signal?: AbortSignal,
): Promise<void> {
  await expireFilesAcrossCompanies({ db, clock, archives }, companyArchives, signal);
  const stored = await archives.companies();
  const existing = await db.acrossCompanies((tx) =>
    tx.query<{ id: CompanyId }>(
      sql`select id from companies where id = any (${sql.param(stored)})`,
    ),
  );
  for (const companyId of stored) {
    if (!existing.some(({ id }) => id === companyId)) await archives.removeCompany({ companyId });
  }
  await archives.removeAbandoned(subDays(clock.now(), 1));
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
  const { id, progress, bytes, requesterName } = row;
  const state: CompanyArchiveState = row.state;
  return {
    ...{ id, state, progress, bytes, requesterName },
    isMine: row.requesterId === ctx.actor.userId,
    createdAt: toIso(row.createdAt),
    expiresAt: expiryOf(row),
  };
}
