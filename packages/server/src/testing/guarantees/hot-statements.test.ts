import { sql } from "drizzle-orm";
import pg from "pg";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import type { Desk } from "../../features/attendant/testing/desk.ts";
import { createDesk, quickAttendant } from "../../features/attendant/testing/desk.ts";
import { testApp } from "../app.ts";
import type { GivenUser } from "../given.ts";

// Hot statements cost the same in a company with a long history. Each statement is looked at while the product runs it,
// as its role and with its values: how many rows its plan reads. A plan that reads a whole table reads TICKETS rows.

const TICKETS = 20_000;
const MESSAGES_OF_ONE = 3_000;

const app = await testApp({ attendantSettings: quickAttendant });
let desk: Desk;
let longTicketId: number;
/** On two old tickets. The tag after it is on a third of all, and a lane of the board. */
const rareTagId = 1_000_001;
/** An internal chat with as many messages as the longest conversation. */
const longChatId = 1_000_001;
/** Of one old ticket. */
let spareConnectionId: number;
/** For a company with twenty messages. */
let neighbour: GivenUser;

beforeAll(async () => {
  const queues = ["Vendas", "Suporte", "Cobrança", "Oficina"].map((name) => ({ name }));
  desk = await createDesk(app, { greeting: "Olá!", queues });
  await desk.online();
  const company = await app.given.company();
  neighbour = await app.given.admin({ company });
  const ticket = await app.given.ticket({ company });
  for (let n = 1; n <= 20; n += 1) await app.given.message(ticket, { body: `Recado ${n}` });
  spareConnectionId = await app.given.connection({ company: desk.company, linked: false });
  longTicketId = await writeHistory();
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** Closed tickets of the queues in turn, served by the agent, a message each; the oldest one has many. */
async function writeHistory(): Promise<number> {
  const client = new pg.Client({ connectionString: app.database.ownerUrl });
  await client.connect();
  const given = [desk.company.id, desk.connectionId, desk.agent.id, desk.queueIds];
  const statements: [text: string, values: unknown[]][] = [
    ["set session_replication_role = replica", []],
    [
      `create temp table plan as
       select n, $1::int as company_id, $2::int as connection_id, $3::int as agent_id, ($4::int[])[1 + n % 4] as queue_id,
         case when n % 100 > 1 then 'closed' when n % 2 = 0 then 'pending' else 'open' end as status,
         now() - (${TICKETS + 1} - n) * interval '10 min' as at, 1000000 + n as id
       from generate_series(1, ${TICKETS}) n`,
      given,
    ],
    [
      `insert into contacts (id, company_id, name, number, created_at) overriding system value
       select id, company_id, (array['Ana', 'Bruno', 'Carla', 'Davi'])[1 + n % 4] || ' ' || n, '55219' || (60000000 + n), at from plan`,
      [],
    ],
    [
      `insert into attendances (id, company_id, ticket_id, connection_id, user_id, queue_id, queued_at, started_at, finished_at)
       overriding system value
       select id, company_id, id, connection_id, case when status <> 'pending' then agent_id end, queue_id, at, at,
         case when status = 'closed' then at end from plan`,
      [],
    ],
    [
      `insert into tickets (id, company_id, uuid, contact_id, connection_id, status, user_id, queue_id, last_attendance_id,
         served_user_id, served_queue_id, updated_at) overriding system value
       select id, company_id, gen_random_uuid(), id, connection_id, status, case when status = 'open' then agent_id end,
         case when status <> 'closed' then queue_id end, id, case when status = 'closed' then agent_id end,
         case when status = 'closed' then queue_id end, at from plan`,
      [],
    ],
    [
      `insert into messages (company_id, id, ticket_id, connection_id, provider_id, body, from_me, read, ack, queue_id, created_at)
       select company_id, gen_random_uuid(), id, connection_id, id || '-' || k, 'Bom dia', false, true, 3, queue_id, at
       from plan, generate_series(1, case when n = 2 then ${MESSAGES_OF_ONE} else 1 end) k`,
      [],
    ],
    [
      `update tickets t set last_message = m.body, last_message_id = m.id, last_message_at = m.created_at,
         last_message_queue_id = m.queue_id
       from messages m where m.company_id = t.company_id and m.ticket_id = t.id and t.id > 1000000`,
      [],
    ],
    ["update tickets set connection_id = $1 where id = 1000104", [spareConnectionId]],
    [
      `insert into tags (id, company_id, name, kanban) overriding system value
       values ($2, $1, 'Rara', 0), ($2 + 1, $1, 'De muitos', 1)`,
      [desk.company.id, rareTagId],
    ],
    [
      `insert into ticket_tags (company_id, ticket_id, tag_id)
       select company_id, id, $1 + 1 from plan where n % 3 = 0
       union all select company_id, id, $1 from plan where n in (102, 103)`,
      [rareTagId],
    ],
    [
      `insert into chats (id, company_id, uuid, title, owner_id, last_message_at) overriding system value
       select $3::int + n, $1, gen_random_uuid(), 'Grupo ' || n, $2, now() - n * interval '1 hour' from generate_series(0, 2000) n`,
      [desk.company.id, desk.admin.id, longChatId],
    ],
    [
      `insert into chat_members (company_id, chat_id, user_id)
       select company_id, id, user_id from chats, unnest(array[$1::int, $2::int]) user_id
       where id >= $3 and (user_id = $2 or id < $3 + 40)`,
      [desk.agent.id, desk.admin.id, longChatId],
    ],
    [
      `insert into chat_messages (company_id, chat_id, sender_id, message)
       select $1, $3::int + n % 10, $2, 'Bom dia' from generate_series(1, ${MESSAGES_OF_ONE * 10}) n`,
      [desk.company.id, desk.agent.id, longChatId],
    ],
    [
      `insert into announcements (provider_id, title, text, priority, status, published_at)
       select $1, 'Aviso ' || n, 'Texto', 1, true, now() - n * interval '1 day' from generate_series(1, 3000) n`,
      [desk.company.id],
    ],
    ["vacuum analyze tickets", []],
    ["analyze", []],
  ];
  try {
    for (const [text, values] of statements) await client.query(text, values);
    return 1_000_002;
  } finally {
    await client.end();
  }
}

type PlanNode = {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Function Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  "Shared Hit Blocks": number;
  "Shared Read Blocks": number;
  Plans?: PlanNode[];
};
type Looked = {
  statement: string;
  rows: number;
  tables: string[];
  functions: number;
  /** Pages of tables and indexes, in functions as well. */
  buffers: number;
};

/** Explains what the product sends to the database while something is done, before it is done, in the same transaction. */
async function plansDuring(action: () => Promise<unknown>): Promise<Looked[]> {
  const looked: Looked[] = [];
  const driver = pg.Client.prototype as unknown as { query: (...sent: unknown[]) => unknown };
  const send = driver.query;
  const inTransaction = new WeakSet<object>();
  /** A commit can be sent behind its statement without waiting for it, and must not overtake what looks at it. */
  const looks = new WeakMap<object, Promise<unknown>>();
  vi.spyOn(driver, "query").mockImplementation(function (this: object, ...sent: unknown[]) {
    const [statement] = sent;
    const text = textOf(statement);
    if (/^(begin|commit|rollback)/i.test(text)) {
      if (/^begin.*app\.company_id/is.test(text)) inTransaction.add(this);
      else inTransaction.delete(this);
      const look = looks.get(this);
      looks.delete(this);
      if (look === undefined) return send.apply(this, sent);
      return look.catch(() => undefined).then(() => send.apply(this, sent));
    }
    if (!inTransaction.has(this) || !/^\s*(with|select|insert|update)\b/i.test(text)) {
      return send.apply(this, sent);
    }
    const name = (statement as { name?: string }).name ?? "";
    const values = (statement as { values?: unknown[] }).values ?? (sent[1] as unknown[]);
    const look = (async () => {
      await send.call(this, "savepoint look");
      const explain = { text: `explain (analyze, buffers, format json) ${text}`, values };
      const { rows } = (await send.call(this, explain)) as {
        rows: { "QUERY PLAN": [{ Plan: PlanNode }] }[];
      };
      await send.call(this, "rollback to savepoint look");
      const root = rows[0]?.["QUERY PLAN"][0].Plan;
      const nodes = flatten(root);
      const scans = nodes.filter((node) => node["Relation Name"] !== undefined);
      looked.push({
        buffers: (root?.["Shared Hit Blocks"] ?? 0) + (root?.["Shared Read Blocks"] ?? 0),
        statement: name === "" ? text.trim().slice(0, 60) : name,
        rows: scans.reduce((total, node) => total + rowsRead(node), 0),
        tables: scans
          .filter((node) => rowsRead(node) > 1_500)
          .map(
            (node) =>
              `${node["Node Type"]} ${node["Relation Name"]} ${node["Index Name"] ?? ""}: ${rowsRead(node)}`,
          ),
        functions: nodes.reduce(
          (total, node) => total + (node["Function Name"]?.startsWith("search_") ? 1 : 0),
          0,
        ),
      });
      return send.apply(this, sent);
    })();
    looks.set(this, look);
    return look;
  });
  await action();
  vi.restoreAllMocks();
  return looked;
}

function textOf(statement: unknown): string {
  if (typeof statement === "string") return statement;
  const isObject = typeof statement === "object" && statement !== null && "text" in statement;
  return isObject ? String(statement.text) : "";
}

function flatten(node: PlanNode | undefined): PlanNode[] {
  return node === undefined ? [] : [node, ...(node.Plans ?? []).flatMap(flatten)];
}

function rowsRead(node: PlanNode): number {
  const removed =
    (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0);
  return (node["Actual Rows"] + removed) * node["Actual Loops"];
}

/** The statements that read more rows than they may. */
function excess(looked: readonly Looked[], limit: number): unknown[] {
  return looked.filter(({ rows }) => rows > limit);
}

test("a customer's message reads a few rows of each table, however long the company's history", async () => {
  const phone = desk.newPhone();
  await desk.write(phone, "Oi");
  await app.idle();
  const looked = await plansDuring(async () => {
    await desk.write(phone, "Tem alguém?");
    await app.idle();
  });
  expect(looked.map(({ statement }) => statement)).toContain("messages.store-and-call");
  expect(excess(looked, 200)).toEqual([]);
});

test.each([
  // The count of a list stops behind 1,000.
  ["the agent's open list", "/tickets?status=open&showAll=false", 2_500],
  ["the agent's waiting list", "/tickets?status=pending&showAll=false", 2_500],
  [
    "the agent's open list, pinned tickets first, without those put off",
    "/tickets?status=open&showAll=false&pinnedFirst=true&snoozed=false",
    2_500,
  ],
  ["the agent's tickets that are put off", "/tickets?status=open&snoozed=true", 200],
  ["the agent's closed list", "/tickets?status=closed&showAll=false", 4_000],
  ["a page of messages", "/messages/:long?markRead=false", 2_500],
  // As many as it finds, or the conversation's own, twice.
  ["words that a conversation has", "/messages/:long/search?searchParam=bom", 500],
  [
    "words that it has not",
    "/messages/:long/search?searchParam=xilofone",
    MESSAGES_OF_ONE * 2 + 200,
  ],
  ["a ticket", "/tickets/:long", 200],
  ["the connections", "/whatsapp", 200],
  // The living cards, with lane, names and last message; a lane has thousands of closed tickets as well.
  ["the board", "/kanban", 6_000],
  ["the board's counts", "/kanban/counts", 2_500],
  ["the next cards of a lane", "/kanban/cards?laneId=:lane&before=:now&beforeId=1", 2_500],
  ["the internal chats", "/chats", 500],
  ["a page of a chat", "/chats/:chat/messages", 1_500],
  ["words that a chat has", "/chats/:chat/search?searchParam=bom", MESSAGES_OF_ONE + 200],
  ["new announcements", "/announcements/unseen", 300],
])("an agent's reading: %s", async (_what, path, limit) => {
  const looked = await plansDuring(async () => {
    const address = path
      .replace(":long", String(longTicketId))
      .replace(":lane", String(rareTagId + 1))
      .replace(":chat", String(longChatId))
      .replace(":now", new Date().toISOString());
    expect((await app.as(desk.agent).get(address)).status).toBe(200);
  });
  expect(looked.length).toBeGreaterThan(0);
  expect(excess(looked, limit)).toEqual([]);
});

test.each([
  ["all open tickets", "/tickets?status=open&showAll=true", 2_500],
  ["the closed list", "/tickets?status=closed&showAll=true", 2_500],
  ["the closed list of one queue", "/tickets?status=closed&showAll=true&queueIds=[:queue]", 6_000],
  // An agent with hardly any tickets: no other agent's tickets are read.
  ["the closed list of another user", "/tickets?status=closed&showAll=true&users=[:admin]", 200],
  ["the unread closed ones", "/tickets?status=closed&showAll=true&withUnreadMessages=true", 200],
  ["the closed ones with a tag", "/tickets?status=closed&showAll=true&tags=[:tag]", 200],
  [
    "the closed ones of a hardly used connection",
    "/tickets?status=closed&showAll=true&whatsappIds=[:spare]",
    200,
  ],
  ["a page of messages", "/messages/:long?markRead=false", 2_500],
  // The statement reads the attendances of the asked days only; a day has 144.
  ["the figures of now", "/dashboard/now", 3_500],
  ["the figures of two days", "/dashboard/figures?days=2", 2_500],
  ["the report of two days", "/reports/attendances?days=2", 800],
  ["the report of what two days resolved", "/reports/attendances?days=2&by=resolved", 800],
])("an admin's reading: %s", async (_what, path, limit) => {
  const looked = await plansDuring(async () => {
    const address = path
      .replace(":long", String(longTicketId))
      .replace(":queue", String(desk.queueIds[0]))
      .replace(":tag", String(rareTagId))
      .replace(":spare", String(spareConnectionId))
      .replace(":admin", String(desk.admin.id));
    expect((await app.as(desk.admin).get(address)).status).toBe(200);
  });
  expect(excess(looked, limit)).toEqual([]);
});

test("the search of contacts is done once, and only what is shown is read", async () => {
  const looked = await plansDuring(async () => {
    const reply = await app
      .as(desk.agent)
      .get<{ count: number }>("/contacts?searchParam=carla&pageNumber=1");
    expect(reply.body.count).toBe(TICKETS / 4);
  });
  // A statement of a job may be among them.
  expect(looked.map(({ functions }) => functions).filter((count) => count > 0)).toEqual([1]);
  // Seven rows for each contact of the page, one of them the look for a duplicate.
  expect(excess(looked, 220)).toEqual([]);
});

test("every closed ticket names the agent and queue of its newest attendance", async () => {
  const rows = await desk.rows<{ id: number }>(sql`
    select t.id from tickets t join attendances a on a.company_id = t.company_id and a.id = t.last_attendance_id
    where (t.served_user_id, t.served_queue_id) is distinct from
      (case when t.status = 'closed' then a.user_id end, case when t.status = 'closed' then a.queue_id end)`);
  expect(rows).toEqual([]);
});

test.each([
  ["/tickets?status=closed&showAll=true", 40, TICKETS * 0.98],
  ["/messages/:long?markRead=false", 20, MESSAGES_OF_ONE],
])(
  "%s counts to a thousand, and every page says whether there is more",
  async (path, size, all) => {
    const read = async (pageNumber: number) => {
      const address = `${path.replace(":long", String(longTicketId))}&pageNumber=${pageNumber}`;
      const reply = await app.as(desk.admin).get<{ count: number; hasMore: boolean }>(address);
      return [reply.body.count, reply.body.hasMore];
    };
    expect(await read(1)).toEqual([1_000, true]);
    // Clients compare the count with what they have read.
    expect(await read(1_200 / size)).toEqual([1_201, true]);
    expect(await read(all / size)).toEqual([all, false]);
    expect(await read(all / size + 1)).toEqual([1_000, false]);
  },
);

test("a small company's search is as quick in an installation of fifty million messages", async () => {
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`select setval(pg_get_serial_sequence('messages', 'seq'), 50000000)`),
  );
  for (const word of ["xilofone", "recado"]) {
    const looked = await plansDuring(async () => {
      const path = `/tickets?searchParam=${word}`;
      const reply = await app.as(neighbour).get<{ count: number }>(path);
      expect(reply.body.count).toBe(word === "recado" ? 1 : 0);
    });
    // Each stretch takes some ten pages: the smallest ones would be twelve thousand.
    expect(looked.filter(({ buffers }) => buffers > 1_500)).toEqual([]);
  }
});

// Last, because they are gone then.
test.each(["queue", "user", "connection"])(
  "the deletion of a %s reads nothing of its history",
  async (what) => {
    const path = {
      queue: `/queue/${desk.queueIds[1]}?targetQueueId=${desk.queueIds[0]}`,
      user: `/users/${desk.agent.id}`,
      connection: `/whatsapp/${desk.connectionId}`,
    }[what];
    const looked = await plansDuring(async () => {
      expect((await app.as(desk.admin).delete(path ?? "")).status).toBe(200);
    });
    expect(looked.length).toBeGreaterThan(5);
    expect(excess(looked, 3_000)).toEqual([]);
  },
);
