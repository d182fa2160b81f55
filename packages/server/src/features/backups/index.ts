import type { Backup, BackupList, BackupState } from "@balcao/contract";
import { BACKUPS_SHOWN } from "@balcao/contract";
import { desc, eq } from "drizzle-orm";
import { Gauge } from "prom-client";
import type { Config } from "../../platform/config/config.ts";
import type { UserCtx } from "../../platform/context.ts";
import { requirePermission } from "../../platform/context.ts";
import type { Database, PreparedStatement } from "../../platform/db/database.ts";
import { toIso, toIsoOrNull } from "../../platform/db/records.ts";
import { backups, periodicJobs } from "../../platform/db/schema/index.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { Routes } from "../../platform/http/routes.ts";
import { isSilent, runChild } from "../../platform/jobs/child-runs.ts";
import type { PeriodicJob } from "../../platform/jobs/periodic-jobs.ts";
import { dailyAt, makeDue } from "../../platform/jobs/periodic-jobs.ts";
import type { Metrics } from "../../platform/metrics/metrics.ts";
import type { Clock } from "../../platform/sources.ts";
import { note } from "../audit/index.ts";

const JOB = "backups.make";
const LIMIT_MS = 24 * 3_600_000;

export type BackupsDeps = {
  db: Database;
  clock: Clock;
  wake: Pick<Wake, "notify">;
  /** Undefined: none are made by the clock. */
  settings: Config["backup"];
  /** The command that makes one (operations/backup), which a process of its own runs. */
  command: URL;
};

export type BackupsFeature = {
  register(routes: Routes): void;
  /** Empty without a place. */
  jobs: PeriodicJob[];
};

/** Backups of the whole installation: the list, the job that makes them, and one at once for super users (docs/backup.md). */
export function createBackupsFeature(deps: BackupsDeps): BackupsFeature {
  const { atMinute, to } = deps.settings;
  const job: PeriodicJob = {
    name: JOB,
    period: dailyAt(Math.floor(atMinute / 60), atMinute % 60),
    limitMs: LIMIT_MS,
    run: (signal) => runCommand(deps.command, signal),
  };
  return {
    register(routes) {
      routes.handle("GET /operation/backups", ({ ctx }) => listBackups(deps, ctx));
      routes.handle("POST /operation/backups", ({ ctx }) => startBackup(deps, ctx));
    },
    jobs: to === null ? [] : [job],
  };
}

/** The newest backups, and what is configured. */
async function listBackups(deps: BackupsDeps, ctx: UserCtx): Promise<BackupList> {
  requirePermission(ctx, "companies:manage-any");
  const { db, clock, settings } = deps;
  return db.acrossCompanies(async ({ orm }) => {
    const rows = await orm
      .select()
      .from(backups)
      .orderBy(desc(backups.startedAt), desc(backups.id))
      .limit(BACKUPS_SHOWN);
    const [job] = await orm.select().from(periodicJobs).where(eq(periodicJobs.name, JOB));
    const { to, keep, keyFile, isVerified } = settings;
    const schedule =
      to === null
        ? null
        : {
            ...{ place: to, nextAt: toIsoOrNull(job?.dueAt ?? null), keep },
            ...{ isEncrypted: keyFile !== null, isVerified },
          };
    return { schedule, backups: rows.map((row) => toBackup(row, clock.now())) };
  });
}

function toBackup(row: typeof backups.$inferSelect, now: Date): Backup {
  const { id, place, name, isEncrypted, bytes, rows, files, missingFiles, error } = row;
  return {
    ...{ id, place, name, isEncrypted, bytes, rows, files, missingFiles, error },
    state: stateOf(row, now),
    origin: row.origin === "schedule" ? "schedule" : "command",
    startedAt: toIso(row.startedAt),
    endedAt: toIsoOrNull(row.endedAt),
    verifiedAt: toIsoOrNull(row.verifiedAt),
    removedAt: toIsoOrNull(row.removedAt),
  };
}

/** A process that crashed cannot say so; the next backup closes its row. */
export function stateOf(
  { endedAt, seenAt, error }: { endedAt: Date | null; seenAt: Date; error: string | null },
  now: Date,
): BackupState {
  if (error === "interrupted") return "interrupted";
  if (error !== null) return "failed";
  if (endedAt !== null) return "whole";
  return isSilent(seenAt, now) ? "interrupted" : "running";
}

/** Has one process make a backup at once. */
async function startBackup(
  { db, wake, settings }: BackupsDeps,
  ctx: UserCtx,
): Promise<{ isStarted: boolean }> {
  requirePermission(ctx, "companies:manage-any");
  if (settings.to === null) return { isStarted: false };
  return db.acrossCompanies(async (tx) => {
    const isStarted = await makeDue(tx, wake, JOB);
    if (isStarted) await note(tx, ctx, { action: "added", kind: "backup", id: "", label: "" });
    return { isStarted };
  });
}

async function runCommand(command: URL, signal: AbortSignal): Promise<void> {
  const { code, said } = await runChild(command, ["backup", "--origin", "schedule"], signal);
  if (code !== 0) throw new Error(`the backup failed: ${said}`);
}

const lastGoodStatement: PreparedStatement = {
  name: "backups.last-good",
  text: `
select extract(epoch from ended_at)::float8 as "endedAt", bytes,
  extract(epoch from ended_at - started_at)::float8 as seconds
from backups where name is not null and error is null and ended_at is not null
order by started_at desc, id desc limit 1`,
};

/** Time, size and duration of the last good backup, read when somebody asks; zeros while there is none. */
export function backupMetrics({ registry }: Metrics, db: Database): void {
  type Row = { endedAt: number; bytes: number; seconds: number };
  const gauge = (name: string, help: string, column: keyof Row): void => {
    const series: Gauge = new Gauge({
      ...{ name: `balcao_backup_last_${name}`, help, registers: [registry] },
      async collect() {
        const [row] = await db.acrossCompanies((tx) => tx.query<Row>(lastGoodStatement));
        series.set(row?.[column] ?? 0);
      },
    });
  };
  gauge(
    "success_timestamp_seconds",
    "When the last good backup ended; 0: there is none",
    "endedAt",
  );
  gauge("bytes", "Size of the last good backup", "bytes");
  gauge("seconds", "Duration of the last good backup", "seconds");
}
