import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, chown, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Account } from "./layout.ts";
import { draftOf, exists, partsOf, removeTree, sync, type Layout } from "./layout.ts";

/** The database's superuser; the application itself signs in as a plain role. */
export const ownerName = "balcao_owner";

/** English messages, and no setting of a PostgreSQL client (PGPORT, PGDATA) from our environment. */
export const programEnvironment = { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };

/**
 * Creates the cluster if there is none. It is built in a draft directory and renamed when complete, so an interrupted start
 * leaves no partial cluster, and concurrent starts use the first complete one.
 */
export async function ensureCluster(
  layout: Layout,
  options: { binaries: string; durable: boolean },
): Promise<void> {
  if (await exists(layout.home)) return;
  const draft = draftOf(layout.home);
  try {
    await mkdir(draft);
    // The account must be able to enter its cluster; everything else in the home is root's.
    await chmod(draft, layout.account === undefined ? 0o700 : 0o711);
    await initialise(draft, layout, options);
    await sync(draft);
    await rename(draft, layout.home);
    await sync(layout.dataDir);
  } catch (error) {
    await removeTree(draft);
    if (!(await exists(layout.home))) throw error;
  }
}

/** Returns the owner's password. Throws, with advice, when this process cannot serve the cluster. */
export async function openCluster(layout: Layout, major: string): Promise<string> {
  const uid = process.getuid?.();
  const { uid: ownerUid } = await stat(layout.home);
  if (uid !== undefined && uid !== 0 && uid !== ownerUid) {
    throw new Error(
      `The database in ${layout.home} belongs to another user of this system (number ${ownerUid}). ` +
        "Start Balcão as that user, or choose another directory with BALCAO_DATA.",
    );
  }
  const version = (await readFile(join(layout.cluster, "PG_VERSION"), "utf8")).trim();
  if (version !== major) {
    throw new Error(
      `The database in ${layout.home} was made by PostgreSQL ${version}, and this Balcão brings ${major}. ` +
        "Nothing was changed. Use the Balcão that made it, and move the data with its backup.",
    );
  }
  return (await readFile(layout.passwordFile, "utf8")).trim();
}

async function initialise(
  draft: string,
  layout: Layout,
  options: { binaries: string; durable: boolean },
): Promise<void> {
  const { cluster, passwordFile } = partsOf(draft);
  const password = randomBytes(24).toString("base64url");
  await mkdir(cluster, { mode: 0o700 });
  await give(cluster, layout.account);
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600, flag: "wx" });
  await sync(passwordFile);
  // initdb runs as the account, which may not read the file above.
  const handedOver = join(draft, "initdb-password");
  await writeFile(handedOver, `${password}\n`, { mode: 0o600, flag: "wx" });
  await give(handedOver, layout.account);
  const isElsewhere = layout.clusterArgument !== layout.cluster;
  try {
    await promisify(execFile)(
      join(options.binaries, "bin", "initdb"),
      [
        `--pgdata=${isElsewhere ? layout.clusterArgument : cluster}`,
        `--username=${ownerName}`,
        "--pwfile=../initdb-password",
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        "--locale=C",
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
        ...(options.durable ? [] : ["--no-sync"]),
      ],
      { ...layout.account, cwd: cluster, env: programEnvironment },
    );
  } catch (cause) {
    throw new Error(describeFailure(cause, dirname(cluster)), { cause });
  }
  await rm(handedOver);
}

async function give(path: string, account: Account | undefined): Promise<void> {
  if (account !== undefined) await chown(path, account.uid, account.gid);
}

function describeFailure(error: unknown, directory: string): string {
  const stderr = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
  const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
  const hint = isMissing ? " The programs need a system with glibc (not Alpine's musl)." : "";
  return `The database could not be created in ${directory}. ${stderr}${hint}`.trim();
}

/**
 * Settings of the embedded server, for a small machine that it shares with the application. They are passed on the command
 * line, so they apply to every cluster at every start. All others can be set in the cluster's postgresql.conf.
 */
const defaults: Record<string, string> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "100",

  shared_buffers: "128MB",
  effective_cache_size: "512MB",
  work_mem: "8MB",
  maintenance_work_mem: "64MB",
  // Two cores are shared with node: a parallel query on both would block everything else.
  max_parallel_workers_per_gather: "0",
  jit: "off",
  random_page_cost: "1.1",

  synchronous_commit: "on",
  wal_compression: "on",
  max_wal_size: "512MB",
  checkpoint_timeout: "10min",
  autovacuum_vacuum_scale_factor: "0.05",
  autovacuum_analyze_scale_factor: "0.05",
  // The tables of a new installation have statistics after its first busy moments.
  autovacuum_naptime: "15s",

  // A query of a killed process ends within a second, and with it its locks.
  client_connection_check_interval: "1s",
  // The server's log must not contain companies' data: no statements, values or details.
  log_min_messages: "log",
  log_min_error_statement: "panic",
  log_error_verbosity: "terse",
  log_checkpoints: "off",
  timezone: "UTC",
  log_timezone: "UTC",
};

/** The server's arguments for the defaults, overridden and completed by `extra`. */
export function settingArguments(extra: Record<string, string>): string[] {
  return Object.entries({ ...defaults, ...extra }).flatMap(([name, value]) => [
    "-c",
    `${name}=${value}`,
  ]);
}
