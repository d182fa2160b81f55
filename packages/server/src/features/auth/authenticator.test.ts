import { expect, test } from "vitest";
import { dueDateText, subscriptionState } from "./authenticator.ts";

const now = new Date("2026-03-10T12:00:00Z");
const company = {
  super: false,
  companyStatus: true,
  unpaid: false,
  dueDate: new Date("2026-03-10T12:00:01Z"),
};

test.each([
  ["a due date in the future is active", {}, "active"],
  ["the moment itself is past", { dueDate: now }, "expired"],
  ["no due date is active", { dueDate: null }, "active"],
  [
    "a disabled company is disabled, whatever its date",
    { companyStatus: false, dueDate: now },
    "disabled",
  ],
  ["super users stay active", { super: true, companyStatus: false, dueDate: now }, "active"],
] as const)("%s", (_name, change, state) => {
  expect(subscriptionState({ ...company, ...change }, now)).toBe(state);
});

test("the printed date is the company's calendar day", () => {
  const moment = new Date("2026-03-10T02:30:00Z");
  expect(dueDateText(moment, "America/Sao_Paulo")).toBe("09/03/2026");
  expect(dueDateText(moment, "Europe/Lisbon")).toBe("10/03/2026");
});
