import { describe, expect, test } from "vitest";
import type { HolidayCalendar } from "./holidays.ts";
import { usualHolidays } from "./holidays.ts";
import type { DayHours } from "./hours-at.ts";
import { hoursAt, openMsBetween } from "./hours-at.ts";
import {
  defaultSchedules,
  mergeSchedules,
  scheduleEntries,
  schedulesOrDefault,
} from "./opening-hours.ts";
import { weekdays } from "./weekdays.ts";

const saoPaulo = "America/Sao_Paulo";

/** Every day closed but those named. */
function week(open: Record<string, readonly [start: string, end: string]>): DayHours[] {
  return weekdays.map((weekdayEn) => {
    const [startTime, endTime] = open[weekdayEn] ?? ["00:00", "00:00"];
    return { weekdayEn, startTime, endTime };
  });
}

function opensAt(days: readonly DayHours[], at: string, timeZone: string): string {
  const state = hoursAt(days, new Date(at), timeZone, null);
  return state.isOpen ? "open" : (state.until?.toISOString() ?? "never");
}

// 16 November 2026 is a Monday; São Paulo is three hours behind UTC.
test.each([
  ["before the start", "2026-11-16T07:59:59-03:00", "2026-11-16T11:00:00.000Z"],
  ["at the start", "2026-11-16T08:00:00-03:00", "open"],
  ["in the last minute", "2026-11-16T17:59:59-03:00", "open"],
  ["at the end", "2026-11-16T18:00:00-03:00", "2026-11-17T11:00:00.000Z"],
  [
    "Saturday at noon, Sunday being closed",
    "2026-11-21T12:00:00-03:00",
    "2026-11-23T11:00:00.000Z",
  ],
  ["the day of the company, not of UTC", "2026-11-20T22:30:00-03:00", "2026-11-21T11:00:00.000Z"],
] as const)("the usual hours %s", (_name, at, expected) => {
  expect(opensAt(defaultSchedules(), at, saoPaulo)).toBe(expected);
});

test.each([
  ["in the evening", "2026-11-20T22:00:00Z", "open"],
  ["after midnight, which is the next day", "2026-11-21T05:59:00Z", "open"],
  ["at its end", "2026-11-21T06:00:00Z", "2026-11-27T22:00:00.000Z"],
  ["in the small hours of its own day", "2026-11-20T05:00:00Z", "2026-11-20T22:00:00.000Z"],
] as const)("hours over midnight %s", (_name, at, expected) => {
  expect(opensAt(week({ friday: ["22:00", "06:00"] }), at, "UTC")).toBe(expected);
});

test("over midnight into Monday begins on Sunday", () => {
  const days = week({ sunday: ["20:00", "02:00"] });
  expect(opensAt(days, "2026-11-16T01:59:00Z", "UTC")).toBe("open");
  expect(opensAt(days, "2026-11-16T02:00:00Z", "UTC")).toBe("2026-11-22T20:00:00.000Z");
});

test("a day that is not set, half set or missing is not checked", () => {
  const monday = new Date("2026-11-16T03:00:00Z");
  for (const [start, end] of [
    ["", ""],
    ["08:00", ""],
    ["", "18:00"],
    ["8", "18:00"],
  ] as const) {
    expect(hoursAt(week({ monday: [start, end] }), monday, "UTC", null)).toEqual({ isOpen: true });
  }
  expect(hoursAt([], monday, "UTC", null)).toEqual({ isOpen: true });
  expect(opensAt(week({ tuesday: ["", ""] }), "2026-11-16T03:00:00Z", "UTC")).toBe(
    "2026-11-17T00:00:00.000Z",
  );
});

test("a week without any open day never opens", () => {
  expect(opensAt(week({}), "2026-11-16T12:00:00Z", "UTC")).toBe("never");
});

test("only one day a week opens again a week later", () => {
  const days = week({ monday: ["08:00", "09:00"] });
  expect(opensAt(days, "2026-11-16T10:00:00Z", "UTC")).toBe("2026-11-23T08:00:00.000Z");
});

// New York goes from 02:00 to 03:00 on 8 March 2026 and from 02:00 back to 01:00 on 1 November 2026.
test("a start in the hour that the clock skips is the moment of the change", () => {
  const days = week({ sunday: ["02:30", "05:00"] });
  expect(opensAt(days, "2026-03-08T01:00:00-05:00", "America/New_York")).toBe(
    "2026-03-08T07:00:00.000Z",
  );
  expect(opensAt(days, "2026-03-08T07:00:00.000Z", "America/New_York")).toBe("open");
});

test("after the clock was set the hours are those of the wall clock", () => {
  const days = week({ sunday: ["08:00", "18:00"] });
  expect(opensAt(days, "2026-11-01T00:30:00-04:00", "America/New_York")).toBe(
    "2026-11-01T13:00:00.000Z",
  );
});

describe("two intervals a day", () => {
  const [monday] = defaultSchedules();
  if (!monday) throw new Error("no Monday");
  const twice = [
    { ...monday, startTime: "08:00", endTime: "12:00", startTimeB: "13:00", endTimeB: "18:00" },
    ...week({}).slice(1),
  ];

  test.each([
    ["in the first", "2026-11-16T11:59:00-03:00", "open"],
    ["between them", "2026-11-16T12:00:00-03:00", "2026-11-16T16:00:00.000Z"],
    ["in the second", "2026-11-16T13:00:00-03:00", "open"],
    ["behind both", "2026-11-16T18:00:00-03:00", "2026-11-23T11:00:00.000Z"],
  ])("%s", (_when, at, expected) => {
    expect(opensAt(twice, at, saoPaulo)).toBe(expected);
  });

  test("a second one alone counts, also over midnight; one of equal times is none", () => {
    const [first, ...others] = week({});
    if (!first) throw new Error("no Monday");
    const night = [{ ...first, startTimeB: "22:00", endTimeB: "02:00" }, ...others];
    expect(opensAt(night, "2026-11-17T01:59:00-03:00", saoPaulo)).toBe("open");
    expect(opensAt(night, "2026-11-17T02:00:00-03:00", saoPaulo)).toBe("2026-11-24T01:00:00.000Z");
    const closed = [{ ...first, startTimeB: "10:00", endTimeB: "10:00" }, ...others];
    expect(opensAt(closed, "2026-11-16T10:00:00-03:00", saoPaulo)).toBe("never");
  });
});

describe("a week that a client sends back", () => {
  const stored = mergeSchedules([], []);
  const shown = schedulesOrDefault(stored);
  const change = (day: Record<string, string>) =>
    scheduleEntries.parse(
      shown.map((entry, index) => (index === 0 ? { ...entry, ...day } : entry)),
    );
  const mondayOf = (given: ReturnType<typeof change>, before = stored) =>
    mergeSchedules(before, given)[0];
  const lunch = { startTimeA: "08:00", endTimeA: "12:00", startTimeB: "13:00", endTimeB: "18:00" };

  test("as none is the default, shown in both sets of names", () => {
    expect(stored).toEqual([]);
    expect(shown[0]).toMatchObject({
      ...{ startTime: "08:00", endTime: "18:00", startTimeA: "08:00", endTimeA: "18:00" },
      ...{ startTimeB: "", endTimeB: "" },
    });
  });

  test("with the names of two intervals changes those of one", () => {
    expect(mondayOf(change(lunch))).toMatchObject({
      ...lunch,
      startTime: "08:00",
      endTime: "12:00",
    });
    const alone = scheduleEntries.parse(
      weekdays.map((weekdayEn) => ({ weekday: "Dia", weekdayEn, ...lunch })),
    );
    expect(mergeSchedules([], alone)[6]).toMatchObject({ ...lunch, endTime: "12:00" });
  });

  test("with another first interval in the names of one keeps the second, unless the day is closed", () => {
    const before = mergeSchedules(stored, change(lunch));
    const back = (day: Record<string, string>) =>
      mergeSchedules(
        before,
        scheduleEntries.parse(before.map((one, index) => (index === 0 ? { ...one, ...day } : one))),
      )[0];
    expect(back({ startTime: "09:00" })).toMatchObject({ ...lunch, startTimeA: "09:00" });
    for (const time of ["00:00", ""]) {
      expect(back({ startTime: time, endTime: time })).toMatchObject({
        ...{ startTimeA: time, endTimeA: time, startTimeB: "", endTimeB: "" },
      });
    }
  });

  test("six days, another order of days or an invalid hour is refused", () => {
    for (const days of [
      shown.slice(1),
      shown.toReversed(),
      shown.map((day) => ({ ...day, endTimeB: "25:00" })),
    ]) {
      expect(scheduleEntries.safeParse(days).success).toBe(false);
    }
  });
});

describe("the open time between two moments", () => {
  const minutes = (
    days: readonly DayHours[],
    from: string,
    to: string,
    holidays: HolidayCalendar | null = null,
  ): number => openMsBetween(days, new Date(from), new Date(to), saoPaulo, holidays) / 60_000;
  const usual = week({
    monday: ["08:00", "18:00"],
    tuesday: ["08:00", "18:00"],
    friday: ["22:00", "02:00"],
  });

  test.each([
    ["within a day", "2026-11-16T09:00:00-03:00", "2026-11-16T09:45:00-03:00", 45],
    ["from before the start", "2026-11-16T07:30:00-03:00", "2026-11-16T08:10:00-03:00", 10],
    ["over a night", "2026-11-16T17:50:00-03:00", "2026-11-17T08:05:00-03:00", 15],
    ["over midnight", "2026-11-20T23:30:00-03:00", "2026-11-21T03:00:00-03:00", 150],
    ["from the small hours on", "2026-11-21T01:30:00-03:00", "2026-11-21T12:00:00-03:00", 30],
    ["outside of the hours", "2026-11-18T09:00:00-03:00", "2026-11-19T09:00:00-03:00", 0],
    ["over a week", "2026-11-16T00:00:00-03:00", "2026-11-23T00:00:00-03:00", 1_440],
    ["backwards", "2026-11-16T10:00:00-03:00", "2026-11-16T09:00:00-03:00", 0],
  ])("%s", (_name, from, to, expected) => {
    expect(minutes(usual, from, to)).toBe(expected);
  });

  test("a holiday does not count", () => {
    const [from, to] = ["2026-11-16T00:00:00-03:00", "2026-11-23T00:00:00-03:00"];
    // Friday, 20 November, is one.
    expect(minutes(usual, from, to, usualHolidays)).toBe(1_200);
  });

  test("a day without hours counts whole; two intervals count once where they overlap", () => {
    expect(minutes([], "2026-11-16T00:00:00-03:00", "2026-11-18T00:00:00-03:00")).toBe(2_880);
    const [first, ...others] = week({ monday: ["08:00", "12:00"] });
    if (!first) throw new Error("no Monday");
    const two = [{ ...first, startTimeB: "11:00", endTimeB: "13:00" }, ...others];
    expect(minutes(two, "2026-11-16T00:00:00-03:00", "2026-11-17T00:00:00-03:00")).toBe(300);
  });
});
