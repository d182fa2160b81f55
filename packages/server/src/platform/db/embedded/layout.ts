import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { access, chmod, mkdir, open, readFile, realpath, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

/**
 * The paths of one embedded database.
 *
 *     <dataDir>/postgres/           home: created complete, by a rename
 *     <dataDir>/postgres/cluster/   the PostgreSQL data directory, owned by the account it runs as
 *     <dataDir>/postgres/password   the owner's password, 0600
 *     <dataDir>/postgres/server.log
 *     <dataDir>/postgres-18.…/      the binaries
 *
 * All data is in the data directory, so a copy or mount of that one directory is complete. One case is special: root keeps
 * the data below a directory that the database's account may not enter (/root is 0700), and we must not change the mode of
 * a home directory. Then the process starts with the cluster as its working directory (node changes directory before it
 * drops root) and gets `-D /proc/self/cwd`, which needs no right on the parents; only the binaries, which are
 * replaceable, go to /var/lib/balcao.
 */
export type Layout = {
  dataDir: string;
  home: string;
  cluster: string;
  passwordFile: string;
  logFile: string;
  binariesParent: string;
  /** The argument of -D; the working directory is the cluster. */
  clusterArgument: string;
  account: Account | undefined;
  /** On the server's command line, to check that a process id is really that of our server. */
  name: string;
};

const sharedBinaries = "/var/lib/balcao";

/** Creates the data directory if it is missing; an existing one keeps its mode. */
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

/** The parts that are created together, in the final home or in a draft of it. */
export function partsOf(home: string): Pick<Layout, "cluster" | "passwordFile"> {
  return { cluster: join(home, "cluster"), passwordFile: join(home, "password") };
}

/** The user of the database process when we are root; PostgreSQL refuses to run as root. */
export type Account = { uid: number; gid: number };

/**
 * Undefined for an ordinary user: the database runs as that user. As root, an existing cluster keeps its owner, so that
 * installing Debian's PostgreSQL later (with its user `postgres`) changes nothing. Never creates a user.
 */
async function chooseAccount(cluster: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(cluster).catch(() => undefined);
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const account = findUnprivilegedAccount(await readFile("/etc/passwd", "utf8"));
  if (account !== undefined) return account;
  throw new Error(
    "PostgreSQL does not run as root, and this system has neither a user `postgres` nor `nobody`. " +
      "Start Balcão as an ordinary user, or set DATABASE_URL.",
  );
}

/** `postgres`, else `nobody`, from the text of /etc/passwd. */
export function findUnprivilegedAccount(passwd: string): Account | undefined {
  const entries = passwd.split("\n").map((line) => line.split(":"));
  for (const wanted of ["postgres", "nobody"]) {
    const entry = entries.find(([name]) => name === wanted);
    const [uid, gid] = [Number(entry?.[2]), Number(entry?.[3])];
    if (Number.isInteger(uid) && Number.isInteger(gid) && uid !== 0) return { uid, gid };
  }
  return undefined;
}

/** Whether the account can enter a directory. The system tries it: modes alone do not tell (groups, ACLs). */
export async function canEnter(account: Account, directory: string): Promise<boolean> {
  try {
    await promisify(execFile)("/bin/sh", ["-c", 'cd -- "$1"', "sh", directory], {
      ...account,
      cwd: "/",
    });
    return true;
  } catch {
    return false;
  }
}

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** The name of a draft beside the path; `isDraft` recognises drafts that an interrupted start left. */
export function draftOf(path: string): string {
  return `${path}.new-${randomBytes(6).toString("hex")}`;
}

export function isDraft(name: string): boolean {
  return /^postgres.*\.new-[0-9a-f]{12}$/.test(name);
}

/**
 * Removes a directory with its content, if it exists. Another start may write into it or remove it at the same time, so a
 * directory that is not empty is tried again for a few seconds.
 */
export async function removeTree(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 8, retryDelay: 50 });
}

/** Flushes a file, or the names in a directory, to the disk. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
