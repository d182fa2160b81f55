import { expect, test } from "vitest";
import { commandsFor } from "./ticket-commands.ts";

const may = { schedule: true, delete: true };

test.each([
  ["pending", ["accept", "pin", "snooze", "schedule", "transfer", "contact", "find", "delete"]],
  [
    "open",
    ["resolve", "pin", "snooze", "schedule", "transfer", "return", "contact", "find", "delete"],
  ],
  ["closed", ["reopen", "schedule", "contact", "find", "delete"]],
] as const)("a ticket that is %s offers %s", (status, expected) => {
  expect(commandsFor({ status, snooze: null }, may)).toEqual(expected);
});

test("deleting and scheduling are offered only with the permission", () => {
  expect(commandsFor({ status: "open", snooze: null }, { schedule: false, delete: false })).toEqual(
    ["resolve", "pin", "snooze", "transfer", "return", "contact", "find"],
  );
});

test("a pinned ticket and one that is put off offer the way back", () => {
  const away = { status: "open", snooze: { until: null } } as const;
  expect(commandsFor(away, may, true).slice(1, 3)).toEqual(["unpin", "unsnooze"]);
});
