import type { SecurityReport } from "@balcao/contract";
import { securityStates } from "@balcao/contract";
import { differenceInMilliseconds } from "date-fns/differenceInMilliseconds";
import { Gauge } from "prom-client";
import type { Metrics } from "../../platform/metrics/metrics.ts";
import type { OperationFigures } from "./judge.ts";

/** Several gauges of one scrape, and scrapes right after each other, share one reading. */
const SHARED_MS = 5_000;

/**
 * Gauges of the whole installation, read from the database when Prometheus asks. Every process tells the same: rules take
 * their maximum. While the database is away they have no values.
 */
export function addOperationMetrics(
  { registry }: Metrics,
  read: () => Promise<OperationFigures>,
): void {
  let reading: Promise<OperationFigures | null> | undefined;
  let readAtMs = Number.NEGATIVE_INFINITY;

  function present(): Promise<OperationFigures | null> {
    if (!reading || performance.now() - readAtMs > SHARED_MS) {
      readAtMs = performance.now();
      reading = read().catch(() => null);
    }
    return reading;
  }

  function gauge<Label extends string = never>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    tell: (set: Gauge<Label>, now: OperationFigures) => void,
  ): void {
    const made: Gauge<Label> = new Gauge<Label>({
      name: `balcao_${name}`,
      help,
      labelNames: [...labelNames],
      registers: [registry],
      collect: async () => {
        made.reset();
        const now = await present();
        if (now) tell(made, now);
        else made.remove();
      },
    });
  }

  gauge("queue_waiting", "What is due of a queue of work, at most 10000", ["queue"], (set, now) => {
    for (const { queue, waiting } of now.queues) set.set({ queue }, waiting);
  });
  gauge("queue_lag_seconds", "How long the oldest of a queue waits", ["queue"], (set, now) => {
    for (const { queue, lagSeconds } of now.queues) set.set({ queue }, lagSeconds ?? 0);
  });
  gauge("queue_failed", "What a queue gave up in the last day", ["queue"], (set, now) => {
    for (const { queue, failed } of now.queues) set.set({ queue }, failed);
  });
  gauge(
    "installation_connections",
    "Wanted connections of all companies by state",
    ["state"],
    (set, now) => {
      const { connected, connecting, toLink, lost, unowned } = now.connections;
      for (const [state, count] of Object.entries({ connected, connecting, toLink, lost, unowned }))
        set.set({ state }, count);
    },
  );
  gauge("job_late_seconds", "How late a periodic job is; 0 while it runs", ["job"], (set, now) => {
    for (const { name, isRunning, dueAt } of now.jobs) {
      const late = isRunning ? 0 : differenceInMilliseconds(now.at, dueAt) / 1_000;
      set.set({ job: name }, Math.max(0, late));
    }
  });
  gauge("job_failures", "Failed runs of a periodic job in a row", ["job"], (set, now) => {
    for (const { name, failures } of now.jobs) set.set({ job: name }, failures);
  });
  gauge("processes", "Processes by whether they reported lately", ["state"], (set, now) => {
    const alive = now.processes.filter(({ isAlive }) => isAlive).length;
    set.set({ state: "alive" }, alive);
    set.set({ state: "silent" }, now.processes.length - alive);
  });
  gauge("database_connections", "Connections of the database server", [], (set, now) =>
    set.set(now.database.connections),
  );
  gauge("database_connections_limit", "Its max_connections", [], (set, now) =>
    set.set(now.database.connectionsLimit),
  );
  gauge("database_bytes", "Size of the database", [], (set, now) => set.set(now.database.bytes));
}

/** The figures change rarely, and a reading looks at the whole catalogue. */
const SECURITY_SHARED_MS = 10 * 60_000;

/** How many checks of the installation's security have each state. While the database is away they have no values. */
export function addSecurityMetric(
  { registry }: Metrics,
  check: () => Promise<SecurityReport>,
): void {
  let checking: Promise<SecurityReport | null> | undefined;
  let checkedAtMs = Number.NEGATIVE_INFINITY;
  const gauge: Gauge<"state"> = new Gauge({
    name: "balcao_security_checks",
    help: "Checks of the installation's security by state",
    labelNames: ["state"],
    registers: [registry],
    collect: async () => {
      if (!checking || performance.now() - checkedAtMs > SECURITY_SHARED_MS) {
        checkedAtMs = performance.now();
        checking = check().catch(() => null);
      }
      const report = await checking;
      gauge.reset();
      // A reading that failed is tried again by the next scrape.
      if (report === null) checking = undefined;
      for (const state of report === null ? [] : securityStates)
        gauge.set({ state }, report?.checks.filter((one) => one.state === state).length ?? 0);
    },
  });
}
