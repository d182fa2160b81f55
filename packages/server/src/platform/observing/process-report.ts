import { statfs } from "node:fs/promises";
import { hostname } from "node:os";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Gauge } from "prom-client";
import type { ProcessRole } from "../config/config.ts";
import type { Database } from "../db/database.ts";
import type { ProcessFigures } from "../db/schema/index.ts";
import type { Logger } from "../logging/logger.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { CountedIncident, Incidents } from "./incidents.ts";

export type ProcessReport = {
  /** Writes the first report, and one every ten seconds. */
  start(): Promise<void>;
  /** Writes the present figures and incidents. */
  write(): Promise<void>;
  /** Writes the last incidents and removes the process. */
  stop(): Promise<void>;
};

export type ProcessReportDeps = {
  db: Database;
  log: Logger;
  metrics: Metrics;
  incidents: Incidents;
  process: { id: string; version: string; roles: ReadonlySet<ProcessRole>; dataDir: string };
  oldestTransactionSeconds(): number;
  everyMs?: number;
};

const EVERY_MS = 10_000;
const RESOLUTION_MS = 10;

/** Tells the other processes, and so the page of the operator, that this one lives and how it is. */
export function createProcessReport(deps: ProcessReportDeps): ProcessReport {
  const { db, log, metrics, incidents, everyMs = EVERY_MS } = deps;
  const { id, version, roles, dataDir } = deps.process;
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  const startedAt = new Date(Date.now() - process.uptime() * 1_000);
  const registers = [metrics.registry];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | null = null;
  let isStopped = false;

  new Gauge({
    name: "balcao_process_info",
    help: "1, with the version of this process",
    labelNames: ["version"],
    registers,
  }).set({ version }, 1);
  const disk: Gauge = new Gauge({
    name: "balcao_disk_free_bytes",
    help: "Free bytes of the data folder's disk",
    registers,
    collect: async () => {
      disk.set((await diskOf(dataDir)).diskFreeBytes ?? Number.NaN);
    },
  });
  const whole: Gauge = new Gauge({
    name: "balcao_disk_bytes",
    help: "Size of the data folder's disk",
    registers,
    collect: async () => {
      whole.set((await diskOf(dataDir)).diskBytes ?? Number.NaN);
    },
  });
  const pool: Gauge<"state"> = new Gauge({
    name: "balcao_database_pool_connections",
    help: "Connections of this process to the database by state, and what waits for one",
    labelNames: ["state"],
    registers,
    collect: () => {
      const { open, used, waiting } = db.poolFigures();
      pool.set({ state: "open" }, open);
      pool.set({ state: "used" }, used);
      pool.set({ state: "waiting" }, waiting);
    },
  });
  const oldest: Gauge = new Gauge({
    name: "balcao_database_oldest_transaction_seconds",
    help: "Age of the oldest transaction that is open in this process",
    registers,
    collect: () => oldest.set(deps.oldestTransactionSeconds()),
  });

  async function figures(): Promise<ProcessFigures> {
    const { open, used, waiting } = db.poolFigures();
    // The timer itself waits for one step of its resolution.
    const late = (ns: number): number =>
      Number.isFinite(ns) ? Math.max(0, Math.round(ns / 1e6) - RESOLUTION_MS) : 0;
    const loop = {
      eventLoopP99Ms: late(delay.percentile(99)),
      eventLoopMaxMs: late(delay.max),
    };
    delay.reset();
    return {
      ...loop,
      ...(await diskOf(dataDir)),
      memoryBytes: process.memoryUsage.rss(),
      poolOpen: open,
      poolUsed: used,
      poolWaiting: waiting,
      transactionSeconds: deps.oldestTransactionSeconds(),
    };
  }

  async function write(): Promise<void> {
    const taken = incidents.take();
    try {
      const values = [id, hostname(), process.pid, version, [...roles], startedAt];
      const present = JSON.stringify(await figures());
      await db.forLeases(async (tx) => {
        await tx.query(reportStatement, [...values, present]);
        if (taken.length > 0) await tx.query(incidentsStatement, columnsOf(taken));
        await tx.query(sweepProcesses);
        await tx.query(sweepIncidents);
      });
    } catch (error) {
      incidents.restore(taken);
      throw error;
    }
  }

  function writeOnce(): Promise<void> {
    writing ??= write()
      // The next report brings what this one could not.
      .catch((error: unknown) => log.warn({ err: error }, "the process could not report"))
      .finally(() => {
        writing = null;
      });
    return writing;
  }

  return {
    async start() {
      delay.enable();
      timer = setInterval(() => void writeOnce(), everyMs);
      timer.unref();
      await writeOnce();
    },
    write: async () => {
      await writing;
      await write();
    },
    async stop() {
      if (isStopped || timer === undefined) return;
      isStopped = true;
      clearInterval(timer);
      delay.disable();
      await writeOnce();
      await db
        .forLeases((tx) => tx.query(removeStatement, [id]))
        .catch((error: unknown) => log.warn({ err: error }, "the process could not sign off"));
    },
  };
}

async function diskOf(
  dataDir: string,
): Promise<Pick<ProcessFigures, "diskFreeBytes" | "diskBytes">> {
  try {
    const { bavail, blocks, bsize } = await statfs(dataDir);
    return { diskFreeBytes: bavail * bsize, diskBytes: blocks * bsize };
  } catch {
    // Not made yet, or a file system that does not say.
    return { diskFreeBytes: null, diskBytes: null };
  }
}

function columnsOf(taken: readonly CountedIncident[]): unknown[] {
  return [
    taken.map(({ bucketAt }) => bucketAt),
    taken.map(({ kind }) => kind),
    taken.map(({ place }) => place),
    taken.map(({ code }) => code),
    taken.map(({ count }) => count),
    taken.map(({ totalMs }) => totalMs),
    taken.map(({ longestMs }) => longestMs),
    taken.map(({ lastAt }) => lastAt),
    taken.map(({ requestId }) => requestId),
  ];
}

const reportStatement = {
  name: "processes.report",
  text: `
insert into processes (id, host, pid, version, roles, started_at, seen_at, figures)
values ($1::uuid, $2, $3, $4, $5::text[], $6, now(), $7::jsonb)
on conflict (id) do update set seen_at = now(), figures = excluded.figures`,
};

/** In one order, so that two processes do not wait for each other. */
const incidentsStatement = {
  name: "incidents.add",
  text: `
insert into incidents as i (bucket_at, kind, place, code, count, total_ms, longest_ms, last_at, request_id)
select * from unnest($1::timestamptz[], $2::text[], $3::text[], $4::text[], $5::int[], $6::float8[], $7::float8[],
  $8::timestamptz[], $9::text[]) as noted (bucket_at, kind, place, code, count, total_ms, longest_ms, last_at, request_id)
order by bucket_at, kind, place, code
on conflict (bucket_at, kind, place, code) do update set count = i.count + excluded.count,
  total_ms = i.total_ms + excluded.total_ms, longest_ms = greatest(i.longest_ms, excluded.longest_ms),
  last_at = greatest(i.last_at, excluded.last_at),
  request_id = case when excluded.last_at >= i.last_at then coalesce(excluded.request_id, i.request_id) else i.request_id end`,
};

/** A crashed process is shown for an hour, incidents are kept for a day. */
const sweepProcesses = {
  name: "processes.sweep",
  text: "delete from processes where seen_at < now() - interval '1 hour'",
};
const sweepIncidents = {
  name: "incidents.sweep",
  text: "delete from incidents where bucket_at < now() - interval '1 day'",
};
const removeStatement = { name: "processes.remove", text: "delete from processes where id = $1" };
