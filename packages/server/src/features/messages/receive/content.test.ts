import type { Message } from "@balcao/contract";
import { beforeAll, describe, expect, test } from "vitest";
import type { InboundContent } from "../../../channels/port.ts";
import type { ChannelSide } from "../testing/channel-side.ts";
import { channelSide, contentEvent, newPhone, textEvent } from "../testing/channel-side.ts";
import { appMessages, conversationsOf, countRows, lastTold } from "../testing/conversations.ts";

let side: ChannelSide;
beforeAll(async () => {
  side = await channelSide();
});

type Expected = Pick<Message, "mediaType" | "body"> & Partial<Message>;
type Row = [string, InboundContent, Expected, { lastMessage: string; lastMessageKind: string }];

const ana = {
  name: "Ana Lima",
  phones: ["+55 11 97000-1111", "+55 11 3000-1111"],
  vcard: "BEGIN:VCARD\nVERSION:3.0\nFN:Ana Lima\nTEL:+55 11 97000-1111\nEND:VCARD",
};
const bia = { name: "Bia", phones: ["+55 11 97000-2222"], vcard: "BEGIN:VCARD\nFN:Bia\nEND:VCARD" };
const place = { latitude: -23.5612, longitude: -46.6559 };

const rows: Row[] = [
  [
    "a place with its picture",
    { kind: "location", ...place, name: "Masp", address: "Av. Paulista, 1578", thumbnail: "aGk=" },
    {
      mediaType: "locationMessage",
      body: "data:image/png;base64,aGk=|https://maps.google.com/maps?q=-23.5612%2C-46.6559&z=17&hl=pt-BR|-23.5612, -46.6559",
      details: {
        kind: "location",
        ...place,
        name: "Masp",
        address: "Av. Paulista, 1578",
        isLive: false,
      },
    },
    { lastMessage: "Masp", lastMessageKind: "location" },
  ],
  [
    "a place without a picture, or with one that is none",
    { kind: "location", ...place, thumbnail: "javascript:alert(1)" },
    {
      mediaType: "locationMessage",
      body: "|https://maps.google.com/maps?q=-23.5612%2C-46.6559&z=17&hl=pt-BR|-23.5612, -46.6559",
    },
    { lastMessage: "Localização", lastMessageKind: "location" },
  ],
  [
    "a live place",
    { kind: "location", ...place, isLive: true },
    {
      mediaType: "liveLocationMessage",
      body: "Latitude: -23.5612 - Longitude: -46.6559",
    },
    { lastMessage: "Localização em tempo real", lastMessageKind: "location" },
  ],
  [
    "one contact card",
    { kind: "contacts", contacts: [ana] },
    {
      mediaType: "contactMessage",
      body: ana.vcard,
      details: { kind: "contacts", contacts: [{ name: ana.name, phones: ana.phones }] },
    },
    { lastMessage: "Ana Lima", lastMessageKind: "contact" },
  ],
  [
    "several contact cards",
    { kind: "contacts", contacts: [ana, bia] },
    {
      mediaType: "contactsArrayMessage",
      body: " Ana Lima: 📞+55 11 97000-1111\n Bia: 📞+55 11 97000-2222",
    },
    { lastMessage: "Ana Lima, Bia", lastMessageKind: "contact" },
  ],
  [
    "a poll",
    {
      kind: "poll",
      type: "pollCreationMessageV3",
      question: "Qual cor?",
      options: ["Verde", "Azul"],
      severalAllowed: true,
    },
    {
      mediaType: "pollCreationMessageV3",
      body: "📊 *Qual cor?*\n▫️ Verde\n▫️ Azul",
      details: {
        kind: "poll",
        question: "Qual cor?",
        options: ["Verde", "Azul"],
        severalAllowed: true,
      },
    },
    { lastMessage: "Qual cor?", lastMessageKind: "poll" },
  ],
  [
    "a pressed button",
    { kind: "choice", type: "buttonsResponseMessage", id: "opcao-2" },
    { mediaType: "buttonsResponseMessage", body: "opcao-2", details: null },
    { lastMessage: "opcao-2", lastMessageKind: "text" },
  ],
  [
    "a pressed button whose text is known",
    { kind: "choice", type: "buttonsResponseMessage", id: "opcao-2", text: "Vendas" },
    {
      mediaType: "buttonsResponseMessage",
      body: "Vendas",
      details: { kind: "choice", id: "opcao-2" },
    },
    { lastMessage: "Vendas", lastMessageKind: "text" },
  ],
  [
    "a view-once message that only the phone shows",
    { kind: "view-once" },
    {
      mediaType: "viewOnceMessage",
      body: "👁️ Mensagem de visualização única – abra no celular",
      details: { kind: "view-once" },
    },
    {
      lastMessage: "👁️ Mensagem de visualização única – abra no celular",
      lastMessageKind: "text",
    },
  ],
  [
    "what nobody knows yet",
    { kind: "other", type: "groupInviteMessage", text: "Entre no grupo" },
    { mediaType: "groupInviteMessage", body: "[groupInviteMessage] Entre no grupo" },
    { lastMessage: "Entre no grupo", lastMessageKind: "text" },
  ],
  [
    "what nobody knows and says nothing",
    { kind: "other", type: "orderMessage", text: "" },
    { mediaType: "orderMessage", body: "[orderMessage]" },
    { lastMessage: "Pedido", lastMessageKind: "text" },
  ],
];

describe("each kind of message (behaviour 1.2)", () => {
  test.each(rows)("%s", async (_name, content, message, card) => {
    const contacts = await countRows("contacts", side);
    const chat = newPhone();
    await side.receive(contentEvent(content, { chat, name: "Caio" }));
    const [told] = appMessages(side.told.take());
    expect(told).toMatchObject({
      action: "create",
      message: { media: null, ...message },
      ticket: { ...card, unreadMessages: 1 },
    });
    expect(await conversationsOf(chat, side)).toMatchObject([
      { messages: [message.body], last: card.lastMessage, lastKind: card.lastMessageKind },
    ]);
    // Being shown makes nobody a contact: only who writes is one.
    expect(await countRows("contacts", side)).toBe(contacts + 1);
  });

  test("a repeated message is stored once", async () => {
    const chat = newPhone();
    const event = contentEvent({ kind: "contacts", contacts: [ana] }, { chat });
    await Promise.all([side.receive(event), side.receive(event), side.receive(event)]);
    expect(await conversationsOf(chat, side)).toMatchObject([{ unread: 1, messages: [ana.vcard] }]);
  });

  test("a message sent on the company's phone is stored too", async () => {
    const chat = newPhone();
    await side.receive(contentEvent({ kind: "location", ...place }, { chat, fromMe: true }));
    expect(lastTold(side.told.take())).toMatchObject({
      fromMe: true,
      mediaType: "locationMessage",
    });
    expect(await conversationsOf(chat, side)).toMatchObject([{ unread: 0, lastKind: "location" }]);
  });

  test("a forwarded one says so", async () => {
    await side.receive(textEvent({ isForwarded: true }));
    expect(lastTold(side.told.take())).toMatchObject({ isForwarded: true });
  });
});

describe("a vote", () => {
  test("quotes its poll and names the chosen options; the poll has each person's last vote, until it is withdrawn", async () => {
    const chat = newPhone();
    const options = ["Verde", "Azul", "Rosa"];
    const poll = contentEvent(
      {
        kind: "poll",
        type: "pollCreationMessage",
        question: "Cor?",
        options,
        severalAllowed: true,
      },
      { chat, fromMe: true },
    );
    const vote = async (chosen: string[]) => {
      const wish = { chat, quoted: poll.ref };
      await side.receive(contentEvent({ kind: "poll-vote", options: chosen }, wish));
      return appMessages(side.told.take());
    };
    const votesTold = (events: Awaited<ReturnType<typeof vote>>) =>
      events.flatMap(({ message: { details } }) =>
        details?.kind === "poll" ? [details.votes?.map(({ options: of }) => of)] : [],
      );
    await side.receive(poll);
    side.told.take();
    expect(votesTold(await vote(["Verde"]))).toEqual([[["Verde"]]]);
    const changed = await vote(["Azul", "Rosa"]);
    expect(votesTold(changed)).toEqual([[["Azul", "Rosa"]]]);
    expect(changed.find(({ action }) => action === "create")?.message).toMatchObject({
      mediaType: "pollUpdateMessage",
      body: "Azul, Rosa",
      details: { kind: "poll-vote", options: ["Azul", "Rosa"] },
      quotedMsg: { details: { kind: "poll", question: "Cor?" } },
    });
    const withdrawn = await vote([]);
    expect(withdrawn.map(({ action }) => action)).toEqual(["update", "update"]);
    expect(votesTold(withdrawn)).toEqual([[[]]]);
  });

  test("that was withdrawn is no message, and creates no ticket", async () => {
    const chat = newPhone();
    await side.receive(contentEvent({ kind: "poll-vote", options: [] }, { chat }));
    expect(await conversationsOf(chat, side)).toEqual([]);
  });
});

describe("an advertisement", () => {
  const ad = { title: "Vestidos", body: "Até 50%", sourceUrl: "https://fb.example/ad/1" };
  const text = (words: string): InboundContent => ({ kind: "text", text: words, ad });

  test("stands in front of the first message that it brings, and of no other", async () => {
    const chat = newPhone();
    await side.receive(contentEvent(text("Tem M?"), { chat }));
    await side.receive(contentEvent(text("E em azul?"), { chat }));
    const [first, second] = appMessages(side.told.take());
    expect(first).toMatchObject({
      message: {
        mediaType: "extendedTextMessage",
        body: "*Vestidos*\nAté 50%\nhttps://fb.example/ad/1\n\nTem M?",
        details: { kind: "ad", ...ad },
      },
      ticket: { lastMessage: "Tem M?", lastMessageKind: "text" },
    });
    expect(second).toMatchObject({ message: { body: "E em azul?", details: null } });
  });

  test("is kept with a picture: in front of its caption, and not on the card", async () => {
    const chat = newPhone();
    const file = { media: "image", mime: "image/jpeg", locator: "x" } as const;
    await side.receive(contentEvent({ kind: "media", file, caption: "Este?", ad }, { chat }));
    await side.receive(contentEvent({ kind: "media", file, ad }, { chat: newPhone() }));
    const [captioned, plain] = appMessages(side.told.take());
    expect(captioned).toMatchObject({
      message: {
        mediaType: "image",
        body: "*Vestidos*\nAté 50%\nhttps://fb.example/ad/1\n\nEste?",
        details: { kind: "ad", ...ad },
        media: { kind: "image" },
      },
      ticket: { lastMessage: "Este?", lastMessageKind: "image" },
    });
    expect(plain).toMatchObject({
      message: { details: { kind: "ad", ...ad } },
      ticket: { lastMessage: "Imagem", lastMessageKind: "image" },
    });
  });

  test("stays in front when its customer edits that message", async () => {
    const chat = newPhone();
    const first = contentEvent(text("Tem M?"), { chat });
    await side.receive(first);
    await side.receive({ type: "edit", target: first.ref, text: "Tem P?", at: new Date() });
    expect(lastTold(side.told.take()).body).toMatch(/^\*Vestidos\*\n[^]*\n\nTem P\?$/);
    expect(await conversationsOf(chat, side)).toMatchObject([{ last: "Tem P?" }]);
  });
});

describe("a message that cannot be decrypted yet", () => {
  test("has a placeholder, which its content replaces; a second placeholder changes nothing", async () => {
    const chat = newPhone();
    const pending = contentEvent({ kind: "pending" }, { chat });
    await side.receive(pending);
    await side.receive(pending);
    expect(await conversationsOf(chat, side)).toMatchObject([
      { unread: 1, status: "pending", messages: [expect.stringContaining("Aguardando")] },
    ]);
    side.told.take();

    await side.receive({ ...pending, content: { kind: "text", text: "Tem M?" } });
    await side.receive(pending);
    expect(await conversationsOf(chat, side)).toMatchObject([
      { unread: 1, messages: ["Tem M?"], last: "Tem M?" },
    ]);
    expect(appMessages(side.told.take())).toMatchObject([
      { action: "delete" },
      { action: "create", message: { body: "Tem M?" } },
    ]);
  });
});

describe("a customer's text", () => {
  test("is a conversation message with these words and no file", async () => {
    await side.receive(textEvent({ text: "Bom dia!\nTem M?" }));
    expect(lastTold(side.told.take())).toMatchObject({
      mediaType: "conversation",
      body: "Bom dia!\nTem M?",
      mediaUrl: null,
      media: null,
      details: null,
      quotedMsgId: null,
    });
  });

  test.each(["{{name}} {{ms}}", "{{", "Tom &amp; <b>Jerry</b> {{hora}}"])(
    "is never rendered: %s",
    async (words) => {
      const chat = newPhone();
      await side.receive(textEvent({ chat, text: words, name: "Ana" }));
      const file = { media: "image", mime: "image/jpeg", locator: "x" } as const;
      await side.receive(contentEvent({ kind: "media", file, caption: words }, { chat }));
      expect(await conversationsOf(chat, side)).toMatchObject([
        { messages: [words, words], last: words },
      ]);
    },
  );
});

describe("a customer's choice", () => {
  test.each(["buttonsResponseMessage", "templateButtonReplyMessage", "listResponseMessage"])(
    "stands under its own name (%s), with the id as its text",
    async (type) => {
      await side.receive(contentEvent({ kind: "choice", type, id: "linha-2" }));
      expect(lastTold(side.told.take())).toMatchObject({ mediaType: type, body: "linha-2" });
    },
  );
});
