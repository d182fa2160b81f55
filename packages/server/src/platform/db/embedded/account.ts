import { execFile } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { promisify } from "node:util";

/** The user a database process runs as when we are root; PostgreSQL refuses root itself. */
export type Account = { uid: number; gid: number };

/**
 * Undefined for an ordinary user: the database then simply runs as that user. As root an existing cluster keeps
 * its owner, so that installing Debian's PostgreSQL later (and with it a user `postgres`) changes nothing.
 * Never creates a user.
 */
export async function chooseAccount(cluster: string): Promise<Account | undefined> {
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

/** `postgres`, else `nobody`, out of the text of /etc/passwd. */
export function findUnprivilegedAccount(passwd: string): Account | undefined {
  const entries = passwd.split("\n").map((line) => line.split(":"));
  for (const wanted of ["postgres", "nobody"]) {
    const entry = entries.find(([name]) => name === wanted);
    const [uid, gid] = [Number(entry?.[2]), Number(entry?.[3])];
    if (Number.isInteger(uid) && Number.isInteger(gid) && uid !== 0) return { uid, gid };
  }
  return undefined;
}

/** Whether the account can enter a directory, asked of the system itself: modes alone do not tell (groups, ACLs). */
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
