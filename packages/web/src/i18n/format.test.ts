import { afterEach, expect, test } from "vitest";
import { endSession, startSession } from "../api/session-store.ts";
import { givenUser } from "../testing/given.ts";
import {
  dayKey,
  formatDate,
  formatDayLabel,
  formatHour,
  formatMoment,
  formatTime,
} from "./format.ts";
import { chooseLanguage } from "./index.ts";

/** Noon of 12 November 2026 in São Paulo. */
const now = Date.parse("2026-11-12T15:00:00.000Z");

afterEach(async () => {
  endSession("logout");
  await chooseLanguage("pt");
});

test.each([
  ["today", "2026-11-12T13:09:00.000Z", "Hoje", "10:09"],
  ["today, though another day in Greenwich", "2026-11-13T02:30:00.000Z", "Hoje", "23:30"],
  ["yesterday", "2026-11-12T02:59:00.000Z", "Ontem", "Ontem"],
  ["this year", "2026-11-10T15:00:00.000Z", "10/11", "10/11"],
  ["another year", "2025-11-12T15:00:00.000Z", "12/11/2025", "12/11/2025"],
])("a moment %s has its day label and its row label", (_, iso, day, moment) => {
  expect([formatDayLabel(iso, now), formatMoment(iso, now)]).toEqual([day, moment]);
});

test("on the first of March the last of February is yesterday", () => {
  const march = Date.parse("2026-03-01T15:00:00.000Z");
  expect(formatDayLabel("2026-02-28T15:00:00.000Z", march)).toBe("Ontem");
});

test("times and days are those of the company's zone", () => {
  startSession("t", givenUser({ company: { timeZone: "Europe/Lisbon" } }));
  expect(formatTime("2026-11-12T00:30:00.000Z")).toBe("00:30");
  expect(dayKey("2026-11-12T00:30:00.000Z")).toBe("2026-11-12");
  endSession("logout");
  expect(dayKey("2026-11-12T00:30:00.000Z")).toBe("2026-11-11");
});

test("an hour in a sentence is written as the language writes it", async () => {
  const [nine, halfPast] = ["2026-11-12T12:00:00.000Z", "2026-11-12T12:30:00.000Z"];
  expect([formatHour(nine), formatHour(halfPast)]).toEqual(["9h", "9h30"]);
  await chooseLanguage("en");
  expect([formatHour(nine), formatHour(halfPast)]).toEqual(["9:00", "9:30"]);
});

test("dates are day first in every language", async () => {
  await chooseLanguage("en");
  expect(formatDate("2026-11-12T15:00:00.000Z")).toBe("12/11/2026");
  expect(formatDayLabel("2026-11-11T15:00:00.000Z", now)).toBe("Yesterday");
  expect(dayKey("2026-11-12T15:00:00.000Z")).toBe("2026-11-12");
});
