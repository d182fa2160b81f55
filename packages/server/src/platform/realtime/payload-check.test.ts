import { companyEvents } from "@balcao/contract";
import { expect, test } from "vitest";
import { checkPayload } from "./server.ts";

const setting = { id: 1, key: "call", value: "enabled", companyId: 1 };

test("a declared payload passes", () => {
  expect(() =>
    checkPayload("settings", companyEvents.settings, { action: "update", setting }),
  ).not.toThrow();
});

test.each([
  ["a missing field", { action: "update" }, /does not fit/],
  ["another action", { action: "create", setting }, /does not fit/],
  [
    "an undeclared field",
    { action: "update", setting: { ...setting, secret: 1 } },
    /does not declare/,
  ],
  ["an undeclared field at the top", { action: "update", setting, extra: 1 }, /does not declare/],
])("%s does not", (_name, payload, reason) => {
  expect(() => checkPayload("settings", companyEvents.settings, payload)).toThrow(reason);
});
