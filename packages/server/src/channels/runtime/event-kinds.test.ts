import { beforeAll, expect, test } from "vitest";
import type { TestDatabase } from "../../testing/database.ts";
import { testDatabase } from "../../testing/database.ts";
import type { ChannelAdapter, DurableEvent, ProviderContext } from "../port.ts";
import { newConnection } from "../testing/company.ts";
import { eventually } from "../testing/eventually.ts";
import { startProcess } from "../testing/process.ts";
import { plainProvider } from "../testing/provider.ts";
import { chatKeyOf, chatOf, decodeEvent, encodeEvent } from "./journal.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});

const chat = { kind: "pn", value: "5511930000001" } as const;
const group = { kind: "group", value: "120363000000000001" } as const;
const from = { addresses: [chat], displayName: "Lia" };
const at = new Date(Date.UTC(2026, 10, 20, 12));
const ofCustomer = { chat, id: "A1", fromMe: false } as const;
const ofCompany = { chat, id: "B1", fromMe: true } as const;
const message = { type: "message", ref: ofCustomer, from, at, origin: "live" } as const;

const file = {
  media: "voice",
  mime: "audio/ogg",
  durationMs: 1_500,
  bytes: 10,
  locator: "place",
} as const;

/** One of each kind. */
const kinds: DurableEvent[] = [
  { ...message, content: { kind: "text", text: "Oi" }, quoted: ofCompany, isForwarded: true },
  {
    ...message,
    content: {
      kind: "text",
      text: "Quero",
      ad: { title: "Oferta", body: "Só hoje", sourceUrl: "https://exemplo.com.br" },
    },
  },
  { ...message, content: { kind: "media", file, caption: "ouça", isViewOnce: true } },
  {
    ...message,
    content: {
      kind: "media",
      file: { media: "document", mime: "application/pdf", fileName: "nota.pdf", locator: "x" },
    },
  },
  {
    ...message,
    content: {
      kind: "location",
      latitude: -23.5,
      longitude: -46.6,
      name: "Loja",
      address: "Rua A, 1",
      isLive: true,
      thumbnail: "iVBORw0KGgo=",
    },
  },
  {
    ...message,
    content: {
      kind: "contacts",
      contacts: [{ name: "Ana", phones: ["+55 11 93000-0002"], vcard: "BEGIN:VCARD" }],
    },
  },
  {
    ...message,
    content: {
      kind: "poll",
      type: "pollCreationMessageV3",
      question: "Quando?",
      options: ["Hoje", "Amanhã"],
      severalAllowed: true,
    },
  },
  { ...message, content: { kind: "poll-vote", options: ["Hoje"] } },
  { ...message, content: { kind: "choice", type: "listResponseMessage", id: "row-1" } },
  {
    ...message,
    content: { kind: "choice", type: "listResponseMessage", id: "row-1", text: "Vendas" },
  },
  {
    ...message,
    content: {
      kind: "media",
      file,
      ad: { title: "Promo", body: "", sourceUrl: "https://fb.me/1" },
    },
  },
  { ...message, content: { kind: "view-once" } },
  { ...message, content: { kind: "other", type: "productMessage", text: "Caneca" } },
  {
    ...message,
    ref: { chat: group, id: "G1", fromMe: false, author: chat },
    chatName: "Família",
    content: { kind: "media", file },
  },
  { type: "edit", target: ofCustomer, text: "Oi!", at },
  { type: "revoke", target: ofCustomer, at },
  { type: "reaction", target: ofCompany, from, fromMe: false, emoji: "👍", at },
  { type: "reaction", target: ofCompany, from, fromMe: false, emoji: null, at },
  { type: "call", id: "C1", chat, from, isVideo: true, at },
  {
    type: "send-failed",
    providerId: "B9",
    chat,
    failure: { kind: "rate-limited", code: "429", retryAfterMs: 5 },
  },
];

/** With ids of their own, so that nothing takes them for the same. */
const events = kinds.map((event, place): DurableEvent =>
  event.type === "message" ? { ...event, ref: { ...event.ref, id: `M${place}` } } : event,
);

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test("each kind of event survives a crash between journal and handling, in order", async () => {
  const line = await newConnection(database.db, { channel: "whatsapp-web" });
  const contexts: ProviderContext[] = [];
  const adapter: ChannelAdapter = {
    createProvider: (context) => {
      contexts.push(context);
      return {
        ...plainProvider,
        start: () => context.sink.tell({ type: "state", status: "CONNECTED" }),
      };
    },
  };
  const first = await startProcess(database, {
    adapters: [["whatsapp-web", adapter]],
    beforeReceive: () => new Promise<never>(() => undefined),
  });
  first.runChannels();
  await eventually(() => expect(contexts).toHaveLength(1));
  await contexts[0]?.sink.store(events);
  await first.crash();

  const second = await startProcess(database, { adapters: [["whatsapp-web", adapter]] });
  const channels = second.runChannels();
  const inOneChat = (event: DurableEvent) => chatKeyOf(chatOf(event)) === chatKeyOf(chat);
  const ofChat = events.filter(inOneChat);
  await eventually(async () => expect(await second.events(line)).toHaveLength(events.length));
  await channels.idle();
  const told = await second.events(line);
  expect(told.filter((event) => inOneChat(event as DurableEvent))).toEqual(asJson(ofChat));
  expect(told).toHaveLength(events.length);
  expect(told).toContainEqual(asJson(events.find((event) => !inOneChat(event))));
});

test.each(events.map((event) => [event.type, event] as const))(
  "the text of a %s event is the event",
  (_type, event) => {
    expect(decodeEvent(encodeEvent(event).text)).toEqual(event);
  },
);

test("values that are too long are cut and the event is stored", () => {
  const cut = (event: DurableEvent) => {
    const encoded = encodeEvent(event);
    expect(decodeEvent(encoded.text)).toEqual(encoded.event);
    return encoded.event;
  };
  const text = `${"a".repeat(65_535)}😀`;
  expect(cut({ ...message, content: { kind: "text", text } })).toMatchObject({
    content: { text: "a".repeat(65_535) },
  });
  expect(cut({ type: "edit", target: ofCustomer, text: "b".repeat(100_000), at })).toMatchObject({
    text: "b".repeat(65_536),
  });
  const locator = "c".repeat(20_000);
  expect(cut({ ...message, content: { kind: "media", file: { ...file, locator } } })).toMatchObject(
    { content: { file: { locator: "c".repeat(8_000) } } },
  );
  const contact = { name: "Ana", phones: ["1"], vcard: "v" };
  const contacts = Array.from({ length: 1_000 }, () => contact);
  const kept = cut({ ...message, content: { kind: "contacts", contacts } });
  expect(kept).toMatchObject({ content: { contacts: contacts.slice(0, 300) } });
  const location = { kind: "location", latitude: 1, longitude: 2 } as const;
  expect(
    cut({ ...message, content: { ...location, thumbnail: "d".repeat(300_000) } }),
  ).toMatchObject({ content: { thumbnail: "" } });
});
