import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { rooms } from "../../../platform/realtime/hub.ts";
import type { ChannelSide } from "../testing/channel-side.ts";
import { channelSide, newPhone, textEvent } from "../testing/channel-side.ts";
import { conversationsOf } from "../testing/conversations.ts";

let side: ChannelSide;
beforeAll(async () => {
  side = await channelSide({ queues: 2 });
});

describe("a closed ticket", () => {
  async function closedTicket(of: ChannelSide, servedQueue?: number) {
    const customer = newPhone();
    const agent = await of.given.agent({ company: of.company });
    const queueId =
      servedQueue === undefined ? null : await of.given.queue({ company: of.company });
    const ticket = await of.given.ticket({
      company: of.company,
      connectionId: of.connectionId,
      phone: customer.value,
      status: "closed",
      servedBy: { userId: agent.id, queueId },
    });
    return { customer, agent, ticket };
  }

  test("waits again without agent, in a new attendance, when its customer writes", async () => {
    const { customer, ticket } = await closedTicket(side, 1);
    await side.receive(textEvent({ chat: customer, text: "voltei" }));
    expect(await conversationsOf(customer, side)).toMatchObject([
      {
        id: ticket.id,
        status: "pending",
        userId: null,
        queueId: null,
        unread: 1,
        open: 1,
        attendances: 2,
      },
    ]);
  });

  test("leaves the lists of those who served it and appears in the waiting lists", async () => {
    const one = await channelSide({ queues: 1, database: side.database });
    const { customer, agent, ticket } = await closedTicket(one, 1);
    one.told.take();
    await one.receive(textEvent({ chat: customer, text: "voltei" }));
    const [lost, told, viewers, message] = one.told.take();
    expect(lost).toMatchObject({
      subject: "ticket",
      payload: { action: "delete", ticketId: ticket.id },
    });
    expect(lost?.to).toContain(rooms.user(one.companyId, agent.id));
    expect(told).toMatchObject({ payload: { action: "update", ticket: { status: "pending" } } });
    const [now] = await conversationsOf(customer, one);
    expect(told?.to).toContain(rooms.queuePending(one.companyId, now?.queueId ?? null));
    expect(viewers?.to).toEqual([rooms.ticket(one.companyId, ticket.id)]);
    expect(message).toMatchObject({
      subject: "appMessage",
      payload: { ticket: { status: "pending" } },
    });
  });

  test("stays closed for history, which counts nothing", async () => {
    const { customer } = await closedTicket(side);
    const at = new Date(Date.now() - 86_400_000);
    await side.receive(textEvent({ chat: customer, text: "antiga", origin: "history", at }));
    expect(await conversationsOf(customer, side)).toMatchObject([
      { status: "closed", unread: 0, messages: ["antiga"], attendances: 1 },
    ]);
  });

  test("stays closed when the company writes on its phone", async () => {
    const { customer } = await closedTicket(side);
    await side.receive(textEvent({ chat: customer, text: "até logo", fromMe: true }));
    expect(await conversationsOf(customer, side)).toMatchObject([
      { status: "closed", unread: 0, last: "até logo", attendances: 1 },
    ]);
  });

  test("is reopened once by the same message twenty times at once", async () => {
    const { customer } = await closedTicket(side);
    const event = textEvent({ chat: customer });
    await Promise.all(Array.from({ length: 20 }, () => side.receive(event)));
    expect(await conversationsOf(customer, side)).toMatchObject([
      { unread: 1, open: 1, attendances: 2 },
    ]);
  });
});

describe("the company's own phone", () => {
  test("a message to a new contact opens a ticket without agent, named by the number until the contact answers", async () => {
    const chat = newPhone();
    await side.receive(textEvent({ chat, text: "olá", fromMe: true, name: "Nome da empresa" }));
    expect(await conversationsOf(chat, side)).toMatchObject([
      { status: "open", userId: null, unread: 0, contact: chat.value, messages: ["olá"] },
    ]);
    await side.receive(textEvent({ chat, name: "Bruno" }));
    expect(await conversationsOf(chat, side)).toMatchObject([
      { status: "open", contact: "Bruno", unread: 1 },
    ]);
  });

  test("a reply there marks the ticket as read here", async () => {
    const chat = newPhone();
    await side.receive(textEvent({ chat, text: "preço?" }));
    await side.receive(textEvent({ chat, text: "R$ 10", fromMe: true }));
    expect(await conversationsOf(chat, side)).toMatchObject([
      { status: "pending", unread: 0, last: "R$ 10" },
    ]);
    const rows = await side.database.db.transaction(side, (tx) =>
      tx.query(sql`
        select m.read from messages m join contact_addresses a on a.contact_id = m.contact_id
        where a.value = ${chat.value} and not m.from_me`),
    );
    expect(rows).toEqual([{ read: true }]);
  });

  test("the echo of what was sent from the product is that message", async () => {
    const chat = newPhone();
    const ticket = await side.given.ticket({
      company: side.company,
      connectionId: side.connectionId,
      phone: chat.value,
      status: "open",
    });
    const id = await side.given.message(ticket, { fromMe: true, body: "R$ 10" });
    const [stored] = await side.database.db.transaction(side, (tx) =>
      tx.query<{ providerId: string }>(
        sql`select provider_id as "providerId" from messages where id = ${id}`,
      ),
    );
    side.told.take();
    await side.receive(
      textEvent({ chat, id: stored?.providerId ?? "", fromMe: true, text: "R$ 10" }),
    );
    expect(await conversationsOf(chat, side)).toMatchObject([{ messages: ["R$ 10"] }]);
    expect(side.told.take()).toEqual([]);
  });
});
