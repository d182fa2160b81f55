import { reconcileAcrossCompanies } from "@balcao/server/src/features/billing/invoices.ts";
import {
  countFilesAcrossCompanies,
  countMessagesAcrossCompanies,
} from "@balcao/server/src/features/companies/usage.ts";
import type { App } from "@balcao/server/src/app.ts";
import { sql } from "drizzle-orm";
import pg from "pg";
import { addCompany, addUser, fill } from "./companies.ts";
import { withoutIndexes } from "./history.ts";
import { createLoadNetwork } from "./load-adapter.ts";
import type { BenchDatabase, BenchPostgres } from "./postgres.ts";
import { startProduct, tokenOf } from "./product.ts";
import { recordTransactions } from "./recorder.ts";
import type { PartReport } from "./report.ts";
import { figure } from "./report.ts";
import { median, percentile } from "./statistics.ts";

const COMPANIES = 200;
const USERS = 10;
/** Paid invoices of each company: four years of months. */
const PAID = 48;
/** Messages of this month, of each company: one of eight has a file. The other files are of earlier months. */
const MESSAGES = 15_000;
const FILES = 3_000_000;
/** Messages that arrive for each company between two runs of the job. */
const MESSAGES_OF_AN_HOUR = 40;
/** The first ones warm up and do not count. */
const WARM_UPS = 3;
const READS = 30;

/** The provider of 200 companies with 2,000 users: the hourly jobs, and the tab of the companies. */
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
  await addMonth(database);
  const product = await startProduct(
    database,
    postgres.folder("provider"),
    createLoadNetwork().adapter,
  );
  try {
    const first = await measureInvoices(product.app);
    const usual = await measureInvoices(product.app);
    const month = await measureCount(product.app, 0);
    await addHour(database);
    const hour = await measureCount(product.app, 60);
    const files = await measureJob("companies.", () =>
      countFilesAcrossCompanies({ db: product.app.db, clock: { now: () => new Date() } }),
    );
    const token = await tokenOf(product, database, provider, superId);
    const tab: number[] = [];
    for (const order of ["dueDate", "users", "name", "messages"]) {
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
          headings: ["usage", "ms", "statements"],
          rows: [
            row(`the first count, ${figure((COMPANIES * MESSAGES) / 1e6)} million messages`, month),
            row(`hourly, ${COMPANIES * MESSAGES_OF_AN_HOUR} messages`, hour),
            row(`all ${FILES / 1e6} million files, every six hours`, files),
          ],
        },
        {
          headings: ["companies tab over HTTP, ms", "p50", "p95"],
          rows: [["50 of 200, four orders", figure(median(tab)), figure(percentile(tab, 0.95))]],
        },
      ],
      goals: [
        { figure: "hourly job", value: first.ms, unit: "ms", limit: 2_000, want: "≤" },
        { figure: "its statements", value: first.statements, unit: "", limit: 10, want: "≤" },
        { figure: "hourly count of messages", value: hour.ms, unit: "ms", limit: 2_000, want: "≤" },
        { figure: "its statements", value: hour.statements, unit: "", limit: 2, want: "≤" },
        { figure: "count of files", value: files.ms, unit: "ms", limit: 2_000, want: "≤" },
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

const measureInvoices = ({ db }: App): Promise<Job> =>
  measureJob("billing.", () =>
    db.acrossCompanies((tx) => reconcileAcrossCompanies(tx, "all", new Date())),
  );

const measureCount = ({ db }: App, minutesLater: number): Promise<Job> =>
  measureJob("companies.", () =>
    countMessagesAcrossCompanies({
      db,
      clock: { now: () => new Date(Date.now() + minutesLater * 60_000) },
    }),
  );

async function measureJob(names: string, run: () => Promise<unknown>): Promise<Job> {
  let statements = 0;
  const stop = recordTransactions((sent) => {
    if (sent.statements.some(({ name }) => name?.startsWith(names))) {
      statements += sent.statements.length;
    }
  });
  const beginMs = performance.now();
  await run();
  const ms = performance.now() - beginMs;
  stop();
  return { ms, statements };
}

/** A month of messages with their files, and the files of earlier months. */
async function addMonth(database: BenchDatabase): Promise<void> {
  await asOwner(database, async (client) => {
    const tables = ["messages", "message_media", "files"];
    await client.query("set maintenance_work_mem = '512MB'");
    await client.query("update companies set created_at = now() - interval '1 year'");
    await withoutIndexes(client, tables, async () => {
      const begin = `date_trunc('month', now() at time zone 'America/Sao_Paulo') at time zone 'America/Sao_Paulo'`;
      // In the order in which they arrive: the companies in turns.
      await client.query(`
        insert into messages (company_id, id, ticket_id, provider_id, body, from_me, read, ack, media_type, created_at, updated_at)
        select c.id, uuidv7(at - now()), 1, 'U-' || n, 'O seu pedido está a caminho', true, true, 3,
          case when n % 8 = 0 then 'image' else 'conversation' end, at, at
        from generate_series(1, ${MESSAGES}) n
        cross join lateral (select ${begin} + (now() - interval '10 minutes' - ${begin}) * (n / ${MESSAGES}.0) as at) t
        cross join companies c`);
      await client.query(`
        insert into message_media (company_id, message_id, kind, state, name, mime, bytes)
        select company_id, id, 'image', 'failed', 'foto.jpg', 'image/jpeg', 120000 from messages where media_type = 'image'`);
      await client.query(`
        insert into message_media (company_id, message_id, kind, state, name, mime, bytes)
        select c.id, uuidv7(-interval '90 days'), 'image', 'failed', 'foto.jpg', 'image/jpeg', 120000
        from companies c, generate_series(1, ${(FILES - (COMPANIES * MESSAGES) / 8) / COMPANIES}) n`);
      await client.query(`
        insert into files (company_id, key, mime, bytes, sha256, is_whole)
        select company_id, gen_random_uuid() || '.jpg', mime, bytes, repeat('a', 64), true from message_media`);
    });
    await client.query("vacuum analyze messages, message_media, files");
  });
}

/** The messages of the next hour. */
const addHour = (database: BenchDatabase): Promise<void> =>
  asOwner(database, async (client) => {
    await client.query(`
      insert into messages (company_id, id, ticket_id, provider_id, body, from_me, read, ack, media_type)
      select c.id, uuidv7(n * interval '1 minute'), 1, 'H-' || n, 'Bom dia', true, true, 3, 'conversation'
      from companies c, generate_series(1, ${MESSAGES_OF_AN_HOUR}) n`);
  });

/** With foreign keys unchecked. */
async function asOwner(
  { ownerUrl }: BenchDatabase,
  work: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    await client.query("set session_replication_role = replica; set synchronous_commit = off");
    await work(client);
  } finally {
    await client.end();
  }
}
