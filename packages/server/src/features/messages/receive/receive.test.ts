import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import type { Address } from "../../../channels/port.ts";
import { rooms } from "../../../platform/realtime/hub.ts";
import type { ChannelSide } from "../testing/channel-side.ts";
import { ackEvent, channelSide, newPhone, textEvent } from "../testing/channel-side.ts";
import { appMessages, conversationsOf, countRows, setTicket } from "../testing/conversations.ts";

let side: ChannelSide;
beforeAll(async () => {
  side = await channelSide({ queues: 2 });
});

describe("a customer's first message", () => {
  test("makes the contact, a waiting ticket without queue, its attendance and the message", async () => {
    const chat = newPhone();
    const at = new Date(Date.now() - 60_000);
    await side.receive(textEvent({ chat, name: "Ana Lima", text: "Bom dia!", at }));

    expect(await conversationsOf(chat, side)).toEqual([
      {
        id: expect.any(Number),
        status: "pending",
        unread: 1,
        last: "Bom dia!",
        lastKind: "text",
        queueId: null,
        userId: null,
        contact: "Ana Lima",
        messages: ["Bom dia!"],
        open: 1,
        attendances: 1,
      },
    ]);
  });

  test("is told as a ticket and as a message, with all that clients read from it", async () => {
    side.told.take();
    const at = new Date(Date.now() - 60_000);
    await side.receive(textEvent({ name: "Ana Lima", text: "Bom dia!", at }));

    const [contact, ticket, message, ...rest] = side.told.take();
    expect(contact).toMatchObject({ subject: "contact", payload: { action: "create" } });
    expect(rest).toEqual([]);
    expect(ticket).toMatchObject({ subject: "ticket", payload: { action: "update" } });
    expect(message).toMatchObject({
      subject: "appMessage",
      payload: {
        action: "create",
        message: {
          body: "Bom dia!",
          fromMe: false,
          read: false,
          contact: { name: "Ana Lima" },
          createdAt: at.toISOString(),
          queue: null,
        },
        ticket: {
          status: "pending",
          unreadMessages: 1,
          lastMessage: "Bom dia!",
          lastMessageAt: at.toISOString(),
          user: null,
          queue: null,
          whatsapp: { id: side.connectionId },
          tags: [],
        },
        contact: { name: "Ana Lima" },
      },
    });
    expect(message?.to).toContain(rooms.queuePending(side.companyId, null));
  });

  test("goes to the connection's queue when that is its only one", async () => {
    const one = await channelSide({ queues: 1, database: side.database });
    const chat = newPhone();
    await one.receive(textEvent({ chat }));
    const [ticket] = await conversationsOf(chat, one);
    expect(ticket?.queueId).toEqual(expect.any(Number));
    const [message] = appMessages(one.told.take());
    expect(message).toMatchObject({
      message: { queueId: ticket?.queueId, queue: { id: ticket?.queueId } },
      ticket: { queue: { id: ticket?.queueId } },
    });
  });

  test("delivered twenty times at once is one message, told once", async () => {
    side.told.take();
    const event = textEvent({ text: "uma vez" });
    await Promise.all(Array.from({ length: 20 }, () => side.receive(event)));
    const tickets = await conversationsOf(event.ref.chat, side);
    expect(tickets).toMatchObject([{ messages: ["uma vez"], unread: 1, attendances: 1 }]);
    expect(appMessages(side.told.take())).toHaveLength(1);
  });

  test("over two addresses and in both forms of the ninth digit at once is one contact and one ticket", async () => {
    const [contacts, tickets] = [
      await countRows("contacts", side),
      await countRows("tickets", side),
    ];
    const long: Address = { kind: "pn", value: "5511987001122" };
    const short: Address = { kind: "pn", value: "551187001122" };
    const lid: Address = { kind: "lid", value: "9900011" };
    const events = [
      textEvent({ chat: long }),
      textEvent({ chat: short }),
      textEvent({ chat: lid, from: { addresses: [lid, long] } }),
      textEvent({ chat: long, from: { addresses: [short, lid] } }),
      textEvent({ chat: lid, from: { addresses: [short] } }),
    ];
    const all = [...events, ...events, ...events, ...events];
    await Promise.all(all.map((event) => side.receive(event)));

    expect([await countRows("contacts", side), await countRows("tickets", side)]).toEqual([
      contacts + 1,
      tickets + 1,
    ]);
    expect(await conversationsOf(lid, side)).toMatchObject([{ unread: 5, attendances: 1 }]);
  });
});

describe("further messages", () => {
  test("count as unread and stand on the card; the time of the last one is the message's", async () => {
    const chat = newPhone();
    await side.receive(textEvent({ chat, text: "um", at: new Date(Date.now() - 9_000) }));
    await side.receive(textEvent({ chat, text: "dois", at: new Date(Date.now() - 5_000) }));
    expect(await conversationsOf(chat, side)).toMatchObject([
      { unread: 2, last: "dois", messages: ["um", "dois"], attendances: 1 },
    ]);
    side.told.take();
    await side.receive(textEvent({ chat, text: "três" }));
    const told = side.told.take();
    expect(told.map((event) => event.subject)).toEqual(["appMessage"]);
  });

  test("one that comes late stands at the end, where the agent looks", async () => {
    const chat = newPhone();
    await side.receive(textEvent({ chat, text: "primeira" }));
    const late = new Date(Date.now() - 3_600_000);
    await side.receive(textEvent({ chat, text: "atrasada", at: late, origin: "offline" }));
    expect(await conversationsOf(chat, side)).toMatchObject([
      { unread: 2, last: "atrasada", messages: ["primeira", "atrasada"] },
    ]);
  });

  test("a message of the future is stored as of now", async () => {
    const chat = newPhone();
    await side.receive(textEvent({ chat, at: new Date(Date.now() + 3_600_000) }));
    const [message] = appMessages(side.told.take()).slice(-1);
    expect(Date.parse(message?.message.createdAt ?? "")).toBeLessThanOrEqual(Date.now());
  });

  test("only the beginning of a long one stands on the card", async () => {
    const chat = newPhone();
    const text = "ã".repeat(3_000);
    await side.receive(textEvent({ chat, text }));
    expect(await conversationsOf(chat, side)).toMatchObject([
      { last: "ã".repeat(500), messages: [text] },
    ]);
  });

  test("two hundred of one customer at once are all there and all unread", async () => {
    const chat = newPhone();
    const events = Array.from({ length: 200 }, () => textEvent({ chat }));
    await Promise.all(events.map((event) => side.receive(event)));
    const [ticket] = await conversationsOf(chat, side);
    expect(ticket).toMatchObject({ unread: 200, attendances: 1 });
    expect(ticket?.messages).toHaveLength(200);
  });

  test("a quoted message is named; one that is not known is not", async () => {
    const chat = newPhone();
    const first = textEvent({ chat, text: "qual o preço?" });
    await side.receive(first);
    side.told.take();
    await side.receive(textEvent({ chat, text: "e então?", quoted: first.ref }));
    const unknown = { ...first.ref, id: "unknown" };
    await side.receive(textEvent({ chat, text: "oi?", quoted: unknown }));
    const [answer, other] = appMessages(side.told.take());
    expect(answer?.message).toMatchObject({
      mediaType: "extendedTextMessage",
      quotedMsg: { body: "qual o preço?", contact: { name: chat.value } },
    });
    expect(other?.message).toMatchObject({ quotedMsg: null, quotedMsgId: null });
  });
});

describe("statements (architecture 5), one more is the runtime's", () => {
  async function statementsOf(event: Parameters<ChannelSide["receive"]>[0]): Promise<number> {
    side.database.statements.take();
    await side.receive(event);
    return side.database.statements.take().length;
  }

  test("a known customer's text takes two, a new one's at most seven, an early acknowledgement two", async () => {
    const chat = newPhone();
    expect(await statementsOf(textEvent({ chat, name: "Ana" }))).toBeLessThanOrEqual(7);
    expect(await statementsOf(textEvent({ chat, name: "Ana" }))).toBe(2);
    expect(await statementsOf(ackEvent("unknown", 2))).toBe(2);
    const [ticket] = await conversationsOf(chat, side);
    if (!ticket) throw new Error("no ticket");
    await setTicket(side, ticket.id, sql`status = 'closed'`);
    expect(await statementsOf(textEvent({ chat }))).toBe(3);
  });
});
