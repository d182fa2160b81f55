import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { apiScopes, apiTokenPrefixes } from "@balcao/contract";
import type { ConnectionId, TicketId, UserId } from "@balcao/contract";
import type { ChannelAdapter, EventSink } from "@balcao/server/src/channels/port.ts";
import { hashOfToken } from "@balcao/server/src/features/api/tokens.ts";
import { buildContact, buildTicket } from "@balcao/server/src/features/provisioning/index.ts";
import type { Tx } from "@balcao/server/src/platform/db/database.ts";
import { systemSources } from "@balcao/server/src/platform/sources.ts";
import { sql } from "drizzle-orm";
import type { AgentsAnswer, AgentsWish } from "./agents.ts";
import type { Child } from "./child.ts";
import { sharedClockMs } from "./clock.ts";
import type { Company } from "./companies.ts";
import { addCompany, addUser } from "./companies.ts";
import type { Answered, Call, CallResult, CallWish } from "./flood-callers.ts";
import { textFrom } from "./load-adapter.ts";
import type { BenchDatabase } from "./postgres.ts";
import type { Product } from "./product.ts";
import { tokenOf } from "./product.ts";

type Chat = { phone: string; ticketId: TicketId };
/** A company at work: its agents, their served tickets, and the token of its program. */
export type Desk = { company: Company; userIds: UserId[]; chats: Chat[]; token: string };
/** The times that the companies saw. */
export type Round = { calls: Answered[]; heardMs: number[]; outboundMs: number[]; missing: number };

/** A company with served tickets, each of them heard by its agent. */
export async function addDesk(tx: Tx, number: number, users: number, chats: number): Promise<Desk> {
  const company = await addCompany(tx, { name: `Empresa ${number}`, queues: 1, connections: 1 });
  const { id: companyId, queueIds, connectionIds } = company;
  const [connectionId] = connectionIds;
  if (connectionId === undefined) throw new Error("the company has no connection");
  const desk: Desk = { company, userIds: [], chats: [], token: newToken() };
  for (let n = 0; n < users; n += 1) {
    desk.userIds.push(await addUser(tx, { companyId, profile: "user", number: n, queueIds }));
  }
  for (let n = 0; n < chats; n += 1) {
    const phone = `55119${70_000_000 + n}`;
    const contactId = await buildContact(tx, { companyId, name: `Cliente ${n}`, number: phone });
    const ticketId = await buildTicket(tx, systemSources, {
      ...{ companyId, contactId, connectionId, status: "open", at: new Date() },
      ...{ userId: desk.userIds[n % users] ?? null, queueId: queueIds[0] ?? null },
    });
    desk.chats.push({ phone, ticketId });
  }
  await tx.query(sql`
    insert into api_tokens (company_id, name, hash, "end", scopes)
    values (${companyId}, 'ERP', ${hashOfToken(desk.token)}, 'abcd', ${JSON.stringify(apiScopes)}::jsonb)`);
  return desk;
}

const newToken = () => `${apiTokenPrefixes.company}${randomBytes(32).toString("hex").slice(0, 43)}`;

/** The network without work, which notes when a marked text reached it. */
export function noting(adapter: ChannelAdapter, outbound: Map<string, number>): ChannelAdapter {
  return {
    ...adapter,
    createProvider: (context) => ({
      ...adapter.createProvider(context),
      async send({ body }) {
        const [mark] = /[a-z]\d*-\d+/.exec("text" in body ? body.text : "") ?? [];
        if (mark !== undefined) outbound.set(mark, sharedClockMs());
        return { result: "accepted" };
      },
    }),
  };
}

/** Five of an agent's ten calls read lists, three read a conversation, two send. */
export async function everydayCalls(
  product: Product,
  database: BenchDatabase,
  { company, userIds, chats }: Desk,
): Promise<Call[]> {
  const api = `${product.url}/api`;
  const all: Call[] = [];
  for (const [place, userId] of userIds.entries()) {
    const token = await tokenOf(product, database, company.id, userId);
    const mine = chats.filter((_, n) => n % userIds.length === place).slice(0, 5);
    const get = (kind: string, path: string): Call => ({
      ...{ kind, method: "GET", url: `${api}${path}`, token },
    });
    all.push(...Array.from({ length: 3 }, () => get("list", "/tickets?status=open&pageNumber=1")));
    all.push(get("list", "/tickets?status=pending&pageNumber=1"));
    all.push(get("contacts", "/contacts?pageNumber=1"));
    for (const { ticketId } of mine.slice(0, 3)) {
      all.push(get("messages", `/messages/${ticketId}?markRead=false`));
    }
    for (const { ticketId } of mine.slice(3, 5)) {
      const body = { body: "Olá {mark}" };
      all.push({ kind: "send", method: "POST", url: `${api}/messages/${ticketId}`, token, body });
    }
  }
  return all;
}

export async function connectAgents(
  child: Child,
  product: Product,
  database: BenchDatabase,
  desks: readonly Desk[],
): Promise<void> {
  const agents = [];
  for (const { company, userIds } of desks) {
    for (const userId of userIds) {
      const token = await tokenOf(product, database, company.id, userId);
      agents.push({ companyId: company.id, token });
    }
  }
  await askAgents(child, { kind: "connect", url: product.url, agents });
}

/** The means of everyday work. `outbound` has the moment at which a marked text reached the network (`noting`). */
export type WorkMeans = {
  desks: readonly Desk[];
  calls: Call[];
  sinks: ReadonlyMap<ConnectionId, EventSink>;
  callers: Child;
  agents: Child;
  outbound: ReadonlyMap<string, number>;
};
export type Pace = { callsPerSecond: number; messagesPerSecond: number; forMs: number };

/** The companies' everyday work for some time: calls and customers' messages at random moments. */
export async function workEveryday(
  { desks, calls, sinks, callers, agents, outbound }: WorkMeans,
  prefix: string,
  { callsPerSecond, messagesPerSecond, forMs }: Pace,
): Promise<Round> {
  const asked = askCallers(callers, { calls, perSecond: callsPerSecond, forMs, prefix });
  asked.catch(() => undefined); // awaited below
  const handedOver = new Map<string, number>();
  const stored: Promise<void>[] = [];
  const endMs = sharedClockMs() + forMs;
  let dueMs = sharedClockMs();
  for (;;) {
    dueMs += (-Math.log(1 - Math.random()) * 1_000) / messagesPerSecond;
    if (dueMs > endMs) break;
    const waitMs = dueMs - sharedClockMs();
    if (waitMs > 0) await delay(Math.ceil(waitMs));
    const desk = desks[Math.floor(Math.random() * desks.length)];
    const chat = desk?.chats[Math.floor(Math.random() * desk.chats.length)];
    const sink = desk && sinks.get(desk.company.connectionIds[0] as ConnectionId);
    if (!chat || !sink) throw new Error("no chat to write in");
    const text = `${prefix}i-${handedOver.size}`;
    handedOver.set(text, sharedClockMs());
    stored.push(sink.store([textFrom(chat.phone, text, text)]));
  }
  await Promise.allSettled(stored);
  const { answered, sentAtMs } = await asked;
  const { heard } = await askAgents(agents, { kind: "collect" });
  const heardMs = heard.flatMap(({ text, atMs }) => {
    const begin = handedOver.get(text);
    return begin === undefined ? [] : [atMs - begin];
  });
  const outboundMs = Object.entries(sentAtMs).flatMap(([mark, begin]) => {
    const end = outbound.get(mark);
    return end === undefined ? [] : [end - begin];
  });
  return { calls: answered, heardMs, outboundMs, missing: handedOver.size - heardMs.length };
}

export async function askCallers(child: Child, wish: CallWish) {
  const result = await child.ask<CallResult>(wish);
  if ("error" in result) throw new Error(result.error);
  return result;
}

export async function askAgents(child: Child, wish: AgentsWish) {
  const answer = await child.ask<AgentsAnswer>(wish);
  if ("error" in answer) throw new Error(answer.error);
  return answer;
}
