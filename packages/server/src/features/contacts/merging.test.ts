import type { ContactId, TicketId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import pg from "pg";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { Address, ContactEvent } from "../../channels/port.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { ChannelSide, TextWish, Told } from "../messages/testing/channel-side.ts";
import { channelSide, newPhone, textEvent } from "../messages/testing/channel-side.ts";
import { conversationsOf, countRows, setTicket } from "../messages/testing/conversations.ts";

let side: ChannelSide;
beforeAll(async () => {
  side = await channelSide();
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Two addresses of one person, which nobody knows yet to be one's. */
function newPerson(): { phone: Address; lid: Address } {
  const phone = newPhone();
  return { phone, lid: { kind: "lid", value: `44${phone.value}` } };
}

function contactEvent(addresses: readonly [Address, ...Address[]], name?: string): ContactEvent {
  const peer = { addresses, ...(name === undefined ? {} : { displayName: name }) };
  return { type: "contact", chat: addresses[0], peer, at: new Date() };
}

type Owner = { id: ContactId; name: string; number: string | null; email: string; bot: boolean };

async function ownerOf({ kind, value }: Address, of = side): Promise<Owner | undefined> {
  const [row] = await of.rows<Owner>(sql`
    select c.id, c.name, c.number, c.email, not c.disable_bot as bot
    from contact_addresses a join contacts c on c.id = a.contact_id
    where a.company_id = ${of.companyId} and a.kind = ${kind} and a.value = ${value}`);
  return row;
}

async function ticketOf(chat: Address): Promise<TicketId> {
  const [ticket] = await conversationsOf(chat, side);
  if (!ticket) throw new Error("no ticket");
  return ticket.id;
}

const inShort = (told: readonly Told[]) =>
  told.map(({ subject, payload }) => `${subject} ${"action" in payload ? payload.action : ""}`);

const everything = (): Promise<unknown[]> =>
  Promise.all(
    ["contacts", "contact_addresses", "tickets", "messages", "attendances"].map((table) =>
      side.rows(sql`select * from ${sql.identifier(table)} x order by x::text`),
    ),
  );

describe("the network tells that two addresses are one person's", () => {
  test("two contacts become one with the phone's number, the real name and the fields of both", async () => {
    const { phone, lid } = newPerson();
    await side.receive(textEvent({ chat: lid, name: "Ana Lima" }));
    await side.receive(textEvent({ chat: phone }));
    const [byLid, byPhone] = [await ownerOf(lid), await ownerOf(phone)];
    await side.rows(
      sql`update contacts set email = 'ana@casa.example', disable_bot = true where id = ${byLid?.id}`,
    );
    for (const [id, value] of [
      [byLid?.id, "Recife"],
      [byLid?.id, "Olinda"],
      [byPhone?.id, "Recife"],
    ]) {
      await side.rows(sql`
        insert into contact_extra_info (company_id, contact_id, name, value)
        values (${side.companyId}, ${id}, 'Cidade', ${value})`);
    }

    await side.receive(contactEvent([lid, phone]));
    const one = {
      id: byPhone?.id,
      name: "Ana Lima",
      number: phone.value,
      email: "ana@casa.example",
      bot: false,
    };
    expect([await ownerOf(phone), await ownerOf(lid)]).toEqual([one, one]);
    const fields = await side.rows<{ value: string }>(
      sql`select value from contact_extra_info where contact_id = ${one.id} order by value`,
    );
    expect(fields.map(({ value }) => value)).toEqual(["Olinda", "Recife"]);
  });

  test("live events: first the deletions, then the contact and its ticket as they are now", async () => {
    const { phone, lid } = newPerson();
    await side.receive(textEvent({ chat: lid, name: "Ana", text: "pelo id" }));
    await side.receive(textEvent({ chat: phone, text: "pelo número" }));
    const [stays, goes] = [await ticketOf(lid), await ticketOf(phone)];
    const [kept, dropped] = [await ownerOf(phone), await ownerOf(lid)];
    side.told.take();
    await side.receive(contactEvent([phone, lid]));
    const told = side.told.take();
    expect(inShort(told)).toEqual([
      "ticket delete",
      "contact delete",
      "contact update",
      "ticket update",
      "appMessage create",
    ]);
    expect(told.map(({ payload }) => payload)).toMatchObject([
      { ticketId: goes },
      { contactId: dropped?.id },
      { contact: { id: kept?.id, name: "Ana", number: phone.value } },
      {
        ticket: {
          ...{ id: stays, unreadMessages: 2, lastMessage: "pelo número" },
          contact: { id: kept?.id, name: "Ana", number: phone.value },
        },
      },
      { message: { body: "pelo número", ticketId: stays }, ticket: { id: stays } },
    ]);
    // Users with the ticket open see the moved messages; there is no new notification.
    expect(told.at(-1)?.to).toEqual([rooms.ticket(side.companyId, stays)]);
  });

  test("moved messages of another queue go only to those who may read them", async () => {
    const { phone, lid } = newPerson();
    await side.receive(textEvent({ chat: lid }));
    await side.receive(textEvent({ chat: phone, text: "de outra fila" }));
    const [stays, goes] = [await ticketOf(lid), await ticketOf(phone)];
    const queueId = await side.given.queue({ company: side.company });
    await side.rows(sql`update messages set queue_id = ${queueId} where ticket_id = ${goes}`);
    await setTicket(side, goes, sql`last_message_queue_id = ${queueId}`);
    side.told.take();
    await side.receive(contactEvent([phone, lid]));
    const readers = [
      rooms.holders(side.companyId, "tickets:see-all"),
      rooms.queueReaders(side.companyId, queueId),
    ];
    const shown = side.told.take().flatMap(({ payload, except, within }) => {
      if (!("ticket" in payload) || !payload.ticket || "kind" in payload) return [];
      const message = "message" in payload ? [payload.message.body] : [];
      return [{ last: payload.ticket.lastMessage, message, except, within }];
    });
    const text = "de outra fila";
    expect(shown).toEqual([
      { last: text, message: [], except: [], within: [readers] },
      { last: "", message: [], except: readers, within: [] },
      { last: text, message: [text], except: [], within: [readers, readers] },
      { last: "", message: [text], except: readers, within: [readers] },
    ]);
    expect(
      await side.rows(sql`
        select last_message_queue_id as "queueId" from tickets where id = ${stays}`),
    ).toEqual([{ queueId }]);
  });

  test("where both had a number, their conversations show the number that stays", async () => {
    const { phone, lid } = newPerson();
    const other = newPhone();
    await side.receive(textEvent({ chat: phone }));
    await side.receive(contactEvent([phone, lid]));
    await side.receive(textEvent({ chat: other }));
    await side.receive(contactEvent([other, lid]));
    const [ticket] = await conversationsOf(phone, side);
    const lines = await side.rows(sql`
      select details, user_id as "userId" from messages
      where ticket_id = ${ticket?.id} and media_type = 'number_changed'`);
    expect(lines).toEqual([
      { details: { kind: "number-changed", from: other.value, to: phone.value }, userId: null },
    ]);
  });

  test("the same event again changes nothing and publishes nothing", async () => {
    const { phone, lid } = newPerson();
    for (const chat of [phone, lid]) await side.receive(textEvent({ chat }));
    await side.receive(contactEvent([lid, phone], "Ana"));
    side.told.take();
    const before = await everything();
    await side.receive(contactEvent([lid, phone], "Ana"));
    await side.receive(contactEvent([phone, lid]));
    expect(await everything()).toEqual(before);
    expect(side.told.take()).toEqual([]);
  });

  test("a new address, a first real name and a number are stored and published", async () => {
    const { phone, lid } = newPerson();
    await side.receive(textEvent({ chat: lid }));
    side.told.take();
    await side.receive(contactEvent([lid, phone]));
    const shown = { name: phone.value, number: phone.value };
    expect(await ownerOf(phone)).toMatchObject(shown);
    expect(side.told.take().map(({ payload }) => payload)).toMatchObject([
      { action: "update", contact: shown },
      { action: "update", ticket: { contact: shown } },
    ]);
    await side.receive(contactEvent([phone], "Ana"));
    await side.receive(contactEvent([phone], "Outra"));
    expect(await ownerOf(lid)).toMatchObject({ name: "Ana", number: phone.value });
  });

  test("a person who never wrote gets no contact", async () => {
    const contacts = await countRows("contacts", side);
    const { phone, lid } = newPerson();
    await side.receive(contactEvent([phone, lid], "Ana"));
    await side.receive(contactEvent([{ kind: "group", value: "5511-77" }], "Turma"));
    expect(await countRows("contacts", side)).toBe(contacts);
  });

  test("another company's contacts with the same addresses stay two", async () => {
    const { phone, lid } = newPerson();
    const other = await channelSide({ database: side.database });
    for (const one of [side, other]) {
      for (const chat of [phone, lid]) await one.receive(textEvent({ chat }));
    }
    other.told.take();
    await side.receive(contactEvent([phone, lid]));
    expect(await ownerOf(phone)).toEqual(await ownerOf(lid));
    expect(await ownerOf(phone, other)).not.toEqual(await ownerOf(lid, other));
    expect(other.told.take()).toEqual([]);
  });
});

describe("two tickets on one connection", () => {
  test.each([
    ["the one that an agent serves stays", "open with agent", "open", "phone"],
    ["an open one stays, not a waiting one", "pending", "open", "lid"],
    ["a waiting one stays, not a closed one", "pending", "closed", "phone"],
    ["of two waiting ones the older stays", "pending", "pending", "phone"],
    ["of two closed ones the older stays", "closed", "closed", "phone"],
  ] as const)("%s", async (_rule, ofPhone, ofLid, stays) => {
    const { phone, lid } = newPerson();
    const { id: agentId } = await side.given.agent({ company: side.company });
    for (const [chat, state] of [
      [phone, ofPhone],
      [lid, ofLid],
    ] as const) {
      await side.receive(textEvent({ chat, text: chat.kind }));
      const status = state.split(" ", 1)[0] ?? "";
      const userId = state === "open with agent" ? agentId : null;
      await setTicket(
        side,
        await ticketOf(chat),
        sql`status = ${status}, user_id = ${userId}, unread_messages = ${status === "closed" ? 0 : 1}`,
      );
    }
    const ids = { phone: await ticketOf(phone), lid: await ticketOf(lid) };
    const [before] = await conversationsOf(stays === "phone" ? phone : lid, side);
    await side.receive(contactEvent([phone, lid]));
    const unread = [ofPhone, ofLid].filter((state) => state !== "closed").length;
    expect(await conversationsOf(lid, side)).toMatchObject([
      {
        ...{ id: ids[stays], status: before?.status, userId: before?.userId ?? null },
        ...{ unread, messages: ["pn", "lid"], last: "lid", attendances: 2, open: 1 },
      },
    ]);
    const served = await side.rows(sql`
      select t.id from tickets t join attendances a on a.id = t.last_attendance_id and a.ticket_id = t.id
      where t.id = ${ids[stays]}`);
    expect(served).toHaveLength(1);
  });

  test("the one that stays takes the other's tags and ratings; a tag of both is there once", async () => {
    const { phone, lid } = newPerson();
    for (const chat of [phone, lid]) await side.receive(textEvent({ chat }));
    const [stays, goes] = [await ticketOf(phone), await ticketOf(lid)];
    await side.rows(sql`
      with t as (
        insert into tags (company_id, name) values (${side.companyId}, 'both'), (${side.companyId}, 'one')
        returning id, name
      ), of_stays as (
        insert into ticket_tags (company_id, ticket_id, tag_id)
        select ${side.companyId}, ${stays}, id from t where name = 'both'
      ), of_goes as (
        insert into ticket_tags (company_id, ticket_id, tag_id) select ${side.companyId}, ${goes}, id from t
      )
      insert into ratings (company_id, attendance_id, ticket_id, rate)
      select company_id, id, ticket_id, 3 from attendances where ticket_id = ${goes}`);
    await side.receive(contactEvent([phone, lid]));
    const [taken] = await side.rows(sql`
      select (select array_agg(g.name order by g.name) from ticket_tags t join tags g on g.id = t.tag_id
          where t.ticket_id = ${stays}) as tags,
        (select count(*)::int from ratings where ticket_id = ${stays}) as ratings`);
    expect(taken).toEqual({ tags: ["both", "one"], ratings: 1 });
  });

  test("a user with a draft in both finds both texts", async () => {
    const { phone, lid } = newPerson();
    for (const chat of [phone, lid]) await side.receive(textEvent({ chat }));
    const { id: userId } = await side.given.agent({ company: side.company });
    for (const chat of [phone, lid]) {
      await side.rows(sql`
        insert into drafts (company_id, user_id, ticket_id, body)
        values (${side.companyId}, ${userId}, ${await ticketOf(chat)}, ${`para ${chat.kind}`})`);
    }
    await side.receive(contactEvent([phone, lid]));
    expect(await side.rows(sql`select ticket_id, body from drafts`)).toEqual([
      { ticket_id: await ticketOf(phone), body: "para pn\npara lid" },
    ]);
  });

  test("queued messages to the old address are still sent, in the ticket that stays", async () => {
    const { phone, lid } = newPerson();
    for (const chat of [phone, lid]) await side.receive(textEvent({ chat }));
    const call = { id: `C${lid.value}`, isVideo: false, at: new Date() };
    await side.receive({ type: "call", chat: lid, from: { addresses: [lid] }, ...call });
    await side.receive(contactEvent([phone, lid]));
    expect(
      await side.rows(sql`
        select o.to_value as "to", o.state, m.ticket_id as "ticketId"
        from outbound o join messages m on m.id = o.message_id where o.to_value = ${lid.value}`),
    ).toEqual([{ to: lid.value, state: "queued", ticketId: await ticketOf(phone) }]);
  });

  test("tickets on different connections both stay, with the one contact", async () => {
    const { phone, lid } = newPerson();
    const { given, company } = side;
    const second = {
      companyId: side.companyId,
      connectionId: await given.connection({ company, linked: false }),
    };
    await side.receive(textEvent({ chat: phone, text: "na primeira" }));
    await side.receive(textEvent({ chat: lid, text: "na segunda" }), second);
    side.told.take();
    await side.receive(contactEvent([phone, lid]));
    expect(await conversationsOf(lid, side)).toMatchObject([
      { messages: ["na primeira"], unread: 1 },
      { messages: ["na segunda"], unread: 1 },
    ]);
    expect(inShort(side.told.take())).toEqual([
      "contact delete",
      "contact update",
      "ticket update",
      "ticket update",
    ]);
  });
});

test("a merge during messages from all addresses on two connections loses, doubles and blocks nothing", async () => {
  const { given, company, companyId } = side;
  const first = { companyId, connectionId: side.connectionId };
  const second = { companyId, connectionId: await given.connection({ company, linked: false }) };
  const people = Array.from({ length: 6 }, newPerson);
  for (const { phone, lid } of people) {
    for (const chat of [phone, lid]) {
      for (const line of [first, second]) await side.receive(textEvent({ chat }), line);
    }
  }

  const queries = vi.spyOn(pg.Client.prototype, "query");
  const message = (wish: TextWish, line: typeof first) => side.receive(textEvent(wish), line);
  await Promise.all(
    people.flatMap(({ phone, lid }) => [
      ...[first, second].flatMap((line) => [
        ...[phone, lid, phone, lid].map((chat) => message({ chat }, line)),
        message({ chat: phone, from: { addresses: [phone, lid], displayName: "Ana" } }, line),
        message({ chat: lid, from: { addresses: [lid, phone] } }, line),
      ]),
      side.receive(contactEvent([phone, lid]), second),
      side.receive(contactEvent([lid, phone])),
    ]),
  );
  const results = await Promise.allSettled(queries.mock.results.map(({ value }): unknown => value));
  const failures = results.filter(({ status }) => status === "rejected");
  expect(failures).toEqual([]);

  for (const { phone, lid } of people) {
    expect(await ownerOf(lid)).toMatchObject({ name: "Ana", number: phone.value });
    const tickets = await conversationsOf(lid, side);
    expect(tickets).toEqual(await conversationsOf(phone, side));
    expect(tickets.map(({ unread, messages, open }) => [unread, messages.length, open])).toEqual([
      [8, 8, 1],
      [8, 8, 1],
    ]);
  }
});
