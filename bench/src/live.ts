import { setTimeout as delay } from "node:timers/promises";
import type { CompanyId, ConnectionId, QueueId, UserId } from "@balcao/contract";
import type { EventSink } from "@balcao/server/src/channels/port.ts";
import { createTokens } from "@balcao/server/src/features/auth/tokens.ts";
import { buildContact, buildTicket } from "@balcao/server/src/features/provisioning/index.ts";
import { findAccount } from "@balcao/server/src/features/users/index.ts";
import type { Tx } from "@balcao/server/src/platform/db/database.ts";
import { systemSources } from "@balcao/server/src/platform/sources.ts";
import type { Agent, AgentsAnswer, AgentsWish } from "./agents.ts";
import type { Child } from "./child.ts";
import { startChild } from "./child.ts";
import { sharedClockMs } from "./clock.ts";
import { addCompany, addUser, fill } from "./companies.ts";
import { createLoadNetwork, textFrom } from "./load-adapter.ts";
import type { BenchPostgres } from "./postgres.ts";
import { startProduct } from "./product.ts";
import type { PartReport } from "./report.ts";
import { figure } from "./report.ts";
import { percentile } from "./statistics.ts";

const COMPANIES = 10;
const AGENTS_PER_COMPANY = 100;
const QUEUES_PER_COMPANY = 5;
const QUEUES_PER_AGENT = 2;
const CHATS_PER_COMPANY = 100;
const MESSAGES_PER_SECOND = 50;
const WARM_UP_MS = 5_000;
const MEASURED_MS = 30_000;
const CHILDREN = 2;

/** A customer's chat with its ticket, and how many agents are to get its messages. */
type Chat = { connectionId: ConnectionId; phone: string; listeners: number };
type World = { chats: Chat[]; agents: Agent[] };

/**
 * From the moment an adapter hands a message over to the moment it is in an agent's client, with a thousand agents
 * connected: users of their own in several companies, each listening as the web page does. Half of the tickets wait in a
 * queue (all its agents hear), half are served (their agent hears). Arrivals are random, as customers are.
 */
export async function measureLive(postgres: BenchPostgres): Promise<PartReport> {
  const database = await postgres.create("live");
  const world = await fill(database, async (tx) => {
    const world: World = { chats: [], agents: [] };
    const tokens = createTokens({ secrets: database.secrets, clock: systemSources.clock });
    const sign = async (companyId: CompanyId, userId: UserId): Promise<string> => {
      const account = await findAccount(tx, companyId, userId);
      if (!account) throw new Error("the user is not there");
      return tokens.signAccess(account, null);
    };
    for (let number = 1; number <= COMPANIES; number += 1) await addWorld(tx, number, world, sign);
    return world;
  });

  const network = createLoadNetwork();
  const product = await startProduct(database, postgres.folder("live"), network.adapter);
  const children = Array.from({ length: CHILDREN }, () => startChild("./agents.ts"));
  try {
    const sinks = new Map<ConnectionId, EventSink>();
    for (const { connectionId } of world.chats) {
      if (!sinks.has(connectionId)) sinks.set(connectionId, await network.sinkOf(connectionId));
    }
    await Promise.all(
      children.map((child, index) => {
        const agents = world.agents.filter((_, place) => place % CHILDREN === index);
        return ask(child, { kind: "connect", url: product.url, agents });
      }),
    );
    await send(world.chats, sinks, { forMs: WARM_UP_MS, prefix: "w" });
    await product.app.idle();
    await Promise.all(children.map((child) => ask(child, { kind: "collect" })));

    const cpu = process.cpuUsage();
    const sent = await send(world.chats, sinks, { forMs: MEASURED_MS, prefix: "m" });
    const { user, system } = process.cpuUsage(cpu);
    await product.app.idle();
    const answers = await Promise.all(children.map((child) => ask(child, { kind: "collect" })));
    const heard = answers.flatMap((answer) => answer.heard);
    return describe(sent, heard, (user + system) / 1_000 / MEASURED_MS);
  } finally {
    for (const child of children) child.stop();
    await product.app.close();
  }
}

async function addWorld(
  tx: Tx,
  companyNumber: number,
  world: World,
  sign: (companyId: CompanyId, userId: UserId) => Promise<string>,
): Promise<void> {
  const company = await addCompany(tx, {
    name: `Empresa ${companyNumber}`,
    queues: QUEUES_PER_COMPANY,
    connections: 1,
  });
  const [connectionId] = company.connectionIds;
  if (connectionId === undefined) throw new Error("the company has no connection");
  const agents: { userId: UserId; queueIds: QueueId[] }[] = [];
  for (let number = 0; number < AGENTS_PER_COMPANY; number += 1) {
    const queueIds = company.queueIds.filter(
      (_, place) => (place + number) % QUEUES_PER_COMPANY < QUEUES_PER_AGENT,
    );
    const userId = await addUser(tx, { companyId: company.id, profile: "user", number, queueIds });
    agents.push({ userId, queueIds });
    world.agents.push({ companyId: company.id, token: await sign(company.id, userId) });
  }
  for (let number = 0; number < CHATS_PER_COMPANY; number += 1) {
    const phone = `55119${71_000_000 + number}`;
    const contactId = await buildContact(tx, {
      companyId: company.id,
      name: `Cliente ${number}`,
      number: phone,
    });
    const agent = agents[number];
    const queueId = agent?.queueIds[0] ?? null;
    const isServed = number % 2 === 1;
    await buildTicket(tx, systemSources, {
      companyId: company.id,
      contactId,
      connectionId,
      status: isServed ? "open" : "pending",
      userId: isServed ? (agent?.userId ?? null) : null,
      queueId,
      at: new Date(),
    });
    const inQueue = agents.filter(({ queueIds }) => queueIds.some((id) => id === queueId)).length;
    world.chats.push({ connectionId, phone, listeners: isServed ? 1 : inQueue });
  }
}

type Sent = { text: string; dueMs: number; handedOverMs: number; listeners: number };

/** Hands messages over at random moments, `MESSAGES_PER_SECOND` of them on average, from customers at random. */
async function send(
  chats: readonly Chat[],
  sinks: ReadonlyMap<ConnectionId, EventSink>,
  { forMs, prefix }: { forMs: number; prefix: string },
): Promise<Sent[]> {
  const sent: Sent[] = [];
  const stored: Promise<void>[] = [];
  const endMs = sharedClockMs() + forMs;
  let dueMs = sharedClockMs();
  for (;;) {
    dueMs += (-Math.log(1 - Math.random()) * 1_000) / MESSAGES_PER_SECOND;
    if (dueMs > endMs) break;
    const waitMs = dueMs - sharedClockMs();
    if (waitMs > 0) await delay(Math.ceil(waitMs));
    const chat = chats[Math.floor(Math.random() * chats.length)];
    const sink = chat && sinks.get(chat.connectionId);
    if (!sink) throw new Error("no connection for the chat");
    const text = `${prefix}-${sent.length}`;
    sent.push({ text, dueMs, handedOverMs: sharedClockMs(), listeners: chat.listeners });
    const storing = sink.store([textFrom(chat.phone, text, text)]);
    storing.catch(() => undefined); // reported below, when all are handed over
    stored.push(storing);
  }
  await Promise.all(stored);
  return sent;
}

async function ask(
  child: Child,
  wish: AgentsWish,
): Promise<Extract<AgentsAnswer, { heard: unknown }>> {
  const answer = await child.ask<AgentsAnswer>(wish);
  if ("error" in answer) throw new Error(answer.error);
  return answer;
}

function describe(
  sent: readonly Sent[],
  heard: readonly { text: string; atMs: number }[],
  cpuShare: number,
): PartReport {
  const byText = new Map(sent.map((message) => [message.text, message]));
  const fromHandOver: number[] = [];
  const fromDue: number[] = [];
  for (const { text, atMs } of heard) {
    const message = byText.get(text);
    if (!message) throw new Error(`an agent heard ${text}, which was not sent`);
    fromHandOver.push(atMs - message.handedOverMs);
    fromDue.push(atMs - message.dueMs);
  }
  const expected = sent.reduce((total, { listeners }) => total + listeners, 0);
  if (heard.length !== expected) {
    throw new Error(`agents heard ${heard.length} messages instead of ${expected}`);
  }
  const row = (name: string, values: readonly number[]) => [
    name,
    ...[0.5, 0.95, 0.99, 1].map((share) => figure(percentile(values, share))),
  ];
  const p50 = percentile(fromHandOver, 0.5);
  const p99 = percentile(fromHandOver, 0.99);
  return {
    name: "live",
    title: `provider event to agent's socket, ${COMPANIES * AGENTS_PER_COMPANY} agents in ${COMPANIES} companies, ${MESSAGES_PER_SECOND} messages/s for ${MEASURED_MS / 1_000} s`,
    tables: [
      {
        headings: ["ms until an agent's client has it", "p50", "p95", "p99", "max"],
        rows: [
          row("after the adapter handed it over", fromHandOver),
          row("after the moment it was due", fromDue),
        ],
      },
    ],
    goals: [
      { figure: "p50", value: p50, unit: "ms", limit: 50, want: "≤" },
      { figure: "p99", value: p99, unit: "ms", limit: 250, want: "≤" },
    ],
    notes: [
      `${sent.length} messages were heard ${heard.length} times, each by exactly those who may hear it.`,
      `Half of the tickets wait in a queue and are heard by its agents, half are served and heard by one. The product used ${figure(cpuShare * 100)} % of one core; the agents are ${CHILDREN} processes on the same cores.`,
    ],
  };
}
