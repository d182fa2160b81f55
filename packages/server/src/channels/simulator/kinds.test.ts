import type { SimulatorContent } from "@balcao/contract";
import { beforeAll, expect, test } from "vitest";
import type { TestDatabase } from "../../testing/database.ts";
import { testDatabase } from "../../testing/database.ts";
import type { ChannelRuntime } from "../runtime/index.ts";
import { ctxOf } from "../testing/process.ts";
import { newConnection, newTicket } from "../testing/company.ts";
import { eventually } from "../testing/eventually.ts";
import type { Phones } from "../testing/phones.ts";
import { phonesOf } from "../testing/phones.ts";
import type { ProcessOptions, TestProcess } from "../testing/process.ts";
import { startProcess } from "../testing/process.ts";
import type { LineRef } from "./line.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});

const phone = "5511941000001";

type World = { line: LineRef; process: TestProcess; channels: ChannelRuntime; phones: Phones };

async function newWorld(options: ProcessOptions = {}): Promise<World> {
  const line = await newConnection(database.db);
  const process = await startProcess(database, options);
  await process.link(line);
  const phones = phonesOf(process, line);
  await phones.addCustomer("Lia", phone);
  return { line, process, phones, channels: process.runChannels() };
}

const contents: [SimulatorContent, object][] = [
  [
    { kind: "location", latitude: -23.55, longitude: -46.63, name: "Loja", isLive: true },
    { kind: "location", latitude: -23.55, longitude: -46.63, name: "Loja", isLive: true },
  ],
  [
    { kind: "contacts", contacts: [{ name: "Ana", phones: ["+55 11 94100-0002"] }] },
    {
      kind: "contacts",
      contacts: [
        {
          name: "Ana",
          phones: ["+55 11 94100-0002"],
          vcard: expect.stringContaining("waid=5511941000002:+5511941000002") as string,
        },
      ],
    },
  ],
  [
    { kind: "poll", question: "Quando?", options: ["Hoje", "Amanhã"] },
    {
      kind: "poll",
      type: "pollCreationMessage",
      question: "Quando?",
      options: ["Hoje", "Amanhã"],
      severalAllowed: false,
    },
  ],
  [{ kind: "view-once" }, { kind: "view-once" }],
  [
    { kind: "choice", type: "listResponseMessage", chosen: "row-2" },
    { kind: "choice", type: "listResponseMessage", id: "row-2" },
  ],
  [
    { kind: "other", type: "productMessage", text: "Caneca" },
    { kind: "other", type: "productMessage", text: "Caneca" },
  ],
];

test.each(contents.map(([content, event]) => [content.kind, content, event] as const))(
  "a customer's message of kind %s arrives as its kind and is shown on the customer's phone",
  async (kind, content, event) => {
    const { line, process, phones, channels } = await newWorld();
    const written = await phones.write(phone, { content });
    expect(written).toMatchObject({ kind, content, fromCustomer: true });
    await channels.idle();
    expect(await process.events(line)).toMatchObject([
      { type: "message", ref: { id: written.id }, content: event },
    ]);
    expect(await phones.messages(phone)).toEqual([{ ...written, ack: 2 }]);
  },
);

test("a customer's first message names the advertisement", async () => {
  const { line, process, phones, channels } = await newWorld();
  const ad = { title: "Oferta", body: "Só hoje", sourceUrl: "https://exemplo.com.br" };
  await phones.write(phone, { body: "Quero", content: { kind: "ad", ...ad } });
  await channels.idle();
  expect(await process.events(line)).toMatchObject([
    { content: { kind: "text", text: "Quero", ad } },
  ]);
});

test("a customer quotes and forwards, and a vote names its poll", async () => {
  const { line, process, phones, channels } = await newWorld();
  const content = { kind: "poll", question: "Quando?", options: ["Hoje", "Amanhã"] } as const;
  const poll = await phones.write(phone, {
    content: { ...content, options: [...content.options] },
  });
  const vote = await phones.write(phone, {
    content: { kind: "poll-vote", options: ["Hoje"] },
    quotedId: poll.id,
  });
  expect(vote.quoted).toEqual({ id: poll.id, body: "Quando?", fromCustomer: true });
  await phones.write(phone, { body: "veja", isForwarded: true });
  await channels.idle();
  const events = await process.events(line);
  expect(events[1]).toMatchObject({
    content: { kind: "poll-vote", options: ["Hoje"] },
    quoted: { chat: { kind: "pn", value: phone }, id: poll.id, fromMe: false },
  });
  expect(events[2]).toMatchObject({ isForwarded: true });
  await expect(phones.write(phone, { body: "?", quotedId: "unknown" })).rejects.toThrow(
    "ERR_NO_MESSAGE_FOUND",
  );
});

test("a customer's file arrives with what it is, and the connection gets its content", async () => {
  const { line, process, phones, channels } = await newWorld();
  const fields = { as: "voice", durationMs: "1500", caption: "ouça", isViewOnce: "true" } as const;
  const file = { name: "voz.ogg", mime: "audio/ogg", content: "som" };
  const sent = await phones.sendFile(phone, fields, file);
  expect(sent).toMatchObject({
    kind: "voice",
    body: "ouça",
    isViewOnce: true,
    file: { name: "voz.ogg", mime: "audio/ogg", bytes: 3, durationMs: 1_500 },
  });
  await phones.sendFile(phone, { as: "document" }, { ...file, name: "nota.pdf" });
  await channels.idle();
  expect(await process.events(line)).toMatchObject([
    {
      content: {
        kind: "media",
        caption: "ouça",
        isViewOnce: true,
        file: { media: "voice", mime: "audio/ogg", bytes: 3, durationMs: 1_500, locator: sent.id },
      },
    },
    { content: { file: { media: "document", fileName: "nota.pdf" } } },
  ]);
  const messageId = await process.download(line, await newTicket(database.db, line), sent.id);
  await channels.idle();
  expect(await process.files(messageId)).toEqual(["som"]);
});

test("a file of the same message id twice is one message", async () => {
  const { phones } = await newWorld();
  const fields = { as: "image", messageId: "ID-1" } as const;
  const file = { name: "foto.png", mime: "image/png", content: "um" };
  await phones.sendFile(phone, fields, file);
  const again = await phones.sendFile(phone, fields, { ...file, content: "dois" });
  expect(again).toMatchObject({ id: "ID-1", file: { bytes: 2 } });
  expect(await phones.messages(phone)).toHaveLength(1);
  expect((await phones.file("ID-1")).content).toBe("um");
});

test("a file longer than the chat app takes is refused and leaves no message", async () => {
  const { phones } = await newWorld();
  const content = new Uint8Array(16 * 1024 * 1024 + 1);
  await expect(
    phones.sendFile(phone, { as: "image" }, { name: "foto.png", mime: "image/png", content }),
  ).rejects.toThrow("ERR_FILE_TOO_LARGE");
  expect(await phones.messages(phone)).toEqual([]);
});

test("a file whose name holds a NUL is refused and leaves no message", async () => {
  const { phones } = await newWorld();
  const file = { name: "fo\u0000to.png", mime: "image/png", content: "um" };
  await expect(phones.sendFile(phone, { as: "image" }, file)).rejects.toThrow(
    "ERR_INVALID_REQUEST",
  );
  expect(await phones.messages(phone)).toEqual([]);
});

test("the network hands out files at once, at the second try, or never, as it is set", async () => {
  const { line, process, phones, channels } = await newWorld({
    settings: { fileRetriesMs: [10, 10], lookEveryMs: 50 },
  });
  const ticketId = await newTicket(database.db, line);
  const send = async () =>
    phones.sendFile(phone, { as: "image" }, { name: "a.png", mime: "image/png", content: "a" });
  await phones.network({ mediaMode: "fail-once" });
  const late = await process.download(line, ticketId, (await send()).id);
  await eventually(async () => expect(await process.files(late)).toEqual(["a"]));
  await phones.network({ mediaMode: "gone" });
  const gone = await process.download(line, ticketId, (await send()).id);
  await channels.idle();
  expect(await process.files(gone)).toEqual(["unavailable"]);
});

test("the page gets a message's file as an attachment, and only pictures, sound and film by their type", async () => {
  const { line, process, phones } = await newWorld();
  const picture = await phones.sendFile(
    phone,
    { as: "image" },
    { name: "a.png", mime: "image/png", content: "png" },
  );
  const page = await phones.sendFile(
    phone,
    { as: "document" },
    { name: "a.svg", mime: "image/svg+xml", content: "<svg/>" },
  );
  expect(picture.file?.url).toBe(
    `/simulator/connections/${line.connectionId}/messages/${picture.id}/file`,
  );
  expect(await phones.file(picture.id)).toMatchObject({
    content: "png",
    headers: { "content-type": "image/png", "content-disposition": "attachment" },
  });
  expect((await phones.file(page.id)).headers).toMatchObject({
    "content-type": "application/octet-stream",
    "content-security-policy": "sandbox",
  });
  const stranger = phonesOf(process, await newConnection(database.db, { wanted: false }));
  await expect(stranger.file(picture.id)).rejects.toThrow("ERR_NO_MESSAGE_FOUND");
  const { id } = await phones.write(phone, { body: "Oi" });
  await expect(phones.file(id)).rejects.toThrow("ERR_NO_MESSAGE_FOUND");
});

test("the company's file, caption and quote are shown on the customer's phone", async () => {
  const ownFiles = new Map([["k.png", Buffer.from("foto")]]);
  const { line, process, phones, channels } = await newWorld({ ownFiles });
  const asked = await phones.write(phone, { body: "Tem foto?" });
  const ticketId = await newTicket(database.db, line);
  const file = { key: "k.png", mime: "image/png", name: "foto.png", bytes: 4 };
  const chat = { kind: "pn", value: phone } as const;
  const answer = await process.answer(
    line,
    ticketId,
    phone,
    { kind: "media", media: "image", file, caption: "Aqui" },
    { quote: { chat, id: asked.id, fromMe: false, text: "Tem foto?" } },
  );
  await channels.idle();
  expect((await phones.messages(phone)).at(-1)).toMatchObject({
    id: answer.providerId,
    fromCustomer: false,
    kind: "image",
    body: "Aqui",
    file: { name: "foto.png", mime: "image/png", bytes: 4 },
    quoted: { id: asked.id, body: "Tem foto?", fromCustomer: true },
  });
  expect((await phones.file(answer.providerId)).content).toBe("foto");
});

test("a file of the company that is not there is refused with a reason", async () => {
  const { line, process, phones, channels } = await newWorld();
  const file = { key: "missing.png", mime: "image/png", name: "foto.png", bytes: 4 };
  const answer = await process.answer(line, await newTicket(database.db, line), phone, {
    kind: "media",
    media: "image",
    file,
  });
  await channels.idle();
  expect(await process.sent(answer.messageId)).toMatchObject([
    { result: "failed", kind: "bad-request" },
  ]);
  expect(await phones.messages(phone)).toEqual([]);
});

test("a call arrives, and one that is refused is marked on the phone", async () => {
  const { line, process, phones, channels } = await newWorld();
  const ringing = await phones.ring(phone, { isVideo: true });
  expect(ringing).toMatchObject({ kind: "call", call: { isVideo: true, isRefused: false } });
  await channels.idle();
  const [call] = await process.events(line);
  expect(call).toMatchObject({
    type: "call",
    id: ringing.id,
    isVideo: true,
    from: { displayName: "Lia" },
  });
  const chat = { kind: "pn", value: phone } as const;
  const from = { addresses: [chat] };
  await process.db.transaction(line, (tx) =>
    process.outbox.refuseCall(tx, ctxOf(line), line.connectionId, {
      type: "call",
      id: ringing.id,
      chat,
      from,
      isVideo: true,
      at: new Date(),
    }),
  );
  await eventually(async () =>
    expect(await phones.messages(phone)).toMatchObject([{ call: { isRefused: true } }]),
  );
});

test("recording is told as recording", async () => {
  const { process, phones, channels } = await newWorld();
  await phones.write(phone, { body: "Oi" });
  await channels.idle();
  await phones.typing(phone, { on: true, isRecording: true });
  await phones.typing(phone, { on: false });
  await eventually(() =>
    expect(process.presences).toMatchObject([{ state: "recording" }, { state: "paused" }]),
  );
});
