import type pg from "pg";
import type { Child } from "./child.ts";
import { startChild } from "./child.ts";
import { MESSAGES, TICKETS } from "./history.ts";
import { createLoadNetwork } from "./load-adapter.ts";
import { createLongHistory } from "./long-history.ts";
import type { BenchPostgres } from "./postgres.ts";
import { startProduct, tokenOf } from "./product.ts";
import type { ListRead, Pace } from "./reading.ts";
import { readAll, readList, repeat } from "./reading.ts";
import { openFloor, replay } from "./replay.ts";
import type { PartReport } from "./report.ts";
import { figure } from "./report.ts";
import { percentile } from "./statistics.ts";

const pace: Pace = { readers: 2, forMs: 500 };
/** Product and plain driver in turns; the first round warms up and does not count. */
const ROUNDS = 7;

/** The text of a search, and how many of the messages have it (see the history). */
const searches = [
  { name: "a number, 1 message", query: "searchParam=543217" },
  { name: "no message", query: "searchParam=xilofone" },
  { name: "1 of 1,000 messages", query: "searchParam=garantia" },
  { name: "1 of 40", query: "searchParam=geladeira" },
  { name: "3 of 4", query: "searchParam=pedido" },
  { name: "1 of 3, long ago", query: "searchParam=natal" },
  { name: "3 of 4, among those that wait", query: "searchParam=pedido&status=pending" },
  { name: "1 of 10 contacts", query: "searchParam=fabio" },
] as const;

type Search = ListRead & { name: string };
type Samples = { sqlMs: number[]; productMs: number[] };
type Means = { pool: pg.Pool; readers: Child };

/** `GET /tickets?searchParam=…` over HTTP against its statement sent by the plain driver. */
export async function measureSearch(postgres: BenchPostgres): Promise<PartReport> {
  const history = await createLongHistory(postgres, "search");
  const { database, company, adminId, agentIds } = history;
  const network = createLoadNetwork();
  const product = await startProduct(database, postgres.folder("search"), network.adapter);
  const pool = openFloor(database.appUrl);
  const readers = startChild("./readers.ts");
  try {
    const measured: [Search, Samples][] = [];
    for (const [who, userId] of [["admin", adminId] as const, ["agent", agentIds[0]] as const]) {
      if (userId === undefined) throw new Error("nobody to search");
      const token = await tokenOf(product, database, company.id, userId);
      for (const { name, query } of searches) {
        const read = await readList(`${product.url}/api/tickets?${query}`, token);
        const search = { name: `${who}: ${name}`, ...read };
        measured.push([search, await measure(search, { pool, readers })]);
      }
    }
    return describe(measured);
  } finally {
    readers.stop();
    await pool.end();
    await product.app.close();
  }
}

async function measure(search: Search, { pool, readers }: Means): Promise<Samples> {
  const samples: Samples = { sqlMs: [], productMs: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    const sqlMs = await repeat(pace, () => replay(pool, search.list));
    const productMs = await readAll(readers, search, pace);
    if (round === 0) continue;
    samples.sqlMs.push(...sqlMs);
    samples.productMs.push(...productMs);
  }
  return samples;
}

function describe(measured: readonly [Search, Samples][]): PartReport {
  const p50 = (values: number[]) => percentile(values, 0.5);
  const p95 = (values: number[]) => percentile(values, 0.95);
  const both = (values: number[]) => `${figure(p50(values))} / ${figure(p95(values))}`;
  const p95s = measured.map(([, { productMs }]) => p95(productMs));
  const ratios = measured.map(([, { sqlMs, productMs }]) => p95(productMs) / p95(sqlMs));
  return {
    name: "search",
    title: `search over ${MESSAGES} messages in ${TICKETS} tickets of one company, ${pace.readers} readers at once`,
    tables: [
      {
        headings: [
          "p50 / p95 in ms",
          "tickets found",
          "its SQL alone",
          "product over HTTP",
          "product / its SQL",
        ],
        rows: measured.map(([{ name, count }, { sqlMs, productMs }]) => [
          name,
          String(count),
          both(sqlMs),
          both(productMs),
          `${figure(p50(productMs) / p50(sqlMs))} × / ${figure(p95(productMs) / p95(sqlMs))} ×`,
        ]),
      },
    ],
    goals: [
      {
        figure: "slowest search, p95",
        value: Math.max(...p95s),
        unit: "ms",
        limit: 300,
        want: "≤",
      },
      {
        figure: "p95 against its SQL alone, at worst",
        value: Math.max(...ratios),
        unit: "×",
        limit: 3,
        want: "≤",
      },
    ],
    notes: [
      "Common words find the tickets of their newest matches only (docs/performance.md).",
      "The readers are a process of their own on the same cores; product and plain driver take turns in this process.",
    ],
  };
}
