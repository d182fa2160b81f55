import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "pg";
import { findPostgresPackage, installBinaries, removeLeftovers } from "./binaries.ts";
import { ensureCluster, openCluster } from "./cluster.ts";
import { exists, resolveLayout } from "./layout.ts";
import { readClaim } from "./postmaster-file.ts";
import {
  ensureDatabase,
  ownerUrl,
  reachServer,
  stopServer,
  type Running,
  type ServerPlan,
} from "./server.ts";

export type EmbeddedPostgres = {
  /** The superuser's address on 127.0.0.1, password included: a secret. */
  url: string;
  dataDir: string;
  /** Shuts the server down and waits for its end; close the pools first. May be called twice. */
  stop(): Promise<void>;
};

type EmbeddedPostgresOptions = {
  /** The installation's data directory; created if missing. */
  dataDir: string;
  /** Created if missing. */
  database: string;
  log: (line: string) => void;
  /** Additional postgresql.conf settings. `fsync: "off"` (tests only) also speeds up the first start. */
  settings?: Record<string, string>;
};

/**
 * Starts the PostgreSQL of an installation without DATABASE_URL and keeps it running until `stop`. The first start creates
 * it; a server that a killed process left running is used again. Throws InstallationInUse, and changes nothing, when
 * another process serves this data.
 */
export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const { database, log, settings = {} } = options;
  const layout = await resolveLayout(options.dataDir);
  const source = await findPostgresPackage();
  if (!(await exists(layout.home))) log("Preparing the database (first start only)…");
  const binaries = await installBinaries(source, layout.binariesParent);
  await ensureCluster(layout, { binaries, durable: settings["fsync"] !== "off" });
  const password = await openCluster(layout, source.major);
  const plan: ServerPlan = { layout, password, binaries, settings, log };

  const running = await reachServer(plan);
  if (!(await takeInstallationLock(running.client))) {
    const holder = await installationHolder(running.client);
    await running.client.end();
    throw new InstallationInUse(layout.dataDir, holder);
  }
  const server = keepServer(plan, running);
  try {
    await ensureDatabase(running.client, database);
    // A server that was already running may use older binaries.
    if (running.isOurChild) await removeLeftovers(layout, binaries, source.major);
  } catch (error) {
    await server.stop();
    throw error;
  }
  const url = ownerUrl({ port: running.port, password }, database);
  return { url, dataDir: layout.dataDir, stop: () => server.stop() };
}

/** The embedded database of the running product, or one that runs until `stop`. */
export async function reachEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<Pick<EmbeddedPostgres, "url" | "stop">> {
  try {
    return await startEmbeddedPostgres(options);
  } catch (error) {
    if (!(error instanceof InstallationInUse)) throw error;
    return { url: await findEmbeddedPostgres(options), stop: async () => undefined };
  }
}

/** The superuser's address of the database while another process serves it. Throws when none does. */
export async function findEmbeddedPostgres({
  dataDir,
  database,
}: Pick<EmbeddedPostgresOptions, "dataDir" | "database">): Promise<string> {
  const layout = await resolveLayout(dataDir);
  const source = await findPostgresPackage();
  const password = await openCluster(layout, source.major);
  const claim = await readClaim(layout.cluster);
  if (!claim) throw new Error(`The database of ${layout.dataDir} is not running.`);
  return ownerUrl({ port: claim.port, password }, database);
}

const retryMs = 1_000;
const lockPatienceMs = 1_000;

/**
 * Holds the installation until `stop`. When the server crashes (out of memory, disk full), it is restarted on the same
 * port, with retries until it succeeds, so that the pools reconnect to the same address.
 */
function keepServer(plan: ServerPlan, first: Running): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let current: Running | undefined = first;
  let recovery = Promise.resolve();
  let stopped: Promise<void> | undefined;

  const watch = ({ client }: Running): void => {
    client.once("end", () => {
      if (stopping.signal.aborted) return;
      current = undefined;
      recovery = recover();
    });
  };

  const recover = async (): Promise<void> => {
    plan.log("The connection to the embedded database was lost; bringing it back.");
    let lastProblem = "";
    while (!stopping.signal.aborted) {
      const problem = await tryAgain();
      if (problem === undefined) return plan.log("The embedded database is back.");
      if (problem !== lastProblem) plan.log(problem);
      lastProblem = problem;
      await delay(retryMs);
    }
  };

  /** Returns the problem, or undefined when the server runs and we hold its lock. */
  const tryAgain = async (): Promise<string | undefined> => {
    try {
      const next = await reachServer(plan, first.port);
      if (await takeInstallationLock(next.client)) {
        current = next;
        watch(next);
        return undefined;
      }
      await next.client.end();
      return "Another process of Balcão has taken over this data.";
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };

  const shutDown = async (): Promise<void> => {
    stopping.abort();
    await recovery;
    // Without the lock, another process owns the server.
    if (current === undefined) return;
    // The session keeps the lock until the server ends it, so no other process starts on this data during the shutdown.
    await stopServer(plan.layout, current.pid);
  };

  watch(first);
  return { stop: () => (stopped ??= shutDown()) };
}

// The two halves of the key: arbitrary numbers.
const [keyHigh, keyLow] = [0x42616c63, 0x616f];

/**
 * Takes the lock of the one process that serves an installation, for as long as this connection is open. The database
 * frees it when that process ends in any way, which no process id could prove. Waits a second for the session of a
 * process that was just killed.
 */
async function takeInstallationLock(client: Client): Promise<boolean> {
  const deadline = performance.now() + lockPatienceMs;
  for (;;) {
    const reply = await client.query<{ taken: boolean }>(
      "SELECT pg_try_advisory_lock($1, $2) AS taken",
      [keyHigh, keyLow],
    );
    if (reply.rows[0]?.taken === true) return true;
    if (performance.now() > deadline) return false;
    await delay(50);
  }
}

/** The `application_name` of the process that holds the lock. */
async function installationHolder(client: Client): Promise<string> {
  const reply = await client.query<{ holder: string }>(
    `SELECT a.application_name AS holder
       FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
      WHERE l.locktype = 'advisory' AND l.granted AND l.classid = $1 AND l.objid = $2`,
    [keyHigh, keyLow],
  );
  return reply.rows[0]?.holder ?? "another process";
}

/** Another process of ours serves this data directory; nothing was changed. */
export class InstallationInUse extends Error {
  override readonly name = "InstallationInUse";

  constructor(dataDir: string, holder: string) {
    super(
      `Balcão is already running on the data in ${dataDir} (${holder}). Nothing was changed. ` +
        "Stop that one first, or choose another directory with BALCAO_DATA.",
    );
  }
}
