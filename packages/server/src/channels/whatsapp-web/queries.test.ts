import type { BinaryNode } from "baileys";
import { expect, test } from "vitest";
import { answersOf } from "./queries.ts";

function reply(users: { jid: string; type?: string; asked?: string }[]): BinaryNode {
  const list = users.map(({ jid, type = "in", asked }) => ({
    tag: "user",
    attrs: { jid },
    content: [
      {
        tag: "contact",
        attrs: { type },
        ...(asked === undefined ? {} : { content: Buffer.from(asked) }),
      },
    ],
  }));
  const usync = { tag: "usync", attrs: {}, content: [{ tag: "list", attrs: {}, content: list }] };
  return { tag: "iq", attrs: {}, content: [usync] };
}

test("each asked number has one answer, also those that the reply leaves out", () => {
  const numbers = ["5511988880001", "5511988880002"];
  expect(answersOf(reply([{ jid: "5511988880001@s.whatsapp.net" }]), numbers)).toEqual([
    { asked: "5511988880001", exists: true, number: "5511988880001" },
    { asked: "5511988880002", exists: false, number: "5511988880002" },
  ]);
});

test("the network's own way to write a number is the answer's", () => {
  const told = reply([{ jid: "558588880001@s.whatsapp.net", asked: "+5585988880001" }]);
  expect(answersOf(told, ["5585988880001"])).toEqual([
    { asked: "5585988880001", exists: true, number: "558588880001" },
  ]);
});

test("without a repetition of what was asked, a ninth digit more or less is the same phone", () => {
  const told = reply([{ jid: "558588880001@s.whatsapp.net" }]);
  expect(answersOf(told, ["5585988880001"])[0]).toMatchObject({ exists: true });
  expect(answersOf(told, ["5511988880001"])[0]).toMatchObject({ exists: false });
  const foreign = reply([{ jid: "4915188880001@s.whatsapp.net" }]);
  expect(answersOf(foreign, ["49151988880001"])[0]).toMatchObject({ exists: false });
});

test("a number reported as absent, or only by a privacy id, does not exist", () => {
  const told = reply([
    { jid: "5511988880001@s.whatsapp.net", type: "out" },
    { jid: "123456789012345@lid" },
  ]);
  expect(answersOf(told, ["5511988880001", "123456789012345"]).map(({ exists }) => exists)).toEqual(
    [false, false],
  );
});
