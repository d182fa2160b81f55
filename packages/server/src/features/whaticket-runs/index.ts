import type {
  WhaticketImport,
  WhaticketProblem,
  WhaticketReport,
  WhaticketState,
  WhaticketWish,
} from "@balcao/contract";
import { whaticketReport } from "@balcao/contract";
import { desc, eq, sql } from "drizzle-orm";
import { z } from "zod";
import type { Config } from "../../platform/config/config.ts";
import type { UserCtx } from "../../platform/context.ts";
import { requirePermission } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import { toIso, toIsoOrNull } from "../../platform/db/records.ts";
import { whaticketRuns } from "../../platform/db/schema/index.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { Routes } from "../../platform/http/routes.ts";
import { isSilent, runChild } from "../../platform/jobs/child-runs.ts";
import type { PeriodicJob } from "../../platform/jobs/periodic-jobs.ts";
import { everyMinutes, makeDue } from "../../platform/jobs/periodic-jobs.ts";
import type { Clock } from "../../platform/sources.ts";
import { note } from "../audit/index.ts";

const JOB = "whaticket.import";
const LIMIT_MS = 24 * 3_600_000;
const SIGN_EVERY_MS = 2_000;
const PROGRESS_CHARS = 300;
/** So much of a report is kept; all of it is in the data folder. */
const KEPT = { companies: 2_000, problems: 60, rows: 20, unread: 500 };

/** The import told its own process why it ended, by a code that holds no address. */
export class ImportFailed extends Error {
  readonly code: string;
  constructor(code: string) {
    super(`the import failed: ${code}`);
    this.code = code;
  }
}

export type ImportWish = { kind: "trial" | "import"; companyIds: readonly string[] };

/** Runs an import until its end; throws `ImportFailed`, or the signal's reason. */
export type RunImport = (
  wish: ImportWish,
  signal: AbortSignal,
  onProgress: (line: string) => void,
) => Promise<WhaticketReport>;

export type WhaticketRunsDeps = {
  db: Database;
  clock: Clock;
  wake: Pick<Wake, "notify">;
  settings: Config["whaticket"];
  run: RunImport;
};

export type WhaticketRunsFeature = {
  register(routes: Routes): void;
  /** Empty without a source. */
  jobs: PeriodicJob[];
};

/** Trials and imports of a Whaticket database that super users begin (docs/moving-from-whaticket.md). */
export function createWhaticketRunsFeature(deps: WhaticketRunsDeps): WhaticketRunsFeature {
  const job: PeriodicJob = {
    ...{ name: JOB, period: everyMinutes(1), limitMs: LIMIT_MS },
    run: (signal) => runWaiting(deps, signal),
  };
  return {
    register(routes) {
      routes.handle("GET /operation/whaticket", ({ ctx }) => readImport(deps, ctx));
      routes.handle("POST /operation/whaticket", ({ ctx, body }) => beginImport(deps, ctx, body));
    },
    jobs: deps.settings.isConfigured ? [job] : [],
  };
}

type Row = typeof whaticketRuns.$inferSelect;

/** The newest run, and whether a source is named. */
async function readImport(deps: WhaticketRunsDeps, ctx: UserCtx): Promise<WhaticketImport> {
  requirePermission(ctx, "companies:manage-any");
  const { db, clock, settings } = deps;
  const row = await db.acrossCompanies(async ({ orm }) => {
    const [newest] = await orm
      .select()
      .from(whaticketRuns)
      .orderBy(desc(whaticketRuns.id))
      .limit(1);
    return newest;
  });
  if (!row) return { ...settings, run: null };
  const { kind, progress, companyIds, error } = row;
  const report = row.report && withCodes(row.report);
  return {
    ...settings,
    run: {
      ...{ kind, progress, companyIds, report, error, state: stateOf(row, clock.now()) },
      ...{ startedAt: toIso(row.startedAt), seenAt: toIso(row.seenAt) },
      endedAt: toIsoOrNull(row.endedAt),
    },
  };
}

/** Problems that were stored before they had codes hold an English sentence in `what`. */
function withCodes(report: WhaticketReport): WhaticketReport {
  const coded = (problems: readonly WhaticketProblem[]) =>
    problems.map((problem): WhaticketProblem => {
      if (!("what" in problem)) return problem;
      const { what, ...rest } = problem;
      return { ...rest, code: "other", values: { text: String(what) } };
    });
  const companies = report.companies.map((one) => ({ ...one, problems: coded(one.problems) }));
  return { ...report, companies, problems: coded(report.problems) };
}

/** A process that crashed cannot say so; the next run closes its row. */
export function stateOf(
  { state, seenAt }: Pick<Row, "state" | "seenAt">,
  now: Date,
): WhaticketState {
  return state === "running" && isSilent(seenAt, now) ? "interrupted" : state;
}

/** Leaves a wish that one process with the jobs role takes up, whatever becomes of this one. */
async function beginImport(
  { db, wake, settings, clock }: WhaticketRunsDeps,
  ctx: UserCtx,
  wish: WhaticketWish,
): Promise<{ isStarted: boolean }> {
  requirePermission(ctx, "companies:manage-any");
  if (!settings.isConfigured) return { isStarted: false };
  return db.acrossCompanies(async (tx) => {
    // The second of two requests at the same time sees the first one's row.
    await tx.query(sql`lock table whaticket_runs in share row exclusive mode`);
    const [newest] = await tx.orm
      .select()
      .from(whaticketRuns)
      .orderBy(desc(whaticketRuns.id))
      .limit(1);
    const now = clock.now();
    if (newest && ["waiting", "running"].includes(stateOf(newest, now)))
      return { isStarted: false };
    await tx.orm.insert(whaticketRuns).values({
      ...{ kind: wish.kind, state: "waiting", startedAt: now, seenAt: now, progress: "" },
      companyIds: wish.kind === "import" ? wish.companyIds : [],
    });
    await makeDue(tx, wake, JOB);
    const id = wish.kind === "import" ? wish.companyIds.join() : "";
    await note(tx, ctx, { action: "added", kind: "whaticketImport", id, label: wish.kind });
    return { isStarted: true };
  });
}

/** Runs what waits. The job runs once in the installation, so what still counts as running has crashed. */
async function runWaiting(deps: WhaticketRunsDeps, signal: AbortSignal): Promise<void> {
  const { db, clock } = deps;
  const claimed = await db.acrossCompanies(async ({ orm }) => {
    const now = clock.now();
    await orm
      .update(whaticketRuns)
      .set({ state: "interrupted", endedAt: now })
      .where(eq(whaticketRuns.state, "running"));
    return orm
      .update(whaticketRuns)
      .set({ state: "running", startedAt: now, seenAt: now })
      .where(eq(whaticketRuns.state, "waiting"))
      .returning();
  });
  const row = claimed.at(-1);
  if (row) await runOne(deps, row, signal);
}

async function runOne(
  { db, clock, run }: WhaticketRunsDeps,
  { id, kind, companyIds }: Row,
  signal: AbortSignal,
): Promise<void> {
  let progress = "";
  let saving = Promise.resolve();
  const save = (fields: Partial<Row>): Promise<void> =>
    db.acrossCompanies(async ({ orm }) => {
      const set = { progress, seenAt: clock.now(), ...fields };
      await orm.update(whaticketRuns).set(set).where(eq(whaticketRuns.id, id));
    });
  const signs = setInterval(() => {
    // A sign that is lost is followed by another.
    saving = saving.then(() => save({})).catch(() => undefined);
  }, SIGN_EVERY_MS);
  let ending: Partial<Row>;
  try {
    const report = await run({ kind, companyIds }, signal, (line) => {
      progress = line.slice(0, PROGRESS_CHARS);
    });
    ending = { state: "done", report: bounded(report) };
  } catch (error) {
    if (signal.aborted) ending = { state: "interrupted" };
    else if (error instanceof ImportFailed) ending = { state: "failed", error: error.code };
    else throw error;
  } finally {
    clearInterval(signs);
    await saving;
  }
  await save({ ...ending, endedAt: clock.now() });
  signal.throwIfAborted();
}

function bounded(report: WhaticketReport): WhaticketReport {
  const first = (problems: readonly WhaticketProblem[]) =>
    problems.slice(0, KEPT.problems).map((one) => ({ ...one, rows: one.rows.slice(0, KEPT.rows) }));
  return {
    seconds: report.seconds,
    companies: report.companies
      .slice(0, KEPT.companies)
      .map((company) => ({ ...company, problems: first(company.problems) })),
    problems: first(report.problems),
    unread: report.unread.slice(0, KEPT.unread),
  };
}

const told = z.union([
  z.object({ progress: z.string() }),
  z.object({ report: whaticketReport }),
  z.object({ error: z.string().regex(/^\w{1,60}$/) }),
]);

/** Says something to the process that began this one; at a terminal nobody listens. */
export function tellParent(message: z.input<typeof told>): void {
  if (process.connected) process.send?.(message);
}

/** Runs the import's command in a process of its own, which reads the source's address from the environment that it inherits. */
export function importBy(command: URL): RunImport {
  return async ({ kind, companyIds }, signal, onProgress) => {
    const args = kind === "trial" ? ["--dry-run"] : ["--companies", companyIds.join(",")];
    let report: WhaticketReport | null = null;
    let failure = "ended";
    const { code } = await runChild(command, args, signal, (message) => {
      const said = told.safeParse(message);
      if (!said.success) return;
      if ("progress" in said.data) onProgress(said.data.progress);
      else if ("error" in said.data) failure = said.data.error;
      else ({ report } = said.data);
    });
    if (code !== 0 || report === null) throw new ImportFailed(failure);
    return report;
  };
}
