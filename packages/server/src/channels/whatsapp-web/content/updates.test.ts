import type { BinaryNode, WACallEvent, WAMessage, WAMessageContent } from "baileys";
import { proto } from "baileys";
import { expect, test } from "vitest";
import { firstTimes } from "./addresses.ts";
import { ANA, ANA_LID, arrived, AT, eventsOf, GROUP, SELF } from "./testing/messages.ts";
import { toCallEvent, toPresenceEvents, toReceiptEvents, toUpdateEvents } from "./updates.ts";

const { Status, StubType } = proto.WebMessageInfo;
const pn = { kind: "pn", value: "5511988887777" };

function updatesOf(update: Partial<WAMessage>, key: proto.IMessageKey = {}) {
  const whole = { remoteJid: ANA, id: "A", fromMe: true, ...key };
  return toUpdateEvents({ key: whole, update }, { self: SELF, now: AT });
}

test.each([
  [Status.SERVER_ACK, 2],
  [Status.DELIVERY_ACK, 3],
  [Status.READ, 4],
  [Status.PLAYED, 5],
])("status %s of our own message is an ack", (status, level) => {
  expect(updatesOf({ status })).toEqual([{ type: "ack", providerId: "A", chat: pn, level }]);
  expect(updatesOf({ status }, { fromMe: false })).toEqual([]);
});

test("a message that waits is no ack", () => {
  expect(updatesOf({ status: Status.PENDING })).toEqual([]);
});

test.each([
  ["463", "restricted"],
  ["404", "recipient-unknown"],
  ["429", "rate-limited"],
  ["479", "bad-request"],
])("error %s is a refusal: %s", (code, kind) => {
  expect(updatesOf({ status: Status.ERROR, messageStubParameters: [code] })).toEqual([
    { type: "send-failed", providerId: "A", chat: pn, failure: { kind, code } },
  ]);
});

test("an error without a code is ignored", () => {
  expect(updatesOf({ status: Status.ERROR })).toEqual([]);
});

test("an edit and a deletion are reported", () => {
  const edited = { editedMessage: { message: { conversation: "novo" } } };
  expect(
    updatesOf({ message: edited, messageTimestamp: 1_763_640_000 }, { fromMe: false }),
  ).toEqual([
    {
      type: "edit",
      target: { chat: pn, id: "A", fromMe: false },
      text: "novo",
      at: new Date(1_763_640_000_000),
    },
  ]);
  const key = { remoteJid: GROUP, participant: ANA, fromMe: false };
  expect(updatesOf({ message: null, messageStubType: StubType.REVOKE }, key)).toMatchObject([
    { type: "revoke", target: { id: "A", author: pn } },
  ]);
});

test("a file that was uploaded again is no edit", () => {
  expect(updatesOf({ message: { imageMessage: { caption: "veja" } } })).toEqual([]);
});

test("updates of our own chat and of broadcasts are ignored", () => {
  for (const remoteJid of [`${SELF.pn}@s.whatsapp.net`, "status@broadcast"]) {
    expect(updatesOf({ status: Status.READ }, { remoteJid })).toEqual([]);
  }
});

const { Type } = proto.Message.ProtocolMessage;
const group = { kind: "group", value: "120363041234567890" };
const bruno = "5511977776666@s.whatsapp.net";
const inGroup = { remoteJid: GROUP, participant: ANA };

function edit(editedMessage: WAMessageContent): WAMessageContent {
  return { protocolMessage: { type: Type.MESSAGE_EDIT, key: { id: "OLD" }, editedMessage } };
}

function revoke(key: proto.IMessageKey): WAMessageContent {
  return { protocolMessage: { type: Type.REVOKE, key: { id: "OLD", ...key } } };
}

test.each<[string, WAMessageContent]>([
  ["text", edit({ conversation: "novo" })],
  ["text with context", edit({ extendedTextMessage: { text: "novo" } })],
  ["caption", edit({ imageMessage: { caption: "novo" } })],
  ["wrapped", { editedMessage: { message: edit({ conversation: "novo" }) } }],
  [
    "wrapped, of an ephemeral chat",
    { ephemeralMessage: { message: edit({ conversation: "novo" }) } },
  ],
])("an edit (%s) is told with the id of the edited message", (_name, content) => {
  expect(eventsOf(arrived(content))).toEqual([
    { type: "edit", target: { chat: pn, id: "OLD", fromMe: false }, text: "novo", at: AT },
  ]);
});

test("in a group an edit is its author's, in our own chat ours", () => {
  const content = edit({ conversation: "novo" });
  expect(eventsOf(arrived(content, { key: inGroup }))).toMatchObject([
    { target: { chat: group, id: "OLD", fromMe: false, author: pn } },
  ]);
  expect(eventsOf(arrived(content, { key: { fromMe: true } }))).toMatchObject([
    { target: { chat: pn, id: "OLD", fromMe: true } },
  ]);
});

test("a message that was edited in the socket's buffer is told, and its new text", () => {
  const merged = arrived({ editedMessage: { message: { conversation: "novo" } } });
  expect(eventsOf(merged)).toMatchObject([
    { type: "message", content: { kind: "text", text: "novo" } },
    { type: "edit", target: { id: "3EB0AAAA" }, text: "novo" },
  ]);
});

test("a person can delete only own messages for everyone", () => {
  expect(eventsOf(arrived(revoke({ fromMe: true, remoteJid: ANA })))).toEqual([
    { type: "revoke", target: { chat: pn, id: "OLD", fromMe: false }, at: AT },
  ]);
  expect(eventsOf(arrived(revoke({ fromMe: true }), { key: { fromMe: true } }))).toMatchObject([
    { target: { chat: pn, id: "OLD", fromMe: true } },
  ]);
});

test("a customer does not delete our messages", () => {
  expect(eventsOf(arrived(revoke({ fromMe: false, remoteJid: ANA })))).toEqual([]);
});

test("a group's admin deletes messages of others, and ours", () => {
  const by = (participant: string) =>
    eventsOf(arrived(revoke({ fromMe: false, participant }), { key: inGroup }));
  expect(by(bruno)).toMatchObject([
    { target: { chat: group, id: "OLD", fromMe: false, author: { value: "5511977776666" } } },
  ]);
  expect(by("5511900000000@s.whatsapp.net")).toMatchObject([{ target: { fromMe: true } }]);
  expect(eventsOf(arrived(revoke({ fromMe: true }), { key: inGroup }))).toMatchObject([
    { target: { fromMe: false, author: pn } },
  ]);
});

test("we as admin delete messages of others", () => {
  const key = { remoteJid: GROUP, fromMe: true };
  const content = revoke({ fromMe: false, participant: bruno });
  expect(eventsOf(arrived(content, { key }))).toMatchObject([
    { target: { fromMe: false, author: { value: "5511977776666" } } },
  ]);
});

test("a deletion that arrives as an announcement is told", () => {
  const message = arrived(null, { messageStubType: StubType.REVOKE });
  expect(eventsOf(message)).toMatchObject([{ type: "revoke", target: { id: "3EB0AAAA" } }]);
});

test.each([
  ["history", { type: Type.HISTORY_SYNC_NOTIFICATION, historySyncNotification: {} }],
  ["keys of the app's state", { type: Type.APP_STATE_SYNC_KEY_SHARE, appStateSyncKeyShare: {} }],
  ["disappearing messages", { type: Type.EPHEMERAL_SETTING, key: { id: "x" } }],
  ["an edit without a text", { type: Type.MESSAGE_EDIT, key: { id: "x" }, editedMessage: {} }],
  ["an edit of nothing", { type: Type.MESSAGE_EDIT, editedMessage: { conversation: "x" } }],
  ["nothing", {}],
])("messages between phones (%s) are dropped", (_name, protocolMessage) => {
  expect(eventsOf(arrived({ protocolMessage }))).toEqual([]);
});

test("a reaction names its message, and an empty one takes it back", () => {
  const react = (text: string) =>
    eventsOf(arrived({ reactionMessage: { key: { id: "OLD", fromMe: true }, text } }));
  expect(react("❤️")).toEqual([
    {
      type: "reaction",
      target: { chat: pn, id: "OLD", fromMe: true },
      from: { addresses: [pn], displayName: "Ana" },
      fromMe: false,
      emoji: "❤️",
      at: AT,
    },
  ]);
  expect(react("")).toMatchObject([{ type: "reaction", emoji: null }]);
});

test("a reaction in a group names both people", () => {
  const key = { ...inGroup, participant: ANA_LID, participantAlt: ANA };
  const content = { reactionMessage: { key: { id: "OLD", participant: bruno }, text: "👍" } };
  expect(eventsOf(arrived(content, { key }))).toMatchObject([
    { type: "contact" },
    {
      type: "reaction",
      target: { chat: group, fromMe: false, author: { value: "5511977776666" } },
      from: { addresses: [pn, { kind: "lid" }] },
    },
  ]);
});

test("a reaction on the company's phone is the company's", () => {
  const content = { reactionMessage: { key: { id: "OLD", fromMe: false }, text: "👍" } };
  expect(eventsOf(arrived(content, { key: { fromMe: true } }))).toMatchObject([
    { type: "reaction", fromMe: true, target: { fromMe: false } },
  ]);
});

const self = { pn: "5511900000001", lid: "100000000000001" };
const CUSTOMER = { kind: "lid", value: "100000000000002" };
const CLUB = { kind: "group", value: "120363000000000001" };

function receipt(attrs: Record<string, string>, content?: BinaryNode[]): BinaryNode {
  return {
    tag: "receipt",
    attrs: { id: "3EB0A", from: "100000000000002@lid", ...attrs },
    ...(content && { content }),
  };
}

const ack = (level: number, chat: object = CUSTOMER, providerId = "3EB0A") => ({
  ...{ type: "ack", providerId, chat, level },
});

test.each([
  ["that it arrived", {}, 3],
  ["that it was read", { type: "read" }, 4],
  ["that it was heard", { type: "played" }, 5],
])("a phone says of a message %s", (_, attrs, level) => {
  expect(toReceiptEvents(receipt(attrs), self)).toEqual([ack(level)]);
});

test("one receipt speaks for several messages", () => {
  const item = (id: string): BinaryNode => ({ tag: "item", attrs: { id } });
  const list = { tag: "list", attrs: {}, content: [item("3EB0B"), item("3EB0C")] };
  expect(toReceiptEvents(receipt({ type: "read" }, [list]), self)).toEqual([
    ack(4),
    ack(4, CUSTOMER, "3EB0B"),
    ack(4, CUSTOMER, "3EB0C"),
  ]);
});

test("in a group a member speaks for all, and nobody says that a message was heard", () => {
  const from = "120363000000000001@g.us";
  const participant = "100000000000002@lid";
  expect(toReceiptEvents(receipt({ from, participant }), self)).toEqual([ack(3, CLUB)]);
  expect(toReceiptEvents(receipt({ from, participant, type: "played" }), self)).toEqual([
    ack(4, CLUB),
  ]);
});

test.each([
  ["of a wish to have the message again", { type: "retry" }],
  ["of a device that is not looked at", { type: "inactive" }],
  ["of another device of our own", { type: "read", recipient: "100000000000002@lid" }],
  ["of ourselves", { from: "5511900000001@s.whatsapp.net" }],
  ["of nobody", { from: "" }],
  ["of a group without a member", { from: "120363000000000001@g.us" }],
])("a receipt %s says nothing of how far a message came", (_, attrs) => {
  expect(toReceiptEvents(receipt(attrs), self)).toEqual([]);
});

const lid = { kind: "lid", value: "123456789012345" };
const offer: WACallEvent = {
  chatId: ANA_LID,
  from: "123456789012345:4@lid",
  callerPn: ANA,
  id: "CALL1",
  date: AT,
  status: "offer",
  isVideo: true,
  offline: false,
};

function callsOf(...calls: WACallEvent[]) {
  const isNewCall = firstTimes(10);
  return calls.map((call) => toCallEvent(call, { self: SELF, isNewCall, now: AT }));
}

test("a ringing call is reported once", () => {
  expect(callsOf(offer, offer)).toEqual([
    { type: "call", id: "CALL1", chat: lid, from: { addresses: [pn, lid] }, isVideo: true, at: AT },
    null,
  ]);
  expect(callsOf(offer, { ...offer, id: "CALL2" }).map((call) => call?.id)).toEqual([
    "CALL1",
    "CALL2",
  ]);
});

test.each(["ringing", "timeout", "reject", "accept", "terminate", "transport"] as const)(
  "the call state %s is not reported",
  (status) => {
    expect(callsOf({ ...offer, status })).toEqual([null]);
  },
);

test("calls of groups and our own calls are not reported", () => {
  expect(callsOf({ ...offer, isGroup: true })).toEqual([null]);
  expect(callsOf({ ...offer, from: `${SELF.pn}:3@s.whatsapp.net` })).toEqual([null]);
});

test("presences of people are reported, our own is not", () => {
  const presences = {
    [ANA]: { lastKnownPresence: "composing" as const },
    [`${SELF.lid}@lid`]: { lastKnownPresence: "available" as const },
  };
  expect(toPresenceEvents({ id: GROUP, presences }, SELF)).toEqual([
    {
      type: "presence",
      chat: { kind: "group", value: "120363041234567890" },
      peer: { addresses: [pn] },
      state: "composing",
    },
  ]);
});

test.each(["available", "unavailable", "composing", "recording", "paused"] as const)(
  "%s is a presence",
  (lastKnownPresence) => {
    const told = toPresenceEvents({ id: ANA, presences: { [ANA]: { lastKnownPresence } } }, SELF);
    expect(told).toMatchObject([{ state: lastKnownPresence, chat: pn }]);
  },
);
