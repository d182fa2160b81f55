import { execFile } from "node:child_process";
import { constants, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

/** The content of `postmaster.pid`. The server may have ended, and its process id may be another program's. */
export type Claim = { pid: number; port: number };

/** Undefined when there is no such file, or when a server is just writing it. */
export async function readClaim(cluster: string): Promise<Claim | undefined> {
  try {
    return parseClaim(await readFile(claimFile(cluster), "utf8"));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export function parseClaim(text: string): Claim | undefined {
  const lines = text.split("\n");
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  return Number.isInteger(pid) && pid > 0 && Number.isInteger(port) && port > 0
    ? { pid, port }
    : undefined;
}

/** Whether the process runs and is the server with this name (see `Layout.name`). */
export async function isServer(pid: number, name: string): Promise<boolean> {
  try {
    return (await commandLine(pid)).includes(name);
  } catch {
    return false;
  }
}

/**
 * Makes a stale claim harmless when its process id now belongs to another program: PostgreSQL would refuse to start.
 * Deleting the file would also skip PostgreSQL's check that no old backend still uses the shared memory named in it. So we
 * write our own process id: a server treats the id of its parent as stale and continues with that check. It is written
 * through the handle that was read, hence never into the file of a server that starts meanwhile (PostgreSQL creates a new
 * file).
 */
export async function disown(cluster: string, claim: Claim): Promise<void> {
  const flags = constants.O_RDWR | constants.O_NOFOLLOW;
  const handle = await open(claimFile(cluster), flags).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (handle === undefined) return;
  try {
    const text = await handle.readFile("utf8");
    if (parseClaim(text)?.pid === claim.pid) await handle.write(withPid(text, process.pid), 0);
  } finally {
    await handle.close();
  }
}

/** Never shorter than the text it replaces, so that one write is enough. */
export function withPid(text: string, pid: number): string {
  const oldLine = text.split("\n", 1)[0] ?? "";
  return String(pid).padEnd(oldLine.length) + text.slice(oldLine.length);
}

function claimFile(cluster: string): string {
  return join(cluster, "postmaster.pid");
}

async function commandLine(pid: number): Promise<string> {
  if (process.platform === "linux") return readFile(`/proc/${pid}/cmdline`, "utf8");
  const { stdout } = await promisify(execFile)("ps", ["-ww", "-o", "command=", "-p", String(pid)]);
  return stdout;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
