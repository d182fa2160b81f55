import type { CompanyId } from "@balcao/contract";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Sources } from "../../platform/sources.ts";
import type { ChannelSettings, ConnectionFigures, RuntimeDeps } from "./deps.ts";
import { defaultSettings, noMetrics } from "./deps.ts";
import { Supervisor } from "./supervisor.ts";

export { decodeEvent, encodeEvent } from "./journal.ts";
export { freeAllLeases } from "./lease.ts";
export type {
  ChannelHandlers,
  ChannelMetrics,
  ChannelSettings,
  ConnectionFigures,
  ConnectionRef,
  DeliveryOutcome,
  PictureRequest,
} from "./deps.ts";
export type { Outbox } from "./outbound.ts";
export { connectionsChanged, createOutbox, retryConnection, tellTyping } from "./outbound.ts";
export { createDirectory, NoAnswer, sweepQuestionsAcrossCompanies } from "./questions.ts";

export type ChannelRuntime = {
  /** Resolves when nothing is queued, due or in flight for the connections owned here. For tests. */
  idle(): Promise<void>;
  /** Figures of the connections that this process owns now. */
  figures(): ConnectionFigures[];
  /** The company's events that wait to be stored, and its chats whose next event waits for its turn. */
  waitingOf(companyId: CompanyId): number;
  /** Waits for running work, closes the sessions (their links stay), and releases the connections. */
  stop(): Promise<void>;
};

export type ChannelDeps = Pick<RuntimeDeps, "db" | "wake" | "adapters" | "handlers" | "log"> & {
  sources: Sources;
  metrics?: RuntimeDeps["metrics"];
  onArrived?: RuntimeDeps["onArrived"];
  settings?: Partial<ChannelSettings>;
  /** The process, as the leases name it. */
  owner?: string;
};

const IDLE_POLL_MS = 5;

/** Runs the sessions of the connections that this process owns, and takes those without an owner. */
export function startChannels(deps: ChannelDeps): ChannelRuntime {
  const { db, wake, adapters, handlers, sources, log } = deps;
  const supervisor = new Supervisor({
    db,
    wake,
    adapters,
    handlers,
    owner: deps.owner ?? sources.ids.uuid(),
    random: sources.random,
    settings: { ...defaultSettings, ...deps.settings },
    metrics: deps.metrics ?? noMetrics,
    onArrived: deps.onArrived ?? (() => undefined),
    log,
  });
  return {
    idle: async () => {
      // Checked twice: work that ends during one check may have started more.
      for (let quiet = 0; quiet < 2;) {
        quiet = (await supervisor.isIdle()) ? quiet + 1 : 0;
        if (quiet < 2) await new Promise((resolve) => setTimeout(resolve, IDLE_POLL_MS));
      }
    },
    figures: () => supervisor.figures(),
    waitingOf: (companyId) => supervisor.waitingOf(companyId),
    stop: () => supervisor.stop(),
  };
}

const BATCH = 2_000;

/** A table whose rows belong to connections; `key` is the column with a row's file, if it has one. */
type ConnectionTable = { name: string; key?: string; signal?: AbortSignal };

/**
 * Deletes the rows of deleted connections from a table, in batches, each in its own transaction, which calls
 * `removeFiles` before it ends: the next sweep repeats what failed.
 */
export async function sweepGoneConnections(
  db: Database,
  { name, key = "null", signal }: ConnectionTable,
  removeFiles?: (files: readonly { companyId: CompanyId; key: string }[]) => Promise<void>,
): Promise<void> {
  const work = async (tx: Tx): Promise<number> => {
    const rows = await tx.query<{ companyId: CompanyId; key: string | null }>({
      name: `channels.sweep-gone-${name}`,
      // A session may still write while its connection is deleted; it ends within the hour.
      text: `
delete from ${name} g where g.ctid = any (array(
  select r.ctid from connections c
  cross join lateral (
    select o.ctid from ${name} o where o.company_id = c.company_id and o.connection_id = c.id limit ${BATCH}) r
  where c.deleted_at < now() - interval '1 hour' limit ${BATCH}))
returning g.company_id as "companyId", ${key} as key`,
    });
    await removeFiles?.(rows.flatMap((row) => (row.key === null ? [] : { ...row, key: row.key })));
    return rows.length;
  };
  while ((await db.acrossCompanies(work)) > 0) signal?.throwIfAborted();
}
