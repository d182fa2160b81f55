import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants, open, rename, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Client, escapeIdentifier } from "pg";
import { ownerName, programEnvironment, settingArguments } from "./cluster.ts";
import type { Layout } from "./layout.ts";
import { disown, isServer, readClaim, type Claim } from "./postmaster-file.ts";

/** Everything needed to start, find and stop the server of one cluster. */
export type ServerPlan = {
  layout: Layout;
  password: string;
  binaries: string;
  settings: Record<string, string>;
  log: (line: string) => void;
};

/** `collision`: the port or the cluster is in use at this moment; try again. */
export type StartOutcome =
  | { state: "ready"; client: Client; pid: number }
  | { state: "collision"; report: string };

/** Interval of the messages to a user who waits. */
const progressMs = 10_000;
const logLimitBytes = 5_000_000;

/** Starts the server and waits, also through crash recovery, until it accepts us. If it exits, throws what it logged. */
export async function startServer(plan: ServerPlan, port: number): Promise<StartOutcome> {
  const { child, ended, report } = await spawnServer(plan, port);
  const begin = performance.now();
  let nextProgress = begin + progressMs;
  for (;;) {
    // Another program on our port may keep the attempt waiting, so the exit of our server interrupts it.
    const answer = await Promise.race([ended, connectOwner({ port, password: plan.password })]);
    if (answer instanceof Error) {
      throw new Error(`The database program cannot be run in ${plan.binaries}.`, { cause: answer });
    }
    if (answer === "exited") break;
    if (answer.client !== undefined) {
      return { state: "ready", client: answer.client, pid: child.pid ?? 0 };
    }
    // If another program had our port, the server would exit by itself. It runs, so the password is wrong.
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
  if (
    /lock file .* (already exists|is empty)|still in use|could not bind|TCP\/IP sockets/.test(text)
  ) {
    return { state: "collision", report: text };
  }
  throw new Error(`The database did not start.\n${text}`);
}

/** Fast shutdown: ends the sessions and writes everything. Resolves when the process has ended. */
export async function stopServer(layout: Layout, pid: number): Promise<void> {
  const steps = [
    { signal: "SIGINT", patienceMs: 60_000 },
    { signal: "SIGQUIT", patienceMs: 10_000 },
  ] as const;
  for (const { signal, patienceMs } of steps) {
    // Checked each time: as root we must never signal a process id only because a file of another account names it.
    if (!(await isServer(pid, layout.name)) || !sendSignal(pid, signal)) return;
    if (await hasEnded(layout, pid, patienceMs)) return;
  }
  throw new Error(`The database (process ${pid}) does not stop.`);
}

/** False when the process has already ended. */
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
      // Its own session: Ctrl-C in the terminal reaches every process of the group, and the database must outlive our
      // own shutdown. It logs to a file, not a pipe, so that it also outlives our kill -9.
      detached: true,
    },
  );
  child.unref();
  // Registered before the first await: a server that fails at once may have exited by then.
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
  // As root, the directory may belong to another account, so links are not followed.
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

/** A running server and a session of its owner. */
export type Running = { client: Client; port: number; pid: number; isOurChild: boolean };

const collisionPatienceMs = 20_000;
const silencePatienceMs = 30_000;

/**
 * Attaches to the server that a killed process left running, else starts one; with a `port`, only there. Retries for twenty
 * seconds when the port is taken meanwhile, when another process starts the same cluster at the same time, or when
 * backends of a killed server have not ended yet.
 */
export async function reachServer(plan: ServerPlan, port?: number): Promise<Running> {
  const deadline = performance.now() + collisionPatienceMs;
  for (;;) {
    const claim = await readClaim(plan.layout.cluster);
    const attached = claim && (await attach(plan, claim));
    if (attached !== undefined) return attached;
    const chosenPort = port ?? (await findFreePort());
    const outcome = await startServer(plan, chosenPort);
    if (outcome.state === "ready") {
      return { client: outcome.client, port: chosenPort, pid: outcome.pid, isOurChild: true };
    }
    if (performance.now() > deadline) {
      throw new Error(`The database did not start.\n${outcome.report}`);
    }
    await delay(100);
  }
}

/** Undefined when the claim is stale. Any program may have the process id by now, so the answer on the port decides. */
async function attach(plan: ServerPlan, claim: Claim): Promise<Running | undefined> {
  const { layout, password, log } = plan;
  const silenceDeadline = performance.now() + silencePatienceMs;
  let nextProgress = performance.now() + progressMs;
  for (;;) {
    const answer = await connectOwner({ port: claim.port, password });
    if (answer.client !== undefined) {
      return { client: answer.client, port: claim.port, pid: claim.pid, isOurChild: false };
    }
    if (!(await isServer(claim.pid, layout.name))) {
      if (isAlive(claim.pid)) await disown(layout.cluster, claim);
      return undefined;
    }
    if (answer.state !== "busy" && performance.now() > silenceDeadline) {
      throw new Error(
        `The database of an earlier start (process ${claim.pid}) is there but does not let us in.`,
      );
    }
    if (performance.now() > nextProgress) {
      log("Waiting for the database of an earlier start (it is recovering or stopping)…");
      nextProgress += progressMs;
    }
    await delay(50);
  }
}

/** A port that was free a moment ago; it may be taken before it is used. */
async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("No free port was found.");
  return address.port;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

type Credentials = { port: number; password: string };

/**
 * - `busy`: a PostgreSQL that starts, recovers or stops; try again.
 * - `silent`: no answer, or none of a PostgreSQL in time.
 * - `foreign`: a PostgreSQL with another password.
 */
type Answer = { client: Client } | { client: undefined; state: "busy" | "silent" | "foreign" };

const busyCodes = new Set(["57P01", "57P02", "57P03", "53300"]);
const refusedCodes = new Set(["28P01", "28000"]);

/** Tries once to sign in as the owner. The client has an error listener: without one, an error would end the process. */
async function connectOwner({ port, password }: Credentials): Promise<Answer> {
  const client = new Client({
    host: "127.0.0.1",
    port,
    user: ownerName,
    password,
    // Advisory locks belong to one database; this one always exists.
    database: "postgres",
    application_name: `balcao process ${process.pid}`,
    connectionTimeoutMillis: 3_000,
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return { client };
  } catch (error) {
    return { client: undefined, state: stateOf(error) };
  }
}

export function ownerUrl({ port, password }: Credentials, database: string): string {
  return `postgres://${ownerName}:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`;
}

export async function ensureDatabase(client: Client, database: string): Promise<void> {
  const found = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [database]);
  if (found.rowCount === 0) {
    await client.query(`CREATE DATABASE ${escapeIdentifier(database)}`);
  }
}

function stateOf(error: unknown): "busy" | "silent" | "foreign" {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (busyCodes.has(code)) return "busy";
  return refusedCodes.has(code) ? "foreign" : "silent";
}
