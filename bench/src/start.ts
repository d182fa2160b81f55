import { setTimeout as delay } from "node:timers/promises";
import { startBuilt } from "./built-product.ts";
import { descendantsOf, pssMbOf, rssMbOf } from "./memory.ts";
import type { BenchPostgres } from "./postgres.ts";
import type { PartReport } from "./report.ts";
import { figure } from "./report.ts";
import { median, sum } from "./statistics.ts";

const STARTS = 5;
const IDLE_MS = 20_000;

/** The built product as `npm start` runs it, with its own database and the demo company. */
export async function measureStart(postgres: BenchPostgres): Promise<PartReport> {
  const dataDir = postgres.folder("start");
  const first = await startBuilt(dataDir);
  await first.stop();
  const later: number[] = [];
  let running = await startBuilt(dataDir);
  for (later.push(running.readyMs); later.length < STARTS; later.push(running.readyMs)) {
    await running.stop();
    running = await startBuilt(dataDir);
  }
  try {
    await delay(IDLE_MS);
    const { pid } = running;
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
    await running.stop();
  }
}
