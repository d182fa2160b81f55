import { setTimeout as delay } from "node:timers/promises";
import type { ConnectionId } from "@balcao/contract";
import type { EventSink } from "@balcao/server/src/channels/port.ts";
import type { Tx } from "@balcao/server/src/platform/db/database.ts";
import { picture } from "@balcao/server/src/testing/media-samples.ts";
import { sql } from "drizzle-orm";
import type { Child } from "./child.ts";
import { startChild } from "./child.ts";
import { fill } from "./companies.ts";
import type { Desk, Round } from "./everyday.ts";
import {
  addDesk,
  askAgents,
  askCallers,
  connectAgents,
  everydayCalls,
  noting,
  workEveryday,
} from "./everyday.ts";
import type { Answered, Call } from "./flood-callers.ts";
import { createLoadNetwork, textFrom } from "./load-adapter.ts";
import type { BenchDatabase, BenchPostgres } from "./postgres.ts";
import type { Product } from "./product.ts";
import { startProduct } from "./product.ts";
import type { PartReport } from "./report.ts";
import { figure } from "./report.ts";
import { median, percentile, sum } from "./statistics.ts";

const OTHERS = 20;
const CHATS = 20;
const FLOODING_CHATS = 200;
const FLOODING_USERS = 8;
const FLOODING_HISTORY = 200;
/** The figures of all other companies together. */
const CALLS_PER_SECOND = 40;
const MESSAGES_PER_SECOND = 20;
const FLOOD_MESSAGES = 3_000;
const FLOOD_CALLS_PER_SECOND = 200;
const ROUND_MS = 10_000;
/** In turns with quiet ones: the machine's own moments, longer than what is measured, hit single rounds. */
const ROUNDS = 6;

type World = { others: Desk[]; flooding: Desk };
type Flood = { calls: Answered[]; handledMs: number; notStored: number };

/**
 * One company's flood beside the everyday work of others: what the others wait for with and without it, in turns, in one run.
 * Callers and agents are processes of their own; the product hands what it sends to a network without work.
 */
export async function measureFlood(postgres: BenchPostgres): Promise<PartReport> {
  const database = await postgres.create("flood");
  const world = await fill(database, addWorld);
  const network = createLoadNetwork();
  const outbound = new Map<string, number>();
  // Other shares than the product's own; 0 is none.
  const chosen = ["AT_ONCE", "PART", "FLOOD"].flatMap((rule) => {
    const name = `BALCAO_COMPANY_${rule}`;
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const product = await startProduct(
    database,
    postgres.folder("flood"),
    noting(network.adapter, outbound),
    {
      BALCAO_REQUESTS_PER_MINUTE: "3000",
      BALCAO_LOG_LEVEL: "error",
      ...Object.fromEntries(chosen),
    },
  );
  const children = {
    others: startChild("./flood-callers.ts"),
    otherAgents: startChild("./agents.ts"),
    // Those of the flooding company work on other machines: what they cost there is not the product's.
    flooding: startChild("./flood-callers.ts", { isLow: true }),
    floodingAgents: startChild("./agents.ts", { isLow: true }),
  };
  try {
    const sinks = new Map<ConnectionId, EventSink>();
    for (const { company } of [...world.others, world.flooding]) {
      for (const id of company.connectionIds) sinks.set(id, await network.sinkOf(id));
    }
    const calls = await callsOf(product, database, world);
    await connectAgents(children.otherAgents, product, database, world.others);
    await connectAgents(children.floodingAgents, product, database, [world.flooding]);
    const means = { product, world, sinks, children, calls: calls.flooding };
    const work = (prefix: string, forMs: number) =>
      workEveryday(
        {
          ...{ desks: world.others, calls: calls.others, sinks, outbound },
          ...{ callers: children.others, agents: children.otherAgents },
        },
        prefix,
        { callsPerSecond: CALLS_PER_SECOND, messagesPerSecond: MESSAGES_PER_SECOND, forMs },
      );
    await work("w", 4_000);
    const quiet: Round[] = [];
    const flooded: Round[] = [];
    const floods: Flood[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      quiet.push(await work(`q${round}`, ROUND_MS));
      const [others, flood] = await Promise.all([
        work(`f${round}`, ROUND_MS),
        floodWith(means, `x${round}`),
      ]);
      flooded.push(others);
      floods.push(flood);
      await product.app.idle();
      await askAgents(children.floodingAgents, { kind: "collect" });
    }
    return describe(quiet, flooded, floods);
  } finally {
    for (const child of Object.values(children)) child.stop();
    await product.app.close();
  }
}

type Means = {
  product: Product;
  world: World;
  sinks: ReadonlyMap<ConnectionId, EventSink>;
  children: Record<"flooding", Child>;
  calls: Call[];
};

async function addWorld(tx: Tx): Promise<World> {
  const others: Desk[] = [];
  for (let n = 1; n <= OTHERS; n += 1) others.push(await addDesk(tx, n, 4, CHATS));
  const flooding = await addDesk(tx, 99, FLOODING_USERS, FLOODING_CHATS);
  const { company, chats } = flooding;
  for (const { ticketId } of chats) {
    await tx.query(sql`
      insert into messages (company_id, id, ticket_id, connection_id, provider_id, body, from_me, read, ack, media_type,
                            created_at, updated_at)
      select ${company.id}, uuidv7(sent_at - now()), ${ticketId}, ${company.connectionIds[0]}, 'H-' || ${ticketId}::int || '-' || n,
             'Pedido ' || n || ' da geladeira', true, true, 3, 'conversation', sent_at, sent_at
        from (select n, now() - n * interval '3 min' as sent_at from generate_series(1, ${FLOODING_HISTORY}::int) n) sent`);
  }
  return { others, flooding };
}

async function callsOf(
  product: Product,
  database: BenchDatabase,
  { others, flooding }: World,
): Promise<{ others: Call[]; flooding: Call[] }> {
  const everyday: Call[] = [];
  for (const desk of others) everyday.push(...(await everydayCalls(product, database, desk)));
  const own = await everydayCalls(product, database, flooding);
  const photo = (await picture("jpeg", { width: 1_600, height: 1_200 })).toString("base64");
  const sends = own.filter(({ kind }) => kind === "send");
  const users = own.filter(({ kind }) => kind === "list");
  return {
    others: everyday,
    flooding: [
      ...own,
      ...users.flatMap((call) =>
        ["geladeira"].map((text) => ({
          ...{ ...call, kind: "search" },
          url: `${product.url}/api/tickets?searchParam=${encodeURIComponent(text)}`,
        })),
      ),
      ...sends.slice(0, 8).map((call) => ({ ...call, kind: "upload", picture: photo })),
      ...flooding.chats.slice(0, 20).map(({ phone }) => ({
        ...{ kind: "program", method: "POST" as const, url: `${product.url}/api/v1/messages` },
        ...{ token: flooding.token, body: { number: phone, body: "Aviso {mark}" } },
      })),
    ],
  };
}

/** Everything at once: customers' messages, and calls of users and programs. */
async function floodWith(means: Means, prefix: string): Promise<Flood> {
  const { world, sinks, children, calls, product } = means;
  const { company, chats } = world.flooding;
  const sink = sinks.get(company.connectionIds[0] as ConnectionId);
  if (!sink) throw new Error("the flooding company has no connection");
  // Two lists of what is to come are at hand before the clock runs.
  await delay(500);
  const beginMs = performance.now();
  const messages = Array.from({ length: FLOOD_MESSAGES }, (_, n) => {
    const { phone } = chats[n % chats.length] ?? { phone: "" };
    return textFrom(phone, `${prefix}i-${n}`, `Mensagem ${n}: o pedido ainda não chegou`);
  });
  const storing = Promise.allSettled(messages.map((message) => sink.store([message])));
  const forMs = ROUND_MS - 1_000;
  const perSecond = FLOOD_CALLS_PER_SECOND;
  const asked = askCallers(children.flooding, { calls, perSecond, forMs, prefix });
  asked.catch(() => undefined); // awaited below
  const notStored = (await storing).filter(({ status }) => status === "rejected").length;
  let handledMs = 0;
  const waiting = `select count(*) as count from inbound_journal where company_id = $1`;
  while (handledMs === 0) {
    const statement = { name: "bench-flood-waiting", text: waiting };
    const [row] = await product.app.db.readAcrossCompanies<{ count: number }>(statement, [
      company.id,
    ]);
    if (row?.count === 0) handledMs = performance.now() - beginMs;
    else await delay(250);
  }
  const { answered } = await asked;
  return { calls: answered, handledMs, notStored };
}

function describe(
  quiet: readonly Round[],
  flooded: readonly Round[],
  floods: readonly Flood[],
): PartReport {
  const figures = {
    calls: (round: Round) => round.calls.map(({ ms }) => ms),
    "inbound → socket": (round: Round) => round.heardMs,
    "outbound → network": (round: Round) => round.outboundMs,
  };
  const both = (values: readonly number[]) =>
    `${figure(percentile(values, 0.5))} / ${figure(percentile(values, 0.99))}`;
  const rows = Object.entries(figures).map(([name, of]) => {
    const [without, beside] = [quiet.flatMap(of), flooded.flatMap(of)];
    const ratio = (share: number) =>
      median(
        flooded.map(
          (round, n) => percentile(of(round), share) / percentile(of(quiet[n] as Round), share),
        ),
      );
    return {
      ratios: [ratio(0.5), ratio(0.99)] as const,
      cells: [name, String(beside.length), both(without), both(beside)],
      name,
    };
  });
  const rounds = [...quiet, ...flooded];
  const refused = rounds.flatMap(({ calls }) => calls.filter(({ status }) => status >= 400));
  const missing = sum(rounds.map((round) => round.missing));
  const own = floods.flatMap(({ calls }) => calls);
  const kinds = [...new Set(own.map(({ kind }) => kind))].toSorted();
  const goal = (name: string, ratio: number, limit: number) => ({
    ...{ figure: name, value: (ratio - 1) * 100, unit: "% more", limit, want: "≤" as const },
  });
  return {
    name: "flood",
    title: `${OTHERS} companies with ${CALLS_PER_SECOND} calls/s and ${MESSAGES_PER_SECOND} messages/s beside one with ${FLOOD_MESSAGES} messages at once and ${FLOOD_CALLS_PER_SECOND} calls/s`,
    tables: [
      {
        headings: ["the others, p50 / p99 in ms", "samples", "without the flood", "beside it", "×"],
        rows: rows.map(({ cells, ratios }) => [...cells, ratios.map(figure).join(" / ")]),
      },
      {
        headings: [
          "the flooding company",
          "calls",
          "answered",
          "429",
          "503 and others",
          "p50 / p99",
        ],
        rows: kinds.map((kind) => {
          const all = own.filter((call) => call.kind === kind);
          const good = all.filter(({ status }) => status < 400);
          const told = all.filter(({ status }) => status === 429);
          return [
            ...[kind, String(all.length), String(good.length), String(told.length)],
            String(all.length - good.length - told.length),
            both(good.map(({ ms }) => ms)),
          ];
        }),
      },
    ],
    goals: [
      ...rows.flatMap(({ name, ratios: [p50, p99] }) => [
        goal(`${name}, p50`, p50, 20),
        goal(`${name}, p99`, p99, 50),
      ]),
      {
        ...{ figure: "the others' calls refused, and messages not heard" },
        ...{ value: refused.length + missing, unit: "", limit: 0, want: "≤" as const },
      },
      {
        ...{ figure: "the flooding company's messages not stored" },
        ...{ value: sum(floods.map(({ notStored }) => notStored)), unit: "" },
        ...{ limit: 0, want: "≤" as const },
      },
    ],
    notes: [
      `${ROUNDS} rounds of ${ROUND_MS / 1_000} s each with and without the flood, in turns; × is the median of each round against the quiet one before it. Its ${FLOOD_MESSAGES} messages were handled after ${figure(median(floods.map(({ handledMs }) => handledMs)) / 1_000)} s.`,
      "Callers and agents are four processes on the same cores, those of the flooding company at low priority.",
    ],
  };
}
