import type { BinaryNode } from "baileys";
import { expect, test } from "vitest";
import { toReceiptEvents } from "./receipts.ts";

const self = { pn: "5511900000001", lid: "100000000000001" };
const CUSTOMER = { kind: "lid", value: "100000000000002" };
const GROUP = { kind: "group", value: "120363000000000001" };

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
  expect(toReceiptEvents(receipt({ from, participant }), self)).toEqual([ack(3, GROUP)]);
  expect(toReceiptEvents(receipt({ from, participant, type: "played" }), self)).toEqual([
    ack(4, GROUP),
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
