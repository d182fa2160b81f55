import type { CompanyEvents, TicketId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import type { Address } from "../../channels/port.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { ChannelSide, Told } from "./testing/channel-side.ts";
import { ackEvent, channelSide, newPhone, textEvent } from "./testing/channel-side.ts";

let side: ChannelSide;
beforeAll(async () => {
  side = await channelSide({ queues: 2 });
});

type TicketState = {
  id: TicketId;
  status: string;
  unread: number;
  last: string;
  queueId: number | null;
  userId: number | null;
  contact: string;
  messages: string[];
  open: number;
  attendances: number;
};

/** Everything that is stored about the person of an address, by ticket. */
async function conversationsOf(chat: Address, of = side): Promise<TicketState[]> {
  return of.database.db.transaction(of, (tx) =>
    tx.query<TicketState>(sql`
      select t.id, t.status, t.unread_messages as unread, t.last_message as last, t.queue_id as "queueId",
        t.user_id as "userId", c.name as contact,
        array(select body from messages m where m.ticket_id = t.id order by created_at, seq) as messages,
        (select count(*) from attendances a where a.ticket_id = t.id and finished_at is null) as open,
        (select count(*) from attendances a where a.ticket_id = t.id) as attendances
      from contact_addresses a
      join contacts c on c.id = a.contact_id
      join tickets t on t.contact_id = c.id
      where a.kind = ${chat.kind} and a.value = ${chat.value} order by t.id`),
  );
}

async function count(table: "contacts" | "tickets" | "messages", of = side): Promise<number> {
  const [row] = await of.database.db.transaction(of, (tx) =>
    tx.query<{ n: number }>(sql`select count(*) as n from ${sql.identifier(table)}`),
  );
  return row?.n ?? 0;
}

async function setTicket(id: TicketId, values: ReturnType<typeof sql>): Promise<void> {
  await side.database.db.transaction(side, (tx) =>
    tx.query(sql`update tickets set ${values} where id = ${id}`),
  );
}

const appMessages = (told: readonly Told[]): CompanyEvents["appMessage"][] =>
  told.flatMap((event) => (event.subject === "appMessage" ? [event.payload] : []));

describe("a customer's first message", () => {
  test("makes the contact, a waiting ticket without queue, its attendance and the message", async () => {
    const chat = newPhone();
    const at = new Date(Date.now() - 60_000);
    await side.receive(textEvent({ chat, name: "Ana Lima", text: "Bom dia!", at }));

    expect(await conversationsOf(chat)).toEqual([
      {
        id: expect.any(Number),
        status: "pending",
        unread: 1,
        last: "Bom dia!",
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

    const [ticket, message, ...rest] = side.told.take();
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
    const tickets = await conversationsOf(event.ref.chat);
    expect(tickets).toMatchObject([{ messages: ["uma vez"], unread: 1, attendances: 1 }]);
    expect(appMessages(side.told.take())).toHaveLength(1);
  });

  test("over two addresses and in both forms of the ninth digit at once is one contact and one ticket", async () => {
    const [contacts, tickets] = [await count("contacts"), await count("tickets")];
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

    expect([await count("contacts"), await count("tickets")]).toEqual([contacts + 1, tickets + 1]);
    expect(await conversationsOf(lid)).toMatchObject([{ unread: 5, attendances: 1 }]);
  });
});

describe("further messages", () => {
  test("count as unread and stand on the card; the time of the last one is the message's", async () => {
    const chat = newPhone();
    await side.receive(textEvent({ chat, text: "um", at: new Date(Date.now() - 9_000) }));
    await side.receive(textEvent({ chat, text: "dois", at: new Date(Date.now() - 5_000) }));
    expect(await conversationsOf(chat)).toMatchObject([
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
    expect(await conversationsOf(chat)).toMatchObject([
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
    expect(await conversationsOf(chat)).toMatchObject([
      { last: "ã".repeat(500), messages: [text] },
    ]);
  });

  test("two hundred of one customer at once are all there and all unread", async () => {
    const chat = newPhone();
    const events = Array.from({ length: 200 }, () => textEvent({ chat }));
    await Promise.all(events.map((event) => side.receive(event)));
    const [ticket] = await conversationsOf(chat);
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

  test("waits again as nobody's, in a new attendance, when its customer writes", async () => {
    const { customer, ticket } = await closedTicket(side, 1);
    await side.receive(textEvent({ chat: customer, text: "voltei" }));
    expect(await conversationsOf(customer)).toMatchObject([
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

  test("leaves the lists of those who served it and is told to those who wait for it", async () => {
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
    expect(await conversationsOf(customer)).toMatchObject([
      { status: "closed", unread: 0, messages: ["antiga"], attendances: 1 },
    ]);
  });

  test("stays closed when the company writes on its phone", async () => {
    const { customer } = await closedTicket(side);
    await side.receive(textEvent({ chat: customer, text: "até logo", fromMe: true }));
    expect(await conversationsOf(customer)).toMatchObject([
      { status: "closed", unread: 0, last: "até logo", attendances: 1 },
    ]);
  });

  test("is reopened once by the same message twenty times at once", async () => {
    const { customer } = await closedTicket(side);
    const event = textEvent({ chat: customer });
    await Promise.all(Array.from({ length: 20 }, () => side.receive(event)));
    expect(await conversationsOf(customer)).toMatchObject([{ unread: 1, open: 1, attendances: 2 }]);
  });
});

describe("the company's own phone", () => {
  test("a message to a new contact opens a ticket without agent, named by the number until he answers", async () => {
    const chat = newPhone();
    await side.receive(textEvent({ chat, text: "olá", fromMe: true, name: "Nome da empresa" }));
    expect(await conversationsOf(chat)).toMatchObject([
      { status: "open", userId: null, unread: 0, contact: chat.value, messages: ["olá"] },
    ]);
    await side.receive(textEvent({ chat, name: "Bruno" }));
    expect(await conversationsOf(chat)).toMatchObject([
      { status: "open", contact: "Bruno", unread: 1 },
    ]);
  });

  test("what is answered there is read here", async () => {
    const chat = newPhone();
    await side.receive(textEvent({ chat, text: "preço?" }));
    await side.receive(textEvent({ chat, text: "R$ 10", fromMe: true }));
    expect(await conversationsOf(chat)).toMatchObject([
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
    expect(await conversationsOf(chat)).toMatchObject([{ messages: ["R$ 10"] }]);
    expect(side.told.take()).toEqual([]);
  });
});

describe("contacts", () => {
  test("a name that people gave stays", async () => {
    const chat = newPhone();
    await side.given.ticket({
      company: side.company,
      connectionId: side.connectionId,
      phone: chat.value,
      contactName: "Dona Ana (filial)",
    });
    await side.receive(textEvent({ chat, name: "Aninha" }));
    expect(await conversationsOf(chat)).toMatchObject([{ contact: "Dona Ana (filial)" }]);
  });

  test("a known person's new address is the same person from then on", async () => {
    const phone = newPhone();
    const lid: Address = { kind: "lid", value: `77${phone.value}` };
    await side.receive(textEvent({ chat: phone, text: "um" }));
    await side.receive(textEvent({ chat: phone, from: { addresses: [phone, lid] }, text: "dois" }));
    await side.receive(textEvent({ chat: lid, text: "três" }));
    expect(await conversationsOf(phone)).toMatchObject([{ messages: ["um", "dois", "três"] }]);
    expect(await conversationsOf(lid)).toMatchObject([{ unread: 3 }]);
  });

  test("a private id without number has no number, and gets it when it becomes known", async () => {
    const phone = newPhone();
    const lid: Address = { kind: "lid", value: `88${phone.value}` };
    await side.receive(textEvent({ chat: lid }));
    const numberOf = async () => {
      const [row] = await side.database.db.transaction(side, (tx) =>
        tx.query<{ number: string | null }>(sql`
          select c.number from contacts c join contact_addresses a on a.contact_id = c.id
          where a.value = ${lid.value}`),
      );
      return row?.number;
    };
    expect(await numberOf()).toBeNull();
    await side.receive(textEvent({ chat: lid, from: { addresses: [phone] } }));
    expect(await numberOf()).toBe(phone.value);
  });

  test("two contacts that turn out to be one person become one, with one ticket and all messages", async () => {
    const phone = newPhone();
    const lid: Address = { kind: "lid", value: `99${phone.value}` };
    await side.receive(textEvent({ chat: phone, text: "pelo número" }));
    await side.receive(textEvent({ chat: lid, text: "pelo id" }));
    const [byPhone] = await conversationsOf(phone);
    const [byLid] = await conversationsOf(lid);
    if (!byPhone || !byLid) throw new Error("no tickets");
    await setTicket(byLid.id, sql`status = 'open'`);
    side.told.take();

    await side.receive(textEvent({ chat: phone, from: { addresses: [lid] }, text: "sou eu" }));
    const one = await conversationsOf(phone);
    expect(one).toMatchObject([
      {
        id: byLid.id,
        status: "open",
        unread: 3,
        messages: ["pelo número", "pelo id", "sou eu"],
        last: "sou eu",
        open: 1,
        attendances: 2,
      },
    ]);
    expect(await conversationsOf(lid)).toEqual(one);
    expect(side.told.take()[0]).toMatchObject({
      payload: { action: "delete", ticketId: byPhone.id },
    });
  });
});

describe("groups", () => {
  const group: Address = { kind: "group", value: "5511-1400" };
  const member = newPhone();
  const event = () =>
    textEvent({ chat: group, from: { addresses: [member], displayName: "Caio" } });

  test("are ignored unless the company wants them", async () => {
    const [contacts, messages] = [await count("contacts"), await count("messages")];
    await side.receive(event());
    expect([await count("contacts"), await count("messages")]).toEqual([contacts, messages]);
  });

  test("are a ticket of the group, whose messages have their authors", async () => {
    const open = await channelSide({
      database: side.database,
      settings: { CheckMsgIsGroup: "disabled" },
    });
    await open.receive(event());
    await open.receive(textEvent({ chat: group, fromMe: true, text: "bem-vindos" }));
    expect(await conversationsOf(group, open)).toMatchObject([
      { contact: "5511-1400", messages: ["Olá", "bem-vindos"], unread: 0 },
    ]);
    const [first, second] = appMessages(open.told.take());
    expect(first).toMatchObject({
      message: { contact: { name: "Caio" } },
      ticket: { isGroup: true, contact: { name: "5511-1400", number: "5511-1400" } },
    });
    expect(second?.message.contact).toBeNull();
  });
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
    await setTicket(ticket.id, sql`last_message_ack = 0`);
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

  test("of a message that is not the last one leave the card alone", async () => {
    const { providerId, ticket } = await sentMessage();
    await side.receive(textEvent({ chat: { kind: "pn", value: ticket.phone } }));
    await side.receive(ackEvent(providerId, 4));
    expect(await acksOf(ticket.id)).toMatchObject({ card: 3 });
  });

  test("of unknown messages are harmless, and wait for a message of the company's phone", async () => {
    const chat = newPhone();
    await side.receive(ackEvent("NOT-YET", 3, chat));
    await side.receive(textEvent({ chat, id: "NOT-YET", fromMe: true }));
    const [told] = appMessages(side.told.take().filter(({ subject }) => subject === "appMessage"));
    expect(told?.message).toMatchObject({ ack: 3 });
  });

  test("what a customer wrote has none", async () => {
    const event = textEvent();
    await side.receive(event);
    side.told.take();
    await side.receive(ackEvent(event.ref.id, 5));
    expect(side.told.take()).toEqual([]);
  });

  test("the outcomes of sending: written, accepted, failed with its reason", async () => {
    const { id, ticket } = await sentMessage();
    await side.sent({ messageId: id, result: "written" });
    expect(await acksOf(ticket.id)).toMatchObject({ ack: 1, card: 1 });
    await side.sent({ messageId: id, result: "failed", failure: { kind: "recipient-unknown" } });
    expect(await acksOf(ticket.id)).toMatchObject({
      failed: "ERR_WAPP_INVALID_CONTACT",
      cardFailed: true,
    });
    await side.sent({ messageId: id, result: "accepted" });
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

describe("statements (architecture 5), one more is the runtime's", () => {
  async function statementsOf(event: Parameters<ChannelSide["receive"]>[0]): Promise<number> {
    side.database.statements.take();
    await side.receive(event);
    return side.database.statements.take().length;
  }

  test("a known customer's text takes two, a new one's at most seven, an acknowledgement one", async () => {
    const chat = newPhone();
    expect(await statementsOf(textEvent({ chat, name: "Ana" }))).toBeLessThanOrEqual(7);
    expect(await statementsOf(textEvent({ chat, name: "Ana" }))).toBe(2);
    expect(await statementsOf(ackEvent("unknown", 2))).toBe(1);
    const [ticket] = await conversationsOf(chat);
    if (!ticket) throw new Error("no ticket");
    await setTicket(ticket.id, sql`status = 'closed'`);
    expect(await statementsOf(textEvent({ chat }))).toBe(3);
  });
});
