import { randomUUID } from "node:crypto";
import type { Database, Tx } from "../db/database.ts";
import type { Wake } from "../db/wake.ts";
import type { Logger } from "../logging/logger.ts";
import { errorCodeOf } from "../observing/tracing.ts";
import { inWork } from "../observing/work.ts";
import { DueWorker } from "./due-worker.ts";

/** How often a job runs, counted from midnight UTC. */
export type Period = { everyMinutes: number; atMinute: number };

export const everyMinutes = (minutes: number): Period => ({ everyMinutes: minutes, atMinute: 0 });
export const hourlyAt = (minute: number): Period => ({ everyMinutes: 60, atMinute: minute });
export const dailyAt = (hour: number, minute: number): Period => ({
  everyMinutes: 24 * 60,
  atMinute: hour * 60 + minute,
});

export type PeriodicJob = {
  name: string;
  period: Period;
  /** After this the run is told to end, and counts as failed. */
  limitMs?: number;
  /** May run twice or late. Throws the signal's reason between two steps once it is aborted. */
  run(signal: AbortSignal): Promise<void>;
};

export type PeriodicJobs = {
  start(): Promise<void>;
  /** Tells what runs to end, and waits for it. An interrupted job is taken up by the next process. */
  stop(): Promise<void>;
};

export type PeriodicJobsDeps = {
  db: Database;
  wake: Wake;
  log: Logger;
  /** A run whose process crashed is taken up after `forMs`; a living one extends its lease. */
  lease?: { forMs: number; extendEveryMs: number };
  /** Waits after failures in a row; then the next regular time is the next attempt. */
  retryWaitsMs?: readonly number[];
};

/** Wakes the processes that run periodic jobs, after a change of `periodic_jobs`. */
const PERIODIC_JOBS_TOPIC = "periodic-jobs";
const DEFAULT_LIMIT_MS = 2 * 60_000;
const DEFAULT_LEASE = { forMs: 30_000, extendEveryMs: 10_000 };
const DEFAULT_RETRY_WAITS_MS = [2_000, 10_000, 60_000];
const JOBS_AT_ONCE = 4;
const LOOK_EVERY_MS = 30_000;

/** A job that this process has claimed. `holder` identifies the claim. */
type Claim = { name: string; holder: string; startedAt: Date; failures: number };

/**
 * Runs each job at its times, once for the whole installation: its row in `periodic_jobs` says when it is due and which
 * run has it. A time that passed while no process ran is made up for once. Two runs of a job overlap only if one goes on
 * for longer than its lease after it was told to end, or its process stood still for that long.
 */
export function createPeriodicJobs(
  { db, wake, log, lease = DEFAULT_LEASE, retryWaitsMs = DEFAULT_RETRY_WAITS_MS }: PeriodicJobsDeps,
  jobs: readonly PeriodicJob[],
): PeriodicJobs {
  const byName = new Map(jobs.map((job) => [job.name, job]));
  if (byName.size < jobs.length) throw new Error("two periodic jobs have the same name");
  const names = [...byName.keys()];

  const worker = new DueWorker<Claim>({
    name: "periodic jobs",
    log,
    lookEveryMs: LOOK_EVERY_MS,
    betweenLooksMs: 100,
    wokenBy: { wake, topic: PERIODIC_JOBS_TOPIC, inMs: 0 },
    look: claimDue,
    work: { atOnce: JOBS_AT_ONCE, batch: JOBS_AT_ONCE, idOf: ({ name }) => name, run: runJob },
  });

  /** One that goes on after its limit may have lost its lease; this process does not begin it a second time. */
  const running = new Set<string>();

  async function claimDue(limit: number) {
    type Row = { nextInMs: number | null } & (Omit<Claim, "holder"> | { name: null });
    const holder = randomUUID();
    const values = [names.filter((name) => !running.has(name)), limit, holder, lease.forMs];
    const rows = await db.forLeases((tx) => tx.query<Row>(claimStatement, values));
    const due = rows.flatMap((row) => (row.name === null ? [] : [{ ...row, holder }]));
    return { due, nextInMs: rows[0]?.nextInMs ?? null };
  }

  async function runJob(claim: Claim, stopping: AbortSignal): Promise<void> {
    const job = byName.get(claim.name);
    if (!job) throw new Error(`there is no periodic job ${claim.name}`);
    running.add(claim.name);
    const beganMs = performance.now();
    const kept = keepLease(claim, job.limitMs ?? DEFAULT_LIMIT_MS);
    let error: unknown = null;
    try {
      const signal = AbortSignal.any([stopping, kept.signal]);
      await inWork({ kind: "job", name: job.name }, () => job.run(signal));
    } catch (cause) {
      error = cause ?? new Error("the job failed without an error");
    } finally {
      kept.end();
      running.delete(claim.name);
    }
    if (error !== null && stopping.aborted) {
      await release(claim);
      return;
    }
    const endedMs = claim.startedAt.getTime() + (performance.now() - beganMs);
    const dueMs = nextTimeMs(job.period, endedMs);
    if (error === null) {
      await end(claim, { failures: 0, fault: null }, dueMs);
      worker.wake(dueMs - endedMs);
      return;
    }
    const failures = claim.failures + 1;
    log.error({ err: error, job: claim.name, failures }, "a periodic job failed");
    const retryMs = endedMs + (retryWaitsMs[claim.failures] ?? Number.POSITIVE_INFINITY);
    await end(claim, { failures, fault: errorCodeOf(error) }, Math.min(dueMs, retryMs));
    worker.wake(Math.min(dueMs, retryMs) - endedMs);
  }

  /** Extends the claim until the run ends, its time is over, or another process has taken it up. */
  function keepLease(claim: Claim, limitMs: number): { signal: AbortSignal; end(): void } {
    const lost = new AbortController();
    const extending = setInterval(() => void extend(), lease.extendEveryMs);
    let limit = setTimeout(() => {
      clearInterval(extending);
      lost.abort(new Error(`the job took longer than ${limitMs} ms`));
      limit = setTimeout(() => {
        log.error({ job: claim.name, limitMs }, "a periodic job goes on after its time limit");
      }, lease.forMs);
    }, limitMs);

    async function extend(): Promise<void> {
      const values = [claim.name, claim.holder, lease.forMs];
      try {
        const rows = await db.forLeases((tx) => tx.query(extendStatement, values));
        if (rows.length === 0) lost.abort(new Error("another process has taken up the job"));
      } catch (error) {
        log.warn({ err: error, job: claim.name }, "the lease of a periodic job was not extended");
      }
    }

    return {
      signal: lost.signal,
      end() {
        clearInterval(extending);
        clearTimeout(limit);
      },
    };
  }

  async function end(
    { name, holder }: Claim,
    { failures, fault }: { failures: number; fault: string | null },
    dueMs: number,
  ): Promise<void> {
    const values = [name, holder, failures, new Date(dueMs), fault];
    await db.forLeases((tx) => tx.query(endStatement, values));
  }

  /** The job stays due. */
  async function release({ name, holder }: Claim): Promise<void> {
    await db.forLeases((tx) => tx.query(releaseStatement, [name, holder]));
  }

  return {
    async start() {
      const times = jobs.map(({ period }) => new Date(nextTimeMs(period, Date.now())));
      await db.forLeases((tx) => tx.query(registerStatement, [names, times]));
      worker.start();
    },
    stop: () => worker.stop(),
  };
}

/** The first of the period's times after this moment. */
export function nextTimeMs({ everyMinutes: minutes, atMinute }: Period, afterMs: number): number {
  const periodMs = minutes * 60_000;
  const firstMs = atMinute * 60_000;
  return (Math.floor((afterMs - firstMs) / periodMs) + 1) * periodMs + firstMs;
}

/** Makes a job due at once, for whichever process takes it up. False while it runs. */
export async function makeDue(tx: Tx, wake: Pick<Wake, "notify">, name: string): Promise<boolean> {
  const rows = await tx.query(makeDueStatement, [name]);
  if (rows.length > 0) wake.notify(tx, PERIODIC_JOBS_TOPIC);
  return rows.length > 0;
}

/** A job of an earlier version may have had a longer period. */
const registerStatement = {
  name: "periodic-jobs.register",
  text: `
insert into periodic_jobs (name, due_at)
select name, due_at from unnest($1::text[], $2::timestamptz[]) as job (name, due_at)
on conflict (name) do update set due_at = least(periodic_jobs.due_at, excluded.due_at)`,
};

const claimStatement = {
  name: "periodic-jobs.claim",
  text: `
with due as materialized (
  select name from periodic_jobs
  where name = any ($1::text[]) and due_at <= now() and (held_until is null or held_until <= now())
  order by due_at limit $2 for update skip locked
), claimed as (
  update periodic_jobs set holder = $3::uuid, started_at = now(), held_until = now() + $4::int * interval '1 ms'
  from due where periodic_jobs.name = due.name
  returning periodic_jobs.name, failures
)
select claimed.name, now() as "startedAt", claimed.failures,
  ceil(extract(epoch from next.at - now()) * 1000)::int as "nextInMs"
from (
  select min(greatest(due_at, held_until)) as at from periodic_jobs
  where name = any ($1::text[]) and name not in (select name from due)
) next
left join claimed on true`,
};

const extendStatement = {
  name: "periodic-jobs.extend",
  text: `
update periodic_jobs set held_until = now() + $3::int * interval '1 ms'
where name = $1 and holder = $2
returning name`,
};

const makeDueStatement = {
  name: "periodic-jobs.make-due",
  text: `
update periodic_jobs set due_at = now()
where name = $1 and (held_until is null or held_until <= now())
returning name`,
};

const endStatement = {
  name: "periodic-jobs.end",
  text: `
update periodic_jobs
set holder = null, held_until = null, ended_at = now(), failures = $3, due_at = $4, fault = $5
where name = $1 and holder = $2`,
};

const releaseStatement = {
  name: "periodic-jobs.release",
  text: `
update periodic_jobs set holder = null, held_until = null where name = $1 and holder = $2`,
};
