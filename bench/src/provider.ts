import { reconcileAcrossCompanies } from "@balcao/server/src/features/billing/invoices.ts";
import type { App } from "@balcao/server/src/app.ts";
import { sql } from "drizzle-orm";
import { addCompany, addUser, fill } from "./companies.ts";
import { createLoadNetwork } from "./load-adapter.ts";
import type { BenchPostgres } from "./postgres.ts";
import { startProduct, tokenOf } from "./product.ts";
import { recordTransactions } from "./recorder.ts";
import type { PartReport } from "./report.ts";
import { figure } from "./report.ts";
import { median, percentile } from "./statistics.ts";

const COMPANIES = 200;
const USERS = 10;
/** Paid invoices of each company: four years of months. */
const PAID = 48;
/** The first ones warm up and do not count. */
const WARM_UPS = 3;
const READS = 30;

/** The provider of 200 companies with 2,000 users: the hourly look at all invoices, and the tab of the companies. */
export async function measureProvider(postgres: BenchPostgres): Promise<PartReport> {
  const database = await postgres.create("provider");
  const { provider, superId } = await fill(database, async (tx) => {
    for (let n = 1; n <= COMPANIES; n += 1) {
      const { id: companyId, queueIds } = await addCompany(tx, {
        ...{ name: `Loja ${n}`, queues: 3, connections: 3 },
      });
      for (let number = 0; number < USERS; number += 1) {
        const profile = number === 0 ? "admin" : "user";
        await addUser(tx, { companyId, queueIds, profile, number });
      }
    }
    const company = await addCompany(tx, { name: "Provedor", queues: 1, connections: 0 });
    const common = { companyId: company.id, queueIds: company.queueIds };
    const id = await addUser(tx, { ...common, profile: "admin", number: 0 });
    await tx.query(sql`update users set super = true where id = ${id}`);
    await tx.query(sql`update plans set value_cents = 9900`);
    // Due from six days ago to three weeks ahead; some are on trial, and each has a history.
    await tx.query(sql`
      update companies set due_date = now() + (id % 28 - 6) * interval '1 day',
        trial_expiration = case when id % 9 = 0 then now() + interval '2 days' end`);
    await tx.query(sql`
      insert into invoices (company_id, detail, value_cents, months, due_date, status, paid_at)
      select c.id, 'Plano', 9900, 1, c.due_date - n * interval '30 days', 'paid', now()
      from companies c, generate_series(1, ${PAID}) n`);
    return { provider: company.id, superId: id };
  });
  const product = await startProduct(
    database,
    postgres.folder("provider"),
    createLoadNetwork().adapter,
  );
  try {
    const first = await measureJob(product.app);
    const usual = await measureJob(product.app);
    const token = await tokenOf(product, database, provider, superId);
    const tab: number[] = [];
    for (const order of ["dueDate", "users", "name"]) {
      for (let n = 0; n < WARM_UPS + READS; n += 1) {
        const beginMs = performance.now();
        const reply = await fetch(`${product.url}/api/companies?order=${order}`, {
          headers: { authorization: `Bearer ${token}` },
        });
        if (!reply.ok) throw new Error(`the companies answered ${reply.status}`);
        await reply.arrayBuffer();
        if (n >= WARM_UPS) tab.push(performance.now() - beginMs);
      }
    }
    const row = (name: string, { ms, statements }: Job) => [name, figure(ms), String(statements)];
    return {
      name: "provider",
      title: `${COMPANIES} companies with ${COMPANIES * USERS} users and ${COMPANIES * PAID} invoices`,
      tables: [
        {
          headings: ["the hourly job", "ms", "statements"],
          rows: [
            row("every company gets an invoice, late ones stop", first),
            row("nothing to do", usual),
          ],
        },
        {
          headings: ["companies tab over HTTP, ms", "p50", "p95"],
          rows: [["50 of 200, three orders", figure(median(tab)), figure(percentile(tab, 0.95))]],
        },
      ],
      goals: [
        { figure: "hourly job", value: first.ms, unit: "ms", limit: 2_000, want: "≤" },
        { figure: "its statements", value: first.statements, unit: "", limit: 10, want: "≤" },
        {
          ...{ figure: "companies tab, p95", value: percentile(tab, 0.95) },
          ...{ unit: "ms", limit: 100, want: "≤" },
        },
      ],
      notes: [],
    };
  } finally {
    await product.app.close();
  }
}

type Job = { ms: number; statements: number };

async function measureJob({ db }: App): Promise<Job> {
  let statements = 0;
  const stop = recordTransactions((sent) => {
    if (sent.statements.some(({ name }) => name?.startsWith("billing."))) {
      statements += sent.statements.length;
    }
  });
  const beginMs = performance.now();
  await db.acrossCompanies((tx) => reconcileAcrossCompanies(tx, "all", new Date()));
  const ms = performance.now() - beginMs;
  stop();
  return { ms, statements };
}
