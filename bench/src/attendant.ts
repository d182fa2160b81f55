import { setTimeout as delay } from "node:timers/promises";
import type { ConnectionId, QueueId, TicketId } from "@balcao/contract";
import type { EventSink } from "@balcao/server/src/channels/port.ts";
import type { Tx } from "@balcao/server/src/platform/db/database.ts";
import { sql } from "drizzle-orm";
import { addCompany, addUser, fill } from "./companies.ts";
import { createLoadNetwork, textFrom } from "./load-adapter.ts";
import type { BenchPostgres } from "./postgres.ts";
import type { Product } from "./product.ts";
import { startProduct, tokenOf } from "./product.ts";
import type { Transaction } from "./recorder.ts";
import { recordTransactions } from "./recorder.ts";
import type { PartReport } from "./report.ts";
import { figure } from "./report.ts";
import { percentile, sum } from "./statistics.ts";

const COMPANIES = 4;
const CHATS_PER_COMPANY = 150;
const MESSAGES_PER_SECOND = 50;
/** For so many of the customers' messages, an agent accepts or closes a ticket. */
const SHARE_OF_ACTIONS = 0.1;
const WARM_UP_MS = 15_000;
const MEASURED_MS = 30_000;

/** Through the menu, into an option, back, and to the menu again: each of them is answered with one text. */
const WALK = ["2", "1", "0", "#"];

type Line = { connectionId: ConnectionId; companyId: number; token: string };
type Chat = Line & {
  phone: string;
  said: number;
  ticketId: TicketId | null;
  isServed: boolean;
  isBusy: boolean;
};
type Load = { messages: number; actions: number; refusals: number };

/**
 * Customers who write into menus at random moments, while agents accept and close tickets: from the moment a turn of the
 * automatic attendant is due to its committed decision, and the statements from the network to the queued answer.
 */
export async function measureAttendant(postgres: BenchPostgres): Promise<PartReport> {
  const database = await postgres.create("attendant");
  const companies = await fill(database, async (tx) => {
    const added = [];
    for (let n = 1; n <= COMPANIES; n += 1) added.push(await addDesk(tx, n));
    return added;
  });
  const network = createLoadNetwork();
  const product = await startProduct(database, postgres.folder("attendant"), network.adapter);
  const lines = await Promise.all(
    companies.map(async ({ id, userId, connectionId }) => ({
      ...{ companyId: id, connectionId },
      token: await tokenOf(product, database, id, userId),
    })),
  );
  const sinks = new Map<ConnectionId, EventSink>();
  for (const { connectionId } of lines) sinks.set(connectionId, await network.sinkOf(connectionId));
  const chats = lines.flatMap((line) => chatsOf(line));

  try {
    await run(product, chats, sinks, WARM_UP_MS);
    await product.app.idle();
    const trace = recordTurns();
    const load = await run(product, chats, sinks, MEASURED_MS);
    await product.app.idle();
    trace.stop();
    return describe(load, trace);
  } finally {
    await product.app.close();
  }
}

/** A company with three queues, of which the second has two levels of options. */
async function addDesk(tx: Tx, number: number) {
  const company = await addCompany(tx, { name: `Empresa ${number}`, queues: 3, connections: 1 });
  const { id, queueIds } = company;
  const [connectionId] = company.connectionIds;
  if (connectionId === undefined) throw new Error("the company has no connection");
  await tx.query(sql`
    insert into connection_queues (company_id, connection_id, queue_id)
    select company_id, ${connectionId}, id from queues where company_id = ${id}`);
  await tx.query(sql`
    update connections set greeting_message = 'Olá, {{firstName}}! Com quem quer falar?', max_use_bot_queues = 0
    where id = ${connectionId}`);
  await tx.query(sql`
    update queues set order_queue = id, greeting_message = 'Aqui estamos, {{name}}.' where company_id = ${id}`);
  await addOptions(tx, { companyId: id, queueId: queueIds[1] });
  const userId = await addUser(tx, { companyId: id, profile: "admin", number: 1, queueIds });
  return { id, userId, connectionId };
}

async function addOptions(
  tx: Tx,
  { companyId, queueId }: { companyId: number; queueId: QueueId | undefined },
): Promise<void> {
  await tx.query(sql`
    with roots as (
      insert into queue_options (company_id, queue_id, number, title, message)
      select ${companyId}::int, ${queueId}::int, n, 'Assunto ' || n, 'Sobre o assunto ' || n
      from generate_series(1, 4) n
      returning id
    )
    insert into queue_options (company_id, queue_id, parent_id, number, title, message)
    select ${companyId}::int, ${queueId}::int, roots.id, n, 'Detalhe ' || n, 'Mais sobre ' || n
    from roots, generate_series(1, 4) n`);
}

function chatsOf(line: Line): Chat[] {
  return Array.from({ length: CHATS_PER_COMPANY }, (_, n) => ({
    ...line,
    ...{ phone: `55119${64_000_000 + n}`, said: 0, ticketId: null, isServed: false, isBusy: false },
  }));
}

/** Messages at random moments, from each customer in turn; agents act on tickets at random. */
async function run(
  product: Product,
  chats: readonly Chat[],
  sinks: ReadonlyMap<ConnectionId, EventSink>,
  forMs: number,
): Promise<Load> {
  const load: Load = { messages: 0, actions: 0, refusals: 0 };
  const going: Promise<unknown>[] = [];
  const endMs = performance.now() + forMs;
  let dueMs = performance.now();
  for (let place = 0; ; place += 1) {
    dueMs += (-Math.log(1 - Math.random()) * 1_000) / MESSAGES_PER_SECOND;
    if (dueMs > endMs) break;
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await delay(waitMs);
    const chat = chats[place % chats.length];
    const sink = chat && sinks.get(chat.connectionId);
    if (!sink) throw new Error("no connection for the chat");
    const text = chat.said === 0 ? "Olá" : (WALK[(chat.said - 1) % WALK.length] ?? "#");
    chat.said += 1;
    load.messages += 1;
    const id = `${chat.companyId}-${chat.phone}-${chat.said}-${performance.now()}`;
    going.push(sink.store([textFrom(chat.phone, id, text)]));
    const other = chats[Math.floor(Math.random() * chats.length)];
    if (other && Math.random() < SHARE_OF_ACTIONS) going.push(act(product, other, load));
  }
  await Promise.all(going);
  return load;
}

/** Accepts the chat's ticket; the next time closes it, and the customer begins again. */
async function act({ app, url }: Product, chat: Chat, load: Load): Promise<void> {
  if (chat.isBusy) return;
  chat.isBusy = true;
  const ticketId = (chat.ticketId ??= await findTicket(app, chat));
  if (ticketId !== null) {
    const reply = await fetch(`${url}/api/tickets/${ticketId}`, {
      method: "PUT",
      headers: { authorization: `Bearer ${chat.token}`, "content-type": "application/json" },
      body: JSON.stringify({ status: chat.isServed ? "closed" : "open" }),
    });
    load.actions += 1;
    if (reply.status === 200) {
      if (chat.isServed) chat.said = 0;
      chat.isServed = !chat.isServed;
    } else load.refusals += 1;
    await reply.arrayBuffer();
  }
  chat.isBusy = false;
}

async function findTicket(
  app: Product["app"],
  { companyId, phone }: Chat,
): Promise<TicketId | null> {
  const [row] = await app.db.acrossCompanies((tx) =>
    tx.query<{ id: TicketId }>(sql`
      select t.id from tickets t join contacts c on c.company_id = t.company_id and c.id = t.contact_id
      where t.company_id = ${companyId} and c.number = ${phone}`),
  );
  return row?.id ?? null;
}

/** The statements for customers' messages and for turns. */
function recordTurns() {
  const late: number[] = [];
  const statements = { journal: 0, receiving: 0, looks: 0, turns: 0 };
  const perTurn: number[] = [];
  const stop = recordTransactions((transaction) => {
    const count = transaction.statements.length;
    const kind = kindOf(transaction);
    if (kind === null) return;
    statements[kind] += count;
    if (kind !== "turns" || !isWhole(transaction)) return;
    perTurn.push(count);
    late.push(Date.now() - dueAtOf(transaction));
  });
  return { late, statements, perTurn, stop };
}

/** By its first statement; null for what has nothing to do with customers' messages. */
function kindOf({ statements }: Transaction): "journal" | "receiving" | "looks" | "turns" | null {
  const name = statements[0]?.name;
  if (name === "journal-insert") return "journal";
  if (name === "inbound-claim") return "receiving";
  if (name === "attendant.due") return "looks";
  return name === "attendant.lock" ? "turns" : null;
}

const isWhole = ({ statements }: Transaction): boolean =>
  statements.some(({ name }) => name === "attendant.save");

function dueAtOf({ statements }: Transaction): number {
  const row = statements.find(({ name }) => name === "attendant.load")?.rows[0];
  const { dueAt } = row as { dueAt: Date }; // the attendant's own statement
  return dueAt.getTime();
}

function describe(load: Load, trace: ReturnType<typeof recordTurns>): PartReport {
  const { late, statements, perTurn } = trace;
  if (load.refusals > 0) throw new Error(`${load.refusals} actions of agents were refused`);
  const perMessage = sum(Object.values(statements)) / load.messages;
  const shares = [0.5, 0.95, 0.99, 1];
  return {
    name: "attendant",
    title: `customers in menus, ${MESSAGES_PER_SECOND} messages/s for ${MEASURED_MS / 1_000} s in ${COMPANIES * CHATS_PER_COMPANY} chats of ${COMPANIES} companies, agents accept and close beside it`,
    tables: [
      {
        headings: ["", "p50", "p95", "p99", "max"],
        rows: [
          [
            "ms from due to committed decision",
            ...shares.map((share) => figure(percentile(late, share))),
          ],
          ["statements of a turn", ...shares.map((share) => figure(percentile(perTurn, share)))],
        ],
      },
      {
        headings: ["statements per message", "journal", "receiving", "looks", "turns", "all"],
        rows: [
          [
            "",
            ...Object.values(statements).map((count) => figure(count / load.messages)),
            figure(perMessage),
          ],
        ],
      },
    ],
    goals: [
      { figure: "p99", value: percentile(late, 0.99), unit: "ms", limit: 100, want: "≤" },
      { figure: "statements per message", value: perMessage, unit: "", limit: 10, want: "≤" },
    ],
    notes: [
      `${load.messages} messages and ${load.actions} actions of agents; ${late.length} turns decided. A message waits for its turn on purpose (quiet time), which is not counted.`,
    ],
  };
}
