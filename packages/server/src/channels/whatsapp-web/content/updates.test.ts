import type { WAMessage } from "baileys";
import { proto } from "baileys";
import { expect, test } from "vitest";
import { ANA, AT, GROUP, SELF } from "./testing/messages.ts";
import { toUpdateEvents } from "./updates.ts";

const { Status, StubType } = proto.WebMessageInfo;
const pn = { kind: "pn", value: "5511988887777" };

function eventsOf(update: Partial<WAMessage>, key: proto.IMessageKey = {}) {
  const whole = { remoteJid: ANA, id: "A", fromMe: true, ...key };
  return toUpdateEvents({ key: whole, update }, { self: SELF, now: AT });
}

test.each([
  [Status.SERVER_ACK, 2],
  [Status.DELIVERY_ACK, 3],
  [Status.READ, 4],
  [Status.PLAYED, 5],
])("status %s of our own message is an ack", (status, level) => {
  expect(eventsOf({ status })).toEqual([{ type: "ack", providerId: "A", chat: pn, level }]);
  expect(eventsOf({ status }, { fromMe: false })).toEqual([]);
});

test("a message that waits is no ack", () => {
  expect(eventsOf({ status: Status.PENDING })).toEqual([]);
});

test.each([
  ["463", "restricted"],
  ["404", "recipient-unknown"],
  ["429", "rate-limited"],
  ["479", "bad-request"],
])("error %s is a refusal: %s", (code, kind) => {
  expect(eventsOf({ status: Status.ERROR, messageStubParameters: [code] })).toEqual([
    { type: "send-failed", providerId: "A", chat: pn, failure: { kind, code } },
  ]);
});

test("an error without a code says nothing", () => {
  expect(eventsOf({ status: Status.ERROR })).toEqual([]);
});

test("an edit and a deletion are told", () => {
  const edited = { editedMessage: { message: { conversation: "novo" } } };
  expect(eventsOf({ message: edited, messageTimestamp: 1_763_640_000 }, { fromMe: false })).toEqual(
    [
      {
        type: "edit",
        target: { chat: pn, id: "A", fromMe: false },
        text: "novo",
        at: new Date(1_763_640_000_000),
      },
    ],
  );
  const key = { remoteJid: GROUP, participant: ANA, fromMe: false };
  expect(eventsOf({ message: null, messageStubType: StubType.REVOKE }, key)).toMatchObject([
    { type: "revoke", target: { id: "A", author: pn } },
  ]);
});

test("a file that was uploaded again is no edit", () => {
  expect(eventsOf({ message: { imageMessage: { caption: "veja" } } })).toEqual([]);
});

test("of ourselves and of broadcasts nothing is told", () => {
  for (const remoteJid of [`${SELF.pn}@s.whatsapp.net`, "status@broadcast"]) {
    expect(eventsOf({ status: Status.READ }, { remoteJid })).toEqual([]);
  }
});
