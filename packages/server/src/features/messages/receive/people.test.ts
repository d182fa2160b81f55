import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import type { Address } from "../../../channels/port.ts";
import type { ChannelSide } from "../testing/channel-side.ts";
import { channelSide, contentEvent, newPhone, textEvent } from "../testing/channel-side.ts";
import { appMessages, conversationsOf, countRows, setTicket } from "../testing/conversations.ts";

let side: ChannelSide;
beforeAll(async () => {
  side = await channelSide({ queues: 2 });
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
    expect(await conversationsOf(chat, side)).toMatchObject([{ contact: "Dona Ana (filial)" }]);
  });

  test("a known person's new address is the same person from then on", async () => {
    const phone = newPhone();
    const lid: Address = { kind: "lid", value: `77${phone.value}` };
    await side.receive(textEvent({ chat: phone, text: "um" }));
    await side.receive(textEvent({ chat: phone, from: { addresses: [phone, lid] }, text: "dois" }));
    await side.receive(textEvent({ chat: lid, text: "três" }));
    expect(await conversationsOf(phone, side)).toMatchObject([
      { messages: ["um", "dois", "três"] },
    ]);
    expect(await conversationsOf(lid, side)).toMatchObject([{ unread: 3 }]);
  });

  test("people that a phone reports stand in its address book, each number once under its last name, and are no contacts", async () => {
    const phone = newPhone();
    const lid: Address = { kind: "lid", value: `66${phone.value}` };
    const report = (displayName: string, addresses: Address[]) =>
      side.receive({
        ...{ type: "contact", chat: addresses[0] ?? phone, peer: { addresses, displayName } },
        at: new Date(),
      });
    await report("Ana", [phone]);
    await report("Ana Paula", [phone, lid]);
    await report("Sem número", [{ kind: "lid", value: "661234567" }]);
    await report("", [newPhone()]);
    await report("Família", [{ kind: "group", value: "12036300000001" }]);
    const of = sql`company_id = ${side.companyId}`;
    expect(
      await side.rows(sql`select number, name, connection_id from phone_book_entries where ${of}`),
    ).toEqual([{ number: phone.value, name: "Ana Paula", connection_id: side.connectionId }]);
    expect(await side.rows(sql`select from contacts where ${of} and name like 'Ana%'`)).toEqual([]);
  });

  test.each(["nobody knows", "has written already"])(
    "a customer who has moved to a number that %s is one contact, written to at the new number, and the conversation shows it",
    async (how) => {
      const [before, after] = [newPhone(), newPhone()];
      await side.receive(textEvent({ chat: before, text: "do antigo" }));
      if (how === "has written already") {
        await side.receive(textEvent({ chat: after, text: "do novo" }));
      }
      await side.receive({
        type: "contact",
        chat: before,
        peer: { addresses: [after, before] },
        isNewNumber: true,
        at: new Date(),
      });
      await side.receive(textEvent({ chat: after, text: "sou eu" }));
      const numbers = await side.rows<{ number: string; key: string }>(sql`
        select c.number from contacts c join contact_addresses a on a.contact_id = c.id
        where a.company_id = ${side.companyId} and a.value in (${before.value}, ${after.value})`);
      expect(numbers).toEqual([{ number: after.value }]);
      const [talk, ...others] = await conversationsOf(after, side);
      expect(others).toEqual([]);
      expect(talk?.messages).toEqual(expect.arrayContaining(["do antigo", "sou eu"]));
      const lines = await side.rows<{ details: object }>(sql`
        select details from messages where ticket_id = ${talk?.id} and media_type = 'number_changed'
        order by seq desc limit 1`);
      expect(lines).toMatchObject([{ details: { from: before.value, to: after.value } }]);
    },
  );

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
    const [byPhone] = await conversationsOf(phone, side);
    const [byLid] = await conversationsOf(lid, side);
    if (!byPhone || !byLid) throw new Error("no tickets");
    await setTicket(side, byLid.id, sql`status = 'open'`);
    side.told.take();

    await side.receive(textEvent({ chat: phone, from: { addresses: [lid] }, text: "sou eu" }));
    const one = await conversationsOf(phone, side);
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
    expect(await conversationsOf(lid, side)).toEqual(one);
    expect(side.told.take()[0]).toMatchObject({
      payload: { action: "delete", ticketId: byPhone.id },
    });
  });

  test("become one with the newer card of the two, and with their reactions", async () => {
    const phone = newPhone();
    const lid: Address = { kind: "lid", value: `66${phone.value}` };
    const first = textEvent({ chat: phone, text: "pelo número" });
    await side.receive(first);
    const place = { kind: "location", latitude: 1, longitude: 2, name: "Masp" } as const;
    const second = contentEvent(place, { chat: lid });
    await side.receive(second);
    const reaction = { type: "reaction", fromMe: false, emoji: "👍", at: new Date() } as const;
    for (const { ref, from } of [first, second]) {
      await side.receive({ ...reaction, target: ref, from });
    }
    // History is no newer message.
    await side.receive(
      textEvent({
        chat: phone,
        from: { addresses: [lid] },
        text: "antiga",
        origin: "history",
        at: new Date(Date.now() - 86_400_000),
      }),
    );
    expect(await conversationsOf(phone, side)).toMatchObject([
      { last: "Masp", lastKind: "location", unread: 2 },
    ]);
    const reactions = await side.rows(sql`
      select r.emoji from message_reactions r join contact_addresses a on a.contact_id = r.contact_id
      where a.value = ${phone.value} and r.author = 'contact:' || a.contact_id`);
    expect(reactions).toHaveLength(2);
  });
});

describe("groups", () => {
  const group: Address = { kind: "group", value: "5511-1400" };
  const member = newPhone();
  const event = () =>
    textEvent({ chat: group, from: { addresses: [member], displayName: "Caio" } });

  test("are ignored unless the company wants them", async () => {
    const [contacts, messages] = [
      await countRows("contacts", side),
      await countRows("messages", side),
    ];
    await side.receive(event());
    expect([await countRows("contacts", side), await countRows("messages", side)]).toEqual([
      contacts,
      messages,
    ]);
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
