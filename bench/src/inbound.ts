import type { EventSink } from "@balcao/server/src/channels/port.ts";
import pg from "pg";
import { addCompany, fill } from "./companies.ts";
import type { InboundTrace } from "./inbound-trace.ts";
import { recordInbound } from "./inbound-trace.ts";
import { replayInbound } from "./inbound-floor.ts";
import { createLoadNetwork, textFrom } from "./load-adapter.ts";
import type { BenchDatabase, BenchPostgres } from "./postgres.ts";
import { startProduct } from "./product.ts";
import { openFloor } from "./replay.ts";
import type { PartReport } from "./report.ts";
import { figure, percent } from "./report.ts";
import { median, sum } from "./statistics.ts";

const COMPANIES = 2;
const CONNECTIONS_PER_COMPANY = 2;
const CHATS = 200;
/** Messages handed over and not yet handled, at most. */
const WINDOW = 400;
/** Short rounds, many of them: what else the machine does hits both sides alike. */
const MESSAGES_PER_ROUND = 2_000;
const WARM_UP_ROUNDS = 2;
const ROUNDS = 12;

type Chat = { phone: string; sink: EventSink };
type Run = { seconds: number; cpuSeconds: number };
type Round = { product: Run; floor: Run; journalCommits: number; statements: number };

/**
 * Messages per second from the port to the live events, against the same statements sent by the plain driver. Both run
 * in this process and in turns, on two databases that were equal at the start: what the product did in a round is
 * recorded and done again, in the same transactions, chat by chat in order, with the same parallelism.
 */
export async function measureInbound(postgres: BenchPostgres): Promise<PartReport> {
  const database = await postgres.create("inbound");
  const connectionIds = await fill(database, async (tx) => {
    const wish = { queues: 2, connections: CONNECTIONS_PER_COMPANY };
    const added = [];
    for (let n = 1; n <= COMPANIES; n += 1) {
      added.push(await addCompany(tx, { name: `Empresa ${n}`, ...wish }));
    }
    return added.flatMap((company) => company.connectionIds);
  });
  const open = async () => {
    const network = createLoadNetwork();
    const product = await startProduct(database, postgres.folder("inbound"), network.adapter);
    const sinks = await Promise.all(connectionIds.map((id) => network.sinkOf(id)));
    return { product, chats: chatsOf(sinks) };
  };

  // Every chat becomes a ticket before the copy is made, so both sides go on from the same contacts and tickets.
  const first = await open();
  for (const chat of first.chats)
    await chat.sink.store([textFrom(chat.phone, `hello-${chat.phone}`, "Olá")]);
  await first.product.app.idle();
  await first.product.app.close();
  const copy = await postgres.copy(database, "inbound_floor");

  const { product, chats } = await open();
  await copyLeases(database, copy);
  const pool = openFloor(copy.appUrl);
  const rounds: Round[] = [];
  try {
    for (let number = 0; number < WARM_UP_ROUNDS + ROUNDS; number += 1) {
      const trace = recordInbound();
      const own = await measured(() => sendAll(chats, number, trace));
      trace.stop();
      await product.app.idle();
      const floor = await measured(() => replayInbound(pool, trace, WINDOW));
      rounds.push({ product: own, floor, ...countsOf(trace) });
    }
  } finally {
    await pool.end();
    await product.app.close();
  }
  await assertSameMessages(database, copy, CHATS + (WARM_UP_ROUNDS + ROUNDS) * MESSAGES_PER_ROUND);
  return describe(rounds.slice(WARM_UP_ROUNDS));
}

function chatsOf(sinks: readonly EventSink[]): Chat[] {
  return Array.from({ length: CHATS }, (_, n) => {
    const sink = sinks[n % sinks.length];
    if (!sink) throw new Error("no connection for the chat");
    return { phone: `55119${81_000_000 + n}`, sink };
  });
}

/** Resolves when every message of the round was handled. */
function sendAll(chats: readonly Chat[], round: number, trace: InboundTrace): Promise<void> {
  return new Promise((resolve, reject) => {
    let sent = 0;
    const sendSome = (): void => {
      while (sent < MESSAGES_PER_ROUND && sent - trace.received.size < WINDOW) {
        const chat = chats[sent % chats.length];
        if (!chat) throw new Error("no chats");
        const text = `Mensagem ${sent}: o pedido ainda não chegou, podem verificar por favor?`;
        chat.sink.store([textFrom(chat.phone, `m-${round}-${sent}`, text)]).catch(reject);
        sent += 1;
      }
      if (trace.received.size === MESSAGES_PER_ROUND) resolve();
    };
    trace.onReceived = sendSome;
    sendSome();
  });
}

async function measured(work: () => Promise<void>): Promise<Run> {
  const cpu = process.cpuUsage();
  const beginMs = performance.now();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return {
    seconds: (performance.now() - beginMs) / 1_000,
    cpuSeconds: (user + system) / 1_000_000,
  };
}

/** The statements carry the lease's owner and fence: the copy must know them too. */
async function copyLeases(from: BenchDatabase, to: BenchDatabase): Promise<void> {
  const leases = await ask(from, "select connection_id, owner, fence from connection_leases");
  for (const { connection_id: id, owner, fence } of leases) {
    await ask(
      to,
      `update connection_leases set owner = $2, fence = $3, expires_at = 'infinity' where connection_id = $1`,
      [id, owner, fence],
    );
  }
}

/** Neither side may have won by leaving work out. */
async function assertSameMessages(
  database: BenchDatabase,
  copy: BenchDatabase,
  expected: number,
): Promise<void> {
  const question = `select (select count(*) from messages) as messages,
                           (select sum(unread_messages) from tickets) as unread,
                           (select count(*) from inbound_journal) as journal`;
  for (const side of [database, copy]) {
    const [found] = await ask(side, question);
    const isRight =
      Number(found?.["messages"]) === expected &&
      Number(found?.["unread"]) === expected &&
      Number(found?.["journal"]) === 0;
    if (!isRight)
      throw new Error(`${side.name} holds ${JSON.stringify(found)} after ${expected} messages`);
  }
}

async function ask(
  { ownerUrl }: BenchDatabase,
  text: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>(text, values);
  await client.end();
  return rows;
}

function countsOf({ journal, received }: InboundTrace) {
  const statements = [...received.values()].map((transaction) => transaction.statements.length);
  return { journalCommits: journal.length, statements: sum(statements) };
}

function describe(rounds: readonly Round[]): PartReport {
  const messages = rounds.length * MESSAGES_PER_ROUND;
  const rate = ({ seconds }: Run) => MESSAGES_PER_ROUND / seconds;
  const ratios = rounds.map(({ product, floor }) => rate(product) / rate(floor));
  const ratio = median(ratios);
  const spread = (values: readonly number[], shown: (value: number) => string) =>
    [Math.min(...values), median(values), Math.max(...values)].map(shown);
  const row = (name: string, runs: readonly Run[]) => {
    const cpuMs = (1_000 * sum(runs.map(({ cpuSeconds }) => cpuSeconds))) / messages;
    return [name, ...spread(runs.map(rate), figure), `${figure(cpuMs)} ms`];
  };
  const statements = sum(rounds.map((round) => round.statements)) / messages;
  const batch = messages / sum(rounds.map(({ journalCommits }) => journalCommits));
  return {
    name: "inbound",
    title: `customers' messages per second (${messages} in ${CHATS} chats on ${COMPANIES * CONNECTIONS_PER_COMPANY} connections)`,
    tables: [
      {
        headings: ["messages/s", "least", "median", "most", "node's CPU per message"],
        rows: [
          row(
            "same SQL alone",
            rounds.map(({ floor }) => floor),
          ),
          row(
            "product",
            rounds.map(({ product }) => product),
          ),
          ["product / SQL alone", ...spread(ratios, percent), ""],
        ],
      },
    ],
    goals: [
      {
        figure: "throughput against the same SQL alone",
        value: ratio * 100,
        unit: "%",
        limit: 60,
        want: "≥",
      },
    ],
    notes: [
      `${rounds.length} rounds of each, in turns. A message is one transaction of ${figure(statements)} statements, after a share of a journal commit (${figure(batch)} messages each).`,
      `At most ${WINDOW} messages are on their way. The load, the product and the driver of the SQL alone run in this one process.`,
    ],
  };
}
