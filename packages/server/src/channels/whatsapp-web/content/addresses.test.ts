import { expect, test } from "vitest";
import {
  firstTimes,
  isSelf,
  keyOf,
  newPeople,
  selfOf,
  toAddress,
  toContactEvent,
  toJid,
  toPeer,
} from "./addresses.ts";
import { ANA, ANA_LID, AT, GROUP, SELF } from "./testing/messages.ts";

test.each([
  ["5511988887777@s.whatsapp.net", { kind: "pn", value: "5511988887777" }],
  ["5511988887777:12@s.whatsapp.net", { kind: "pn", value: "5511988887777" }],
  ["5511988887777_1:12@s.whatsapp.net", { kind: "pn", value: "5511988887777" }],
  ["5511988887777@c.us", { kind: "pn", value: "5511988887777" }],
  ["5511988887777:99@hosted", { kind: "pn", value: "5511988887777" }],
  ["123456789012345@lid", { kind: "lid", value: "123456789012345" }],
  ["123456789012345:0@lid", { kind: "lid", value: "123456789012345" }],
  ["123456789012345:99@hosted.lid", { kind: "lid", value: "123456789012345" }],
  ["120363041234567890@g.us", { kind: "group", value: "120363041234567890" }],
  ["5511988887777-1400000000@g.us", { kind: "group", value: "5511988887777-1400000000" }],
])("%s is an address", (jid, address) => {
  expect(toAddress(jid)).toEqual(address);
});

test.each([
  "status@broadcast",
  "1400000000@broadcast",
  "120363000000000000@newsletter",
  "0@c.us",
  "16505361212@c.us",
  "13135550002@c.us",
  "13135550002@bot",
  "server@c.us",
  "ana@s.whatsapp.net",
  "5511988887777",
  "@s.whatsapp.net",
  "5511988887777@evil.example",
  "",
  null,
  undefined,
  5,
  {},
])("%s is no address of a customer", (jid) => {
  expect(toAddress(jid)).toBeNull();
});

test("an address is written as the network writes it", () => {
  const jids = ["5511988887777@s.whatsapp.net", "123456789012345@lid", "120363041234567890@g.us"];
  expect(jids.map((jid) => toJid(toAddress(jid) ?? { kind: "bsuid", value: "" }))).toEqual(jids);
  expect(() => toJid({ kind: "bsuid", value: "US.1" })).toThrow("another channel");
});

test("our own address is read from the credentials, without the device", () => {
  const self = selfOf({ id: "5511900000000:7@s.whatsapp.net", lid: "900000000000000:7@lid" });
  expect(self).toEqual({ pn: "5511900000000", lid: "900000000000000" });
  expect(isSelf({ kind: "lid", value: "900000000000000" }, self)).toBe(true);
  // The same digits as a number are somebody else's.
  expect(isSelf({ kind: "pn", value: "900000000000000" }, self)).toBe(false);
  expect(selfOf(undefined)).toEqual({ pn: null, lid: null });
  expect(isSelf({ kind: "pn", value: "5511988887777" }, selfOf(undefined))).toBe(false);
});

test("a person has both addresses, the number first, and privacy ids are no numbers", () => {
  expect(toPeer(["123456789012345@lid", "5511988887777:3@s.whatsapp.net"], "Ana")).toEqual({
    addresses: [
      { kind: "pn", value: "5511988887777" },
      { kind: "lid", value: "123456789012345" },
    ],
    displayName: "Ana",
  });
  expect(toPeer(["123456789012345@lid", undefined])).toEqual({
    addresses: [{ kind: "lid", value: "123456789012345" }],
  });
  expect(toPeer(["120363041234567890@g.us", "status@broadcast"])).toBeNull();
});

test("a key names the author in groups only", () => {
  const author = { kind: "lid", value: "123456789012345" } as const;
  const group = { kind: "group", value: "120363041234567890" } as const;
  expect(keyOf({ chat: group, id: "A", fromMe: false, author })).toEqual({
    remoteJid: "120363041234567890@g.us",
    id: "A",
    fromMe: false,
    participant: "123456789012345@lid",
  });
  expect(keyOf({ chat: author, id: "A", fromMe: false, author })).toEqual({
    remoteJid: "123456789012345@lid",
    id: "A",
    fromMe: false,
  });
});

const PN = { kind: "pn", value: "5511988887777" };
const LID = { kind: "lid", value: "123456789012345" };

test("a contact is reported with a name or with two addresses", () => {
  expect(toContactEvent({ id: ANA_LID, phoneNumber: ANA, notify: "Ana" }, AT)).toEqual({
    type: "contact",
    chat: PN,
    peer: { addresses: [PN, LID], displayName: "Ana" },
    at: AT,
  });
  expect(toContactEvent({ pn: ANA, lid: "123456789012345:0@lid" }, AT)).toMatchObject({
    peer: { addresses: [PN, LID] },
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

test("a text is new once, and again when it was forgotten", () => {
  const isNew = firstTimes(2);
  expect(["a", "a", "b", "c", "c", "a"].map(isNew)).toEqual([true, false, true, true, false, true]);
});

test("a known person is not reported again, a new name is", () => {
  const isNew = newPeople();
  const isNews = (notify: string, id = ANA) => {
    const event = toContactEvent({ id, notify }, AT);
    return event !== null && isNew(event);
  };
  expect(isNews("Ana")).toBe(true);
  expect(isNews("Ana")).toBe(false);
  expect(isNews("Ana S.")).toBe(true);
  expect(isNews("Ana", ANA_LID)).toBe(true);
});
