import type { Tag, UserId } from "@balcao/contract";
import { clientEvents, companyEvent, READY_EVENT } from "@balcao/contract";
import pg from "pg";
import { io } from "socket.io-client";
import type { Company } from "./companies.ts";
import { addCompany, addUser, fill } from "./companies.ts";
import { createLoadNetwork } from "./load-adapter.ts";
import type { BenchDatabase, BenchPostgres } from "./postgres.ts";
import { startProduct, tokenOf } from "./product.ts";
import { recordTransactions } from "./recorder.ts";
import type { PartReport } from "./report.ts";
import { figure } from "./report.ts";
import { median, percentile } from "./statistics.ts";

/** Tickets that wait or are served, and closed ones that carry tags of lanes too. */
const LIVING = 20_000;
const CLOSED = 100_000;
const LANES = 7;
/** The first ones warm up and do not count. */
const WARM_UPS = 5;
const READS = 40;
const MOVES = 60;

/** The board of a company with very many tickets: its first view, its counts, the next cards, and a move on another screen. */
export async function measureKanban(postgres: BenchPostgres): Promise<PartReport> {
  const database = await postgres.create("kanban");
  const world = await fill(database, async (tx) => {
    const company = await addCompany(tx, { name: "Quadro", queues: 5, connections: 2 });
    const common = { companyId: company.id, queueIds: company.queueIds };
    const adminId = await addUser(tx, { ...common, profile: "admin", number: 0 });
    const agentId = await addUser(tx, { ...common, profile: "user", number: 1 });
    return { company, adminId, agentId };
  });
  await writeBoard(database, world);
  const product = await startProduct(
    database,
    postgres.folder("kanban"),
    createLoadNetwork().adapter,
  );
  try {
    const { company, adminId, agentId } = world;
    const admin = await tokenOf(product, database, company.id, adminId);
    const agent = await tokenOf(product, database, company.id, agentId);
    const get = async <T>(path: string, token: string): Promise<T> => {
      const reply = await fetch(`${product.url}/api${path}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      if (!reply.ok) throw new Error(`${path} answered ${reply.status}`);
      return (await reply.json()) as T;
    };
    const { lista: lanes } = await get<{ lista: Tag[] }>("/tags/kanban", admin);
    const far = "before=2999-01-01T00:00:00.000Z&beforeId=1";
    const reads: [name: string, path: string, token: string][] = [
      ["admin: first view", "/kanban", admin],
      ["agent: first view", "/kanban", agent],
      ["admin: first view of a queue", `/kanban?queueIds=[${company.queueIds[0]}]`, admin],
      ["admin: a search", "/kanban?searchParam=cliente%20777", admin],
      ["admin: counts", "/kanban/counts", admin],
      ["admin: next cards of a lane", `/kanban/cards?laneId=${lanes[3]?.id}&${far}`, admin],
      ["admin: next cards of the first lane", `/kanban/cards?laneId=0&${far}`, admin],
    ];
    const measured: { name: string; ms: number[]; statements: number }[] = [];
    for (const [name, path, token] of reads) {
      const ms: number[] = [];
      // Jobs of the product add statements to some reads; the smallest number is that of the read alone.
      let statements = Number.POSITIVE_INFINITY;
      for (let n = 0; n < WARM_UPS + READS; n += 1) {
        let seen = 0;
        const stop = recordTransactions((sent) => {
          if (sent.begin?.includes("app.company_id")) seen += sent.statements.length;
        });
        const beginMs = performance.now();
        await get(path, token);
        if (n >= WARM_UPS) ms.push(performance.now() - beginMs);
        stop();
        statements = Math.min(statements, seen);
      }
      measured.push({ name, ms, statements });
    }
    const movesMs = await measureMoves(product.url, { admin, agent, company, lanes });
    return describe(measured, movesMs);
  } finally {
    await product.app.close();
  }
}

type World = { company: Company; adminId: UserId; agentId: UserId };

/** One of six tickets waits or is served, every eighth has no tag of the board. */
async function writeBoard({ ownerUrl }: BenchDatabase, { company, agentId }: World): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    await client.query("set session_replication_role = replica; set synchronous_commit = off");
    await client.query(
      `insert into tags (company_id, name, color, kanban)
       select $1, 'Coluna ' || n, '#116655', 1 from generate_series(1, ${LANES}) n`,
      [company.id],
    );
    await client.query(
      `with c as (
         insert into contacts (company_id, name, number)
         select $1, 'Cliente ' || n, '55119' || (60000000 + n) from generate_series(1, ${LIVING + CLOSED}) n returning id
       ), t as (
         select id as contact_id, row_number() over (order by id) as n from c
       )
       insert into tickets (company_id, uuid, contact_id, connection_id, queue_id, status, user_id, last_message, last_message_at, updated_at)
       select $1, gen_random_uuid(), contact_id, ($2::int[])[1 + n % 2],
         case when n % 6 = 0 then ($3::int[])[1 + n % 5] end,
         case when n % 6 > 0 then 'closed' when n % 4 = 0 then 'pending' else 'open' end,
         case when n % 6 = 0 and n % 4 <> 0 then $4::int end, 'Bom dia, gostaria de saber do pedido ' || n, now(),
         date_trunc('milliseconds', now()) - (n * 7919 % 400000) * interval '1 second'
       from t`,
      [company.id, company.connectionIds, company.queueIds, agentId],
    );
    await client.query(
      `insert into ticket_tags (company_id, ticket_id, tag_id)
       select t.company_id, t.id, g.ids[1 + t.id % ${LANES}]
       from tickets t, (select array_agg(id order by id) as ids from tags where company_id = $1) g
       where t.company_id = $1 and t.id % 8 > 0`,
      [company.id],
    );
    await client.query("vacuum analyze");
  } finally {
    await client.end();
  }
}

type Movers = { admin: string; agent: string; company: Company; lanes: readonly Tag[] };

/** An admin moves waiting tickets; until when a colleague's socket has heard of it. */
async function measureMoves(
  url: string,
  { admin, agent, company, lanes }: Movers,
): Promise<number[]> {
  const socket = io(url, { transports: ["websocket"], query: { token: agent } });
  const heard = new Map<number, (atMs: number) => void>();
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once(READY_EVENT, () => resolve());
      socket.once("connect_error", reject);
    });
    socket.emit(clientEvents.joinTickets, "pending");
    socket.on(companyEvent(company.id, "ticket"), (event: { ticket?: { id: number } }) => {
      if (event.ticket) heard.get(event.ticket.id)?.(performance.now());
    });
    const headers = { authorization: `Bearer ${admin}`, "content-type": "application/json" };
    const reply = await fetch(`${url}/api/tickets?status=pending&showAll=true`, { headers });
    const { tickets } = (await reply.json()) as {
      tickets: { id: number; tags: { id: number }[] }[];
    };
    const delays: number[] = [];
    const at = new Map(tickets.map(({ id, tags }) => [id, tags.at(-1)?.id ?? null]));
    for (let n = 0; n < MOVES; n += 1) {
      const ticket = tickets[n % tickets.length];
      if (!ticket) throw new Error("nobody waits");
      const from = at.get(ticket.id) ?? null;
      const to = lanes.find(({ id }) => id !== from)?.id ?? null;
      const arrival = new Promise<number>((resolve) => heard.set(ticket.id, resolve));
      const beginMs = performance.now();
      const body = JSON.stringify({ from, to });
      const moved = await fetch(`${url}/api/kanban/cards/${ticket.id}`, {
        method: "PUT",
        headers,
        body,
      });
      if (!moved.ok) throw new Error(`the move answered ${moved.status}`);
      delays.push((await arrival) - beginMs);
      at.set(ticket.id, to);
    }
    return delays.slice(WARM_UPS);
  } finally {
    socket.disconnect();
  }
}

function describe(
  measured: readonly { name: string; ms: number[]; statements: number }[],
  movesMs: readonly number[],
): PartReport {
  const row = (name: string, ms: readonly number[], statements: string) => [
    name,
    figure(median([...ms])),
    figure(percentile([...ms], 0.95)),
    statements,
  ];
  const [first] = measured;
  if (!first) throw new Error("nothing was measured");
  return {
    name: "kanban",
    title: `a board of ${LIVING} tickets in ${LANES + 1} lanes, ${CLOSED} closed tickets behind it`,
    tables: [
      {
        headings: ["over HTTP, ms", "p50", "p95", "statements"],
        rows: [
          ...measured.map(({ name, ms, statements }) => row(name, ms, String(statements))),
          row("a move, until a colleague's socket has it", movesMs, ""),
        ],
      },
    ],
    goals: [
      { figure: "first view, p50", value: median(first.ms), unit: "ms", limit: 100, want: "≤" },
      { figure: "first view, statements", value: first.statements, unit: "", limit: 2, want: "≤" },
      {
        figure: "a move on another socket, p95",
        value: percentile([...movesMs], 0.95),
        unit: "ms",
        limit: 300,
        want: "≤",
      },
    ],
    notes: [
      "Statements without the one that reads the caller's rights. The first view has the first 25 cards of each lane and the exact counts of all.",
    ],
  };
}
