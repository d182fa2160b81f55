import { beforeAll, describe, expect, test, vi } from "vitest";
import type { TestApp } from "../../../testing/app.ts";
import type { MessageApp, Page } from "../testing/office.ts";
import { messageApp } from "../testing/office.ts";

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
});
