import type { Holiday, HolidayCalendar } from "./holidays.ts";
import { dayText, holidayOn } from "./holidays.ts";
import { weekdays } from "./weekdays.ts";

/** The part of a schedule entry that counts: times are HH:MM, empty is not set (wire-contract 2.4). */
export type DayHours = {
  weekdayEn: string;
  startTime: string;
  endTime: string;
  /** The second interval. */
  startTimeB?: string | undefined;
  endTimeB?: string | undefined;
};

/** `until`: when it opens next; null where no day of the weeks to come does. `holiday`: the one that closes the day. */
export type HoursState =
  | { isOpen: true }
  | { isOpen: false; until: Date | null; holiday: Holiday | null };

type Interval = { startMinute: number; endMinute: number };

/** A day's hours: not set (no check), or its intervals in minutes of the day; none is closed all day. */
type Day = "unset" | readonly Interval[];

/** Our week begins a day later than the platform's. */
const SUNDAY_TO_MONDAY = weekdays.length - 1;
const DAY_MS = 86_400_000;
/** How far the next opening is looked for: the longest holidays of a company are shorter. */
const LOOK_AHEAD_DAYS = 60;
const MINUTE_MS = 60_000;

/**
 * Whether opening hours are open at a moment, by the wall clock of the time zone (behaviour 2.6): start ≤ now < end; end
 * before start is over midnight, so that the rest of yesterday's hours counts today; equal times are closed all day, and so is
 * a holiday of the calendar (null: none count); a day that is missing or not set is not checked, hence open.
 */
export function hoursAt(
  days: readonly DayHours[],
  at: Date,
  timeZone: string,
  holidays: HolidayCalendar | null,
): HoursState {
  const week = { days, holidays };
  const wall = wallClock(at, timeZone);
  const minute = Math.floor((wall % DAY_MS) / MINUTE_MS);
  const today = dayOf(week, wall);
  if (isOpenToday(today, minute) || isOpenFromYesterday(dayOf(week, wall - DAY_MS), minute)) {
    return { isOpen: true };
  }
  const holiday = holidays && holidayOn(holidays, dayText(wall));
  return { isOpen: false, until: nextOpening(week, at, timeZone), holiday };
}

/**
 * How long opening hours were open between two moments, in ms, by the wall clock of the time zone and by the rules of
 * `hoursAt`; 0 when `to` is not after `from`.
 */
export function openMsBetween(
  days: readonly DayHours[],
  from: Date,
  to: Date,
  timeZone: string,
  holidays: HolidayCalendar | null,
): number {
  const [start, end] = [wallClock(from, timeZone), wallClock(to, timeZone)];
  // Hours over midnight of the day before may still be open.
  const firstDay = start - (start % DAY_MS) - DAY_MS;
  let openMs = 0;
  let countedTo = start;
  for (let midnight = firstDay; midnight < end; midnight += DAY_MS) {
    for (const [opens, closes] of openSpans({ days, holidays }, midnight)) {
      const [begin, finish] = [Math.max(opens, countedTo), Math.min(closes, end)];
      if (finish <= begin) continue;
      openMs += finish - begin;
      countedTo = finish;
    }
  }
  return openMs;
}

/** When a day's hours open and close, in wall clock time and in their order. */
function openSpans(week: Week, midnight: number): [opens: number, closes: number][] {
  const day = dayOf(week, midnight);
  if (day === "unset") return [[midnight, midnight + DAY_MS]];
  return day
    .map(({ startMinute, endMinute }): [number, number] => [
      midnight + startMinute * MINUTE_MS,
      midnight + endMinute * MINUTE_MS + (endMinute < startMinute ? DAY_MS : 0),
    ])
    .toSorted(([one], [other]) => one - other);
}

function isOpenToday(day: Day, minute: number): boolean {
  if (day === "unset") return true;
  return day.some(
    ({ startMinute, endMinute }) =>
      minute >= startMinute && (minute < endMinute || endMinute < startMinute),
  );
}

function isOpenFromYesterday(day: Day, minute: number): boolean {
  if (day === "unset") return false;
  return day.some(({ startMinute, endMinute }) => endMinute < startMinute && minute < endMinute);
}

/** The first start after a moment at which everything is closed. */
function nextOpening(week: Week, at: Date, timeZone: string): Date | null {
  const wall = wallClock(at, timeZone);
  const midnight = wall - (wall % DAY_MS);
  for (let ahead = 0; ahead <= LOOK_AHEAD_DAYS; ahead += 1) {
    const day = dayOf(week, midnight + ahead * DAY_MS);
    const minutes = day === "unset" ? [0] : day.map(({ startMinute }) => startMinute);
    const starts = minutes.map((minute) => midnight + ahead * DAY_MS + minute * MINUTE_MS);
    const next = Math.min(...starts.filter((start) => start > wall));
    if (Number.isFinite(next)) return instantAfter(at, next, timeZone);
  }
  return null;
}

type Week = { days: readonly DayHours[]; holidays: HolidayCalendar | null };

function dayOf({ days, holidays }: Week, wall: number): Day {
  const name = weekdays[(new Date(wall).getUTCDay() + SUNDAY_TO_MONDAY) % weekdays.length];
  const entry = days.find(({ weekdayEn }) => weekdayEn === name);
  const set = [
    intervalOf(entry?.startTime, entry?.endTime),
    intervalOf(entry?.startTimeB, entry?.endTimeB),
  ].filter((interval) => interval !== null);
  if (set.length === 0) return "unset";
  if (holidays && holidayOn(holidays, dayText(wall))) return [];
  return set.filter(({ startMinute, endMinute }) => startMinute !== endMinute);
}

function intervalOf(start: string | undefined, end: string | undefined): Interval | null {
  const [startMinute, endMinute] = [minuteOf(start), minuteOf(end)];
  return startMinute === null || endMinute === null ? null : { startMinute, endMinute };
}

/** Null for what is no time of the day. */
function minuteOf(time: string | undefined): number | null {
  const match = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time ?? "");
  if (match === null) return null;
  return Number(match[1]) * 60 + Number(match[2]);
}

/** Formats are slow to make; there are as many as time zones in use. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat("en-US", {
    ...{ timeZone, hourCycle: "h23" },
    ...{ year: "numeric", month: "numeric", day: "numeric" },
    ...{ hour: "numeric", minute: "numeric", second: "numeric" },
  });
  formats.set(timeZone, made);
  return made;
}

/** The local time of the zone, in ms as if it were UTC. */
export function wallClock(at: Date, timeZone: string): number {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(at)
      .map((one) => [one.type, one.value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type));
  return Date.UTC(
    ...([part("year"), part("month") - 1, part("day")] as const),
    ...([part("hour"), part("minute"), part("second")] as const),
  );
}

/**
 * The first moment after `at` at which the wall clock shows it; where a clock change leaves it out, the moment of the
 * change, for what the clock shows then is later.
 */
export function instantAfter(at: Date, wall: number, timeZone: string): Date {
  const candidates = [wall - DAY_MS / 2, wall + DAY_MS / 2].map((near) => {
    const offset = wallClock(new Date(near), timeZone) - near;
    return wall - offset;
  });
  const shown = candidates.filter(
    (one) => one > at.getTime() && wallClock(new Date(one), timeZone) === wall,
  );
  if (shown.length > 0) return new Date(Math.min(...shown));
  let before = Math.min(...candidates);
  let after = Math.max(...candidates);
  while (after - before > MINUTE_MS) {
    const middle = before + Math.floor((after - before) / 2 / MINUTE_MS) * MINUTE_MS;
    if (wallClock(new Date(middle), timeZone) < wall) before = middle;
    else after = middle;
  }
  return new Date(after);
}
