import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import type { Address, InboundMessage } from "../../../channels/port.ts";
import { rooms } from "../../../platform/realtime/hub.ts";
import type { TicketWish } from "../../../testing/given.ts";
import type { ChannelSide } from "../testing/channel-side.ts";
import { ackEvent, channelSide, newPhone, textEvent } from "../testing/channel-side.ts";
import { appMessages, conversationsOf, countRows, setTicket } from "../testing/conversations.ts";
import { storedTime } from "./arrival.ts";

let side: ChannelSide;
/** A company of its own: nothing may leave it. */
let quiet: ChannelSide;
let groups: ChannelSide;
beforeAll(async () => {
  side = await channelSide({ queues: 2 });
  const { database } = side;
  quiet = await channelSide({ database, queues: 2 });
  groups = await channelSide({ database, queues: 1, settings: { CheckMsgIsGroup: "disabled" } });
});

describe("a customer's first message", () => {
  test("creates the contact, a waiting ticket without queue, its attendance and the message", async () => {
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

  test("is published as a ticket and as a message, with all fields that clients read", async () => {
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

  test("delivered twenty times at once is one message, published once", async () => {
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

  test("a late one stands at the end", async () => {
    const chat = newPhone();
    await side.receive(textEvent({ chat, text: "primeira" }));
    const late = new Date(Date.now() - 3_600_000);
    await side.receive(textEvent({ chat, text: "atrasada", at: late, origin: "offline" }));
    expect(await conversationsOf(chat, side)).toMatchObject([
      { unread: 2, last: "atrasada", messages: ["primeira", "atrasada"] },
    ]);
  });

  test("a message with a future time gets the present time", async () => {
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

describe("statements (architecture 5), besides one of the runtime", () => {
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

/** Queued messages and receipts of the company. */
const leaving = (of: ChannelSide) =>
  of.rows(sql`
    select 'message' as kind from outbound where company_id = ${of.companyId}
    union all select 'receipt' from read_receipts where company_id = ${of.companyId}`);

const wishes: [string, TicketWish][] = [
  ["waits", { status: "pending" }],
  ["an agent serves", { status: "open" }],
  ["is closed", { status: "closed" }],
];

describe("no automatic text is sent", () => {
  test("to a customer who writes for the first time", async () => {
    await quiet.receive(textEvent({ text: "1" }));
    expect(await leaving(quiet)).toEqual([]);
  });

  test.each(wishes)("in a ticket that %s", async (_state, wish) => {
    const { id: agentId } = await quiet.given.agent({ company: quiet.company });
    const { company, connectionId } = quiet;
    const userId = wish.status === "open" ? agentId : null;
    const { phone } = await quiet.given.ticket({ company, connectionId, ...wish, userId });
    const chat: Address = { kind: "pn", value: phone };
    for (const text of ["Oi", "1", "#"]) await quiet.receive(textEvent({ chat, text }));
    expect(await leaving(quiet)).toEqual([]);
  });

  test("to a group", async () => {
    const chat: Address = { kind: "group", value: "5511-1800" };
    await groups.receive(textEvent({ chat, from: { addresses: [newPhone()] } }));
    expect(await countRows("messages", groups)).toBe(1);
    expect(await leaving(groups)).toEqual([]);
  });

  test("an acknowledgement does not mark the customer's messages as read on the phone", async () => {
    const chat = newPhone();
    const answer = textEvent({ chat, fromMe: true });
    for (const event of [textEvent({ chat }), answer]) await quiet.receive(event);
    for (const level of [2, 3, 4] as const) {
      await quiet.receive(ackEvent(answer.ref.id, level, chat));
    }
    expect(await leaving(quiet)).toEqual([]);
  });
});

const at = (time: string): Date => new Date(`2026-11-20T${time}Z`);
const now = at("10:00:10.000");

test.each<
  [why: string, origin: InboundMessage["origin"], time: string, last: string | null, stored: string]
>([
  ["the network's time", "live", "10:00:09.500", null, "10:00:09.500"],
  [
    "a late message comes after what is shown",
    "live",
    "08:00:00.000",
    "09:59:00.000",
    "09:59:00.000",
  ],
  ["never in the future", "live", "10:00:11.000", "10:00:05.000", "10:00:10.000"],
  [
    "whole seconds do not put it before the answer",
    "live",
    "10:00:05.000",
    "10:00:05.700",
    "10:00:05.700",
  ],
  [
    "the same for the company's phone",
    "own-device",
    "10:00:05.000",
    "10:00:05.700",
    "10:00:05.700",
  ],
  [
    "what waited for the connection comes after it too",
    "offline",
    "10:00:05.000",
    "10:00:05.700",
    "10:00:05.700",
  ],
  ["history keeps its place", "history", "10:00:05.000", "10:00:05.700", "10:00:05.000"],
])("%s (%s)", (_why, origin, time, last, stored) => {
  const message = { at: at(time), origin };
  expect(storedTime(message, last === null ? null : at(last), now)).toEqual(at(stored));
});
