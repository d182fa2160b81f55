import type { WAMessageContent } from "baileys";
import { proto } from "baileys";
import { expect, test } from "vitest";
import { ANA, ANA_LID, AT, arrived, eventsOf, GROUP } from "./testing/messages.ts";

const { Type } = proto.Message.ProtocolMessage;
const { StubType } = proto.WebMessageInfo;
const pn = { kind: "pn", value: "5511988887777" };
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

test("who deletes for everyone deletes a message of his own", () => {
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
])("what phones tell each other (%s) is dropped", (_name, protocolMessage) => {
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
