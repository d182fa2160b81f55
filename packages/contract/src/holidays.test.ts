import { describe, expect, test } from "vitest";
import type { HolidayCalendar } from "./holidays.ts";
import { holidayOn, nationalDate, nationalHolidayKeys, usualHolidays } from "./holidays.ts";
import { hoursAt } from "./hours-at.ts";
import { defaultSchedules } from "./opening-hours.ts";

// The dates of the Brazilian calendar.
test.each([
  [2024, "2024-03-29", "2024-02-13", "2024-05-30"],
  [2025, "2025-04-18", "2025-03-04", "2025-06-19"],
  [2026, "2026-04-03", "2026-02-17", "2026-06-04"],
  [2027, "2027-03-26", "2027-02-09", "2027-05-27"],
  [2038, "2038-04-23", "2038-03-09", "2038-06-24"],
])("Easter of %i sets Good Friday, Carnival and Corpus Christi", (year, ...dates) => {
  const keys = ["goodFriday", "carnivalTuesday", "corpusChristi"] as const;
  expect(keys.map((key) => nationalDate(key, year))).toEqual(dates);
});

test("the national days of 2026 stand in the order of the year", () => {
  const dates = nationalHolidayKeys.map((key) => nationalDate(key, 2026));
  expect(dates.toSorted()).toEqual(dates);
  expect(dates).toContain("2026-11-20");
});

const own = (day: Partial<HolidayCalendar["own"][number]>): HolidayCalendar => ({
  national: {},
  own: [{ date: "2026-06-24", name: "São João", everyYear: false, isOn: true, ...day }],
});

test.each<[what: string, calendar: HolidayCalendar, day: string, holiday: object | null]>([
  ["a national day", usualHolidays, "2026-12-25", { key: "christmas" }],
  ["an ordinary day", usualHolidays, "2026-12-26", null],
  ["a day by custom, which is off", usualHolidays, "2026-02-17", null],
  [
    "one that is switched on",
    { national: { carnivalTuesday: true }, own: [] },
    "2026-02-17",
    { key: "carnivalTuesday" },
  ],
  ["one that is switched off", { national: { christmas: false }, own: [] }, "2026-12-25", null],
  ["the company's own", own({}), "2026-06-24", { name: "São João" }],
  ["the company's own a year later", own({}), "2027-06-24", null],
  ["one of every year", own({ everyYear: true }), "2031-06-24", { name: "São João" }],
  ["an own one that is off", own({ isOn: false }), "2026-06-24", null],
])("%s", (_what, calendar, day, holiday) => {
  expect(holidayOn(calendar, day)).toEqual(holiday);
});

describe("opening hours", () => {
  const at = (moment: string, calendar: HolidayCalendar = usualHolidays) =>
    hoursAt(defaultSchedules(), new Date(moment), "America/Sao_Paulo", calendar);

  test("are closed on a holiday, and open on the next day that has hours", () => {
    // Friday, 25 December 2026; Saturday opens at 8.
    expect(at("2026-12-25T11:00:00-03:00")).toEqual({
      isOpen: false,
      until: new Date("2026-12-26T08:00:00-03:00"),
      holiday: { key: "christmas" },
    });
  });

  test("skip a holiday when they say when it opens next", () => {
    // Thursday evening before Good Friday; Saturday is next.
    expect(at("2026-04-02T20:00:00-03:00")).toEqual({
      isOpen: false,
      until: new Date("2026-04-04T08:00:00-03:00"),
      holiday: null,
    });
  });

  test("find the next opening behind a whole week of own days", () => {
    const days = ["21", "22", "23", "24", "26", "28", "29", "30", "31"];
    const calendar: HolidayCalendar = {
      national: {},
      own: days.map((day) => ({
        ...{ date: `2026-12-${day}`, name: "Férias", everyYear: false, isOn: true },
      })),
    };
    expect(at("2026-12-20T12:00:00-03:00", calendar)).toMatchObject({
      until: new Date("2027-01-02T08:00:00-03:00"),
    });
  });

  test("of the evening before go on after midnight into a holiday", () => {
    const night = defaultSchedules().map((day) => ({
      ...day,
      ...{ startTime: "22:00", endTime: "04:00" },
    }));
    const moment = (text: string) =>
      hoursAt(night, new Date(text), "America/Sao_Paulo", usualHolidays).isOpen;
    expect(moment("2026-12-25T02:00:00-03:00")).toBe(true);
    expect(moment("2026-12-25T23:00:00-03:00")).toBe(false);
    expect(moment("2026-12-26T02:00:00-03:00")).toBe(false);
  });

  test("of a day that is not set are not checked on a holiday either", () => {
    expect(hoursAt([], new Date("2026-12-25T11:00:00-03:00"), "UTC", usualHolidays)).toEqual({
      isOpen: true,
    });
  });
});
