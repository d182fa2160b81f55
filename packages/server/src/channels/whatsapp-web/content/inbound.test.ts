import { proto } from "baileys";
import { expect, test } from "vitest";
import { firstTimes } from "./addresses.ts";
import { ANA, ANA_LID, arrived, AT, eventsOf, GROUP, messageOf, SELF } from "./testing/messages.ts";

const { StubType, Status } = proto.WebMessageInfo;
const pn = { kind: "pn", value: "5511988887777" };
const lid = { kind: "lid", value: "123456789012345" };
const ours = "5511900000000@s.whatsapp.net";

test("a customer's message says who wrote it, where and when", () => {
  expect(eventsOf(arrived({ conversation: "Olá" }))).toEqual([
    {
      type: "message",
      ref: { chat: pn, id: "3EB0AAAA", fromMe: false },
      from: { addresses: [pn], displayName: "Ana" },
      at: AT,
      origin: "live",
      content: { kind: "text", text: "Olá" },
    },
  ]);
});

test.each([
  ["a number", 1_763_640_000],
  ["a text", "1763640000"],
  ["a 64-bit number", { low: 1_763_640_000, high: 0, unsigned: true }],
])("the time comes as %s", (_name, messageTimestamp) => {
  const message = arrived({ conversation: "Olá" });
  Object.assign(message, { messageTimestamp });
  expect(messageOf(message).at).toEqual(new Date(1_763_640_000_000));
});

test.each([null, undefined, 0, -5, "ontem", 1e15])("without a time (%s) it is now", (time) => {
  const message = arrived({ conversation: "Olá" });
  Object.assign(message, { messageTimestamp: time });
  expect(messageOf(message).at).toEqual(AT);
});

test("a customer with a privacy id is known by both addresses, reported once", () => {
  const isNewPair = firstTimes(10);
  const message = arrived(
    { conversation: "Olá" },
    { key: { remoteJid: ANA_LID, remoteJidAlt: "5511988887777:0@s.whatsapp.net" } },
  );
  const from = { addresses: [pn, lid], displayName: "Ana" };
  expect(eventsOf(message, { isNewPair })).toMatchObject([
    { type: "contact", chat: pn, peer: from, at: AT },
    { type: "message", ref: { chat: lid }, from },
  ]);
  expect(eventsOf(message, { isNewPair })).toMatchObject([{ type: "message" }]);
});

test("a privacy id alone never becomes a number", () => {
  const { from, ref } = messageOf(
    arrived({ conversation: "Olá" }, { key: { remoteJid: ANA_LID } }),
  );
  expect([from.addresses, ref.chat]).toEqual([[lid], lid]);
});

test("older names of the second address count as well", () => {
  const message = arrived({ conversation: "Olá" }, { key: { remoteJid: ANA_LID } });
  Object.assign(message.key, { senderPn: ANA });
  expect(messageOf(message).from.addresses).toEqual([pn, lid]);
});

test("a message from the company's phone has no author", () => {
  const message = arrived({ conversation: "Oi" }, { key: { fromMe: true }, pushName: "Loja" });
  expect(messageOf(message)).toMatchObject({
    ref: { fromMe: true },
    from: { addresses: [pn] },
    origin: "own-device",
  });
  expect(messageOf(message).from.displayName).toBeUndefined();
});

test("our own number beside a customer's privacy id is not the customer's", () => {
  const key = { fromMe: true, remoteJid: ANA_LID, remoteJidAlt: ours };
  expect(eventsOf(arrived({ conversation: "Oi" }, { key }))).toMatchObject([
    { type: "message", from: { addresses: [lid] } },
  ]);
});

test("history stays history, also of our own", () => {
  const message = arrived({ conversation: "Oi" }, { key: { fromMe: true } });
  expect(messageOf(message, { origin: "history" }).origin).toBe("history");
});

test("a group's message names its author and its subject", () => {
  const key = { remoteJid: GROUP, participant: ANA_LID, participantAlt: ANA };
  const message = arrived({ conversation: "Olá" }, { key });
  expect(messageOf(message, { groupName: () => "Clube" })).toMatchObject({
    ref: { chat: { kind: "group", value: "120363041234567890" }, author: lid },
    from: { addresses: [pn, lid], displayName: "Ana" },
    chatName: "Clube",
  });
});

test("in history the author stands beside the key", () => {
  const message = arrived({ conversation: "Olá" }, { key: { remoteJid: GROUP }, participant: ANA });
  expect(messageOf(message)).toMatchObject({ ref: { author: pn }, from: { addresses: [pn] } });
});

test("the company's message in a group is its own", () => {
  const key = { remoteJid: GROUP, fromMe: true, participant: ours };
  const events = eventsOf(arrived({ conversation: "Oi" }, { key, pushName: "Loja" }));
  expect(events).toMatchObject([
    { type: "message", ref: { fromMe: true }, from: { addresses: [{ value: SELF.pn }, {}] } },
  ]);
});

test("an answer quotes the message of its author", () => {
  const quoting = (participant: string) =>
    messageOf(
      arrived({
        extendedTextMessage: { text: "sim", contextInfo: { stanzaId: "Q", participant } },
      }),
    ).quoted;
  expect(quoting(ours)).toMatchObject({ chat: pn, id: "Q", fromMe: true });
  expect(quoting(`${SELF.lid}:3@lid`)).toMatchObject({ fromMe: true });
  expect(quoting(ANA)).toEqual({ chat: pn, id: "Q", fromMe: false, author: pn });
});

test("a picture quotes too, and a message quoted from a group keeps its chat", () => {
  const contextInfo = { stanzaId: "Q", participant: ANA, remoteJid: GROUP };
  expect(messageOf(arrived({ imageMessage: { contextInfo } })).quoted).toMatchObject({
    chat: { kind: "group" },
    id: "Q",
  });
});

test("a forwarded message is marked", () => {
  const contextInfo = { isForwarded: true, forwardingScore: 1 };
  const passedOn = arrived({ extendedTextMessage: { text: "leia", contextInfo } });
  expect(messageOf(passedOn).isForwarded).toBe(true);
  expect(messageOf(arrived({ conversation: "leia" })).isForwarded).toBeUndefined();
});

test("an advertisement says nothing about what we write ourselves", () => {
  const contextInfo = { externalAdReply: { title: "Promoção" } };
  const content = { extendedTextMessage: { text: "Oi", contextInfo } };
  expect(messageOf(arrived(content, { key: { fromMe: true } })).content).toEqual({
    kind: "text",
    text: "Oi",
  });
});

test.each([
  "status@broadcast",
  "1400000000@broadcast",
  "120363000000000000@newsletter",
  ours,
  `${SELF.lid}@lid`,
])("a message in %s is dropped", (remoteJid) => {
  for (const fromMe of [true, false]) {
    expect(eventsOf(arrived({ conversation: "Olá" }, { key: { remoteJid, fromMe } }))).toEqual([]);
  }
});

test.each([
  ["not to be decrypted yet", StubType.CIPHERTEXT],
  ["new keys", StubType.E2E_IDENTITY_CHANGED],
  ["new devices", StubType.E2E_DEVICE_CHANGED],
  ["encryption", StubType.E2E_ENCRYPTED],
  ["a missed call", StubType.CALL_MISSED_VOICE],
  ["a new member", StubType.GROUP_PARTICIPANT_ADD],
])("an announcement (%s) is no message", (_name, messageStubType) => {
  expect(eventsOf(arrived(null, { messageStubType }))).toEqual([]);
});

test("a message between our own devices is dropped", () => {
  expect(eventsOf(arrived({ conversation: "x" }, { category: "peer" }))).toEqual([]);
});

test("a message without an id is dropped", () => {
  expect(eventsOf(arrived({ conversation: "x" }, { key: { id: null } }))).toEqual([]);
});

test("a refusal merged into our own message is told", () => {
  const message = arrived(
    { conversation: "Oi" },
    { key: { fromMe: true }, status: Status.ERROR, messageStubParameters: ["463"] },
  );
  expect(eventsOf(message)).toMatchObject([
    { type: "message" },
    {
      type: "send-failed",
      providerId: "3EB0AAAA",
      chat: pn,
      failure: { kind: "restricted", code: "463" },
    },
  ]);
});
