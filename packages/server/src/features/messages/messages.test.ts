import type { Message, MessageId, ReplyOf, Ticket } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { Reply, TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenTicket, GivenUser, TicketWish } from "../../testing/given.ts";

type Page = ReplyOf<"GET /messages/:ticketId">;

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
});

async function office(timeZone = "America/Sao_Paulo") {
  const { given } = app;
  const company = await given.company({ timeZone });
  const sales = await given.queue({ company, name: "Vendas" });
  const support = await given.queue({ company, name: "Suporte" });
  return {
    company,
    sales,
    support,
    connectionId: await given.connection({ company, linked: false }),
    admin: await given.admin({ company }),
    ana: await given.agent({ company, queueIds: [sales] }),
    caio: await given.agent({ company, queueIds: [support] }),
  };
}

type Office = Awaited<ReturnType<typeof office>>;

const ticketOf = ({ company, connectionId }: Office, wish: TicketWish = {}): Promise<GivenTicket> =>
  app.given.ticket({ company, connectionId, ...wish });

const openTicketOf = (place: Office): Promise<GivenTicket> =>
  ticketOf(place, { status: "open", userId: place.ana.id, queueId: place.sales });

const post = (user: GivenUser, { id }: { id: number }, body: object): Promise<Reply<Message>> =>
  app.as(user).post<Message>(`/messages/${id}`, body);

async function send(user: GivenUser, ticket: { id: number }, body: string): Promise<Message> {
  const reply = await post(user, ticket, { body });
  expect(reply.status).toBe(200);
  return reply.body;
}

async function read(user: GivenUser, ticket: { id: number }, query = ""): Promise<Page> {
  const reply = await app.as(user).get<Page>(`/messages/${ticket.id}?markRead=false${query}`);
  expect(reply.status).toBe(200);
  return reply.body;
}

const bodies = (page: Page): string[] => page.messages.map((message) => message.body);

async function show(user: GivenUser, { id }: { id: number }): Promise<Ticket> {
  return (await app.as(user).get<Ticket>(`/tickets/${id}`)).body;
}

type OutboundRow = {
  messageId: MessageId;
  body: string;
  to: string;
  providerId: string;
  state: string;
};

async function outboundOf({ id }: GivenTicket): Promise<OutboundRow[]> {
  return app.database.db.acrossCompanies((tx) =>
    tx.query<OutboundRow>(sql`
      select o.message_id as "messageId", o.body, o.to_value as "to", o.provider_id as "providerId", o.state
      from outbound o join messages m on m.company_id = o.company_id and m.id = o.message_id
      where m.ticket_id = ${id} order by o.id`),
  );
}

const refusal = (code: string, status: number) => [status, expect.objectContaining({ code })];
const answer = ({ status, body }: Reply): unknown[] => [status, body];

describe("sending", () => {
  test("stores the message, puts it on the card and hands it to the channel", async () => {
    const place = await office();
    const ticket = await openTicketOf(place);
    const body = { read: 1, fromMe: true, mediaUrl: "", body: "Olá!", quotedMsg: null };
    const reply = await post(place.ana, ticket, body);
    expect(answer(reply)).toEqual([
      200,
      {
        id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7/),
        ticketId: ticket.id,
        companyId: place.company.id,
        contactId: null,
        contact: null,
        body: "Olá!",
        fromMe: true,
        read: true,
        isDeleted: false,
        isEdited: false,
        isForwarded: false,
        ack: 0,
        failedCode: null,
        clientId: null,
        mediaType: "conversation",
        mediaUrl: null,
        quotedMsgId: null,
        quotedMsg: null,
        queueId: place.sales,
        queue: { id: place.sales, name: "Vendas", color: expect.any(String) },
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    ]);
    expect(await show(place.ana, ticket)).toMatchObject({
      lastMessage: "Olá!",
      lastMessageAt: reply.body.createdAt,
      lastMessageFromMe: true,
      lastMessageAck: 0,
    });
    expect(await outboundOf(ticket)).toEqual([
      {
        messageId: reply.body.id,
        body: JSON.stringify({ kind: "text", text: "Olá!" }),
        to: ticket.phone,
        providerId: expect.stringMatching(/^3EB0[\dA-F]{18}$/),
        state: "queued",
      },
    ]);
    expect(bodies(await read(place.ana, ticket))).toEqual(["Olá!"]);
  });

  test("renders variables once, in the company's time zone", async () => {
    const place = await office("Asia/Tokyo");
    const ticket = await ticketOf(place, {
      status: "open",
      userId: place.ana.id,
      contactName: "João {{hora}} & Cia",
    });
    const hour = new Intl.DateTimeFormat("en", {
      timeZone: "Asia/Tokyo",
      hour: "2-digit",
      hourCycle: "h23",
    });
    const { body } = await send(place.ana, ticket, "{{firstName}}|{{name}}|{{hora}}|{{x}}");
    expect(body).toMatch(/^João\|João \{\{hora\}\} & Cia\|\d\d:\d\d:\d\d\|\{\{x\}\}$/);
    expect(body.split("|")[2]?.slice(0, 2)).toBe(hour.format(app.clock.now()));
  });

  test.each(["", "   ", "\n\t"])("a blank text (%j) is refused", async (body) => {
    const place = await office();
    const ticket = await openTicketOf(place);
    expect(answer(await post(place.ana, ticket, { body }))).toEqual(
      refusal("ERR_MESSAGE_EMPTY", 400),
    );
  });

  test("in any state of the ticket, which stays; only who sees the ticket may", async () => {
    const place = await office();
    const { ana, caio, admin, sales } = place;
    for (const wish of [
      { status: "pending", queueId: sales },
      { status: "closed", servedBy: { queueId: sales } },
    ] satisfies TicketWish[]) {
      const ticket = await ticketOf(place, wish);
      await send(ana, ticket, "Aviso");
      await send(admin, ticket, "Aviso");
      expect(await show(ana, ticket)).toMatchObject({ status: wish.status, userId: null });
      expect(answer(await post(caio, ticket, { body: "Aviso" }))).toEqual(
        refusal("ERR_TICKET_FORBIDDEN", 403),
      );
      expect(await outboundOf(ticket)).toHaveLength(2);
    }
  });

  test("another company's ticket is not found; one without connection cannot send", async () => {
    const [here, there] = [await office(), await office()];
    const ticket = await openTicketOf(here);
    expect(answer(await post(there.admin, ticket, { body: "Olá" }))).toEqual(
      refusal("ERR_NO_TICKET_FOUND", 404),
    );
    await app.database.db.acrossCompanies((tx) =>
      tx.query(sql`update tickets set connection_id = null where id = ${ticket.id}`),
    );
    expect(answer(await post(here.ana, ticket, { body: "Olá" }))).toEqual(
      refusal("ERR_WAPP_NOT_INITIALIZED", 400),
    );
  });

  test("with the same client id again, also at once, it is the same message", async () => {
    const place = await office();
    const ticket = await openTicketOf(place);
    const clientId = "0193b0a0-0000-7000-8000-00000000abcd";
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => post(place.ana, ticket, { body: "uma vez", clientId })),
    );
    const [first] = replies;
    expect(first?.body).toMatchObject({ clientId, body: "uma vez" });
    for (const reply of replies) expect(answer(reply)).toEqual([200, first?.body]);
    expect(await outboundOf(ticket)).toHaveLength(1);
    expect(await read(place.ana, ticket)).toMatchObject({ count: 1 });

    const other = await openTicketOf(place);
    expect(answer(await post(place.ana, other, { body: "x", clientId }))).toEqual(
      refusal("ERR_INVALID_REQUEST", 400),
    );
    const elsewhere = await office();
    const there = await openTicketOf(elsewhere);
    expect((await post(elsewhere.ana, there, { body: "x", clientId })).status).toBe(200);
  });

  test("a hundred at once keep one order on the card, in the conversation and to the channel", async () => {
    const place = await office();
    const ticket = await openTicketOf(place);
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, n) => send(place.ana, ticket, `n${n}`)),
    );
    expect(new Set(replies.map(({ id }) => id)).size).toBe(100);
    const outbound = await outboundOf(ticket);
    const pages = [];
    for (let n = 5; n >= 1; n -= 1) pages.push(await read(place.ana, ticket, `&pageNumber=${n}`));
    const stored = pages.flatMap((page) => page.messages.map((message) => message.id));
    expect(stored).toEqual(outbound.map((row) => row.messageId));
    expect((await show(place.ana, ticket)).lastMessage).toBe(pages.at(-1)?.messages.at(-1)?.body);
  });

  test("quotes a message of the same ticket that the sender may read, and no other", async () => {
    const place = await office();
    const { ana, admin } = place;
    const ticket = await openTicketOf(place);
    const quoted = await app.given.message(ticket, {
      body: "qual o preço?",
      queueId: place.sales,
      read: true,
    });
    const hidden = await app.given.message(ticket, {
      body: "de outra fila",
      queueId: place.support,
      read: true,
    });
    const foreign = await app.given.message(await openTicketOf(place), { body: "de outro ticket" });

    const reply = await post(ana, ticket, {
      body: "R$ 10",
      quotedMsg: { id: quoted, body: "forged" },
    });
    expect(reply.body).toMatchObject({
      mediaType: "extendedTextMessage",
      quotedMsgId: quoted,
      quotedMsg: {
        id: quoted,
        body: "qual o preço?",
        fromMe: false,
        contact: { id: ticket.contactId },
      },
    });
    const { messages } = await read(ana, ticket);
    expect(messages.at(-1)).toEqual(reply.body);

    const unknown = "00000000-0000-7000-8000-000000000000";
    for (const id of [foreign, unknown, hidden]) {
      expect(answer(await post(ana, ticket, { body: "x", quotedMsg: { id } }))).toEqual(
        refusal("ERR_FETCH_WAPP_MSG", 400),
      );
    }
    expect((await post(admin, ticket, { body: "x", quotedMsg: { id: hidden } })).status).toBe(200);
    const last = (await read(ana, ticket)).messages.at(-1);
    expect(last).toMatchObject({ quotedMsgId: hidden, quotedMsg: null });
  });
});

describe("reading", () => {
  test("twenty on a page, the newest page first, ascending inside", async () => {
    const place = await office();
    const ticket = await openTicketOf(place);
    const start = Date.now() - 3_600_000;
    const ids: string[] = [];
    for (let n = 0; n < 45; n += 1) {
      const at = new Date(start + Math.floor(n / 3) * 1_000);
      ids.push(await app.given.message(ticket, { body: `m${n}`, at }));
    }
    const names = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, n) => `m${from + n}`);
    const pages = [1, 2, 3, 4].map((n) => read(place.ana, ticket, `&pageNumber=${n}`));
    const [first, second, third, fourth] = await Promise.all(pages);
    expect(first && bodies(first)).toEqual(names(25, 45));
    expect(second && bodies(second)).toEqual(names(5, 25));
    expect(third && bodies(third)).toEqual(names(0, 5));
    expect(fourth && bodies(fourth)).toEqual([]);
    const state = (await Promise.all(pages)).map(({ count, hasMore }) => [count, hasMore]);
    expect(state).toEqual([
      [45, true],
      [45, true],
      [45, false],
      [45, false],
    ]);

    const before = await read(place.ana, ticket, `&beforeId=${ids[25]}`);
    expect([bodies(before), before.hasMore, before.count]).toEqual([names(5, 25), true, 45]);
    const start5 = await read(place.ana, ticket, `&beforeId=${ids[5]}`);
    expect([bodies(start5), start5.hasMore]).toEqual([names(0, 5), false]);
    const unknown = await read(place.ana, ticket, "&beforeId=00000000-0000-7000-8000-000000000000");
    expect(bodies(unknown)).toEqual([]);
  });

  test("gives an agent the messages without queue, of his queues, and of the ticket that is his", async () => {
    const place = await office();
    const { ana, caio, admin, sales, support } = place;
    const ticket = await openTicketOf(place);
    for (const [body, queueId] of [
      ["nenhuma", null],
      ["vendas", sales],
      ["suporte", support],
    ] as const) {
      await app.given.message(ticket, { body, queueId });
    }
    expect(await read(ana, ticket)).toMatchObject({
      count: 2,
      messages: [{ body: "nenhuma" }, { body: "vendas" }],
    });
    expect(bodies(await read(admin, ticket))).toEqual(["nenhuma", "vendas", "suporte"]);

    // His own ticket is in a queue that is not his: he reads what belongs to it, not what is older.
    await app.as(admin).put(`/tickets/${ticket.id}`, { userId: caio.id });
    await send(caio, ticket, "resposta");
    expect(bodies(await read(caio, ticket))).toEqual(["nenhuma", "vendas", "suporte", "resposta"]);
    expect((await app.as(ana).get(`/messages/${ticket.id}`)).status).toBe(403);
    await app.as(admin).put(`/tickets/${ticket.id}`, { userId: caio.id, queueId: support });
    expect(bodies(await read(caio, ticket))).toEqual(["nenhuma", "suporte"]);
  });

  test("is refused outside the queue, and not found outside the company", async () => {
    const place = await office();
    const ticket = await ticketOf(place, { queueId: place.sales });
    const stranger = await app.given.admin({ company: await app.given.company() });
    for (const path of [`/messages/${ticket.id}`, `/messages/${ticket.id}?pageNumber=2`]) {
      expect(answer(await app.as(place.caio).get(path))).toEqual(
        refusal("ERR_TICKET_FORBIDDEN", 403),
      );
      expect(answer(await app.as(stranger).get(path))).toEqual(refusal("ERR_NO_TICKET_FOUND", 404));
      expect((await app.as(place.ana).get(path)).status).toBe(200);
    }
    const path = `/messages/${ticket.id}/read`;
    expect(answer(await app.as(place.caio).post(path))).toEqual(
      refusal("ERR_TICKET_FORBIDDEN", 403),
    );
    expect(answer(await app.as(stranger).post(path))).toEqual(refusal("ERR_NO_TICKET_FOUND", 404));
  });

  test("marks the ticket read for its assignee only, and has the customer told", async () => {
    const place = await office();
    const { ana, admin } = place;
    const ticket = await openTicketOf(place);
    await app.given.message(ticket, { body: "um" });
    const last = await app.given.message(ticket, { body: "dois" });
    const live = await app.live(admin);

    const spied = await app.as(admin).get<Page>(`/messages/${ticket.id}`);
    expect(spied.body).toMatchObject({
      ticket: { unreadMessages: 2 },
      messages: [{ read: false }, { read: false }],
    });
    expect((await read(ana, ticket)).ticket.unreadMessages).toBe(2);
    expect((await app.as(admin).post(`/messages/${ticket.id}/read`)).body).toEqual({
      unreadMessages: 2,
    });
    expect(await receiptsOf(ticket)).toEqual([]);

    const page = await app.as(ana).get<Page>(`/messages/${ticket.id}`);
    expect(page.body).toMatchObject({
      ticket: { unreadMessages: 0 },
      messages: [{ read: true }, { read: true }],
    });
    expect(await read(admin, ticket)).toMatchObject({
      ticket: { unreadMessages: 0 },
      messages: [{ read: true }, { read: true }],
    });
    expect(await receiptsOf(ticket)).toEqual([{ to: ticket.phone, messageId: last }]);
    await vi.waitFor(() =>
      expect(live.heard.filter(({ name }) => name.endsWith("-ticket"))).toEqual([
        {
          name: `company-${place.company.id}-ticket`,
          payload: { action: "updateUnread", ticketId: ticket.id },
        },
      ]),
    );
  });

  test("by its own call too; a second time there is nothing to tell", async () => {
    const place = await office();
    const ticket = await openTicketOf(place);
    await app.given.message(ticket);
    for (let n = 0; n < 2; n += 1) {
      const reply = await app.as(place.ana).post(`/messages/${ticket.id}/read`);
      expect(reply.body).toEqual({ unreadMessages: 0 });
    }
    expect(await receiptsOf(ticket)).toHaveLength(1);
  });

  test("is what answering does, for the assignee", async () => {
    const place = await office();
    const ticket = await openTicketOf(place);
    await app.given.message(ticket);
    await send(place.admin, ticket, "admin");
    expect((await show(place.ana, ticket)).unreadMessages).toBe(1);
    await send(place.ana, ticket, "Ana");
    expect((await show(place.ana, ticket)).unreadMessages).toBe(0);
    expect(await receiptsOf(ticket)).toHaveLength(1);
  });

  test("after accepting, the customer is told when the agent reads", async () => {
    const place = await office();
    const ticket = await ticketOf(place, { queueId: place.sales });
    await app.given.message(ticket, { queueId: place.sales });
    await app.as(place.ana).put(`/tickets/${ticket.id}`, { status: "open" });
    expect(await receiptsOf(ticket)).toEqual([]);
    await app.as(place.ana).get(`/messages/${ticket.id}`);
    expect(await receiptsOf(ticket)).toHaveLength(1);
  });

  async function receiptsOf({ companyId, phone }: GivenTicket) {
    return app.database.db.acrossCompanies((tx) =>
      tx.query(sql`
        select r.to_value as "to", m.id as "messageId" from read_receipts r
        join messages m on m.company_id = r.company_id and m.provider_id = r.provider_id
        where r.company_id = ${companyId} and r.to_value = ${phone}`),
    );
  }
});

describe("a message that was not sent", () => {
  async function failed(place: Office, state = "failed") {
    const ticket = await openTicketOf(place);
    const earlier = await app.given.message(ticket, {
      body: "antes",
      at: new Date(Date.now() - 60_000),
    });
    const message = await send(place.ana, ticket, "não foi");
    await app.database.db.acrossCompanies(async (tx) => {
      await tx.query(sql`update outbound set state = ${state} where message_id = ${message.id}`);
      await tx.query(
        sql`update messages set failed_code = 'ERR_SENDING_WAPP_MSG' where id = ${message.id}`,
      );
      await tx.query(sql`update tickets set last_message_failed = true where id = ${ticket.id}`);
    });
    return { ticket, earlier, message };
  }

  const retry = (user: GivenUser, id: string) =>
    app.as(user).post<Message>(`/messages/retry/${id}`);
  const discard = (user: GivenUser, id: string) => app.as(user).delete(`/messages/failed/${id}`);

  test("is sent again as the same message, once", async () => {
    const place = await office();
    const { ticket, message } = await failed(place);
    const [before] = await outboundOf(ticket);
    expect(await show(place.ana, ticket)).toMatchObject({ lastMessageFailed: true });
    const replies = await Promise.all([retry(place.ana, message.id), retry(place.ana, message.id)]);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 400]));
    const done = replies.find(({ status }) => status === 200);
    expect(done?.body).toMatchObject({ id: message.id, failedCode: null, body: "não foi" });
    expect(await outboundOf(ticket)).toEqual([{ ...before, state: "queued" }]);
    expect(await show(place.ana, ticket)).toMatchObject({ lastMessageFailed: false });
  });

  test("is discarded, and the one before stands on the card again", async () => {
    const place = await office();
    const { ticket, message } = await failed(place);
    const live = await app.live(place.ana);
    expect(answer(await discard(place.ana, message.id))).toEqual([
      200,
      { message: "Message discarded" },
    ]);
    expect(bodies(await read(place.ana, ticket))).toEqual(["antes"]);
    expect(await show(place.ana, ticket)).toMatchObject({
      lastMessage: "antes",
      lastMessageFromMe: false,
      lastMessageFailed: false,
    });
    expect(await outboundOf(ticket)).toEqual([]);
    expect(await live.next(`company-${place.company.id}-appMessage`)).toMatchObject({
      action: "delete",
      message: { id: message.id },
    });
    expect(await live.next(`company-${place.company.id}-ticket`)).toMatchObject({
      action: "update",
      ticket: { lastMessage: "antes" },
    });
    expect(answer(await discard(place.ana, message.id))).toEqual(
      refusal("ERR_NO_MESSAGE_FOUND", 404),
    );
  });

  test("that may have been sent can be sent again, not discarded", async () => {
    const place = await office();
    const { message } = await failed(place, "unconfirmed");
    expect(answer(await discard(place.ana, message.id))).toEqual(
      refusal("ERR_MESSAGE_NOT_FAILED", 400),
    );
    expect((await retry(place.ana, message.id)).status).toBe(200);
  });

  test("is nobody's who cannot see the ticket; what did not fail is neither", async () => {
    const place = await office();
    const { message, earlier, ticket } = await failed(place);
    const other = await office();
    const waiting = await send(place.ana, ticket, "espera");
    for (const act of [retry, discard]) {
      expect(answer(await act(place.caio, message.id))).toEqual(
        refusal("ERR_TICKET_FORBIDDEN", 403),
      );
      expect(answer(await act(other.admin, message.id))).toEqual(
        refusal("ERR_NO_MESSAGE_FOUND", 404),
      );
      expect(answer(await act(place.ana, earlier))).toEqual(refusal("ERR_MESSAGE_NOT_FAILED", 400));
      expect(answer(await act(place.ana, waiting.id))).toEqual(
        refusal("ERR_MESSAGE_NOT_FAILED", 400),
      );
      expect((await act(place.ana, "not-an-id")).status).toBe(400);
    }
  });
});

test("a page of messages takes two statements, the caller's rights included", async () => {
  const place = await office();
  const ticket = await openTicketOf(place);
  for (let n = 0; n < 30; n += 1)
    await app.given.message(ticket, { queueId: place.sales, read: true });
  app.statements.take();
  for (const user of [place.ana, place.admin]) {
    await app.as(user).get(`/messages/${ticket.id}`);
    expect(app.statements.take()).toHaveLength(2);
  }
});
