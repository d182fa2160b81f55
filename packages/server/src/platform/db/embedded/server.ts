import { spawn } from "node:child_process";
import { constants, open, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import type { Client } from "pg";

import { programEnvironment } from "./cluster.ts";
import { connectOwner } from "./connection.ts";
import type { Layout } from "./layout.ts";
import { isServer } from "./postmaster-file.ts";
import { settingArguments } from "./settings.ts";

/** All that is needed to start, find and stop the server of one cluster. */
export type ServerPlan = {
  layout: Layout;
  password: string;
  binaries: string;
  settings: Record<string, string>;
  log: (line: string) => void;
};

/** `collision`: the port or the cluster is taken at this moment; look again. */
export type StartOutcome =
  | { state: "ready"; client: Client; pid: number }
  | { state: "collision"; report: string };

const logLimitBytes = 5_000_000;
const progressMs = 10_000;

/** Starts the server and waits, through crash recovery too, until it lets us in. Throws what it wrote when it gives up. */
export async function startServer(plan: ServerPlan, port: number): Promise<StartOutcome> {
  const { child, ended, report } = await spawnServer(plan, port);
  const begin = performance.now();
  let nextProgress = begin + progressMs;
  for (;;) {
    // A stranger on our port may keep the attempt waiting, so the end of our server interrupts it.
    const answer = await Promise.race([ended, connectOwner({ port, password: plan.password })]);
    if (answer instanceof Error) {
      throw new Error(`The database program cannot be run in ${plan.binaries}.`, { cause: answer });
    }
    if (answer === "exited") break;
    if (answer.client !== undefined) {
      return { state: "ready", client: answer.client, pid: child.pid ?? 0 };
    }
    // A stranger on our port makes the server give up by itself. If it does not, it is the password that is wrong.
    if (answer.state === "foreign" && performance.now() > begin + progressMs) {
      child.kill("SIGINT");
      throw new Error(`The database does not accept the password in ${plan.layout.passwordFile}.`);
    }
    if (performance.now() > nextProgress) {
      plan.log("The database is still starting (it may be recovering after a crash)…");
      nextProgress += progressMs;
    }
    await delay(15);
  }
  const text = await report();
  if (/lock file .* already exists|still in use|could not bind|TCP\/IP sockets/.test(text)) {
    return { state: "collision", report: text };
  }
  throw new Error(`The database did not start.\n${text}`);
}

/** Fast shutdown: sessions are ended, everything is written. Returns when the process is gone. */
export async function stopServer(layout: Layout, pid: number): Promise<void> {
  const steps = [
    { signal: "SIGINT", patienceMs: 60_000 },
    { signal: "SIGQUIT", patienceMs: 10_000 },
  ] as const;
  for (const { signal, patienceMs } of steps) {
    // Checked each time: as root we must never signal a number that a file of another account made us believe.
    if (!(await isServer(pid, layout.name)) || !sendSignal(pid, signal)) return;
    if (await hasEnded(layout, pid, patienceMs)) return;
  }
  throw new Error(`The database (process ${pid}) does not stop.`);
}

/** False when the process is gone already. */
function sendSignal(pid: number, signal: "SIGINT" | "SIGQUIT"): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
    throw error;
  }
}

async function hasEnded(layout: Layout, pid: number, patienceMs: number): Promise<boolean> {
  const deadline = performance.now() + patienceMs;
  while (performance.now() < deadline) {
    if (!(await isServer(pid, layout.name))) return true;
    await delay(10);
  }
  return false;
}

async function spawnServer(plan: ServerPlan, port: number) {
  const { layout } = plan;
  const log = await openLog(layout);
  const { size: from } = await log.stat();
  const settings = { ...plan.settings, cluster_name: layout.name };
  const child = spawn(
    join(plan.binaries, "bin", "postgres"),
    ["-D", layout.clusterArgument, "-p", String(port), ...settingArguments(settings)],
    {
      ...layout.account,
      cwd: layout.cluster,
      env: programEnvironment,
      stdio: ["ignore", log.fd, log.fd],
      // Its own session: Ctrl-C in the terminal reaches every process of the group, and the database must outlive
      // our own shutdown. A file, not a pipe, takes its messages, so that it also outlives a kill -9 of ours.
      detached: true,
    },
  );
  child.unref();
  // Listened to before anything is awaited: a server that gives up at once has exited by then.
  const ended = new Promise<Error | "exited">((resolve) => {
    child.once("exit", () => resolve("exited"));
    child.once("error", resolve);
  });
  await log.close();
  return { child, ended, report: () => readFrom(layout.logFile, from) };
}

async function openLog(layout: Layout) {
  const size = await stat(layout.logFile).then(
    (found) => found.size,
    () => 0,
  );
  if (size > logLimitBytes) await rename(layout.logFile, `${layout.logFile}.old`);
  // Root may have to open this in a directory of another account, so links are not followed.
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
  const handle = await open(layout.logFile, flags, 0o600);
  if (layout.account !== undefined) {
    const home = await stat(layout.home);
    await handle.chown(home.uid, home.gid);
  }
  return handle;
}

async function readFrom(path: string, offset: number): Promise<string> {
  const handle = await open(path, "r");
  try {
    const buffer = Buffer.alloc(8_000);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, offset);
    return buffer.toString("utf8", 0, bytesRead).trim();
  } finally {
    await handle.close();
  }
}
