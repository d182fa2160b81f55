import { createHash } from "node:crypto";
import { chmod, mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";

import { canEnter, chooseAccount, type Account } from "./account.ts";

/**
 * Where the parts of one embedded database are.
 *
 *     <dataDir>/postgres/           home: appears complete or not at all
 *     <dataDir>/postgres/cluster/   the PostgreSQL data directory, owned by the account it runs as
 *     <dataDir>/postgres/password   the owner's password, 0600
 *     <dataDir>/postgres/server.log
 *     <dataDir>/postgres-18.…/      the binaries
 *
 * The data never leaves the data directory: who copies or mounts that one directory has everything. That leaves
 * one knot: root keeps the data below a directory that the database's account may not enter (/root is 0700), and
 * we must not change the mode of a home. Then the process starts with the cluster as its working directory (node
 * changes directory before it drops root) and is told `-D /proc/self/cwd`, which needs no right on the parents;
 * only the binaries, which are replaceable, go to /var/lib/balcao.
 */
export type Layout = {
  dataDir: string;
  home: string;
  cluster: string;
  passwordFile: string;
  logFile: string;
  binariesParent: string;
  /** What -D is given, the working directory being the cluster. */
  clusterArgument: string;
  account: Account | undefined;
  /** Stands on the command line of the server, so that a process number can be checked to be really ours. */
  name: string;
};

const sharedBinaries = "/var/lib/balcao";

/** Makes the data directory when it is missing; an existing one keeps its mode. */
export async function resolveLayout(directory: string): Promise<Layout> {
  const isNew = (await mkdir(directory, { recursive: true, mode: 0o700 })) !== undefined;
  const dataDir = await realpath(directory);
  const home = join(dataDir, "postgres");
  const account = await chooseAccount(join(home, "cluster"));
  if (isNew && account !== undefined) await chmod(dataDir, 0o711);
  const isReachable = account === undefined || (await canEnter(account, dataDir));
  if (!isReachable && process.platform !== "linux") {
    throw new Error(
      `PostgreSQL does not run as root, and the user it would run as cannot reach ${dataDir}. ` +
        "Start Balcão as an ordinary user, or choose another directory with BALCAO_DATA.",
    );
  }
  return {
    dataDir,
    home,
    ...partsOf(home),
    logFile: join(home, "server.log"),
    binariesParent: isReachable ? dataDir : sharedBinaries,
    clusterArgument: isReachable ? join(home, "cluster") : "/proc/self/cwd",
    account,
    name: `balcao-${createHash("sha256").update(home).digest("hex").slice(0, 12)}`,
  };
}

/** The parts that are made together, in the final home or in a draft of it. */
export function partsOf(home: string): Pick<Layout, "cluster" | "passwordFile"> {
  return { cluster: join(home, "cluster"), passwordFile: join(home, "password") };
}
