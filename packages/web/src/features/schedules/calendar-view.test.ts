import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { endSession, startSession } from "../../api/session-store.ts";
import { givenToken, givenUser } from "../../testing/given.ts";
import { freeTime, rangeOf, stateOf, stepTo, titleOf, zoneDifference } from "./calendar-view.ts";
import { momentOf } from "./schedule-words.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-19T13:12:00.000Z") });
  // The company's clocks are those of São Paulo: 10:12.
  startSession(givenToken("t", 3_600), givenUser());
});
afterEach(() => {
  endSession("logout");
  vi.useRealTimers();
});

test.for([
  ["day", "2026-11-19", "2026-11-19", "2026-11-19"],
  ["week", "2026-11-19", "2026-11-15", "2026-11-21"],
  ["month", "2026-11-19", "2026-11-01", "2026-12-05"],
  ["month", "2026-02-10", "2026-02-01", "2026-02-28"],
  ["agenda", "2024-02-10", "2024-02-01", "2024-02-29"],
] as const)("%s around %s is from %s to %s", ([view, day, first, last]) => {
  expect(rangeOf(view, day)).toEqual({ first, last });
});

test.for([
  ["month", "2026-01-31", 1, "2026-02-28"],
  ["month", "2026-03-31", -1, "2026-02-28"],
  ["agenda", "2026-12-05", 1, "2027-01-05"],
  ["week", "2026-12-30", 1, "2027-01-06"],
  ["day", "2026-03-01", -1, "2026-02-28"],
] as const)("a step of a %s from %s by %d leads to %s", ([view, day, by, next]) => {
  expect(stepTo(view, day, by)).toBe(next);
});

test("titles are in the words of the language", () => {
  expect(titleOf("month", "2026-11-19")).toBe("Novembro de 2026");
  expect(titleOf("week", "2026-11-19")).toMatch(/^15\s?–\s?21 de novembro de 2026$/);
  expect(titleOf("day", "2026-11-19")).toBe("Quinta-feira, 19 de novembro de 2026");
  expect(momentOf("2026-11-20T14:30")).toEqual({ weekday: "Sexta", day: "20/11", time: "14:30" });
});

test.for([
  ["2026-11-20T14:37", "2026-11-20T14:30"],
  ["2026-11-20T14:53", "2026-11-20T15:00"],
  // A past time is the next full hour.
  ["2026-11-19T09:00", "2026-11-19T11:00"],
  ["2026-11-19T10:15", "2026-11-19T10:15"],
] as const)("a press at %s begins a message at %s", ([pressed, time]) => {
  expect(freeTime(pressed)).toBe(time);
});

test.for([
  ["PENDENTE", false, "waiting"],
  ["AGENDADA", false, "waiting"],
  ["PENDENTE", true, "optedOut"],
  ["ENVIADA", true, "sent"],
  ["ERRO", true, "failed"],
] as const)("%s with opted out %s is %s", ([status, optedOut, state]) => {
  expect(stateOf({ status, contact: { id: 1 as never, name: "", number: "", optedOut } })).toBe(
    state,
  );
});

test("the difference between the browser's clocks and the company's is told in both directions", () => {
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const told = zoneDifference(Date.now());
  if (own === "America/Sao_Paulo") expect(told).toBeNull();
  else expect(told).toMatchObject({ offset: "GMT-3", minutes: expect.any(Number) });
});
