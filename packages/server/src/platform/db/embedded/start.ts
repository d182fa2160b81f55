import { findPostgresPackage, installBinaries, removeLeftovers } from "./binaries.ts";
import { ensureCluster, openCluster } from "./cluster.ts";
import { ensureDatabase, ownerUrl } from "./connection.ts";
import { exists } from "./files.ts";
import { InstallationInUse } from "./installation-in-use.ts";
import { installationHolder, takeInstallationLock } from "./installation-lock.ts";
import { keepServer } from "./keep.ts";
import { resolveLayout } from "./layout.ts";
import { reachServer } from "./reach.ts";
import type { ServerPlan } from "./server.ts";

export type EmbeddedPostgres = {
  /** The superuser's address on 127.0.0.1, password included: a secret. */
  url: string;
  dataDir: string;
  /** Shuts the server down and waits for its end; close the pools first. May be called twice. */
  stop(): Promise<void>;
};

export type EmbeddedPostgresOptions = {
  /** The installation's data directory; made when missing. */
  dataDir: string;
  /** Made when missing. */
  database: string;
  log: (line: string) => void;
  /** More postgresql.conf settings. `fsync: "off"` (tests only) also makes the first start faster. */
  settings?: Record<string, string>;
};

/**
 * The PostgreSQL of an installation without DATABASE_URL: made at the first start, found again when an earlier process
 * was killed and left it running, kept running until `stop`. Throws InstallationInUse, and touches nothing, when
 * another living process serves this data.
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
    // A server that was found running may still be one of the older binaries.
    if (running.isOurChild) await removeLeftovers(layout, binaries, source.major);
  } catch (error) {
    await server.stop();
    throw error;
  }
  const url = ownerUrl({ port: running.port, password }, database);
  return { url, dataDir: layout.dataDir, stop: () => server.stop() };
}
