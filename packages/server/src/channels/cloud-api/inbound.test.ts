import { expect, test } from "vitest";
import type { DurableEvent } from "../port.ts";
import { readDelivery } from "./delivery.ts";
import { idsLearned, toEvents, wamidsIn } from "./inbound.ts";
import { contactOf, delivery, messageFrom, statusOf } from "./testing/webhook-bodies.ts";

const account = {
  phoneNumberId: "100",
  businessAccountId: "200",
  accessToken: "",
  appSecret: "",
  verifyToken: "",
  displayNumber: "551140000000",
};
const OURS = "3EB0AABBCCDDEEFF001122";
const helena = { phone: "5511988887777", userId: "BR.1349", name: "Helena" };
const at = new Date("2026-11-20T12:00:00Z");

function eventsOf(
  value: Readonly<Record<string, unknown>>,
  ours: Readonly<Record<string, string>> = {},
): DurableEvent[] {
  const read = readDelivery(JSON.stringify(delivery(account, value)), account.phoneNumberId);
  if (!read) throw new Error("no delivery");
  return toEvents(read, new Map(Object.entries(ours)));
}

/** The content that a message of this form has. */
function contentOf(content: Readonly<Record<string, unknown>> & { type: string }): unknown {
  const message = messageFrom(helena, content, { id: "wamid.1", at });
  const [event] = eventsOf({ contacts: [contactOf(helena)], messages: [message] });
  if (event?.type !== "message") throw new Error("no message");
  return event.content;
}

const file = { id: "77", mime_type: "image/jpeg", sha256: "abc" };
const located = (media: string, more: Record<string, unknown> = {}) => ({
  kind: "media",
  file: { media, mime: "image/jpeg", locator: '{"id":"77","sha256":"abc"}', ...more },
});

test.each([
  ["text", { type: "text", text: { body: "Oi" } }, { kind: "text", text: "Oi" }],
  [
    "text from an advertisement",
    {
      type: "text",
      text: { body: "Oi" },
      referral: { source_url: "https://fb.example/ad", headline: "Promo", body: "50 %" },
    },
    {
      kind: "text",
      text: "Oi",
      ad: { title: "Promo", body: "50 %", sourceUrl: "https://fb.example/ad" },
    },
  ],
  [
    "image",
    { type: "image", image: { ...file, caption: "Veja" } },
    { ...located("image"), caption: "Veja" },
  ],
  [
    "image that an advertisement brought",
    {
      type: "image",
      image: file,
      referral: { source_url: "https://fb.example/ad", headline: "Promo", body: "50 %" },
    },
    {
      ...located("image"),
      ad: { title: "Promo", body: "50 %", sourceUrl: "https://fb.example/ad" },
    },
  ],
  ["video", { type: "video", video: file }, located("video")],
  ["sound", { type: "audio", audio: file }, located("audio")],
  ["voice", { type: "audio", audio: { ...file, voice: true } }, located("voice")],
  [
    "document",
    { type: "document", document: { ...file, filename: "nota.pdf" } },
    located("document", { fileName: "nota.pdf" }),
  ],
  ["sticker", { type: "sticker", sticker: { ...file, animated: false } }, located("sticker")],
  [
    "location",
    { type: "location", location: { latitude: -23.5, longitude: "-46.6", name: "Loja" } },
    { kind: "location", latitude: -23.5, longitude: -46.6, name: "Loja" },
  ],
  [
    "contacts",
    {
      type: "contacts",
      contacts: [
        { name: { formatted_name: "Rui" }, phones: [{ phone: "+55 11 9", wa_id: "55119" }] },
      ],
    },
    {
      kind: "contacts",
      contacts: [
        {
          name: "Rui",
          phones: ["+55 11 9"],
          vcard: "BEGIN:VCARD\nVERSION:3.0\nFN:Rui\nTEL;type=CELL;waid=55119:+55 11 9\nEND:VCARD",
        },
      ],
    },
  ],
  [
    "pressed button",
    {
      type: "interactive",
      interactive: { type: "button_reply", button_reply: { id: "sim", title: "Sim" } },
    },
    { kind: "choice", type: "buttonsResponseMessage", id: "sim", text: "Sim" },
  ],
  [
    "chosen row",
    {
      type: "interactive",
      interactive: { type: "list_reply", list_reply: { id: "2", title: "Vendas" } },
    },
    { kind: "choice", type: "listResponseMessage", id: "2", text: "Vendas" },
  ],
  [
    "button of a template",
    { type: "button", button: { payload: "ok", text: "Ok" } },
    { kind: "choice", type: "templateButtonReplyMessage", id: "ok", text: "Ok" },
  ],
  [
    "order",
    {
      type: "order",
      order: { text: "Quero", product_items: [{ product_retailer_id: "SKU1", quantity: 2 }] },
    },
    { kind: "other", type: "order", text: "Quero\n2 × SKU1" },
  ],
  [
    "system message",
    { type: "system", system: { body: "Helena changed her number", type: "user_changed_number" } },
    { kind: "other", type: "system", text: "Helena changed her number" },
  ],
  [
    "kind that Meta does not show",
    { type: "unsupported", errors: [{ code: 131_051, title: "Unsupported message type" }] },
    { kind: "other", type: "unsupported", text: "Unsupported message type" },
  ],
  [
    "kind that nobody knows yet",
    { type: "hologram", hologram: {} },
    { kind: "other", type: "hologram", text: "" },
  ],
])("a %s says what it says", (_name, message, content) => {
  expect(contentOf(message)).toEqual(content);
});

test("a message names its customer by number and by business-scoped id", () => {
  const message = messageFrom(
    helena,
    { type: "text", text: { body: "Oi" } },
    { id: "wamid.1", at },
  );
  expect(eventsOf({ contacts: [contactOf(helena)], messages: [message] })).toEqual([
    {
      type: "message",
      ref: { chat: { kind: "pn", value: helena.phone }, id: "wamid.1", fromMe: false },
      from: {
        addresses: [
          { kind: "pn", value: helena.phone },
          { kind: "bsuid", value: "BR.1349" },
        ],
        displayName: "Helena",
      },
      at,
      origin: "live",
      content: { kind: "text", text: "Oi" },
    },
  ]);
});

test.each([
  ["`from` is missing", { userId: "BR.77", name: "Rui" }],
  ["`from` holds the id", { phone: "BR.77", name: "Rui" }],
])("a number that is kept secret leaves the id alone: %s", (_how, person) => {
  const message = messageFrom(person, { type: "text", text: { body: "Oi" } });
  const [event] = eventsOf({ contacts: [contactOf(person)], messages: [message] });
  expect(event).toMatchObject({
    ref: { chat: { kind: "bsuid", value: "BR.77" } },
    from: { addresses: [{ kind: "bsuid", value: "BR.77" }], displayName: "Rui" },
  });
});

test("a customer who has moved is one person with both numbers, reached at the new one", () => {
  const message = messageFrom(
    helena,
    {
      type: "system",
      system: {
        body: "Helena changed her number",
        type: "user_changed_number",
        wa_id: "5511911112222",
      },
    },
    { id: "wamid.2", at },
  );
  const [moved, told] = eventsOf({ contacts: [contactOf(helena)], messages: [message] });
  expect(moved).toEqual({
    type: "contact",
    chat: { kind: "pn", value: helena.phone },
    peer: {
      addresses: [
        { kind: "pn", value: "5511911112222" },
        { kind: "pn", value: helena.phone },
        { kind: "bsuid", value: "BR.1349" },
      ],
    },
    isNewNumber: true,
    at,
  });
  expect(told).toMatchObject({ type: "message", content: { text: "Helena changed her number" } });
});

test("a message without a sender is dropped", () => {
  const message = messageFrom({}, { type: "text", text: { body: "Oi" } });
  expect(eventsOf({ messages: [message] })).toEqual([]);
});

test("quotes, reactions, edits and deletions name our message by our id and theirs by Meta's", () => {
  const from = { phone: helena.phone };
  const chat = { kind: "pn", value: helena.phone };
  const text = { type: "text", text: { body: "Sim" } };
  const events = eventsOf(
    {
      messages: [
        messageFrom(from, { ...text, context: { id: "wamid.ours", forwarded: true } }),
        messageFrom(from, { ...text, context: { id: "wamid.theirs" } }),
        messageFrom(from, {
          type: "reaction",
          reaction: { message_id: "wamid.ours", emoji: "👍" },
        }),
        messageFrom(from, { type: "reaction", reaction: { message_id: "wamid.theirs" } }),
        messageFrom(from, {
          type: "edit",
          edit: { original_message_id: "wamid.theirs", message: text },
        }),
        messageFrom(from, { type: "revoke", revoke: { original_message_id: "wamid.theirs" } }),
      ],
    },
    { "wamid.ours": OURS },
  );
  const ours = { chat, id: OURS, fromMe: true };
  const theirs = { chat, id: "wamid.theirs", fromMe: false };
  expect(events).toMatchObject([
    { type: "message", quoted: ours, isForwarded: true },
    { type: "message", quoted: theirs },
    { type: "reaction", target: ours, emoji: "👍", fromMe: false },
    { type: "reaction", target: theirs, emoji: null },
    { type: "edit", target: theirs, text: "Sim" },
    { type: "revoke", target: theirs },
  ]);
});

test("a message written on the company's phone is its own message to the customer", () => {
  const body = delivery(
    account,
    {
      message_echoes: [
        {
          ...messageFrom({}, { type: "text", text: { body: "Já vou" } }),
          from: "551140000000",
          to: helena.phone,
        },
      ],
    },
    "smb_message_echoes",
  );
  const read = readDelivery(JSON.stringify(body), "100");
  expect(read && toEvents(read, new Map())).toMatchObject([
    {
      ref: { chat: { kind: "pn", value: helena.phone }, fromMe: true },
      origin: "own-device",
      content: { text: "Já vou" },
    },
  ]);
});

const sent = { wamid: "wamid.ours", body: { to: helena.phone, biz_opaque_callback_data: OURS } };
const chat = { kind: "pn", value: helena.phone };

test.each([
  ["sent", { type: "ack", level: 2 }],
  ["delivered", { type: "ack", level: 3 }],
  ["read", { type: "ack", level: 4 }],
  ["played", { type: "ack", level: 5 }],
])("status %s", (status, event) => {
  const known = { providerId: OURS, chat };
  expect(eventsOf({ statuses: [statusOf(sent, status)] })).toEqual([{ ...event, ...known }]);
});

test("a failed status has the reason; statuses without our data are found by Meta's id", () => {
  const bare = { id: "wamid.ours", status: "failed", errors: [{ code: 131_047, title: "x" }] };
  const failed = {
    type: "send-failed",
    providerId: OURS,
    failure: { kind: "window-closed", code: "131047" },
  };
  expect(eventsOf({ statuses: [bare] }, { "wamid.ours": OURS })).toMatchObject([failed]);
  expect(eventsOf({ statuses: [bare] })).toEqual([]);
  const others = { ...bare, biz_opaque_callback_data: "campaign-7" };
  expect(eventsOf({ statuses: [others, statusOf(sent, "deleted")] })).toEqual([]);
});

test("ids that a delivery tells, and those it asks for", () => {
  const body = delivery(account, {
    messages: [
      messageFrom(helena, { type: "text", text: { body: "" }, context: { id: "wamid.a" } }),
    ],
    statuses: [statusOf(sent, "sent"), { id: "wamid.b", status: "read" }],
  });
  const read = readDelivery(JSON.stringify(body), "100");
  expect(read && wamidsIn(read)).toEqual(["wamid.a", "wamid.ours", "wamid.b"]);
  expect(read && idsLearned(read)).toEqual([{ wamid: "wamid.ours", providerId: OURS }]);
});

test("one message that cannot be read harms none beside it; other numbers and other news are no messages", () => {
  const good = messageFrom(helena, { type: "text", text: { body: "Oi" } });
  const mixed = delivery(account, { messages: [{ id: 7 }, good], unknown: true });
  const read = readDelivery(JSON.stringify(mixed), "100");
  expect([read?.faults, read?.parts[0]?.messages.length]).toEqual([1, 1]);
  const elsewhere = readDelivery(JSON.stringify(delivery(account, { messages: [good] })), "101");
  expect(elsewhere).toEqual({ parts: [], notices: [], faults: 0 });
  const news = delivery(account, { event: "APPROVED" }, "message_template_status_update");
  expect(readDelivery(JSON.stringify(news), "100")?.notices).toEqual([
    { field: "message_template_status_update", event: "APPROVED" },
  ]);
  for (const body of ["", "[]", "{}", '{"entry":1}', "null"]) {
    expect(readDelivery(body, "100")).toBeNull();
  }
});
