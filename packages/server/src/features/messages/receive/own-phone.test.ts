import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import type { Address, InboundContent, InboundMessage } from "../../../channels/port.ts";
import type { ChannelSide } from "../testing/channel-side.ts";
import { channelSide, contentEvent, newPhone, textEvent } from "../testing/channel-side.ts";
import { appMessages, conversationsOf, countRows, setTicket } from "../testing/conversations.ts";

// Messages that the company, or another installation on its number, writes outside of the product (behaviour 1.7).

let side: ChannelSide;
beforeAll(async () => {
  side = await channelSide();
});

const BOT_MARK = "\u200e";
const CAMPAIGN_MARK = "\u200c ";

/** A chat in which the customer has said "Olá". */
async function knownChat(): Promise<Address> {
  const chat = newPhone();
  await side.receive(textEvent({ chat, name: "Ana" }));
  return chat;
}

const file = { media: "sticker", mime: "image/webp", locator: "{}" } as const;
const kinds: [string, InboundContent][] = [
  ["a file", { kind: "media", file }],
  ["a place", { kind: "location", latitude: 1, longitude: 2 }],
  ["contacts", { kind: "contacts", contacts: [{ name: "Bia", phones: ["5511"], vcard: "" }] }],
  [
    "a poll",
    {
      kind: "poll",
      ...{ type: "pollCreationMessage", question: "Que dia?", options: ["seg", "ter"] },
      severalAllowed: false,
    },
  ],
  ["what nobody knows", { kind: "other", type: "productMessage", text: "Vestido" }],
];

test.each(kinds)(
  "%s written on the phone is stored as the company's, read",
  async (_name, content) => {
    const chat = await knownChat();
    await side.receive(contentEvent(content, { chat, fromMe: true }));
    expect(await conversationsOf(chat, side)).toMatchObject([
      { unread: 0, messages: { length: 2 } },
    ]);
    const last = appMessages(side.told.take()).at(-1);
    expect(last?.message).toMatchObject({ fromMe: true, read: true, contact: null });
  },
);

describe("a text with the mark of bots", () => {
  const bots = (wish: Parameters<typeof textEvent>[0] = {}): InboundMessage =>
    textEvent({ fromMe: true, text: `${BOT_MARK}Escolha uma opção`, ...wish });

  test("from another installation on the number is not stored", async () => {
    const chat = await knownChat();
    const [messages, contacts] = [
      await countRows("messages", side),
      await countRows("contacts", side),
    ];
    await side.receive(bots({ chat }));
    await side.receive(bots({ chat: newPhone() }));
    const caption = `${BOT_MARK}Cardápio`;
    const media = { kind: "media", file, caption } as const;
    await side.receive(contentEvent(media, { chat, fromMe: true }));
    expect(await countRows("messages", side)).toBe(messages);
    expect(await countRows("contacts", side)).toBe(contacts);
    expect(await conversationsOf(chat, side)).toMatchObject([{ unread: 1, status: "pending" }]);
  });

  test.each<[string, Parameters<typeof textEvent>[0]]>([
    ["of a customer", { fromMe: false }],
    ["in which it stands elsewhere", { text: `Segue${BOT_MARK}: ok` }],
    ["of history", { origin: "history" }],
  ])("%s is stored like any other", async (_why, wish) => {
    const chat = await knownChat();
    await side.receive(bots({ chat, ...wish }));
    expect(await conversationsOf(chat, side)).toMatchObject([{ messages: { length: 2 } }]);
  });
});

describe("a campaign of another installation on the number", () => {
  const campaign = (chat: Address) =>
    textEvent({ chat, fromMe: true, text: `${CAMPAIGN_MARK}Promoção de inverno` });

  test("makes a closed ticket, which its customer's answer opens", async () => {
    const chat = newPhone();
    await side.receive(campaign(chat));
    expect(await conversationsOf(chat, side)).toMatchObject([
      { status: "closed", attendances: 0, messages: [`${CAMPAIGN_MARK}Promoção de inverno`] },
    ]);
    await side.receive(textEvent({ chat, text: "quero" }));
    expect(await conversationsOf(chat, side)).toMatchObject([
      { status: "pending", unread: 1, open: 1 },
    ]);
  });

  test.each(["open", "pending", "closed"])(
    "leaves a ticket that is %s so, and unread",
    async (status) => {
      const chat = await knownChat();
      const [ticket] = await conversationsOf(chat, side);
      if (!ticket) throw new Error("no ticket");
      await setTicket(side, ticket.id, sql`status = ${status}`);
      await side.receive(campaign(chat));
      expect(await conversationsOf(chat, side)).toMatchObject([
        { status, unread: 1, messages: { length: 2 } },
      ]);
    },
  );
});

describe("the connection's completion message", () => {
  let line: { companyId: typeof side.companyId; connectionId: typeof side.connectionId };
  beforeAll(async () => {
    const { given, company, companyId } = side;
    line = { companyId, connectionId: await given.connection({ company, linked: false }) };
    await side.rows(sql`
      update connections set complation_message = 'Obrigado, {{firstName}}! Volte sempre.'
      where id = ${line.connectionId}`);
  });
  const write = (chat: Address, text: string, fromMe = true) =>
    side.receive(textEvent({ chat, text, fromMe, name: "Ana Lima" }), line);
  const goodbye = "Obrigado, Ana! Volte sempre.";

  test("is not stored again if it is the last message", async () => {
    const chat = newPhone();
    await write(chat, "Oi", false);
    for (const text of [goodbye, ` ${goodbye.toUpperCase()}\n`, goodbye]) await write(chat, text);
    expect(await conversationsOf(chat, side)).toMatchObject([{ messages: ["Oi", goodbye] }]);
  });

  test("is stored after another message, and so is any other text", async () => {
    const chat = newPhone();
    await write(chat, "Oi", false);
    const said = [goodbye, "Esqueci: o pedido chega amanhã.", goodbye];
    for (const text of said) await write(chat, text);
    await write(chat, "Valeu", false);
    await write(chat, goodbye);
    expect(await conversationsOf(chat, side)).toMatchObject([
      { messages: ["Oi", ...said, "Valeu", goodbye] },
    ]);
  });
});

describe("the echo of what the product sent", () => {
  /** A text that waits for the network's acknowledgement. */
  async function sent(text: string) {
    const chat = await knownChat();
    const [ticket] = await side.rows<{ id: number; contactId: number }>(sql`
      select t.id, t.contact_id as "contactId" from tickets t
      join contact_addresses a on a.contact_id = t.contact_id where a.value = ${chat.value}`);
    const id = `3EB0${chat.value}`;
    await side.rows(sql`
      with m as (
        insert into messages (company_id, id, ticket_id, connection_id, provider_id, body, from_me, read, ack)
        values (${side.companyId}, gen_random_uuid(), ${ticket?.id}, ${side.connectionId}, ${id}, ${text}, true, true, 1)
        returning *
      )
      insert into outbound (company_id, connection_id, message_id, chat_key, to_kind, to_value, provider_id, body, state)
      select company_id, connection_id, id, 'pn', 'pn', ${chat.value}, provider_id, '{}', 'sent' from m`);
    return { chat, id };
  }

  const stateOf = (id: string) =>
    side.rows(sql`
      select m.ack, o.state from messages m join outbound o on o.message_id = m.id
      where m.provider_id = ${id}`);

  test.each(["Já vai", `${BOT_MARK}Menu`])("confirms it, whatever it says (%j)", async (text) => {
    const { chat, id } = await sent(text);
    side.told.take();
    await side.receive(textEvent({ chat, id, fromMe: true, text }));
    expect(await stateOf(id)).toEqual([{ ack: 2, state: "done" }]);
    expect(appMessages(side.told.take())).toMatchObject([
      { action: "update", message: { ack: 2 } },
    ]);
    expect(await conversationsOf(chat, side)).toMatchObject([{ messages: { length: 2 } }]);
  });

  test("does so by another address of the chat, which gets no contact of its own", async () => {
    const { chat, id } = await sent("Já vai");
    const contacts = await countRows("contacts", side);
    const lid: Address = { kind: "lid", value: `33${chat.value}` };
    await side.receive(textEvent({ chat: lid, id, fromMe: true, text: "Já vai" }));
    expect(await countRows("contacts", side)).toBe(contacts);
    expect(await stateOf(id)).toEqual([{ ack: 2, state: "done" }]);
  });

  test("does not lower an acknowledgement", async () => {
    const { chat, id } = await sent("Já vai");
    await side.rows(sql`update messages set ack = 4 where provider_id = ${id}`);
    await side.receive(textEvent({ chat, id, fromMe: true, text: "Já vai" }));
    expect(await stateOf(id)).toMatchObject([{ ack: 4 }]);
  });
});
