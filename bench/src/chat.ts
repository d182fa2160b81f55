import { setTimeout as delay } from "node:timers/promises";
import type { UserId } from "@balcao/contract";
import { createTokens } from "@balcao/server/src/features/auth/tokens.ts";
import { findAccount } from "@balcao/server/src/features/users/index.ts";
import type { Tx } from "@balcao/server/src/platform/db/database.ts";
import { systemSources } from "@balcao/server/src/platform/sources.ts";
import { sql } from "drizzle-orm";
import type { Agent, AgentsAnswer, AgentsWish } from "./agents.ts";
import type { Child } from "./child.ts";
import { startChild } from "./child.ts";
import { sharedClockMs } from "./clock.ts";
import { addCompany, addUser, fill } from "./companies.ts";
import { createLoadNetwork } from "./load-adapter.ts";
import type { BenchPostgres } from "./postgres.ts";
import { startProduct } from "./product.ts";
import type { PartReport } from "./report.ts";
import { figure } from "./report.ts";
import { percentile } from "./statistics.ts";

const COMPANIES = 10;
const USERS_PER_COMPANY = 100;
const MEMBERS = 10;
const MESSAGES_PER_SECOND = 40;
const WARM_UP_MS = 5_000;
const MEASURED_MS = 20_000;
const CHILDREN = 2;

/** A chat of ten people, with the tokens of its members. */
type Chat = { id: number; tokens: string[] };
type World = { chats: Chat[]; agents: Agent[] };

/** From a member's request to the sockets of all members of an internal chat, with a thousand users connected. */
export async function measureChat(postgres: BenchPostgres): Promise<PartReport> {
  const database = await postgres.create("chat");
  const tokens = createTokens({ secrets: database.secrets, clock: systemSources.clock });
  const world = await fill(database, async (tx) => {
    const world: World = { chats: [], agents: [] };
    for (let number = 1; number <= COMPANIES; number += 1)
      await addWorld(tx, number, world, tokens);
    return world;
  });
  const network = createLoadNetwork();
  const product = await startProduct(database, postgres.folder("chat"), network.adapter);
  const children = Array.from({ length: CHILDREN }, () => startChild("./agents.ts"));
  try {
    await Promise.all(
      children.map((child, index) => {
        const agents = world.agents.filter((_, place) => place % CHILDREN === index);
        return ask(child, { kind: "connect", url: product.url, agents });
      }),
    );
    await send(product.url, world.chats, { forMs: WARM_UP_MS, prefix: "w" });
    await Promise.all(children.map((child) => ask(child, { kind: "collect" })));
    const sent = await send(product.url, world.chats, { forMs: MEASURED_MS, prefix: "m" });
    const answers = await Promise.all(children.map((child) => ask(child, { kind: "collect" })));
    return describe(
      sent,
      answers.flatMap(({ heard }) => heard),
    );
  } finally {
    for (const child of children) child.stop();
    await product.app.close();
  }
}

async function addWorld(
  tx: Tx,
  companyNumber: number,
  world: World,
  tokens: ReturnType<typeof createTokens>,
): Promise<void> {
  const company = await addCompany(tx, {
    ...{ name: `Empresa ${companyNumber}`, queues: 1, connections: 1 },
  });
  const people: { userId: UserId; token: string }[] = [];
  for (let number = 0; number < USERS_PER_COMPANY; number += 1) {
    const userId = await addUser(tx, {
      ...{ companyId: company.id, profile: "user", number, queueIds: company.queueIds },
    });
    const account = await findAccount(tx, company.id, userId);
    if (!account) throw new Error("the user is not there");
    const token = await tokens.signAccess(account, null);
    people.push({ userId, token });
    world.agents.push({ companyId: company.id, token });
  }
  for (let from = 0; from < people.length; from += MEMBERS) {
    const members = people.slice(from, from + MEMBERS);
    const [chat] = await tx.query<{ id: number }>(sql`
      insert into chats (company_id, uuid, title, owner_id, last_message_at)
      values (${company.id}, gen_random_uuid(), ${`Grupo ${from}`}, ${members[0]?.userId}, now()) returning id`);
    if (!chat) throw new Error("the chat is not there");
    for (const { userId } of members)
      await tx.query(sql`
        insert into chat_members (company_id, chat_id, user_id) values (${company.id}, ${chat.id}, ${userId})`);
    world.chats.push({ id: chat.id, tokens: members.map(({ token }) => token) });
  }
}

type Sent = { text: string; atMs: number };

/** Writes at random moments, `MESSAGES_PER_SECOND` of them on average, from random members. */
async function send(
  url: string,
  chats: readonly Chat[],
  { forMs, prefix }: { forMs: number; prefix: string },
): Promise<Sent[]> {
  const sent: Sent[] = [];
  const replies: Promise<void>[] = [];
  const endMs = sharedClockMs() + forMs;
  let dueMs = sharedClockMs();
  for (;;) {
    dueMs += (-Math.log(1 - Math.random()) * 1_000) / MESSAGES_PER_SECOND;
    if (dueMs > endMs) break;
    const waitMs = dueMs - sharedClockMs();
    if (waitMs > 0) await delay(Math.ceil(waitMs));
    const chat = chats[Math.floor(Math.random() * chats.length)];
    const token = chat?.tokens[Math.floor(Math.random() * chat.tokens.length)];
    if (!chat || !token) throw new Error("there is no chat");
    const text = `${prefix}-${sent.length}`;
    sent.push({ text, atMs: sharedClockMs() });
    replies.push(write(`${url}/api/chats/${chat.id}/messages`, token, text));
  }
  await Promise.all(replies);
  return sent;
}

async function write(url: string, token: string, message: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const reply = await fetch(url, { method: "POST", headers, body: JSON.stringify({ message }) });
  if (!reply.ok) throw new Error(`a message was answered ${reply.status}: ${await reply.text()}`);
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
): PartReport {
  const byText = new Map(sent.map(({ text, atMs }) => [text, atMs]));
  if (heard.length !== sent.length * MEMBERS) {
    throw new Error(`members heard ${heard.length} messages instead of ${sent.length * MEMBERS}`);
  }
  const delays = heard.map(({ text, atMs }) => {
    const sentMs = byText.get(text);
    if (sentMs === undefined) throw new Error(`a member heard ${text}, which was not sent`);
    return atMs - sentMs;
  });
  const shares = [0.5, 0.95, 0.99, 1].map((share) => figure(percentile(delays, share)));
  return {
    name: "chat",
    title: `internal chat: a member's request to the members' sockets, ${COMPANIES * USERS_PER_COMPANY} users connected, ${MESSAGES_PER_SECOND} messages/s to ${MEMBERS} members each for ${MEASURED_MS / 1_000} s`,
    tables: [
      {
        headings: ["ms until a member's client has it", "p50", "p95", "p99", "max"],
        rows: [["after the request", ...shares]],
      },
    ],
    goals: [{ figure: "p99", value: percentile(delays, 0.99), unit: "ms", limit: 100, want: "≤" }],
    notes: [`${sent.length} messages were heard ${heard.length} times, each by its members alone.`],
  };
}
