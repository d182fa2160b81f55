import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { Client } from "pg";
import { expect } from "vitest";

import { resolveLayout } from "../layout.ts";
import { readClaim } from "../postmaster-file.ts";
import { stopServer } from "../server.ts";

export type Report =
  | { state: "ready"; url: string; login: string }
  | { state: "in use" | "failed"; message: string }
  | { state: "stopped" };

export type Launched = { child: ChildProcess; next(): Promise<Report> };

const script = fileURLToPath(new URL("launch.ts", import.meta.url));
const directories: string[] = [];
const children: ChildProcess[] = [];

/** Starts a process that starts the database, in a process group of its own like a command in a terminal. */
export function launch(
  dataDir: string,
  options: { uid?: number; gid?: number; umask?: string } = {},
): Launched {
  const { umask = "022", ...account } = options;
  const child = spawn(
    "/bin/sh",
    ["-c", 'umask "$1"; exec "$2" "$3" "$4"', "sh", umask, process.execPath, script, dataDir],
    { ...account, cwd: "/", detached: true, stdio: ["ignore", "pipe", "inherit"] },
  );
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    next: async () => {
      const line = await lines.next();
      if (line.done === true) throw new Error("The process ended without a report.");
      const parsed: Report = JSON.parse(line.value);
      return parsed;
    },
  };
}

/** The address; fails the test when the database did not start. */
export async function readyUrl(launched: Launched): Promise<string> {
  const report = await launched.next();
  expect(report).toMatchObject({ state: "ready" });
  return report.state === "ready" ? report.url : "";
}

export async function killHard(launched: Launched): Promise<void> {
  const exited = once(launched.child, "exit");
  launched.child.kill("SIGKILL");
  await exited;
}

/** A new directory that every account may enter, or only its owner. */
export async function makeDirectory(mode: number): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "balcao-embedded-"));
  await chmod(directory, mode);
  directories.push(directory);
  return directory;
}

/** Ends what the tests of a file left: processes, databases (`<directory>/data`), directories. */
export async function cleanUp(): Promise<void> {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  for (const directory of directories.splice(0)) {
    const layout = await resolveLayout(join(directory, "data"));
    const claim = await readClaim(layout.cluster);
    if (claim !== undefined) await stopServer(layout, claim.pid);
    await rm(directory, { recursive: true, force: true });
  }
}

export async function query<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
