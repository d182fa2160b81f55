import type { QueueId, UserId } from "@balcao/contract";
import pg from "pg";
import type { Child } from "./child.ts";
import { startChild } from "./child.ts";
import type { Company } from "./companies.ts";
import { addCompany, addUser, fill } from "./companies.ts";
import { MESSAGES, TICKETS } from "./history.ts";
import { recordInbound } from "./inbound-trace.ts";
import type { LoadNetwork } from "./load-adapter.ts";
import { createLoadNetwork, textFrom } from "./load-adapter.ts";
import type { LongHistory } from "./long-history.ts";
import { createLongHistory } from "./long-history.ts";
import type { BenchDatabase, BenchPostgres } from "./postgres.ts";
import type { Product } from "./product.ts";
import { startProduct, tokenOf } from "./product.ts";
import type { ListRead, Pace } from "./reading.ts";
import { readAll, readList, repeat } from "./reading.ts";
import type { Transaction } from "./recorder.ts";
import { openFloor, replay } from "./replay.ts";
import type { PartReport } from "./report.ts";
import { figure, percent } from "./report.ts";
import { median, percentile } from "./statistics.ts";

const pace: Pace = { readers: 1, forMs: 250 };
/** In turns with the floor; the first round warms up and does not count. */
const ROUNDS = 9;
const LONG_TICKET_MESSAGES = 50_000;
const NEIGHBOUR_MESSAGES = 2_000;

/** The read, and how many times the floor it may take: a few times the measured value, far below a scan. */
type Reading = { name: string; who: "admin" | "agent" | "neighbour"; path: string; limit: number };

function readings({ queueIds }: Company, longTicketId: number): Reading[] {
  const some = encodeURIComponent(JSON.stringify(queueIds.slice(0, 3)));
  const search = (text: string) => `searchParam=${encodeURIComponent(text)}`;
  const page = "pageNumber=1";
  return [
    {
      name: "open list",
      who: "admin",
      path: `/tickets?status=open&showAll=true&${page}`,
      limit: 12,
    },
    { name: "open list", who: "agent", path: `/tickets?status=open&${page}`, limit: 12 },
    {
      name: "closed list",
      who: "admin",
      path: `/tickets?status=closed&showAll=true&${page}`,
      limit: 12,
    },
    {
      name: "closed list of three queues",
      who: "admin",
      path: `/tickets?status=closed&showAll=true&${page}&queueIds=${some}`,
      limit: 15,
    },
    { name: "closed list", who: "agent", path: `/tickets?status=closed&${page}`, limit: 15 },
    {
      name: `messages, 1 of ${LONG_TICKET_MESSAGES / 20} pages`,
      who: "admin",
      path: `/messages/${longTicketId}?markRead=false`,
      limit: 12,
    },
    {
      name: `messages, 1 of ${LONG_TICKET_MESSAGES / 20} pages`,
      who: "agent",
      path: `/messages/${longTicketId}?markRead=false`,
      limit: 15,
    },
    {
      name: "contacts, 1 of 70 has it",
      who: "admin",
      path: `/contacts?${page}&${search("fabio cos")}`,
      limit: 25,
    },
    {
      name: "contacts, a number",
      who: "admin",
      path: `/contacts?${page}&${search("5511960012")}`,
      limit: 25,
    },
    { name: "connections", who: "agent", path: "/whatsapp?session=0", limit: 5 },
    {
      name: "search of a small company, nothing",
      who: "neighbour",
      path: `/tickets?${search("xilofone")}`,
      limit: 15,
    },
    {
      name: "search of a small company, some",
      who: "neighbour",
      path: `/tickets?${search("boleto 77")}`,
      limit: 25,
    },
  ];
}

/** The page of a list and nothing else: forty rows of one table in the order of their index, in a transaction as the product's. */
function floorOf({ company }: LongHistory): Transaction {
  const text = `select * from tickets where company_id = $1 and status = 'closed'
    order by updated_at desc nulls last, id desc nulls last limit 40`;
  const rows = Array.from({ length: 40 }, () => null);
  return {
    begin: `begin; select set_config('app.company_id', '${company.id}', true)`,
    statements: [{ name: "floor", text, values: [company.id], rows }],
  };
}

type Samples = { floorMs: number[]; sqlMs: number[]; productMs: number[] };
type Means = { pool: pg.Pool; readers: Child; floor: Transaction };

/**
 * The frequent reads in a company with a long history, and its customers' messages: against a page of one table by its
 * index, sent by the plain driver in the same minute. That floor does not grow with the history, so the ratio says
 * whether a statement does.
 */
export async function measureReads(postgres: BenchPostgres): Promise<PartReport> {
  const history = await createLongHistory(postgres, "reads");
  const { database, company, adminId, agentIds } = history;
  const [agentId] = agentIds;
  if (agentId === undefined) throw new Error("nobody to read");
  const longTicketId = await lengthenTicket(database, company, agentId);
  const neighbour = await addNeighbour(database);
  const network = createLoadNetwork();
  const product = await startProduct(database, postgres.folder("reads"), network.adapter);
  const pool = openFloor(database.appUrl);
  const readers = startChild("./readers.ts");
  try {
    const tokens = {
      admin: await tokenOf(product, database, company.id, adminId),
      agent: await tokenOf(product, database, company.id, agentId),
      neighbour: await tokenOf(product, database, neighbour.company.id, neighbour.adminId),
    };
    const means = { pool, readers, floor: floorOf(history) };
    const measured: [Reading, ListRead, Samples][] = [];
    for (const reading of readings(company, longTicketId)) {
      const read = await readList(`${product.url}/api${reading.path}`, tokens[reading.who]);
      measured.push([reading, read, await measure(read, means)]);
    }
    const rates = await measureArrivals(product, network, [company, neighbour.company]);
    return describe(measured, rates);
  } finally {
    readers.stop();
    await pool.end();
    await product.app.close();
  }
}

async function measure(read: ListRead, { pool, readers, floor }: Means): Promise<Samples> {
  const samples: Samples = { floorMs: [], sqlMs: [], productMs: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    const floorMs = await repeat(pace, () => replay(pool, floor));
    const sqlMs = await repeat(pace, () => replay(pool, read.list));
    const productMs = await readAll(readers, read, pace);
    if (round === 0) continue;
    samples.floorMs.push(...floorMs);
    samples.sqlMs.push(...sqlMs);
    samples.productMs.push(...productMs);
  }
  return samples;
}

/** One of the agent's open tickets gets a long conversation in its queue. */
async function lengthenTicket(
  { ownerUrl }: BenchDatabase,
  { id }: Company,
  agentId: UserId,
): Promise<number> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    await client.query("set session_replication_role = replica; set synchronous_commit = off");
    const { rows } = await client.query<{ id: number; queueId: QueueId }>(
      `select id, queue_id as "queueId" from tickets where company_id = $1 and user_id = $2 and status = 'open' limit 1`,
      [id, agentId],
    );
    const [ticket] = rows;
    if (!ticket) throw new Error("the agent serves nobody");
    await client.query(
      `insert into messages (company_id, id, ticket_id, provider_id, body, from_me, read, ack, queue_id, created_at)
       select $1, gen_random_uuid(), $2, 'L-' || n, 'Recado número ' || n, n % 2 = 0, true, 3, $3,
         now() - (${LONG_TICKET_MESSAGES} - n) * interval '1 min'
       from generate_series(1, ${LONG_TICKET_MESSAGES}) n`,
      [id, ticket.id, ticket.queueId],
    );
    return ticket.id;
  } finally {
    await client.end();
  }
}

/** Another company on the same installation, with little behind it. */
async function addNeighbour(
  database: BenchDatabase,
): Promise<{ company: Company; adminId: UserId }> {
  const added = await fill(database, async (tx) => {
    const company = await addCompany(tx, { name: "Vizinha", queues: 6, connections: 2 });
    const base = { companyId: company.id, profile: "admin" as const, number: 0, queueIds: [] };
    return { company, adminId: await addUser(tx, base) };
  });
  const client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  try {
    const values = [added.company.id, added.company.connectionIds[0]];
    await client.query(
      `with c as (
         insert into contacts (company_id, name, number) select $1, 'Cliente ' || n, '55219' || (70000000 + n)
         from generate_series(1, 200) n returning id
       ), t as (
         insert into tickets (company_id, uuid, contact_id, connection_id, status)
         select $1, gen_random_uuid(), id, $2, 'closed' from c returning id
       )
       insert into messages (company_id, id, ticket_id, connection_id, provider_id, body, from_me, read, ack)
       select $1, gen_random_uuid(), t.id, $2, 'N-' || t.id || '-' || k, 'Segue o boleto ' || t.id % 200 * 10 + k, true, true, 3
       from t, generate_series(1, ${NEIGHBOUR_MESSAGES / 200}) k`,
      values,
    );
    await client.query("vacuum analyze");
  } finally {
    await client.end();
  }
  return added;
}

const CHATS = 200;
const MESSAGES_PER_ROUND = 1_000;
const ARRIVAL_ROUNDS = 6;

/** Messages per second from customers with a history of 100,000 tickets behind them, and from those of a new company. */
async function measureArrivals(
  { app }: Product,
  network: LoadNetwork,
  companies: readonly [Company, Company],
): Promise<{ long: number[]; short: number[] }> {
  const rates = { long: [] as number[], short: [] as number[] };
  const arrive = async (company: Company, phones: readonly string[], round: number) => {
    const sinks = await Promise.all(company.connectionIds.map((id) => network.sinkOf(id)));
    const trace = recordInbound();
    const received = Promise.withResolvers<void>();
    trace.onReceived = () => {
      if (trace.received.size === MESSAGES_PER_ROUND) received.resolve();
    };
    const beginMs = performance.now();
    const stored: Promise<unknown>[] = [];
    for (let n = 0; n < MESSAGES_PER_ROUND; n += 1) {
      const phone = phones[n % phones.length] ?? "";
      // A customer's ticket is on one connection; those of the history are on the one of their number.
      const sink = sinks[Number(phone) % sinks.length];
      if (!sink) throw new Error("no connection");
      stored.push(sink.store([textFrom(phone, `a-${company.id}-${round}-${n}`, `Mensagem ${n}`)]));
    }
    await Promise.all([...stored, received.promise]);
    const seconds = (performance.now() - beginMs) / 1_000;
    trace.stop();
    // The automatic attendant has its quiet times; it must not stand in the next round's way.
    await app.idle();
    return MESSAGES_PER_ROUND / seconds;
  };
  const longPhones = phonesFrom(60_000_000 + TICKETS - CHATS);
  const shortPhones = phonesFrom(81_000_000);
  for (let round = 0; round <= ARRIVAL_ROUNDS; round += 1) {
    const long = await arrive(companies[0], longPhones, round);
    const short = await arrive(companies[1], shortPhones, round);
    // The first one makes tickets, and opens the closed ones again.
    if (round === 0) continue;
    rates.long.push(long);
    rates.short.push(short);
  }
  return rates;
}

function phonesFrom(first: number): string[] {
  return Array.from({ length: CHATS }, (_, n) => `55119${first + n}`);
}

function describe(
  measured: readonly [Reading, ListRead, Samples][],
  { long, short }: { long: number[]; short: number[] },
): PartReport {
  const both = (values: number[]) =>
    `${figure(median(values))} / ${figure(percentile(values, 0.95))}`;
  const ratio = ({ floorMs, sqlMs }: Samples) => median(sqlMs) / median(floorMs);
  const share = median(long) / median(short);
  return {
    name: "reads",
    title: `reading in a company with ${TICKETS} tickets and ${MESSAGES} messages, one reader`,
    tables: [
      {
        headings: [
          "p50 / p95 in ms",
          "rows",
          "the floor",
          "its SQL alone",
          "SQL / floor",
          "product over HTTP",
        ],
        rows: measured.map(([{ name, who }, { rows, count }, samples]) => [
          `${who}: ${name}`,
          `${rows} of ${count}`,
          both(samples.floorMs),
          both(samples.sqlMs),
          `${figure(ratio(samples))} ×`,
          both(samples.productMs),
        ]),
      },
      {
        headings: ["customers' messages/s", "median"],
        rows: [
          ["with the history behind them", figure(median(long))],
          ["in a new company", figure(median(short))],
        ],
      },
    ],
    goals: [
      ...measured.map(([{ name, who, limit }, , samples]) => ({
        figure: `${who}: ${name}, p50 against a page of one table`,
        value: ratio(samples),
        unit: "×",
        limit,
        want: "≤" as const,
      })),
      {
        figure: "customers' messages with a long history against a new company",
        value: share * 100,
        unit: "%",
        limit: 60,
        want: "≥" as const,
      },
    ],
    notes: [
      `The floor is a page of forty tickets of the same company by its index: no names, no count. ${percent(share)} of a new company's messages per second arrive in one with a long history.`,
      "The product reads with what proves who asks and builds the reply; its SQL alone is the list's transaction sent again.",
    ],
  };
}
