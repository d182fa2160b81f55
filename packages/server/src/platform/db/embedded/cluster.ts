import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, chown, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import type { Account } from "./account.ts";
import { draftOf, exists, sync } from "./files.ts";
import { partsOf, type Layout } from "./layout.ts";

/** The database's superuser, who owns everything; the application itself signs in as a plain role. */
export const ownerName = "balcao_owner";

/** Lets the programs speak English and read no setting of a PostgreSQL client (PGPORT, PGDATA) from our environment. */
export const programEnvironment = { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };

/**
 * Makes the cluster if there is none. It is built beside its place and moved there when it is complete, so a start that
 * was interrupted leaves nothing half done, and of several at once one wins and the others find its cluster.
 */
export async function ensureCluster(
  layout: Layout,
  options: { binaries: string; durable: boolean },
): Promise<void> {
  if (await exists(layout.home)) return;
  const draft = draftOf(layout.home);
  try {
    await mkdir(draft);
    // The account must pass through to its cluster, but everything else in the home is root's.
    await chmod(draft, layout.account === undefined ? 0o700 : 0o711);
    await initialise(draft, layout, options);
    await sync(draft);
    await rename(draft, layout.home);
    await sync(layout.dataDir);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!(await exists(layout.home))) throw error;
  }
}

/** Refuses a cluster that this process cannot serve, saying what to do; else answers the owner's password. */
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
