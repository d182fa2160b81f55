import { sql } from "drizzle-orm";
import { pino } from "pino";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { TestDatabase } from "../../testing/database.ts";
import { testDatabase } from "../../testing/database.ts";
import type { Wake } from "../db/wake.ts";
import { startWake } from "../db/wake.ts";
import type { PeriodicJob, PeriodicJobs, PeriodicJobsDeps } from "./periodic-jobs.ts";
import {
  createPeriodicJobs,
  dailyAt,
  everyMinutes,
  hourlyAt,
  nextTimeMs,
} from "./periodic-jobs.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});

const rows = <Row>(statement: ReturnType<typeof sql>): Promise<Row[]> =>
  database.db.acrossCompanies((tx) => tx.query<Row>(statement));

const HOUR_MS = 3_600_000;
const farAway = dailyAt((new Date().getUTCHours() + 12) % 24, 0);

type LogLine = { level: number; msg: string; job?: string; failures?: number };
type Process = PeriodicJobs & { wake: Wake; logged: LogLine[] };

/** A process of the installation that runs these jobs. Stopped when the test ends. */
async function startProcess(
  jobs: PeriodicJob[],
  options: Pick<PeriodicJobsDeps, "lease"> = {},
): Promise<Process> {
  const logged: LogLine[] = [];
  const log = pino(
    { level: "warn" },
    { write: (line: string) => void logged.push(JSON.parse(line)) },
  );
  const wake = startWake({ url: database.ownerUrl, log });
  await wake.ready();
  const deps = { db: database.db, wake, log, retryWaitsMs: [HOUR_MS, 2 * HOUR_MS], ...options };
  const periodic = createPeriodicJobs(deps, jobs);
  onTestFinished(async () => {
    await periodic.stop();
    await wake.close();
  });
  await periodic.start();
  return { ...periodic, wake, logged };
}

let count = 0;
/** A job with a name of its own, which no clock makes due within a test. */
function jobOf(run: PeriodicJob["run"], change: Partial<PeriodicJob> = {}): PeriodicJob {
  count += 1;
  return { name: `job-${count}`, period: farAway, run, ...change };
}

async function makeDue({ wake }: Process, ...jobs: PeriodicJob[]): Promise<void> {
  const names = jobs.map(({ name }) => name);
  await rows(sql`
    update periodic_jobs set due_at = now() - interval '1 second' where name = any (${sql.param(names)})`);
  wake.send("periodic-jobs");
}

type Row = {
  isDue: boolean;
  dueInMs: number;
  isHeld: boolean;
  heldUntil: Date | null;
  startedAt: Date | null;
  endedAt: Date | null;
  failures: number;
};
async function rowOf({ name }: PeriodicJob): Promise<Row> {
  const [row] = await rows<Row>(sql`
    select due_at <= now() as "isDue", extract(epoch from due_at - now())::float8 * 1000 as "dueInMs",
      holder is not null as "isHeld", held_until as "heldUntil", started_at as "startedAt",
      ended_at as "endedAt", failures
    from periodic_jobs where name = ${name}`);
  if (!row) throw new Error(`there is no row of ${name}`);
  return row;
}

const untilEnded = (job: PeriodicJob): Promise<Row> =>
  vi.waitFor(async () => {
    const row = await rowOf(job);
    expect(row).toMatchObject({ isDue: false, isHeld: false, endedAt: expect.any(Date) });
    return row;
  });

/** A run that goes on until the test lets it end, or its signal aborts if it heeds it. */
function heldJob({ heeds = true, ...change }: Partial<PeriodicJob> & { heeds?: boolean } = {}) {
  const runs: { signal: AbortSignal; end(): void }[] = [];
  const job = jobOf(
    (signal) =>
      new Promise((resolve, reject) => {
        runs.push({ signal, end: resolve });
        if (heeds) signal.addEventListener("abort", () => reject(signal.reason));
      }),
    change,
  );
  return { job, runs };
}

describe("the next time", () => {
  test.each([
    ["of every minute", everyMinutes(1), "2026-11-22T10:00:00.000Z", "2026-11-22T10:01:00.000Z"],
    ["of every ten minutes", everyMinutes(10), "2026-11-22T10:09:59.999Z", "2026-11-22T10:10:00Z"],
    ["of an hour, before it", hourlyAt(47), "2026-11-22T10:46:59.999Z", "2026-11-22T10:47:00Z"],
    ["of an hour, at it", hourlyAt(47), "2026-11-22T10:47:00Z", "2026-11-22T11:47:00Z"],
    ["of a day, before it", dailyAt(3, 23), "2026-11-22T03:22:00Z", "2026-11-22T03:23:00Z"],
    ["of a day, after it", dailyAt(3, 23), "2026-12-31T23:00:00Z", "2027-01-01T03:23:00Z"],
  ])("%s", (_what, period, after, next) => {
    expect(nextTimeMs(period, Date.parse(after))).toBe(Date.parse(next));
  });
});

test("two processes run a due job once, each time it is due", async () => {
  let runs = 0;
  const job = jobOf(async () => void (runs += 1));
  const left = await startProcess([job]);
  await startProcess([job]);
  for (let times = 1; times <= 5; times += 1) {
    await makeDue(left, job);
    await untilEnded(job);
    expect(runs).toBe(times);
  }
});

test("no process begins a job while it runs in another one", async () => {
  const { job, runs } = heldJob();
  const witness = jobOf(async () => undefined);
  const left = await startProcess([job]);
  await makeDue(left, job);
  await vi.waitFor(() => expect(runs).toHaveLength(1));
  const right = await startProcess([job, witness]);
  await makeDue(right, job, witness);
  // The look that finds the witness finds the job due as well.
  await untilEnded(witness);
  expect(runs).toHaveLength(1);
  runs[0]?.end();
  await untilEnded(job);
});

test("a time that passed while no process ran is made up for once", async () => {
  let runs = 0;
  const job = jobOf(async () => void (runs += 1));
  await rows(
    sql`insert into periodic_jobs (name, due_at) values (${job.name}, now() - interval '3 days')`,
  );
  await startProcess([job]);
  const { dueInMs } = await untilEnded(job);
  expect(dueInMs).toBeLessThanOrEqual(24 * HOUR_MS);
  expect(runs).toBe(1);
});

test("a new job waits for its time, and a shorter period counts from now on", async () => {
  const job = jobOf(async () => undefined);
  const first = await startProcess([job]);
  const before = await rowOf(job);
  expect(before).toMatchObject({ isDue: false, startedAt: null });
  await first.stop();
  await startProcess([{ ...job, period: everyMinutes(1) }]);
  expect((await rowOf(job)).dueInMs).toBeLessThanOrEqual(60_000);
});

test("a run whose process crashed is taken up when its lease is over, without a wake-up", async () => {
  let startedAt = 0;
  const job = jobOf(async () => void (startedAt = performance.now()));
  await rows(sql`
    insert into periodic_jobs (name, due_at, holder, held_until)
    values (${job.name}, now() - interval '1 minute', gen_random_uuid(), now() + interval '300 ms')`);
  const { heldUntil } = await rowOf(job);
  await startProcess([job]);
  const row = await untilEnded(job);
  expect(startedAt).toBeGreaterThan(0);
  expect(row.startedAt?.getTime()).toBeGreaterThanOrEqual(heldUntil?.getTime() ?? Number.NaN);
});

test("a run extends its lease; one that has lost it is told to end and changes nothing", async () => {
  const { job, runs } = heldJob();
  const process = await startProcess([job], { lease: { forMs: 2_000, extendEveryMs: 20 } });
  await makeDue(process, job);
  await vi.waitFor(() => expect(runs).toHaveLength(1));
  const { heldUntil } = await rowOf(job);
  await vi.waitFor(async () =>
    expect((await rowOf(job)).heldUntil?.getTime()).toBeGreaterThan(heldUntil?.getTime() ?? 0),
  );
  expect(runs[0]?.signal.aborted).toBe(false);
  await rows(sql`
    update periodic_jobs set holder = gen_random_uuid(), held_until = now() + interval '1 hour'
    where name = ${job.name}`);
  await vi.waitFor(() => expect(process.logged).toMatchObject([{ level: 50, job: job.name }]));
  await process.stop();
  expect(await rowOf(job)).toMatchObject({ isDue: true, isHeld: true, failures: 0, endedAt: null });
});

test("a stop interrupts a run, waits for it, and leaves the job to another process", async () => {
  const { job, runs } = heldJob();
  const left = await startProcess([job]);
  await makeDue(left, job);
  await vi.waitFor(() => expect(runs).toHaveLength(1));
  await left.stop();
  expect(await rowOf(job)).toMatchObject({ isDue: true, isHeld: false, failures: 0 });
  expect(left.logged).toEqual([]);
  await startProcess([job]);
  await vi.waitFor(() => expect(runs).toHaveLength(2));
  runs[1]?.end();
  await untilEnded(job);
});

test("a stop waits for a run that goes on to its end, which then counts", async () => {
  const { job, runs } = heldJob({ heeds: false });
  const process = await startProcess([job]);
  await makeDue(process, job);
  await vi.waitFor(() => expect(runs).toHaveLength(1));
  let isStopped = false;
  const stopping = process.stop().then(() => (isStopped = true));
  await vi.waitFor(() => expect(runs[0]?.signal.aborted).toBe(true));
  await rows(sql`select 1`);
  expect(isStopped).toBe(false);
  runs[0]?.end();
  await stopping;
  expect(await rowOf(job)).toMatchObject({ isDue: false, isHeld: false });
});

test("a failure is logged and tried again, at last at the next regular time", async () => {
  let isBroken = true;
  const job = jobOf(async () => {
    if (isBroken) throw new Error("not today");
  });
  const process = await startProcess([job]);
  const waitsMs = [HOUR_MS, 2 * HOUR_MS, nextTimeMs(farAway, Date.now()) - Date.now()];
  for (const [index, waitMs] of waitsMs.entries()) {
    const failures = index + 1;
    await makeDue(process, job);
    const { dueInMs } = await vi.waitFor(async () => {
      const row = await rowOf(job);
      expect(row).toMatchObject({ isDue: false, isHeld: false, failures });
      return row;
    });
    expect(dueInMs).toBeLessThanOrEqual(waitMs);
    expect(dueInMs).toBeGreaterThan(waitMs - HOUR_MS / 2);
  }
  expect(process.logged).toMatchObject(
    waitsMs.map((_, index) => ({ level: 50, job: job.name, failures: index + 1 })),
  );
  isBroken = false;
  await makeDue(process, job);
  await vi.waitFor(async () =>
    expect(await rowOf(job)).toMatchObject({ isDue: false, isHeld: false, failures: 0 }),
  );
});

test("a run that takes longer than its limit is told to end and counts as failed", async () => {
  const { job, runs } = heldJob({ limitMs: 20 });
  const process = await startProcess([job]);
  await makeDue(process, job);
  await vi.waitFor(async () =>
    expect(await rowOf(job)).toMatchObject({ isHeld: false, failures: 1 }),
  );
  expect(runs[0]?.signal.reason).toMatchObject({ message: "the job took longer than 20 ms" });
  expect(process.logged).toMatchObject([{ level: 50, job: job.name }]);
});

test("a run that ignores its limit is reported, and its process does not begin a second one", async () => {
  const { job, runs } = heldJob({ heeds: false, limitMs: 20 });
  const witness = jobOf(async () => undefined);
  const lease = { forMs: 100, extendEveryMs: 20 };
  const process = await startProcess([job, witness], { lease });
  await makeDue(process, job);
  await vi.waitFor(() =>
    expect(process.logged.map(({ msg }) => msg)).toEqual([
      "a periodic job goes on after its time limit",
    ]),
  );
  await makeDue(process, job, witness);
  await untilEnded(witness);
  expect(runs).toHaveLength(1);
  // Another process takes it up.
  await startProcess([job]);
  await vi.waitFor(() => expect(runs).toHaveLength(2));
  for (const { end } of runs) end();
});

test("two jobs with one name are refused", () => {
  const job = jobOf(async () => undefined);
  const deps = { db: database.db, wake: {} as Wake, log: pino({ level: "silent" }) };
  expect(() => createPeriodicJobs(deps, [job, job])).toThrow("the same name");
});
