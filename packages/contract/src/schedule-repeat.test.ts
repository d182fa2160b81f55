import { expect, test } from "vitest";
import type { ScheduleRepeat } from "./schedule-repeat.ts";
import { lastRepeatDay, movedRepeat, repeatDays } from "./schedule-repeat.ts";

test.for([
  [{ every: "day", until: "2026-11-22" }, "2026-11-20", ["2026-11-20", "2026-11-21", "2026-11-22"]],
  [
    { every: "week", weekdays: [4], until: "2026-12-17" },
    "2026-11-26",
    ["2026-11-26", "2026-12-03", "2026-12-10", "2026-12-17"],
  ],
  // The first day need not be one of the series.
  [{ every: "week", weekdays: [1], until: "2026-12-01" }, "2026-11-26", ["2026-11-30"]],
  [
    { every: "month", day: 31, until: "2027-03-31" },
    "2026-12-31",
    ["2026-12-31", "2027-01-31", "2027-02-28", "2027-03-31"],
  ],
  [
    { every: "month", day: 30, until: "2028-03-30" },
    "2028-01-30",
    ["2028-01-30", "2028-02-29", "2028-03-30"],
  ],
] as const)("%o from %s is %o", ([repeat, first, days]) => {
  expect(repeatDays(repeat as ScheduleRepeat, first)).toEqual(days);
});

test("a series has one to a hundred messages within a year", () => {
  const daily = (until: string): number | undefined =>
    repeatDays({ every: "day", until }, "2026-01-01")?.length;
  expect(daily("2026-04-10")).toBe(100);
  expect(daily("2026-04-11")).toBeUndefined();
  expect(daily("2025-12-31")).toBeUndefined();
  const monthly = (until: string): number | undefined =>
    repeatDays({ every: "month", day: 1, until }, "2026-01-01")?.length;
  expect(monthly("2027-01-01")).toBe(13);
  expect(monthly("2027-01-02")).toBeUndefined();
  expect(lastRepeatDay("2028-02-29")).toBe("2029-02-28");
});

test.for([
  [
    { every: "day", until: "2026-12-01" },
    { every: "day", until: "2026-12-03" },
  ],
  [
    { every: "week", weekdays: [4, 5], until: "2026-12-17" },
    { every: "week", weekdays: [0, 6], until: "2026-12-19" },
  ],
  [
    { every: "month", day: 26, until: "2027-11-26" },
    { every: "month", day: 28, until: "2027-11-28" },
  ],
] as const)("%o moved by two days is %o", ([before, after]) => {
  expect(movedRepeat(before as ScheduleRepeat, "2026-11-26", "2026-11-28")).toEqual(after);
});
