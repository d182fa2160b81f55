import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../../packages/server/dist/main.js", import.meta.url));
/** As scripts/start.mjs starts it. */
const flags = ["--max-semi-space-size=4", "--heap-growing-percent=20"];
const POLL_MS = 5;
/** Only what hangs is ended by it: on a busy machine a first start takes several times as long. */
const PATIENCE_MS = 240_000;
/** The exit code of `run.ts` for a wrong setting. Here it means that another program took the port. */
const SETTING_EXIT_CODE = 78;
const ATTEMPTS = 3;

/** The built product as `npm start` runs it, a process of its own with its own database. */
export type BuiltProduct = {
  pid: number;
  url: string;
  dataDir: string;
  /** From the spawn of the process to the first 200 of /api/health/ready. */
  readyMs: number;
  /** An agent of the demo company; only the start that makes the company names its people. */
  agent: Account | null;
  /** Its admin, likewise. */
  admin: Account | null;
  stop(): Promise<void>;
};

export type Account = { email: string; password: string };

export async function startBuilt(
  dataDir: string,
  environment: Record<string, string> = {},
): Promise<BuiltProduct> {
  if (!existsSync(main)) throw new Error("the product is not built (npm run build)");
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const started = await startOn(await freePort(), dataDir, environment);
    if (started !== null) return started;
  }
  throw new Error(`the product ended ${ATTEMPTS} times with ${SETTING_EXIT_CODE}`);
}

/** Returns null if the product refuses its settings. */
async function startOn(
  port: number,
  dataDir: string,
  environment: Record<string, string>,
): Promise<BuiltProduct | null> {
  const beginMs = performance.now();
  const child = spawn(process.execPath, [...flags, main], {
    env: {
      ...process.env,
      NODE_ENV: "production",
      HOST: "127.0.0.1",
      PORT: String(port),
      BALCAO_DATA: dataDir,
      ...environment,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  while (!(await isReady(port))) {
    if (child.exitCode === SETTING_EXIT_CODE) return null;
    if (child.exitCode !== null) throw new Error(`the product ended with ${child.exitCode}`);
    if (performance.now() - beginMs > PATIENCE_MS) throw new Error("the product does not start");
    await delay(POLL_MS);
  }
  const readyMs = performance.now() - beginMs;
  // Its output comes through another pipe, a moment later.
  while (!output.includes("is running on")) await delay(POLL_MS);
  if (child.pid === undefined) throw new Error("the product has no process");
  return {
    pid: child.pid,
    url: `http://127.0.0.1:${port}`,
    dataDir,
    readyMs,
    agent: accountIn(output, "agent"),
    admin: accountIn(output, "admin"),
    stop: () => stop(child),
  };
}

/** Where the product's own database is reached as its owner; its password lies in the data directory. */
export async function ownerUrlOf({ dataDir }: BuiltProduct): Promise<string> {
  const home = join(dataDir, "postgres");
  const password = (await readFile(join(home, "password"), "utf8")).trim();
  // The fourth line of the server's own file is its port.
  const port = (await readFile(join(home, "cluster", "postmaster.pid"), "utf8")).split("\n")[3];
  return `postgres://balcao_owner:${password}@127.0.0.1:${port}/balcao`;
}

/** The first line like `  e-mail  password  Name, agent of Company`. */
function accountIn(output: string, role: "agent" | "admin"): Account | null {
  const lines = output.matchAll(/^ {2}(\S+@\S+)\s+(\S+)\s+.*, (agent|admin) of /gm);
  const [, email, password] = [...lines].find((line) => line[3] === role) ?? [];
  return email === undefined || password === undefined ? null : { email, password };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}

async function isReady(port: number): Promise<boolean> {
  try {
    const reply = await fetch(`http://127.0.0.1:${port}/api/health/ready`);
    await reply.arrayBuffer();
    return reply.status === 200;
  } catch {
    return false; // nobody listens yet
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  if (address === null || typeof address === "string") throw new Error("no TCP port");
  return address.port;
}
