import { expect, test } from "vitest";
import { daysToWarnAbout } from "./subscription-warning.ts";

const now = Date.parse("2026-11-12T12:00:00.000Z");

test.each([
  ["2026-11-17T12:00:00.000Z", null],
  ["2026-11-16T23:00:00.000Z", 4],
  ["2026-11-17T00:30:00.000Z", null],
  ["2026-11-13T12:00:00.000Z", 1],
  ["2026-11-12T15:00:00.000Z", 0],
  ["2026-11-12T11:00:00.000Z", null],
  [null, null],
])("a subscription that ends at %s shows a warning of %s days", (dueDate, days) => {
  expect(daysToWarnAbout(dueDate, now)).toBe(days);
});
