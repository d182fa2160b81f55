import type { TicketStatus } from "@balcao/contract";
import { ticketStatuses } from "@balcao/contract";
import type pg from "pg";
import type { Child } from "./child.ts";
import { startChild } from "./child.ts";
import { MESSAGES, TICKETS } from "./history.ts";
import { createLoadNetwork } from "./load-adapter.ts";
import { createLongHistory } from "./long-history.ts";
import type { BenchPostgres } from "./postgres.ts";
import type { Product } from "./product.ts";
import { startProduct, tokenOf } from "./product.ts";
import type { ListRead } from "./reading.ts";
import { readAll, readList, repeat } from "./reading.ts";
import { openFloor, replay } from "./replay.ts";
import type { PartReport } from "./report.ts";
import { figure } from "./report.ts";
import { percentile } from "./statistics.ts";

const READERS = 8;
const ROUND_MS = 300;
/** Short ones in turns, so that what else the machine does hits all alike; the first warms up and does not count. */
const ROUNDS = 11;
const pace = { readers: READERS, forMs: ROUND_MS };

type Page = ListRead & { name: string };
/** How long each call took, and what all of them cost this process. */
type Sample = { latenciesMs: number[]; cpuMs: number };
const contestants = ["list", "authenticatedList", "authentication", "product"] as const;
type Samples = Record<(typeof contestants)[number], Sample>;

/**
 * The ticket page over HTTP against its statements sent by the plain driver, on a company with a long history. The
 * readers of the page are a process of their own; product and plain driver take turns in this one.
 */
export async function measurePage(postgres: BenchPostgres): Promise<PartReport> {
  const { database, company, adminId, agentIds } = await createLongHistory(postgres, "page");
  const network = createLoadNetwork();
  const product = await startProduct(database, postgres.folder("page"), network.adapter);
  const pool = openFloor(database.appUrl);
  const ownerPool = openFloor(database.ownerUrl);
  const readers = startChild("./readers.ts");
  try {
    const people = [
      { name: "agent", userId: agentIds[0], query: "showAll=false" },
      { name: "admin", userId: adminId, query: "showAll=true" },
    ];
    const pages: Page[] = [];
    for (const { name, userId, query } of people) {
      if (userId === undefined) throw new Error("nobody to read the page");
      const token = await tokenOf(product, database, company.id, userId);
      for (const status of ticketStatuses)
        pages.push(await pageOf(product, { name, status, token, query }));
      for (const status of ["pending", "open"] as const) {
        const byWait = { name: `${name}, longest wait`, query: `${query}&order=wait` };
        pages.push(await pageOf(product, { ...byWait, status, token }));
      }
    }
    const measured: [Page, Samples][] = [];
    for (const page of pages)
      measured.push([page, await measure(page, { pool, ownerPool, readers })]);
    return describe(measured);
  } finally {
    readers.stop();
    await pool.end();
    await ownerPool.end();
    await product.app.close();
  }
}

/** Asks once; a list of this company fills its page. */
async function pageOf(
  { url }: Product,
  wish: { name: string; status: TicketStatus; token: string; query: string },
): Promise<Page> {
  const { name, status, token, query } = wish;
  const address = `${url}/api/tickets?status=${status}&pageNumber=1&${query}`;
  const read = await readList(address, token);
  if (read.rows !== 40) throw new Error(`${address} is no full page`);
  return { name: `${name}, ${status}`, ...read };
}

type Means = { pool: pg.Pool; ownerPool: pg.Pool; readers: Child };

async function measure(page: Page, { pool, ownerPool, readers }: Means): Promise<Samples> {
  const identify = () => replay(ownerPool, page.authentication);
  const list = () => replay(pool, page.list);
  const work: Record<keyof Samples, () => Promise<number[]>> = {
    list: () => repeat(pace, list),
    product: () => readAll(readers, page, pace),
    authenticatedList: () =>
      repeat(pace, async () => {
        await identify();
        await list();
      }),
    authentication: () => repeat(pace, identify),
  };
  const empty = (): Sample => ({ latenciesMs: [], cpuMs: 0 });
  const samples: Samples = {
    list: empty(),
    product: empty(),
    authenticatedList: empty(),
    authentication: empty(),
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const contestant of contestants) {
      const cpu = process.cpuUsage();
      const latenciesMs = await work[contestant]();
      const { user, system } = process.cpuUsage(cpu);
      if (round === 0) continue;
      samples[contestant].latenciesMs.push(...latenciesMs);
      samples[contestant].cpuMs += (user + system) / 1_000;
    }
  }
  return samples;
}

function describe(measured: readonly [Page, Samples][]): PartReport {
  const p50 = ({ latenciesMs }: Sample) => percentile(latenciesMs, 0.5);
  const p95 = ({ latenciesMs }: Sample) => percentile(latenciesMs, 0.95);
  const both = (sample: Sample) => `${figure(p50(sample))} / ${figure(p95(sample))}`;
  const cpu = ({ latenciesMs, cpuMs }: Sample) => figure(cpuMs / latenciesMs.length);
  const rows = measured.map(([{ name }, { list, authenticatedList, product }]) => [
    name,
    both(list),
    both(authenticatedList),
    both(product),
    `${figure(p50(product) / p50(list))} × / ${figure(p95(product) / p95(list))} ×`,
    `${cpu(list)} / ${cpu(product)}`,
  ]);
  const authentication = measured.flatMap(([, samples]) => samples.authentication.latenciesMs);
  return {
    name: "page",
    title: `first ticket page, ${TICKETS} tickets and ${MESSAGES} messages in one company, ${READERS} readers at once`,
    tables: [
      {
        headings: [
          "p50 / p95 in ms",
          "its SQL alone",
          "with authentication's SQL",
          "product over HTTP",
          "product / its SQL",
          "node's CPU ms: SQL / product",
        ],
        rows,
      },
    ],
    goals: measured.map(([{ name }, { list, product }]) => ({
      figure: `p95 against its SQL alone, ${name}`,
      value: p95(product) / p95(list),
      unit: "×",
      limit: 2,
      want: "≤",
    })),
    notes: [
      `The statement that proves who asks, before every call: p50 ${figure(percentile(authentication, 0.5))} ms, p95 ${figure(percentile(authentication, 0.95))} ms with ${READERS} at once.`,
      "The readers are a process of their own on the same cores; product and plain driver take turns in this process.",
    ],
  };
}
