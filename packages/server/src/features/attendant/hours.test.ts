import type { ScheduleEntry, Weekday } from "@balcao/contract";
import { defaultSchedules } from "@balcao/contract";
import { addMinutes } from "date-fns/addMinutes";
import { subMinutes } from "date-fns/subMinutes";
import { expect, test } from "vitest";
import { closedUntil } from "./hours.ts";

/** The same hours on some days; the others are not defined. */
function hours(times: string, ...days: Weekday[]): ScheduleEntry[] {
  const [startTime = "", endTime = ""] = times.split("-");
  return defaultSchedules().map((day) => {
    const isMeant = days.length === 0 || days.some((one) => one === day.weekdayEn);
    return isMeant ? { ...day, startTime, endTime } : { ...day, startTime: "", endTime: "" };
  });
}

const OPEN = "open";

/** 24 November 2026 is a Tuesday. `until` in UTC. */
test.each<[what: string, days: ScheduleEntry[], now: string, zone: string, until: string]>([
  ["start is open", defaultSchedules(), "2026-11-24T08:00:00", "UTC", OPEN],
  ["a second before is not", defaultSchedules(), "2026-11-24T07:59:59", "UTC", "2026-11-24T08:00"],
  ["before the end is open", defaultSchedules(), "2026-11-24T17:59:59", "UTC", OPEN],
  ["end is closed", defaultSchedules(), "2026-11-24T18:00:00", "UTC", "2026-11-25T08:00"],
  ["Saturday till Monday", defaultSchedules(), "2026-11-28T12:00:00", "UTC", "2026-11-30T08:00"],
  ["equal times: all day", defaultSchedules(), "2026-11-29T00:00:00", "UTC", "2026-11-30T08:00"],
  ["equal times anywhere", hours("09:00-09:00"), "2026-11-24T09:00:00", "UTC", "2026-11-24T13:00"],
  ["no entries: no check", [], "2026-11-24T03:00:00", "UTC", OPEN],
  ["an empty entry: no check", hours("-"), "2026-11-24T03:00:00", "UTC", OPEN],
  ["an empty end: no check", hours("08:00-"), "2026-11-24T03:00:00", "UTC", OPEN],
  [
    "till the first moment of a day without check",
    hours("08:00-12:00", "tuesday"),
    "2026-11-24T12:00:00",
    "UTC",
    "2026-11-25T00:00",
  ],
  ["over midnight: the evening", hours("18:00-02:00"), "2026-11-24T23:59:59", "UTC", OPEN],
  ["over midnight: the night", hours("18:00-02:00"), "2026-11-25T01:59:59", "UTC", OPEN],
  [
    "over midnight: its end",
    hours("18:00-02:00"),
    "2026-11-25T02:00:00",
    "UTC",
    "2026-11-25T18:00",
  ],
  [
    "over midnight into a day that is closed",
    [
      ...hours("18:00-02:00", "tuesday").slice(0, 2),
      ...hours("00:00-00:00", "wednesday").slice(2, 3),
      ...defaultSchedules().slice(3),
    ],
    "2026-11-25T01:00:00",
    "UTC",
    OPEN,
  ],
  ["till midnight", hours("08:00-00:00"), "2026-11-24T23:59:59", "UTC", OPEN],
  ["after midnight", hours("08:00-00:00"), "2026-11-25T00:00:00", "UTC", "2026-11-25T08:00"],
  [
    "the company's day, not the server's",
    defaultSchedules(),
    "2026-11-24T10:59:59",
    "America/Sao_Paulo",
    "2026-11-24T11:00",
  ],
  ["in another zone", defaultSchedules(), "2026-11-23T23:00:00", "Asia/Tokyo", OPEN],
  [
    "clocks go forward that night: opens an hour earlier",
    hours("08:00-18:00"),
    "2026-03-28T18:00:00",
    "Europe/Lisbon",
    "2026-03-29T07:00",
  ],
  [
    "clocks go back that night: opens an hour later",
    hours("08:00-18:00"),
    "2026-10-24T18:00:00",
    "Europe/Lisbon",
    "2026-10-25T08:00",
  ],
  [
    "after the change, by the clock",
    hours("08:00-18:00"),
    "2026-03-29T16:59:59",
    "Europe/Lisbon",
    OPEN,
  ],
  [
    "an opening in the hour that the clocks leave out",
    hours("01:30-18:00"),
    "2026-03-29T00:59:59",
    "Europe/Lisbon",
    "2026-03-29T01:00",
  ],
])("2.6: %s", (_what, days, now, zone, until) => {
  const end = closedUntil(days, new Date(`${now}Z`), zone);
  expect(end?.toISOString().slice(0, 16) ?? OPEN).toBe(until);
});

test.each<[zone: string, changeDay: string]>([
  ["Europe/Lisbon", "2026-03-29"],
  ["Europe/Lisbon", "2026-10-25"],
  ["America/New_York", "2026-03-08"],
  ["Australia/Lord_Howe", "2026-10-04"],
  ["America/Sao_Paulo", "2026-11-01"],
])("2.6: in %s around %s a closed period lasts until the moment at which it opens", (zone, day) => {
  const days = [...hours("22:30-02:30").slice(0, 5), ...hours("01:15-09:00").slice(5)];
  const begin = new Date(`${day}T00:00:00Z`);
  const wrong: string[] = [];
  for (let minute = -3 * 1_440; minute < 3 * 1_440; minute += 17) {
    const now = addMinutes(begin, minute);
    const until = closedUntil(days, now, zone);
    if (until === null) continue;
    const isClosedBefore = closedUntil(days, subMinutes(until, 1), zone) !== null;
    const isOpenThen = closedUntil(days, until, zone) === null;
    if (until <= now || !isClosedBefore || !isOpenThen) wrong.push(now.toISOString());
  }
  expect(wrong).toEqual([]);
});
