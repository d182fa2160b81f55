import type { ListedTicket, MessageId, ReplyOf, SearchHit, TagId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenCompany, GivenTicket, GivenUser, TicketWish } from "../../testing/given.ts";

type Query = Record<string, string | boolean | readonly number[]>;
type Place = { company: GivenCompany; connectionId: NonNullable<TicketWish["connectionId"]> };

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
});

async function search(
  user: GivenUser,
  searchParam: string,
  query: Query = {},
): Promise<ListedTicket[]> {
  const texts = Object.entries({ searchParam, ...query }).map(([key, value]): [string, string] => [
    key,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  const path = `/tickets?${new URLSearchParams(texts).toString()}`;
  const reply = await app.as(user).get<ReplyOf<"GET /tickets">>(path);
  expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
  const { tickets, count, hasMore } = reply.body;
  expect({ count, hasMore }).toEqual({ count: tickets.length, hasMore: false });
  return tickets;
}

async function found(user: GivenUser, searchParam: string, query: Query = {}): Promise<number[]> {
  const tickets = await search(user, searchParam, query);
  return tickets.map(({ id }) => id).toSorted((a, b) => a - b);
}

/** Where the words stand in the only ticket that is found. */
async function hitOf(user: GivenUser, searchParam: string): Promise<SearchHit | null> {
  const tickets = await search(user, searchParam);
  expect(tickets).toHaveLength(1);
  return tickets[0]?.hit ?? null;
}

async function office() {
  const { given } = app;
  const company = await given.company();
  const sales = await given.queue({ company, name: "Vendas" });
  const support = await given.queue({ company, name: "Suporte" });
  return {
    company,
    sales,
    support,
    third: await given.queue({ company }),
    connectionId: await given.connection({ company, linked: false }),
    admin: await given.admin({ company }),
    agent: await given.agent({ company, queueIds: [sales] }),
    colleague: await given.agent({ company, queueIds: [sales] }),
  };
}

const ticket = ({ company, connectionId }: Place, wish: TicketWish = {}): Promise<GivenTicket> =>
  app.given.ticket({ company, connectionId, ...wish });

const run = <Row>(statement: ReturnType<typeof sql>): Promise<Row[]> =>
  app.database.db.acrossCompanies((tx) => tx.query<Row>(statement));

async function tag({ company }: Place, of: GivenTicket[]): Promise<TagId> {
  const [row] = await run<{ id: TagId }>(
    sql`insert into tags (company_id, name) values (${company.id}, 'Urgente') returning id`,
  );
  if (!row) throw new Error("no tag");
  for (const { id } of of) {
    await run(
      sql`insert into ticket_tags (company_id, ticket_id, tag_id) values (${company.id}, ${id}, ${row.id})`,
    );
  }
  return row.id;
}

const idOf = ({ id }: GivenTicket): number => id;

describe("search", () => {
  test("finds names, numbers and messages, without case and accents, in all statuses", async () => {
    const place = await office();
    const { sales, admin, agent } = place;
    const joao = await ticket(place, { contactName: "João Conceição", queueId: sales });
    const maria = await ticket(place, {
      contactName: "Maria",
      phone: "5511955554444",
      status: "closed",
      servedBy: { userId: agent.id },
    });
    await app.given.message(maria, { body: "Preciso da 2ª via do BOLETO" });
    for (const user of [admin, agent]) {
      expect(await found(user, "joao conceicao")).toEqual([joao.id]);
      expect(await found(user, "boleto")).toEqual([maria.id]);
      expect(await found(user, "Bolétó")).toEqual([maria.id]);
      expect(await found(user, "55554444")).toEqual([maria.id]);
      expect(await found(user, "(11) 95555-4444")).toEqual([maria.id]);
      expect(await found(user, "boleto", { status: "closed" })).toEqual([maria.id]);
      expect(await found(user, "boleto", { status: "pending" })).toEqual([]);
      expect(await found(user, "ausente")).toEqual([]);
    }
  });

  test("short texts are looked for in names and last messages", async () => {
    const place = await office();
    const ze = await ticket(place, { contactName: "Zé" });
    const other = await ticket(place, { contactName: "Ana" });
    await app.given.message(other, { body: "oi" });
    expect(await found(place.admin, "ze")).toEqual([ze.id]);
    expect(await found(place.admin, "oi")).toEqual([other.id]);
  });

  test("signs of patterns are only themselves", async () => {
    const place = await office();
    const percent = await ticket(place, { contactName: "100% Couro" });
    const score = await ticket(place, { contactName: "a_b_c" });
    const slash = await ticket(place, { contactName: "c:\\temp" });
    await ticket(place, { contactName: "abbbc" });
    expect(await found(place.admin, "0%")).toEqual([percent.id]);
    expect(await found(place.admin, "%")).toEqual([percent.id]);
    expect(await found(place.admin, "a_b")).toEqual([score.id]);
    expect(await found(place.admin, "\\temp")).toEqual([slash.id]);
    expect(await found(place.admin, "\\")).toEqual([slash.id]);
  });

  test("an agent finds only visible tickets, and not by unreadable messages", async () => {
    const place = await office();
    const { sales, support, agent, colleague } = place;
    const others = await ticket(place, { status: "open", userId: colleague.id, queueId: sales });
    const mine = await ticket(place, { status: "open", userId: agent.id, queueId: sales });
    await app.given.message(others, { body: "palavra secreta", queueId: sales });
    await app.given.message(mine, { body: "palavra secreta de outra fila", queueId: support });
    expect(await found(place.admin, "palavra secreta")).toEqual([others, mine].map(idOf));
    expect(await found(agent, "palavra secreta")).toEqual([]);
    await app.given.message(mine, { body: "palavra aberta", queueId: sales });
    expect(await found(agent, "palavra aberta")).toEqual([mine.id]);
  });

  test("an agent finds own tickets of a queue that the agent is not in, also by their messages of that queue", async () => {
    const place = await office();
    const { support, agent, colleague } = place;
    const mine = await ticket(place, { status: "open", userId: agent.id, queueId: support });
    const others = await ticket(place, { status: "open", userId: colleague.id, queueId: support });
    for (const one of [mine, others]) {
      await app.given.message(one, { body: "palavra de longe", queueId: support });
      await app.given.message(one, { body: "fim", queueId: support });
    }
    expect(await found(agent, "palavra de longe")).toEqual([mine.id]);
    expect(await found(agent, "palavra de longe", { status: "open" })).toEqual([mine.id]);
    // Too short for the index: the last message only.
    await app.given.message(mine, { body: "vi", queueId: support });
    expect(await found(agent, "vi", { status: "open" })).toEqual([mine.id]);
    // Messages of a third queue stay unread.
    await app.given.message(mine, { body: "palavra de vendas", queueId: place.third });
    expect(await found(agent, "palavra de vendas")).toEqual([]);
  });

  test("stays inside the company", async () => {
    const here = await office();
    const there = await office();
    await app.given.message(await ticket(there), { body: "palavra comum" });
    expect(await found(here.admin, "palavra comum")).toEqual([]);
    expect(await found(there.admin, "palavra comum")).toHaveLength(1);
  });
});

describe("the hit", () => {
  test("is the newest message with the words, as they are written, with what stands around them", async () => {
    const place = await office();
    const one = await ticket(place, { contactName: "Maria" });
    const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 12, minute));
    await app.given.message(one, { body: "o boleto antigo", at: at(0) });
    const body = `${"a".repeat(80)} Preciso da 2ª via do BOLÉTO de março ${"z".repeat(80)}`;
    const messageId = await app.given.message(one, { body, at: at(1), fromMe: true });
    await app.given.message(one, { body: "outra coisa", at: at(2) });
    expect(await hitOf(place.admin, "boleto")).toEqual({
      messageId,
      fromMe: true,
      createdAt: "2026-01-01T12:01:00.000Z",
      before: `…${"a".repeat(38)} Preciso da 2ª via do `,
      match: "BOLÉTO",
      after: ` de março ${"z".repeat(50)}…`,
    });
  });

  test.each<[body: string, term: string, match: string]>([
    ["boleto", "BOLETO", "boleto"],
    ["São João é aqui", "joao e aqui", "João é aqui"],
    // The dot and the sharp s become several characters when they are compared, the accent of its own none.
    ["… Straße, depois Açaí", "acai", "Açaí"],
    ["um cafe\u0301 preto", "café", "cafe\u0301"],
    ["Straße", "sse", "ße"],
    ["🎉🎉 Parabéns 🎉", "parabens", "Parabéns"],
    ["duas vezes: ovo, OVO", "ovo", "ovo"],
    ["100%_certo\\sim", "%_certo\\", "%_certo\\"],
  ])("of %s searched by %s is %s", async (body, term, match) => {
    const place = await office();
    await app.given.message(await ticket(place), { body });
    const hit = await hitOf(place.admin, term);
    expect(hit?.match).toBe(match);
    expect(`${hit?.before}${hit?.match}${hit?.after}`).toBe(body);
  });

  test("is null where the contact was found, and without a search", async () => {
    const place = await office();
    await app.given.message(await ticket(place, { contactName: "Zoraide" }), { body: "oi" });
    expect(await hitOf(place.admin, "zoraide")).toBeNull();
    expect(await hitOf(place.admin, "")).toBeNull();
  });

  test("for a short text is the last message", async () => {
    const place = await office();
    const messageId = await app.given.message(await ticket(place), { body: "Tudo ok?" });
    expect(await hitOf(place.admin, "OK")).toMatchObject({ messageId, match: "ok" });
  });

  test("is found in an edited message", async () => {
    const place = await office();
    const messageId = await app.given.message(await ticket(place), { body: "antes" });
    await run(sql`update messages set body = 'depois' where id = ${messageId}`);
    expect(await found(place.admin, "antes")).toEqual([]);
    expect(await hitOf(place.admin, "depois")).toMatchObject({ messageId });
  });
});

describe("an unreadable message", () => {
  test("is no hit and leads to no ticket, also in the reader's own ticket", async () => {
    const place = await office();
    const { sales, support, agent, admin } = place;
    const mine = await ticket(place, { status: "open", userId: agent.id, queueId: sales });
    const readable = await app.given.message(mine, { body: "palavra aberta", queueId: sales });
    const hidden = await app.given.message(mine, { body: "palavra secreta", queueId: support });
    expect(await hitOf(admin, "palavra")).toMatchObject({ messageId: hidden });
    expect(await hitOf(agent, "palavra")).toMatchObject({ messageId: readable });
    expect(await search(agent, "secreta")).toEqual([]);
    expect(await search(agent, "palavra secreta", { status: "open" })).toEqual([]);
  });

  test("is not found by two letters either", async () => {
    const place = await office();
    const mine = await ticket(place, { status: "open", userId: place.agent.id });
    await app.given.message(mine, { body: "xyq", queueId: place.support });
    expect(await search(place.agent, "xy")).toEqual([]);
    expect(await found(place.admin, "xy", { showAll: true })).toEqual([mine.id]);
  });

  test.each(["apagada agora", "ag"])("a deleted message is not found: %s", async (term) => {
    const place = await office();
    const one = await ticket(place);
    const messageId: MessageId = await app.given.message(one, { body: "apagada agora" });
    expect(await found(place.admin, term)).toEqual([one.id]);
    await run(sql`update messages set is_deleted = true where id = ${messageId}`);
    expect(await found(place.admin, term)).toEqual([]);
  });
});

describe("a search stays inside", () => {
  test("tags, users, queues, status and unread", async () => {
    const place = await office();
    const { admin, agent, colleague, sales, support } = place;
    const open = await ticket(place, { status: "open", userId: agent.id, queueId: sales });
    const waiting = await ticket(place, { queueId: support });
    const closed = await ticket(place, { status: "closed", servedBy: { userId: colleague.id } });
    for (const one of [open, waiting, closed]) await app.given.message(one, { body: "a garantia" });
    await run(sql`update tickets set unread_messages = 0 where id = ${waiting.id}`);
    const tagId = await tag(place, [open, closed]);

    const by = (query: Query) => found(admin, "garantia", query);
    expect(await by({})).toEqual([open, waiting, closed].map(idOf));
    expect(await by({ tags: [tagId] })).toEqual([open, closed].map(idOf));
    expect(await by({ users: [agent.id] })).toEqual([open.id]);
    expect(await by({ users: [agent.id, colleague.id] })).toEqual([open, closed].map(idOf));
    expect(await by({ queueIds: [sales] })).toEqual([open, closed].map(idOf));
    expect(await by({ status: "pending" })).toEqual([waiting.id]);
    expect(await by({ tags: [tagId], status: "closed" })).toEqual([closed.id]);
    expect(await by({ withUnreadMessages: true, status: "open" })).toEqual([open.id]);
    expect(await found(agent, "garantia", { users: [colleague.id] })).toEqual([open.id]);
  });

  test("the newest five thousand messages of a word, and finds the older ones in a narrower list", async () => {
    const place = await office();
    const old = await ticket(place);
    await app.given.message(old, { body: "bom dia, tudo bem?" });
    const chatty = await ticket(place);
    await run(sql`
      insert into messages (company_id, id, ticket_id, connection_id, provider_id, body, from_me, read, ack)
      select ${place.company.id}, gen_random_uuid(), ${chatty.id}, ${place.connectionId}, 'n' || n, 'bom dia ' || n, true, true, 2
      from generate_series(1, 5000) n`);
    expect(await found(place.admin, "bom dia")).toEqual([chatty.id]);
    const tagId = await tag(place, [old]);
    expect(await found(place.admin, "bom dia", { tags: [tagId] })).toEqual([old.id]);
    expect(await found(place.admin, "tudo bem?")).toEqual([old.id]);
  });

  test("two statements, the caller's rights included", async () => {
    const { admin } = await office();
    app.statements.take();
    await search(admin, "garantia", { tags: [1], status: "open" });
    expect(app.statements.take()).toHaveLength(2);
  });
});
