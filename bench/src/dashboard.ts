import { sumDaysAcrossCompanies } from "@balcao/server/src/features/dashboard/index.ts";
import { systemSources } from "@balcao/server/src/platform/sources.ts";
import pg from "pg";
import { startChild } from "./child.ts";
import type { Company } from "./companies.ts";
import { addCompany, addUser, fill } from "./companies.ts";
import { createLoadNetwork } from "./load-adapter.ts";
import type { BenchDatabase, BenchPostgres } from "./postgres.ts";
import { startProduct, tokenOf } from "./product.ts";
import type { Pace } from "./reading.ts";
import { readAll, repeat } from "./reading.ts";
import type { Transaction } from "./recorder.ts";
import { recordTransactions } from "./recorder.ts";
import { openFloor, replay } from "./replay.ts";
import type { PartReport } from "./report.ts";
import { figure } from "./report.ts";
import { percentile } from "./statistics.ts";

/** In the year that ends now. */
const ATTENDANCES = 1_000_000;
const TICKETS = 50_000;
const PEOPLE = 50;
/** So many days have a tenth of them. */
const PERIOD_DAYS = 36;
const pace: Pace = { readers: 1, forMs: 1_500 };
/** In turns with the statements alone; the first round warms up and does not count. */
const ROUNDS = 5;

const STATEMENTS_MAX = 4;
const PERIOD_MS_MAX = 150;
const YEAR_MS_MAX = 1_000;
const SQL_TIMES_MAX = 2;

type Reading = {
  name: string;
  statements: number;
  limitMs: number;
  sqlMs: number[];
  productMs: number[];
};

/** The dashboard of a company with a million attendances in the last year. */
export async function measureDashboard(postgres: BenchPostgres): Promise<PartReport> {
  const database = await postgres.create("dashboard");
  const { company, adminId } = await fill(database, async (tx) => {
    const company = await addCompany(tx, { name: "Painel", queues: 6, connections: 3 });
    const wish = { companyId: company.id, queueIds: [] };
    const adminId = await addUser(tx, { ...wish, profile: "admin", number: 0 });
    for (let number = 1; number <= PEOPLE; number += 1) {
      await addUser(tx, { ...wish, profile: "user", number });
    }
    return { company, adminId };
  });
  await writeAttendances(database, company);
  const adapter = createLoadNetwork().adapter;
  const product = await startProduct(database, postgres.folder("dashboard"), adapter);
  const pool = openFloor(database.appUrl);
  const readers = startChild("./readers.ts");
  try {
    const token = await tokenOf(product, database, company.id, adminId);
    const begin = performance.now();
    await sumDaysAcrossCompanies({ db: product.app.db, clock: systemSources.clock });
    const summedMs = performance.now() - begin;
    const queue = encodeURIComponent(JSON.stringify(company.queueIds.slice(0, 2)));
    const readings = [
      [
        `figures, ${PERIOD_DAYS} days and those before`,
        `figures?days=${PERIOD_DAYS}`,
        PERIOD_MS_MAX,
      ],
      ["the same of two queues", `figures?days=${PERIOD_DAYS}&queueIds=${queue}`, PERIOD_MS_MAX],
      ["the same of a tag", `figures?days=${PERIOD_DAYS}&tagIds=%5B1%5D`, PERIOD_MS_MAX],
      ["chart by time", `by-time?days=${PERIOD_DAYS}`, PERIOD_MS_MAX],
      ["now", "now", PERIOD_MS_MAX],
      ["figures, a year", "figures?days=365", YEAR_MS_MAX],
    ] as const;
    const measured: Reading[] = [];
    for (const [name, path, limitMs] of readings) {
      const url = `${product.url}/api/dashboard/${path}`;
      const transactions = await transactionsOf(url, token);
      const statements = transactions.flatMap((transaction) => transaction.statements).length;
      const reading: Reading = { name, statements, limitMs, sqlMs: [], productMs: [] };
      for (let round = 0; round < ROUNDS; round += 1) {
        const sqlMs = await repeat(pace, async () => {
          for (const transaction of transactions) await replay(pool, transaction);
        });
        const productMs = await readAll(readers, { url, token }, pace);
        if (round === 0) continue;
        reading.sqlMs.push(...sqlMs);
        reading.productMs.push(...productMs);
      }
      measured.push(reading);
    }
    return describe(measured, summedMs);
  } finally {
    readers.stop();
    await pool.end();
    await product.app.close();
  }
}

/** What the product sends to the database for one read, as the company's user. */
async function transactionsOf(url: string, token: string): Promise<Transaction[]> {
  const seen: Transaction[] = [];
  const stop = recordTransactions((transaction) => seen.push(transaction));
  const reply = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  await reply.arrayBuffer();
  stop();
  if (!reply.ok) throw new Error(`${url} answered ${reply.status}`);
  const work = seen.filter(({ statements }) =>
    statements.some(({ text }) => /\battendances a\b|time_zone as "timeZone"/.test(text)),
  );
  if (work.length === 0) throw new Error("the statements were not seen");
  return work;
}

/** A year of conversations: each has waited, was answered, resolved, and a third was rated. */
async function writeAttendances({ ownerUrl }: BenchDatabase, company: Company): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    await client.query("set session_replication_role = replica; set synchronous_commit = off");
    await client.query(
      `insert into contacts (company_id, name, number)
       select $1, 'Cliente ' || n, '55119' || (60000000 + n) from generate_series(1, ${TICKETS}) n`,
      [company.id],
    );
    await client.query(
      `insert into tickets (company_id, uuid, contact_id, connection_id, status, queue_id, user_id, queued_at, waiting_since)
       select $1, gen_random_uuid(), c.id, $2, s.status, case when s.status <> 'closed' then ($3::int[])[1 + c.id % 6] end,
         case when s.status = 'open' then $4::int end, now() - c.id % 60 * interval '1 min',
         case when s.status <> 'closed' then now() - c.id % 60 * interval '1 min' end
       from contacts c cross join lateral (
         select case c.id % 1000 when 0 then 'pending' when 1 then 'open' else 'closed' end as status) s
       where c.company_id = $1`,
      [company.id, company.connectionIds[0], company.queueIds, 1],
    );
    await client.query(
      `insert into attendances (company_id, ticket_id, connection_id, user_id, queue_id, queued_at, started_at, attended_at,
         asked_at, answered_at, rating_at, rated, rate, is_first, is_reopened, finished_at, created_at)
       select $1, t.ids[(1 + x.n::bigint * 7919 % ${TICKETS})::int], ($2::int[])[1 + x.n % 3], u.ids[1 + x.n % ${PEOPLE}],
         ($3::int[])[1 + x.n / 7 % 6], x.at, y.begins, y.begins, x.at, y.begins + x.n % 300 * interval '1 second',
         case when x.n % 2 = 0 then y.ends end, x.n % 3 = 0, case when x.n % 3 = 0 then 1 + x.n / 3 % 3 end,
         x.n % 20 = 0, x.n % 30 = 0, y.ends, x.at
       from (select n, now() - (${ATTENDANCES} - n) * (interval '365 days' / ${ATTENDANCES}) as at
         from generate_series(1, ${ATTENDANCES}) n) x
       cross join lateral (select x.at + x.n % 900 * interval '1 second' as begins,
         x.at + (x.n % 900 + 60 + x.n % 3600) * interval '1 second' as ends) y
       cross join (select array_agg(id order by id) as ids from tickets where company_id = $1) t
       cross join (select array_agg(id order by id) as ids from users where company_id = $1) u`,
      [company.id, company.connectionIds, company.queueIds],
    );
    await client.query("insert into tags (company_id, name, color) values ($1, 'VIP', '#116655')", [
      company.id,
    ]);
    await client.query(
      `insert into ticket_tags (company_id, ticket_id, tag_id)
       select $1, t.id, g.id from tickets t, tags g where t.company_id = $1 and g.company_id = $1 and t.id % 5 = 0`,
      [company.id],
    );
    await client.query("vacuum analyze");
  } finally {
    await client.end();
  }
}

function describe(measured: readonly Reading[], summedMs: number): PartReport {
  const p95 = (list: readonly number[]): number => percentile(list, 0.95);
  const rows = measured.map(({ name, statements, limitMs, sqlMs, productMs }) => [
    name,
    ...[String(statements), figure(p95(sqlMs)), figure(p95(productMs)), String(limitMs)],
    String(productMs.length),
  ]);
  return {
    name: "dashboard",
    title: `dashboard, ${ATTENDANCES / 1_000_000} million attendances in a year, ${ATTENDANCES / 10_000_000} million in the period`,
    tables: [
      {
        headings: ["read", "statements", "SQL p95 ms", "product p95 ms", "goal ms", "reads"],
        rows,
      },
    ],
    goals: measured.flatMap(({ name, statements, limitMs, sqlMs, productMs }) => [
      ...[
        {
          figure: `${name}, p95`,
          value: p95(productMs),
          unit: "ms",
          limit: limitMs,
          want: "≤" as const,
        },
        {
          figure: `${name}, p95 of its SQL`,
          ...{
            value: p95(productMs) / p95(sqlMs),
            unit: "×",
            limit: SQL_TIMES_MAX,
            want: "≤" as const,
          },
        },
        {
          figure: `${name}, statements`,
          ...{ value: statements, unit: "", limit: STATEMENTS_MAX, want: "≤" as const },
        },
      ],
    ]),
    notes: [
      "SQL: the same statements with the same values, sent by the plain driver in turns with the product.",
      "The product's time is one request over HTTP, with authentication.",
      `The job summed the year's days in ${figure(summedMs / 1_000)} s before.`,
    ],
  };
}
