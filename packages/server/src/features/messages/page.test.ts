import { beforeAll, describe, expect, test, vi } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import type { GivenTicket } from "../../testing/given.ts";
import type { MessageApp, Office, Page } from "./testing/office.ts";
import { answer, bodies, messageApp, refusal } from "./testing/office.ts";

let app: TestApp;
let office: MessageApp["office"];
let ticketOf: MessageApp["ticketOf"];
let openTicketOf: MessageApp["openTicketOf"];
let send: MessageApp["send"];
let read: MessageApp["read"];
let show: MessageApp["show"];
let receiptsOf: MessageApp["receiptsOf"];
beforeAll(async () => {
  ({ app, office, ticketOf, openTicketOf, send, read, show, receiptsOf } = await messageApp());
});

describe("reading", () => {
  test("twenty on a page, the newest page first, ascending inside", async () => {
    const place = await office();
    const ticket = await openTicketOf(place);
    const start = Date.now() - 3_600_000;
    for (let n = 0; n < 45; n += 1) {
      const at = new Date(start + Math.floor(n / 3) * 1_000);
      await app.given.message(ticket, { body: `m${n}`, at });
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
  });

  describe("beside a message", () => {
    let place: Office;
    let ticket: GivenTicket;
    const ids: string[] = [];
    beforeAll(async () => {
      place = await office();
      ticket = await openTicketOf(place);
      const start = Date.now() - 3_600_000;
      for (let n = 0; n < 45; n += 1) {
        // Three share a time: the order of storage decides.
        const at = new Date(start + Math.floor(n / 3) * 1_000);
        ids.push(await app.given.message(ticket, { body: `m${n}`, at }));
      }
    });

    test.each([
      ["before", 25, [5, 25], { hasMore: true, hasNewer: true }],
      ["before", 5, [0, 5], { hasMore: false, hasNewer: true }],
      ["after", 4, [5, 25], { hasMore: true, hasNewer: true }],
      ["after", 24, [25, 45], { hasMore: true, hasNewer: false }],
      ["after", 44, [45, 45], { hasMore: true, hasNewer: false }],
      ["around", 22, [12, 32], { hasMore: true, hasNewer: true }],
      ["around", 10, [0, 20], { hasMore: false, hasNewer: true }],
      ["around", 35, [25, 45], { hasMore: true, hasNewer: false }],
      ["around", 0, [0, 10], { hasMore: false, hasNewer: true }],
      ["around", 44, [34, 45], { hasMore: true, hasNewer: false }],
    ] as const)("%s m%i stand its neighbours", async (where, n, [from, to], more) => {
      const page = await read(place.ana, ticket, `&${where}Id=${ids[n]}`);
      expect(bodies(page)).toEqual(Array.from({ length: to - from }, (_, k) => `m${from + k}`));
      expect(page).toMatchObject({ ...more, count: 45 });
    });

    test.each(["before", "after", "around"])(
      "%s one that is not there, of another ticket or not readable, nothing is found",
      async (where) => {
        const other = await app.given.message(await openTicketOf(place));
        const hidden = await app.given.message(ticket, { queueId: place.support });
        const unknown = "00000000-0000-7000-8000-000000000000";
        for (const id of [other, hidden, unknown]) {
          const path = `/messages/${ticket.id}?markRead=false&${where}Id=${id}`;
          expect(answer(await app.as(place.ana).get(path))).toEqual(
            refusal("ERR_NO_MESSAGE_FOUND", 404),
          );
        }
        const path = `/messages/${ticket.id}?markRead=false&${where}Id=${hidden}`;
        expect((await app.as(place.admin).get(path)).status).toBe(200);
      },
    );

    test("at most one place is asked for", async () => {
      const path = `/messages/${ticket.id}?beforeId=${ids[3]}&afterId=${ids[1]}`;
      expect(answer(await app.as(place.ana).get(path))).toEqual(
        refusal("ERR_INVALID_REQUEST", 400),
      );
    });
  });

  test("gives an agent the messages without queue, of the agent's queues, and of the agent's own tickets", async () => {
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

    // The assignee of a ticket in another queue also reads that queue's messages.
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
});

test("a page of messages takes two statements, the caller's rights included", async () => {
  const place = await office();
  const ticket = await openTicketOf(place);
  for (let n = 0; n < 30; n += 1)
    await app.given.message(ticket, { queueId: place.sales, read: true });
  app.statements.take();
  // Her own conversation; one of somebody else is noted, at the first look of an hour.
  for (const [user, statements] of [
    [place.ana, 2],
    [place.admin, 3],
    [place.admin, 2],
  ] as const) {
    await app.as(user).get(`/messages/${ticket.id}`);
    expect(app.statements.take()).toHaveLength(statements);
  }
});

describe("reading a ticket", () => {
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

  test("is also done by the assignee's reply", async () => {
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
});
