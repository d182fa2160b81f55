import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { descendantsOf, pssMbOf, rssMbOf } from "./memory.ts";
import type { BenchPostgres } from "./postgres.ts";
import type { PartReport } from "./report.ts";
import { figure } from "./report.ts";
import { median, sum } from "./statistics.ts";

const main = fileURLToPath(new URL("../../packages/server/dist/main.js", import.meta.url));
/** As scripts/start.mjs starts it. */
const flags = ["--max-semi-space-size=8"];
const STARTS = 5;
const IDLE_MS = 20_000;
const POLL_MS = 5;
const PATIENCE_MS = 60_000;

/** The built product as `npm start` runs it, with its own database and the demo company. */
export async function measureStart(postgres: BenchPostgres): Promise<PartReport> {
  if (!existsSync(main)) throw new Error("the product is not built (npm run build)");
  const dataDir = postgres.folder("start");
  const first = await start(dataDir);
  await stop(first.child);
  const later: number[] = [];
  let running = await start(dataDir);
  for (later.push(running.readyMs); later.length < STARTS; later.push(running.readyMs)) {
    await stop(running.child);
    running = await start(dataDir);
  }
  try {
    await delay(IDLE_MS);
    const { pid } = running.child;
    if (pid === undefined) throw new Error("the product has no process");
    const servers = await descendantsOf(pid);
    const postgresMb = sum(await Promise.all(servers.map(pssMbOf)));
    const readyMs = median(later);
    const rssMb = await rssMbOf(pid);
    return {
      name: "start",
      title: `start of the built product (median of ${STARTS}), memory after ${IDLE_MS / 1_000} s without work`,
      tables: [
        {
          headings: ["", "until ready", "memory"],
          rows: [
            ["first start, with the demo company", `${figure(first.readyMs / 1_000)} s`, ""],
            ["later starts", `${figure(readyMs / 1_000)} s`, ""],
            ["the product's process (RSS)", "", `${figure(rssMb)} MB`],
            [`the database's ${servers.length} processes (PSS)`, "", `${figure(postgresMb)} MB`],
          ],
        },
      ],
      goals: [
        { figure: "start until ready", value: readyMs / 1_000, unit: "s", limit: 5, want: "≤" },
        { figure: "idle memory of the product", value: rssMb, unit: "MB", limit: 250, want: "≤" },
      ],
      notes: ["From the spawn of the process to the first 200 of /api/health/ready."],
    };
  } finally {
    await stop(running.child);
  }
}

async function start(dataDir: string): Promise<{ child: ChildProcess; readyMs: number }> {
  const port = await freePort();
  const beginMs = performance.now();
  const child = spawn(process.execPath, [...flags, main], {
    env: {
      ...process.env,
      NODE_ENV: "production",
      HOST: "127.0.0.1",
      PORT: String(port),
      BALCAO_DATA: dataDir,
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  while (!(await isReady(port))) {
    if (child.exitCode !== null) throw new Error(`the product ended with ${child.exitCode}`);
    if (performance.now() - beginMs > PATIENCE_MS) throw new Error("the product does not start");
    await delay(POLL_MS);
  }
  return { child, readyMs: performance.now() - beginMs };
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
