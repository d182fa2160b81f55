import type { TicketId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { ChannelSide } from "./testing/channel-side.ts";
import { ackEvent, channelSide, newPhone, textEvent } from "./testing/channel-side.ts";
import { appMessages, setTicket } from "./testing/conversations.ts";

let side: ChannelSide;
beforeAll(async () => {
  side = await channelSide({ queues: 2 });
});

describe("acknowledgements", () => {
  async function sentMessage() {
    const ticket = await side.given.ticket({
      company: side.company,
      connectionId: side.connectionId,
      status: "open",
    });
    const id = await side.given.message(ticket, { fromMe: true });
    const [row] = await side.database.db.transaction(side, (tx) =>
      tx.query<{ providerId: string }>(sql`
        update messages set ack = 0 where id = ${id} returning provider_id as "providerId"`),
    );
    await setTicket(side, ticket.id, sql`last_message_ack = 0`);
    side.told.take();
    return { id, ticket, providerId: row?.providerId ?? "" };
  }

  async function acksOf(ticketId: TicketId) {
    const [row] = await side.database.db.transaction(side, (tx) =>
      tx.query<{ ack: number; card: number; failed: string | null; cardFailed: boolean }>(sql`
        select m.ack, t.last_message_ack as card, m.failed_code as failed, t.last_message_failed as "cardFailed"
        from tickets t join messages m on m.id = t.last_message_id where t.id = ${ticketId}`),
    );
    return row;
  }

  test("only move up, also when they overtake each other, and reach the card", async () => {
    const { providerId, ticket, id } = await sentMessage();
    for (const level of [2, 4, 3, 1] as const) await side.receive(ackEvent(providerId, level));
    expect(await acksOf(ticket.id)).toMatchObject({ ack: 4, card: 4 });
    const told = appMessages(side.told.take());
    expect(told).toMatchObject([
      { action: "update", message: { id, ack: 2 } },
      { action: "update", message: { id, ack: 4, contact: null, quotedMsg: null } },
    ]);
  });

  test("wait for a change of the ticket's messages without holding the message", async () => {
    const { providerId, ticket, id } = await sentMessage();
    const company = { companyId: side.companyId };
    let acked: Promise<void> | undefined;
    await side.database.db.transaction(company, async (tx) => {
      await tx.query(sql`select 1 from tickets where id = ${ticket.id} for no key update`);
      acked = side.receive(ackEvent(providerId, 3));
      await vi.waitFor(async () => {
        const waiting = await side.database.db.acrossCompanies((other) =>
          other.query(sql`
            select 1 from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`),
        );
        expect(waiting).toHaveLength(1);
      });
      await tx.query(sql`set local lock_timeout = '500ms'`);
      await tx.query(sql`update messages set body = 'Outro texto' where id = ${id}`);
    });
    await acked;
    expect(await acksOf(ticket.id)).toMatchObject({ ack: 3, card: 3 });
  });

  test("of a message that is not the last one do not change the card", async () => {
    const { providerId, ticket } = await sentMessage();
    await side.receive(textEvent({ chat: { kind: "pn", value: ticket.phone } }));
    await side.receive(ackEvent(providerId, 4));
    expect(await acksOf(ticket.id)).toMatchObject({ card: 3 });
  });

  test("of unknown messages are harmless, and wait for a message of the company's phone", async () => {
    const chat = newPhone();
    await side.receive(ackEvent("NOT-YET", 3, chat));
    await side.receive(textEvent({ chat, id: "NOT-YET", fromMe: true }));
    const told = appMessages(side.told.take().filter(({ subject }) => subject === "appMessage"));
    expect(told.at(-1)?.message).toMatchObject({ ack: 3 });
  });

  test("a customer's message has none", async () => {
    const event = textEvent();
    await side.receive(event);
    side.told.take();
    await side.receive(ackEvent(event.ref.id, 5));
    expect(side.told.take()).toEqual([]);
  });

  test("the outcomes of sending: written, accepted, failed with its reason", async () => {
    const { id, ticket } = await sentMessage();
    await side.sent({ messageId: id, command: "message", before: null, result: "written" });
    expect(await acksOf(ticket.id)).toMatchObject({ ack: 1, card: 1 });
    await side.sent({
      messageId: id,
      command: "message",
      before: null,
      result: "failed",
      failure: { kind: "recipient-unknown" },
    });
    expect(await acksOf(ticket.id)).toMatchObject({
      failed: "ERR_WAPP_INVALID_CONTACT",
      cardFailed: true,
    });
    await side.sent({ messageId: id, command: "message", before: null, result: "accepted" });
    expect(await acksOf(ticket.id)).toMatchObject({ ack: 2, failed: null, cardFailed: false });
    expect(appMessages(side.told.take()).map(({ message }) => message.failedCode)).toEqual([
      null,
      "ERR_WAPP_INVALID_CONTACT",
      null,
    ]);
  });

  test("a network that gives a message back has failed, unless the customer has it", async () => {
    const { providerId, ticket } = await sentMessage();
    const failed = {
      type: "send-failed",
      providerId,
      chat: newPhone(),
      failure: { kind: "bad-request" },
    } as const;
    await side.receive(failed);
    expect(await acksOf(ticket.id)).toMatchObject({
      failed: "ERR_SENDING_WAPP_MSG",
      cardFailed: true,
    });
    await side.receive(ackEvent(providerId, 3));
    await side.receive(failed);
    expect(await acksOf(ticket.id)).toMatchObject({ failed: null, cardFailed: false });
  });
});
