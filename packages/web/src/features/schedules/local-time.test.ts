import { expect, test } from "vitest";
import { localTime } from "./schedule-dialog.tsx";

test.each([
  ["2026-11-20T15:30:00.000Z", "America/Sao_Paulo", "2026-11-20T12:30"],
  ["2026-11-20T02:00:00.000Z", "America/Sao_Paulo", "2026-11-19T23:00"],
  ["2026-11-20T03:00:00.000Z", "America/Sao_Paulo", "2026-11-20T00:00"],
  ["2026-07-01T12:00:00.000Z", "Europe/Lisbon", "2026-07-01T13:00"],
])("%s in %s is %s", (iso, timeZone, local) => {
  expect(localTime(Date.parse(iso), timeZone)).toBe(local);
});
