import type { WACallEvent } from "baileys";
import { expect, test } from "vitest";
import { createCallMemory, toCallEvent } from "./calls.ts";
import { createPairMemory, createPeopleMemory, toContactEvent } from "./contacts.ts";
import { toPresenceEvents } from "./presence.ts";
import { ANA, ANA_LID, AT, GROUP, SELF } from "./testing/messages.ts";

const pn = { kind: "pn", value: "5511988887777" };
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
  const memory = createCallMemory();
  return calls.map((call) => toCallEvent(call, { self: SELF, calls: memory, now: AT }));
}

test("a call that rings is told once", () => {
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
  "that a call is at %s is not told",
  (status) => {
    expect(callsOf({ ...offer, status })).toEqual([null]);
  },
);

test("calls of groups, and our own, are not told", () => {
  expect(callsOf({ ...offer, isGroup: true })).toEqual([null]);
  expect(callsOf({ ...offer, from: `${SELF.pn}:3@s.whatsapp.net` })).toEqual([null]);
});

test("presence is told of people, not of ourselves", () => {
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

test("a contact is told when it has a name or two addresses", () => {
  expect(toContactEvent({ id: ANA_LID, phoneNumber: ANA, notify: "Ana" }, AT)).toEqual({
    type: "contact",
    chat: pn,
    peer: { addresses: [pn, lid], displayName: "Ana" },
    at: AT,
  });
  expect(toContactEvent({ pn: ANA, lid: "123456789012345:0@lid" }, AT)).toMatchObject({
    peer: { addresses: [pn, lid] },
  });
  expect(toContactEvent({ id: ANA, name: "Ana Silva", notify: "aninha" }, AT)).toMatchObject({
    peer: { displayName: "Ana Silva" },
  });
  expect(toContactEvent({ id: ANA, imgUrl: "changed" }, AT)).toBeNull();
  expect(toContactEvent({ id: GROUP, name: "Clube" }, AT)).toBeNull();
});

test("our own number does not become a customer's", () => {
  const ours = `${SELF.pn}@s.whatsapp.net`;
  expect(toContactEvent({ pn: ours, lid: ANA_LID }, AT, SELF)).toBeNull();
  expect(toContactEvent({ id: ours, notify: "Loja" }, AT, SELF)).toBeNull();
});

test("a pair is new once, and again when it was forgotten", () => {
  const pairs = createPairMemory(2);
  const isNew = (pn: string) => pairs.isNew(pn, "1");
  expect(["a", "a", "b", "c", "c", "a"].map(isNew)).toEqual([true, false, true, true, false, true]);
});

test("what is known of a person is no news, a new name is", () => {
  const people = createPeopleMemory();
  const isNews = (notify: string, id = ANA) => {
    const event = toContactEvent({ id, notify }, AT);
    return event !== null && people.isNews(event);
  };
  expect(isNews("Ana")).toBe(true);
  expect(isNews("Ana")).toBe(false);
  expect(isNews("Ana S.")).toBe(true);
  expect(isNews("Ana", ANA_LID)).toBe(true);
});
