import { expect, test } from "vitest";
import type { WAMessageContent } from "baileys";
import type { InboundContent } from "../../port.ts";
import { arrived, contentOf, eventsOf } from "./testing/messages.ts";

const bytes = (text: string) => Buffer.from(text);
const vcard = [
  "BEGIN:VCARD",
  "VERSION:3.0",
  "FN:Bruno Lima",
  "item1.TEL;waid=5511977776666:+55 11 97777-6666",
  "TEL;type=CELL;waid=551133334444:(11) 3333-",
  " 4444",
  "END:VCARD",
].join("\r\n");

const table: [string, WAMessageContent, InboundContent][] = [
  ["text", { conversation: "Olá" }, { kind: "text", text: "Olá" }],
  [
    "text with a link",
    { extendedTextMessage: { text: "veja https://x.example", matchedText: "https://x.example" } },
    { kind: "text", text: "veja https://x.example" },
  ],
  [
    "text that an advertisement brought",
    {
      extendedTextMessage: {
        text: "Quero saber mais",
        contextInfo: {
          externalAdReply: { title: "Promoção", body: "Só hoje", sourceUrl: "https://fb.me/1" },
        },
      },
    },
    {
      kind: "text",
      text: "Quero saber mais",
      ad: { title: "Promoção", body: "Só hoje", sourceUrl: "https://fb.me/1" },
    },
  ],
  [
    "picture that an advertisement brought",
    {
      imageMessage: {
        caption: "Este?",
        contextInfo: {
          externalAdReply: { title: "Promoção", body: "Só hoje", sourceUrl: "https://fb.me/1" },
        },
      },
    },
    expect.objectContaining({
      kind: "media",
      caption: "Este?",
      ad: { title: "Promoção", body: "Só hoje", sourceUrl: "https://fb.me/1" },
    }),
  ],
  [
    "place with a picture",
    {
      locationMessage: {
        degreesLatitude: -23.5,
        degreesLongitude: -46.6,
        name: "Loja",
        address: "Rua A, 1",
        jpegThumbnail: bytes("jpeg"),
      },
    },
    {
      kind: "location",
      latitude: -23.5,
      longitude: -46.6,
      name: "Loja",
      address: "Rua A, 1",
      thumbnail: bytes("jpeg").toString("base64"),
    },
  ],
  [
    "place at zero, without a picture",
    { locationMessage: { degreesLatitude: 0, degreesLongitude: 0 } },
    { kind: "location", latitude: 0, longitude: 0 },
  ],
  [
    "live place",
    {
      liveLocationMessage: { degreesLatitude: 1, degreesLongitude: 2, caption: "a caminho" },
    },
    { kind: "location", latitude: 1, longitude: 2, name: "a caminho", isLive: true },
  ],
  [
    "contact",
    { contactMessage: { displayName: "Bruno", vcard } },
    {
      kind: "contacts",
      contacts: [{ name: "Bruno", phones: ["+55 11 97777-6666", "+551133334444"], vcard }],
    },
  ],
  [
    "contacts, one without a name beside the card",
    { contactsArrayMessage: { contacts: [{ vcard }, { displayName: "Caio", vcard: "" }, {}] } },
    {
      kind: "contacts",
      contacts: [
        { name: "Bruno Lima", phones: ["+55 11 97777-6666", "+551133334444"], vcard },
        { name: "Caio", phones: [], vcard: "" },
      ],
    },
  ],
  ...(["pollCreationMessage", "pollCreationMessageV2", "pollCreationMessageV3"] as const).map(
    (type): [string, WAMessageContent, InboundContent] => [
      type,
      {
        messageContextInfo: { messageSecret: bytes("s".repeat(32)) },
        [type]: {
          name: "Quando?",
          options: [{ optionName: "Hoje" }, { optionName: "Amanhã" }],
          selectableOptionsCount: type === "pollCreationMessageV3" ? 1 : 0,
        },
      },
      {
        kind: "poll",
        type,
        question: "Quando?",
        options: ["Hoje", "Amanhã"],
        severalAllowed: type !== "pollCreationMessageV3",
      },
    ],
  ),
  [
    "pressed button",
    { buttonsResponseMessage: { selectedButtonId: "b2", selectedDisplayText: "Vendas" } },
    { kind: "choice", type: "buttonsResponseMessage", id: "b2", text: "Vendas" },
  ],
  [
    "pressed button without an id",
    { buttonsResponseMessage: { selectedDisplayText: "Vendas" } },
    { kind: "choice", type: "buttonsResponseMessage", id: "Vendas" },
  ],
  [
    "chosen row",
    { listResponseMessage: { title: "Vendas", singleSelectReply: { selectedRowId: "r1" } } },
    { kind: "choice", type: "listResponseMessage", id: "r1", text: "Vendas" },
  ],
  [
    "button of a template",
    { templateButtonReplyMessage: { selectedId: "t1", selectedDisplayText: "Sim" } },
    { kind: "choice", type: "templateButtonReplyMessage", id: "t1", text: "Sim" },
  ],
  [
    "answer of a form",
    {
      interactiveResponseMessage: {
        body: { text: "Sim" },
        nativeFlowResponseMessage: { name: "quick_reply", paramsJson: '{"id":"f1"}' },
      },
    },
    { kind: "choice", type: "interactiveResponseMessage", id: "f1", text: "Sim" },
  ],
  [
    "answer of a form that is none",
    {
      interactiveResponseMessage: {
        body: { text: "Sim" },
        nativeFlowResponseMessage: { name: "quick_reply", paramsJson: "{" },
      },
    },
    { kind: "choice", type: "interactiveResponseMessage", id: "Sim" },
  ],
  [
    "buttons of another company",
    {
      buttonsMessage: {
        contentText: "Escolha",
        buttons: [{ buttonText: { displayText: "A" } }, { buttonText: { displayText: "B" } }],
      },
    },
    { kind: "text", text: "*Escolha*\n\nA\n\nB" },
  ],
  [
    "list of another company",
    { listMessage: { description: "Menu", sections: [{ rows: [{ title: "A" }] }, {}] } },
    { kind: "text", text: "*Menu*\n\nA" },
  ],
  [
    "template",
    {
      templateMessage: {
        hydratedTemplate: {
          hydratedContentText: "Seu pedido saiu",
          hydratedButtons: [{ urlButton: { displayText: "Rastrear" } }],
        },
      },
    },
    { kind: "text", text: "*Seu pedido saiu*\n\nRastrear" },
  ],
  [
    "invitation to a group",
    { groupInviteMessage: { groupName: "Clube", caption: "Entre", inviteCode: "AbC" } },
    {
      kind: "other",
      type: "groupInviteMessage",
      text: "Clube\nEntre\nhttps://chat.whatsapp.com/AbC",
    },
  ],
  [
    "product",
    {
      productMessage: {
        product: { title: "Tênis", priceAmount1000: 199_900, currencyCode: "BRL" },
      },
    },
    { kind: "other", type: "productMessage", text: "Tênis\nBRL 199.90" },
  ],
  [
    "order",
    {
      orderMessage: {
        orderTitle: "Loja",
        message: "2 itens",
        totalAmount1000: 5_000,
        totalCurrencyCode: "BRL",
      },
    },
    { kind: "other", type: "orderMessage", text: "Loja\n2 itens\nBRL 5.00" },
  ],
  [
    "payment that is asked for",
    {
      requestPaymentMessage: {
        amount1000: 12_500,
        currencyCodeIso4217: "BRL",
        noteMessage: { extendedTextMessage: { text: "frete" } },
      },
    },
    { kind: "other", type: "requestPaymentMessage", text: "BRL 12.50\nfrete" },
  ],
  [
    "payment",
    { sendPaymentMessage: { noteMessage: { conversation: "pago" } } },
    { kind: "other", type: "sendPaymentMessage", text: "pago" },
  ],
  [
    "event",
    { eventMessage: { name: "Live", description: "às 20h" } },
    { kind: "other", type: "eventMessage", text: "Live\nàs 20h" },
  ],
  [
    "what nobody translates",
    { newsletterAdminInviteMessage: { newsletterName: "x", caption: "Administre" } },
    { kind: "other", type: "newsletterAdminInviteMessage", text: "Administre" },
  ],
  [
    "what nobody translates and says nothing",
    { requestPhoneNumberMessage: {} },
    { kind: "other", type: "requestPhoneNumberMessage", text: "" },
  ],
  [
    "place without coordinates",
    { locationMessage: { name: "Loja" } },
    { kind: "other", type: "locationMessage", text: "Loja" },
  ],
];

test.each(table)("%s", (_name, content, expected) => {
  expect(contentOf(content)).toEqual(expected);
});

test("wrappings come off, whatever is in what", () => {
  const wrapped: WAMessageContent = {
    ephemeralMessage: {
      message: { groupMentionedMessage: { message: { extendedTextMessage: { text: "Olá" } } } },
    },
  };
  expect(contentOf(wrapped)).toEqual({ kind: "text", text: "Olá" });
  const sent: WAMessageContent = {
    deviceSentMessage: { destinationJid: "x", message: { conversation: "Olá" } },
  };
  expect(contentOf(sent)).toEqual({ kind: "text", text: "Olá" });
});

test("eight wrappings come off, and of more there is no message", () => {
  const wrap = (times: number): WAMessageContent =>
    times === 0 ? { conversation: "Olá" } : { ephemeralMessage: { message: wrap(times - 1) } };
  expect(contentOf(wrap(8))).toEqual({ kind: "text", text: "Olá" });
  expect(eventsOf(arrived(wrap(9)))).toEqual([]);
});

test("a wrapping that is not known yet comes off as well", () => {
  const message = arrived(null);
  Object.assign(message, { message: { inventedMessage: { message: { conversation: "Olá" } } } });
  expect(eventsOf(message)).toMatchObject([{ content: { kind: "text", text: "Olá" } }]);
});

test.each<[string, WAMessageContent]>([
  ["keys between phones", { senderKeyDistributionMessage: { groupId: "x" } }],
  ["only technical data", { messageContextInfo: { deviceListMetadataVersion: 2 } }],
  ["the frame of an album", { albumMessage: { expectedImageCount: 2 } }],
  ["something pinned", { pinInChatMessage: { type: 1 } }],
  ["an encrypted reaction", { encReactionMessage: { encPayload: bytes("x") } }],
  ["a call", { call: { callKey: bytes("x") } }],
  ["an empty text", { extendedTextMessage: { text: "" } }],
  ["an empty wrapping", { ephemeralMessage: {} }],
  ["nothing", {}],
])("of %s there is no message", (_name, content) => {
  expect(eventsOf(arrived(content))).toEqual([]);
});
