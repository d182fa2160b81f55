import { randomBytes, randomUUID } from "node:crypto";
import { apiScopes, apiTokenPrefixes } from "@balcao/contract";
import { hashOfToken } from "@balcao/server/src/features/api/tokens.ts";
import { sql } from "drizzle-orm";
import type pg from "pg";
import type { Call, CallResult, CallWish } from "./callers.ts";
import type { Child } from "./child.ts";
import { startChild } from "./child.ts";
import { addCompany, fill } from "./companies.ts";
import { createLoadNetwork } from "./load-adapter.ts";
import type { BenchPostgres } from "./postgres.ts";
import { startProduct } from "./product.ts";
import type { Transaction } from "./recorder.ts";
import { recordTransactions } from "./recorder.ts";
import { openFloor, replay } from "./replay.ts";
import type { PartReport } from "./report.ts";
import { figure } from "./report.ts";
import { median, percentile, sum } from "./statistics.ts";

const COMPANIES = 4;
const CUSTOMERS_PER_COMPANY = 25;
/** Programs that send without pause: one of each company, and twice as many for the rate. */
const CALLERS = COMPANIES;
const CALLERS_FOR_RATE = 2 * COMPANIES;
const ROUND_MS = 400;
/** Short ones in turns, so that what else the machine does hits both alike; the first ones warm up and do not count. */
const ROUNDS = 12;
const WARM_UPS = 2;
const RATE_MS = 10_000;
const WARM_UP_MS = 2_000;

const calls = ["POST /messages/send", "POST /v1/messages"] as const;
type CallName = (typeof calls)[number];
type Sender = { connection: string; company: string };
/** A customer's message: the call, and what the product once sent to the database for it. */
type Sample = { call: Call; transactions: Transaction[] };
type Round = { product: number[]; floor: number[]; productCpuMs: number; floorCpuMs: number };

/**
 * Messages of other programs to known customers: how many are accepted in a second while the same process sends them to the
 * network, and each call over HTTP against its statements sent by the plain driver, with nothing else to do. The callers are a
 * process of their own; product and plain driver take turns in this one, on two databases that were equal at the start.
 */
export async function measureApi(postgres: BenchPostgres): Promise<PartReport> {
  const database = await postgres.create("api");
  const senders: Sender[] = [];
  const connectionIds = await fill(database, async (tx) => {
    const added = [];
    for (let n = 1; n <= COMPANIES; n += 1) {
      const company = await addCompany(tx, { name: `Loja ${n}`, queues: 2, connections: 1 });
      const { id, connectionIds: own } = company;
      const sender = {
        connection: randomBytes(16).toString("hex"),
        company: `${apiTokenPrefixes.company}${randomBytes(32).toString("hex").slice(0, 43)}`,
      };
      const scopes = JSON.stringify(apiScopes);
      await tx.query(
        sql`update connections set token = ${sender.connection} where company_id = ${id}`,
      );
      await tx.query(sql`
        insert into api_tokens (company_id, name, hash, "end", scopes)
        values (${id}, 'ERP', ${hashOfToken(sender.company)}, 'abcd', ${scopes}::jsonb)`);
      senders.push(sender);
      added.push(...own);
    }
    return added;
  });
  const open = async (environment: Record<string, string> = {}) => {
    const network = createLoadNetwork();
    const product = await startProduct(database, postgres.folder("api"), network.adapter, {
      BALCAO_API_REQUESTS_PER_MINUTE: "10000000",
      ...environment,
    });
    if (!environment["ROLES"]) await Promise.all(connectionIds.map((id) => network.sinkOf(id)));
    return product;
  };
  const callers = startChild("./callers.ts");
  try {
    // Every customer has a conversation before the copy is made.
    const first = await open();
    for (const call of callsOf(first.url, senders, "POST /messages/send")) await make(call);
    await first.app.idle();
    await first.app.close();
    const rates = new Map<CallName, number[]>();
    const whole = await open();
    for (const name of calls) {
      const wish = callsOf(whole.url, senders, name);
      const all = { callers: dealt(wish, CALLERS_FOR_RATE) };
      await askCallers(callers, { ...all, forMs: WARM_UP_MS });
      rates.set(name, await askCallers(callers, { ...all, forMs: RATE_MS }));
      await whole.app.idle();
    }
    await whole.app.close();

    // This process serves calls and does nothing else.
    const serving = await open({ ROLES: "http" });
    const samples = new Map<CallName, Sample[]>();
    for (const name of calls) {
      const all: Sample[] = [];
      for (const call of callsOf(serving.url, senders, name)) all.push(await record(call));
      samples.set(name, all);
    }
    await serving.app.close();
    const copy = await postgres.copy(database, "api_floor");
    const product = await open({ ROLES: "http" });
    const pools = { company: openFloor(copy.appUrl), installation: openFloor(copy.serviceUrl) };
    try {
      const rounds = new Map<CallName, Round[]>();
      for (const name of calls) {
        const at = callsOf(product.url, senders, name);
        rounds.set(name, await measureRounds(callers, pools, samples.get(name) ?? [], at));
      }
      return describe(rounds, samples, rates);
    } finally {
      await pools.company.end();
      await pools.installation.end();
      await product.app.close();
    }
  } finally {
    callers.stop();
  }
}

const pathOf = (name: CallName): string => name.slice("POST ".length);

/** One call for each customer, company by company. */
function callsOf(url: string, senders: readonly Sender[], name: CallName): Call[] {
  return senders.flatMap(({ connection, company }, place) =>
    Array.from({ length: CUSTOMERS_PER_COMPANY }, (_, n) => ({
      url: `${url}/api${pathOf(name)}`,
      token: name === "POST /messages/send" ? connection : company,
      body: {
        number: `55119${82_000_000 + place * CUSTOMERS_PER_COMPANY + n}`,
        body: `Olá {{name}}, o seu pedido ${n} saiu para entrega hoje.`,
      },
    })),
  );
}

/** The calls among so many callers; neighbours stay together, so that no two write to a customer at once. */
function dealt<T>(all: readonly T[], count: number): T[][] {
  const size = Math.ceil(all.length / count);
  return Array.from({ length: count }, (_, n) => all.slice(n * size, (n + 1) * size));
}

async function make({ url, token, body }: Call): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const reply = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (!reply.ok) throw new Error(`${url}: ${reply.status} ${await reply.text()}`);
  await reply.arrayBuffer();
}

const tokenStatements = new Set(["api.by-connection-token", "api.by-token-hash"]);

/** Makes a call, and notes what the product sends to the database before it answers. */
async function record(call: Call): Promise<Sample> {
  const transactions: Transaction[] = [];
  const stop = recordTransactions((transaction) => {
    const [first] = transaction.statements;
    const isOurs = transaction.begin?.includes("app.company_id") ?? false;
    if (isOurs || tokenStatements.has(first?.name ?? "")) transactions.push(transaction);
  });
  await make(call);
  stop();
  return { call, transactions };
}

type Pools = { company: pg.Pool; installation: pg.Pool };

/** Does the statements of a message again, as another message. */
async function replayMessage(pools: Pools, { transactions }: Sample): Promise<void> {
  const send = transactions.flatMap(({ statements }) =>
    statements.filter(({ name }) => name === "messages.send"),
  );
  const [messageId, providerId] = [send[0]?.values[1], send[0]?.values[4]];
  const fresh = new Map<unknown, string>([
    [messageId, randomUUID()],
    [providerId, `3EB0${randomBytes(9).toString("hex").toUpperCase()}`],
  ]);
  for (const transaction of transactions) {
    const isCompanys = transaction.begin?.includes("app.company_id") ?? false;
    const pool = isCompanys ? pools.company : pools.installation;
    await replay(pool, transaction, ({ values }) =>
      values.map((value) => fresh.get(value) ?? value),
    );
  }
}

async function measureRounds(
  callers: Child,
  pools: Pools,
  samples: readonly Sample[],
  at: readonly Call[],
): Promise<Round[]> {
  const rounds: Round[] = [];
  for (let round = 0; round < WARM_UPS + ROUNDS; round += 1) {
    const own = await charged(() =>
      askCallers(callers, { callers: dealt(at, CALLERS), forMs: ROUND_MS }),
    );
    const floor = await charged(() => replayRound(pools, samples));
    if (round < WARM_UPS) continue;
    rounds.push({
      ...{ product: own.latenciesMs, productCpuMs: own.cpuMs },
      ...{ floor: floor.latenciesMs, floorCpuMs: floor.cpuMs },
    });
  }
  return rounds;
}

async function replayRound(pools: Pools, samples: readonly Sample[]): Promise<number[]> {
  const latenciesMs: number[] = [];
  const endMs = performance.now() + ROUND_MS;
  const caller = async (own: readonly Sample[]): Promise<void> => {
    for (let n = 0; performance.now() < endMs; n += 1) {
      const sample = own[n % own.length];
      if (!sample) throw new Error("a caller without calls");
      const beginMs = performance.now();
      await replayMessage(pools, sample);
      latenciesMs.push(performance.now() - beginMs);
    }
  };
  await Promise.all(dealt(samples, CALLERS).map(caller));
  return latenciesMs;
}

async function charged(
  work: () => Promise<number[]>,
): Promise<{ latenciesMs: number[]; cpuMs: number }> {
  const cpu = process.cpuUsage();
  const latenciesMs = await work();
  const { user, system } = process.cpuUsage(cpu);
  return { latenciesMs, cpuMs: (user + system) / 1_000 };
}

async function askCallers(callers: Child, wish: CallWish): Promise<number[]> {
  const result = await callers.ask<CallResult>(wish);
  if ("error" in result) throw new Error(result.error);
  return result.latenciesMs;
}

function describe(
  rounds: ReadonlyMap<CallName, readonly Round[]>,
  samples: ReadonlyMap<CallName, readonly Sample[]>,
  rates: ReadonlyMap<CallName, readonly number[]>,
): PartReport {
  const p95Ratio = new Map<CallName, number>();
  const rateOf = (name: CallName): number => (rates.get(name) ?? []).length / (RATE_MS / 1_000);
  const rows = calls.map((name) => {
    const all = rounds.get(name) ?? [];
    const product = all.flatMap((round) => round.product);
    const floor = all.flatMap((round) => round.floor);
    const ratio = (share: number) => percentile(product, share) / percentile(floor, share);
    p95Ratio.set(name, ratio(0.95));
    const both = (values: readonly number[]) =>
      `${figure(median(values))} / ${figure(percentile(values, 0.95))}`;
    const statements = (samples.get(name) ?? []).map(({ transactions }) =>
      sum(transactions.map((one) => one.statements.length)),
    );
    const transactions = (samples.get(name) ?? []).map((sample) => sample.transactions.length);
    const cpu = (ms: number, sends: number) => figure(ms / sends);
    return [
      ...[name, both(floor), both(product), `${figure(ratio(0.5))} × / ${figure(ratio(0.95))} ×`],
      `${median(statements)} in ${median(transactions)}`,
      `${cpu(sum(all.map(({ floorCpuMs }) => floorCpuMs)), floor.length)} / ${cpu(sum(all.map(({ productCpuMs }) => productCpuMs)), product.length)}`,
      ...[figure(rateOf(name)), both(rates.get(name) ?? [])],
    ];
  });
  return {
    name: "api",
    title: `messages of other programs to ${COMPANIES * CUSTOMERS_PER_COMPANY} known customers of ${COMPANIES} companies`,
    tables: [
      {
        headings: [
          "p50 / p95 in ms",
          "its SQL alone",
          "product over HTTP",
          "product / its SQL",
          "statements",
          "node's CPU ms: SQL / product",
          "accepted/s",
          "while sent as well",
        ],
        rows,
      },
    ],
    goals: calls.flatMap((name) => [
      {
        ...{
          figure: `p95 against its SQL alone, ${name}`,
          value: p95Ratio.get(name) ?? Number.NaN,
        },
        ...{ unit: "×", limit: 2, want: "≤" as const },
      },
      {
        ...{ figure: `accepted, ${name}`, value: rateOf(name) },
        ...{ unit: "sends/s", limit: 200, want: "≥" as const },
      },
    ]),
    notes: [
      `${CALLERS} callers at once for the times, of a process that serves HTTP alone; ${CALLERS_FOR_RATE} for the rate, of one that sends each message to its network as well. The callers are a process of their own.`,
    ],
  };
}
