import type { ConnectionStatus } from "@balcao/contract";
import { connectionStatuses } from "@balcao/contract";
import { Counter, Gauge, Histogram } from "prom-client";
import type { ChannelMetrics, ConnectionFigures } from "./channels/runtime/index.ts";
import type { Door } from "./platform/jobs/company-shares.ts";
import type { OnStorageCall } from "./platform/media/object-storage.ts";
import type { Metrics } from "./platform/metrics/metrics.ts";

/** Counters of what the channels of this process do. */
export function channelMetrics({ registry }: Metrics): ChannelMetrics {
  const inbound = new Counter({
    name: "balcao_inbound_events_total",
    help: "Events of chat channels by what became of them",
    labelNames: ["result"],
    registers: [registry],
  });
  const outbound = new Counter({
    name: "balcao_outbound_messages_total",
    help: "Messages handed to chat channels by what became of them",
    labelNames: ["result"],
    registers: [registry],
  });
  const files = new Counter({
    name: "balcao_channel_files_total",
    help: "Files of messages fetched from chat channels by what became of them",
    labelNames: ["result"],
    registers: [registry],
  });
  const closes = new Counter({
    name: "balcao_connection_closes_total",
    help: "Sessions of connections that ended by themselves, by reason",
    labelNames: ["reason"],
    registers: [registry],
  });
  return {
    inbound: (result) => inbound.inc({ result }),
    outbound: (result) => outbound.inc({ result }),
    file: (result) => files.inc({ result }),
    closed: (reason) => closes.inc({ reason }),
  };
}

/** How long the work of companies waits for its turn, and how often it is refused; no series by company. */
export function shareMetrics({ registry }: Metrics): {
  onWait: (door: Door, waitedMs: number) => void;
  onRefused: (door: Door) => void;
} {
  const waits = new Histogram({
    name: "balcao_company_wait_seconds",
    help: "How long a company's work waited for its turn, of the work that waited",
    labelNames: ["door"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const refused = new Counter({
    name: "balcao_company_refused_total",
    help: "Calls and work refused because too much of the same company waited",
    labelNames: ["door"],
    registers: [registry],
  });
  return {
    onWait: (door, waitedMs) => waits.observe({ door }, waitedMs / 1_000),
    onRefused: (door) => refused.inc({ door }),
  };
}

/** Calls to the object storage, and how many failed. */
export function storageMetrics({ registry }: Metrics): OnStorageCall {
  const calls = new Histogram({
    name: "balcao_storage_call_seconds",
    help: "Duration of calls to the object storage; an upload lasts as long as its sender needs",
    labelNames: ["operation"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30],
    registers: [registry],
  });
  const failures = new Counter({
    name: "balcao_storage_failures_total",
    help: "Calls to the object storage that failed after their repetitions, by operation",
    labelNames: ["operation"],
    registers: [registry],
  });
  return (operation, isDone, seconds) => {
    calls.observe({ operation }, seconds);
    if (!isDone) failures.inc({ operation });
  };
}

/** How quick the automatic attendant of this process is; takes the time of each of its turns. */
export function attendantMetrics({ registry }: Metrics): (lateMs: number) => void {
  const late = new Histogram({
    name: "balcao_attendant_turn_late_seconds",
    help: "From the moment at which a customer was to be answered by itself to the stored decision",
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30],
    registers: [registry],
  });
  return (lateMs) => late.observe(lateMs / 1_000);
}

/** Connections of one process that have series of their own; those beyond are in the counts by state only. */
const MOST_CONNECTIONS = 500;

/**
 * Figures of the connections that this process owns, read when somebody asks: a connection that goes to another process,
 * or is deleted, leaves no series behind.
 */
export function connectionMetrics(
  { registry }: Metrics,
  figures: () => readonly ConnectionFigures[],
): void {
  const labelled = () =>
    figures()
      .toSorted((a, b) => a.connectionId - b.connectionId)
      .slice(0, MOST_CONNECTIONS);

  const byState = new Gauge({
    name: "balcao_connections",
    help: "Connections that this process owns, by state",
    labelNames: ["status"],
    registers: [registry],
    collect: () => {
      const counts = new Map<ConnectionStatus, number>(connectionStatuses.map((name) => [name, 0]));
      for (const { status } of figures()) counts.set(status, (counts.get(status) ?? 0) + 1);
      for (const [status, count] of counts) byState.set({ status }, count);
    },
  });

  const gauge = (name: string, help: string, value: (of: ConnectionFigures) => number): void => {
    const series: Gauge<"connection"> = new Gauge({
      name: `balcao_connection_${name}`,
      help,
      labelNames: ["connection"],
      registers: [registry],
      collect: () => {
        series.reset();
        for (const of of labelled()) series.set({ connection: of.connectionId }, value(of));
      },
    });
  };
  gauge("connected", "Whether the connection is connected", ({ status }) =>
    status === "CONNECTED" ? 1 : 0,
  );
  gauge("send_lag_seconds", "Age of the oldest message that waits to go out", (of) =>
    of.sendLagSeconds === null ? 0 : of.sendLagSeconds,
  );

  const counter = (name: string, help: string, value: (of: ConnectionFigures) => number): void => {
    const series: Counter<"connection"> = new Counter({
      name: `balcao_connection_${name}_total`,
      help,
      labelNames: ["connection"],
      registers: [registry],
      collect: () => {
        series.reset();
        for (const of of labelled()) series.inc({ connection: of.connectionId }, value(of));
      },
    });
  };
  counter("received", "Events handled since this process owns the connection", (of) => of.received);
  counter("sent", "Messages handed over since this process owns the connection", (of) => of.sent);
  counter("reconnects", "Sessions that were started again by themselves", (of) => of.reconnects);
}
