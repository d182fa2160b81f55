import { expect, test } from "vitest";
import { commandsFor } from "./ticket-commands.ts";

const may = { schedule: true, delete: true };

test.each([
  ["pending", ["accept", "schedule", "transfer", "contact", "find", "delete"]],
  ["open", ["resolve", "schedule", "transfer", "return", "contact", "find", "delete"]],
  ["closed", ["reopen", "schedule", "contact", "find", "delete"]],
] as const)("a ticket that is %s offers %s", (status, expected) => {
  expect(commandsFor({ status }, may)).toEqual(expected);
});

test("deleting and scheduling are offered only with the permission", () => {
  expect(commandsFor({ status: "open" }, { schedule: false, delete: false })).toEqual([
    "resolve",
    "transfer",
    "return",
    "contact",
    "find",
  ]);
});
