import { createHash } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import pg from "pg";
import { startChild } from "./child.ts";
import type { Company } from "./companies.ts";
import { addCompany, addUser, fill } from "./companies.ts";
import { createLoadNetwork } from "./load-adapter.ts";
import { forgetPeak, peakMbOf, rssMbOf } from "./memory.ts";
import type { BenchDatabase, BenchPostgres } from "./postgres.ts";
import type { Product } from "./product.ts";
import { startProduct, tokenOf } from "./product.ts";
import type { Pace } from "./reading.ts";
import { readAll, readList, repeat } from "./reading.ts";
import { openFloor, replay } from "./replay.ts";
import type { PartReport } from "./report.ts";
import { figure } from "./report.ts";
import { percentile } from "./statistics.ts";

const CONTACTS = 100_000;
const pace: Pace = { readers: 1, forMs: 500 };
/** In turns with the statements alone; the first round warms up and does not count. */
const ROUNDS = 7;
const EXPORTS = 3;

const search = (words: string): string => `&searchParam=${encodeURIComponent(words)}`;

const readings: readonly (readonly [name: string, query: string])[] = [
  ["first page by name", ""],
  ["by last contact", "&sort=lastContact&descending=true"],
  ["by creation", "&sort=createdAt&descending=true"],
  ["a name that 1 of 70 has", search("fabio cos")],
  ["a number without its ninth digit", search("+55 11 6000-1234")],
  ["an e-mail", search("cliente4710@")],
  ["no hit", search("xilofone")],
  ["opted out", "&optedOut=true"],
  ["with a tag", "&tags=%5B1%5D"],
  ["wrote within a week", `&lastStart=${dayAgo(7)}`],
];

type Reading = { name: string; rows: string; sqlMs: number[]; productMs: number[] };
type Sending = { format: string; seconds: number; megabytes: number; moreMb: number };

/** The address book of a company with very many contacts: read page by page, and sent as a spreadsheet. */
export async function measureBook(postgres: BenchPostgres): Promise<PartReport> {
  const database = await postgres.create("book");
  const { company, adminId } = await fill(database, async (tx) => {
    const company = await addCompany(tx, { name: "Livro", queues: 1, connections: 1 });
    const wish = { companyId: company.id, profile: "admin" as const, number: 0, queueIds: [] };
    return { company, adminId: await addUser(tx, wish) };
  });
  await writeBook(database, company);
  const product = await startProduct(
    database,
    postgres.folder("book"),
    createLoadNetwork().adapter,
  );
  const pool = openFloor(database.appUrl);
  const readers = startChild("./readers.ts");
  try {
    const token = await tokenOf(product, database, company.id, adminId);
    const measured: Reading[] = [];
    for (const [name, query] of readings) {
      const read = await readList(`${product.url}/api/contacts?pageNumber=1${query}`, token);
      const reading: Reading = {
        name,
        rows: `${read.rows} of ${read.count}`,
        sqlMs: [],
        productMs: [],
      };
      for (let round = 0; round < ROUNDS; round += 1) {
        const sqlMs = await repeat(pace, () => replay(pool, read.list));
        const productMs = await readAll(readers, read, pace);
        if (round === 0) continue;
        reading.sqlMs.push(...sqlMs);
        reading.productMs.push(...productMs);
      }
      measured.push(reading);
    }
    const sent: Sending[] = [];
    for (const format of ["csv", "xlsx"]) {
      for (let n = 0; n < EXPORTS; n += 1) sent.push(await measureExport(product, token, format));
    }
    return describe(measured, sent);
  } finally {
    readers.stop();
    await pool.end();
    await product.app.close();
  }
}

/** Most have a closed ticket, some a tag, an opt-out or a field of their own. */
async function writeBook({ ownerUrl }: BenchDatabase, company: Company): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    await client.query("set session_replication_role = replica; set synchronous_commit = off");
    const values = [company.id, company.connectionIds[0]];
    const names = "array['Ana','Bia','Caio','Davi','Elisa','Fábio','Gil','Helena','Igor','Joana']";
    const more = "array['Alves','Barros','Costa','Dias','Esteves','Faria','Gomes']";
    await client.query(
      `insert into contacts (company_id, name, number, email, opted_out_at, opt_out_source, created_at)
       select $1, (${names})[1 + n % 10] || ' ' || (${more})[1 + n / 10 % 7] || ' ' || n, '55119' || (60000000 + n),
         case when n % 3 = 0 then 'cliente' || n || '@loja.com.br' else '' end,
         case when n % 50 = 0 then now() end, case when n % 50 = 0 then 'person' end, now() - n * interval '5 min'
       from generate_series(1, ${CONTACTS}) n`,
      [company.id],
    );
    await client.query(
      `insert into contact_addresses (company_id, kind, key, value, contact_id)
       select $1, 'pn', number, number, id from contacts where company_id = $1`,
      [company.id],
    );
    await client.query(
      `insert into tickets (company_id, uuid, contact_id, connection_id, status, last_message_at)
       select $1, gen_random_uuid(), id, $2, 'closed', now() - id * interval '7 min'
       from contacts where company_id = $1 and id % 10 < 6`,
      values,
    );
    await client.query("insert into tags (company_id, name, color) values ($1, 'VIP', '#116655')", [
      company.id,
    ]);
    await client.query(
      `insert into ticket_tags (company_id, ticket_id, tag_id)
       select $1, t.id, g.id from tickets t, tags g where t.company_id = $1 and t.id % 20 = 0`,
      [company.id],
    );
    await client.query(
      `insert into contact_extra_info (company_id, contact_id, name, value)
       select $1, id, 'CPF', id::text from contacts where company_id = $1 and id % 5 = 0`,
      [company.id],
    );
    await client.query("vacuum analyze");
  } finally {
    await client.end();
  }
}

function dayAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
}

/** All contacts as a spreadsheet, as fast as somebody can take it who keeps nothing of it. */
async function measureExport({ url }: Product, token: string, format: string): Promise<Sending> {
  const idleMb = await rssMbOf(process.pid);
  await forgetPeak(process.pid);
  const beginMs = performance.now();
  const outgoing = request(`${url}/api/contacts/export`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
  });
  outgoing.end(JSON.stringify({ selection: { filter: {} }, format }));
  const [reply] = await once(outgoing, "response");
  let bytes = 0;
  const hash = createHash("sha256");
  for await (const part of reply) {
    bytes += part.length;
    hash.update(part);
  }
  if (reply.statusCode !== 200 || bytes < CONTACTS) {
    throw new Error(`the export was answered with ${reply.statusCode} and ${bytes} bytes`);
  }
  const seconds = (performance.now() - beginMs) / 1_000;
  const moreMb = (await peakMbOf(process.pid)) - idleMb;
  return { format, seconds, megabytes: bytes / 1024 / 1024, moreMb };
}

function describe(measured: readonly Reading[], sent: readonly Sending[]): PartReport {
  const p95 = (values: readonly number[]): number => percentile([...values], 0.95);
  return {
    name: "book",
    title: `an address book of ${CONTACTS} contacts, one reader`,
    tables: [
      {
        headings: ["p95 in ms", "rows", "its SQL alone", "product over HTTP", "product / SQL"],
        rows: measured.map(({ name, rows, sqlMs, productMs }) => [
          name,
          rows,
          figure(p95(sqlMs)),
          figure(p95(productMs)),
          `${figure(p95(productMs) / p95(sqlMs))} ×`,
        ]),
      },
      {
        headings: ["export", "seconds", "file", "memory above idle"],
        rows: sent.map(({ format, seconds, megabytes, moreMb }) => [
          format,
          `${figure(seconds)} s`,
          `${figure(megabytes)} MB`,
          `${figure(moreMb)} MB`,
        ]),
      },
    ],
    goals: [
      ...measured.map(({ name, productMs }) => ({
        figure: `contacts, ${name}: p95`,
        value: p95(productMs),
        unit: "ms",
        limit: 60,
        want: "≤" as const,
      })),
      {
        figure: "export of all contacts, the slowest",
        value: Math.max(...sent.map(({ seconds }) => seconds)),
        unit: "s",
        limit: 10,
        want: "≤",
      },
      {
        figure: "memory of an export above idle, the median",
        value: percentile(
          sent.map(({ moreMb }) => moreMb),
          0.5,
        ),
        unit: "MB",
        limit: 30,
        want: "≤",
      },
    ],
    notes: ["The memory is that of the whole process, which also fetches the file."],
  };
}
