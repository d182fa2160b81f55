import type { ScheduleEntry } from "@balcao/contract";
import type { Weekday } from "@balcao/contract/weekdays";
import { weekdayLabels, weekdays } from "@balcao/contract/weekdays";

/**
 * The state of a stored day: equal times mean closed, empty ones mean not checked (wire-contract 2.4, behaviour 2.6).
 */
export const dayStates = ["open", "closed", "unset"] as const;
export type DayState = (typeof dayStates)[number];

/** The two intervals of a day; the second one is optional. */
export const intervals = [
  { start: "startTime", end: "endTime" },
  { start: "startTimeB", end: "endTimeB" },
] as const;
export type DayTime = (typeof intervals)[number]["start" | "end"];
/** `wrong`: not a time of day; `missing`: only the other time is set; `overlap`: the other interval has it. */
export type DayErrors = Partial<Record<DayTime, "wrong" | "missing" | "overlap">>;

export type DayEntry = ScheduleEntry & { weekdayEn: Weekday };

export type CheckedHours = {
  /** The entries to send, with completed times. */
  value: DayEntry[];
  /** One per day; null if valid. */
  errors: (DayErrors | null)[];
  hasErrors: boolean;
};

const CLOSED = "00:00";
const USUAL = { startTime: "08:00", endTime: "18:00" };
const NO_SECOND = { startTimeB: "", endTimeB: "" };
const LUNCH = { from: "12:00", to: "13:00" };
const MINUTES_OF_DAY = 1_440;

/** The seven days from Monday to Sunday. A day that is not stored is not set; unknown keys are kept. */
export function sevenDays(entries: readonly ScheduleEntry[]): DayEntry[] {
  return weekdays.map((weekdayEn) => {
    const known = entries.find((entry) => entry.weekdayEn === weekdayEn);
    const unset = { weekday: weekdayLabels[weekdayEn], startTime: "", endTime: "", ...NO_SECOND };
    return { ...unset, ...known, weekdayEn };
  });
}

/** Digits into ##:## while they are typed or pasted: 8, 0800, 8:00, 8h30. */
export function maskTime(typed: string): string {
  const [, first = "", between = "", second = ""] = /^\D*(\d*)(\D*)(\d*)/.exec(typed.trim()) ?? [];
  if (between !== "" && first !== "") return `${first.slice(0, 2)}:${second.slice(0, 2)}`;
  const hourDigits = Number(first.slice(0, 2)) > 23 ? 1 : 2;
  if (first.length <= hourDigits) return first;
  return `${first.slice(0, hourDigits)}:${first.slice(hourDigits, hourDigits + 2)}`;
}

/** Completes a time when its field is left: 8 becomes 08:00. An invalid time stays, for its error. */
export function completeTime(typed: string): string {
  const [, hour, minute] = /^(\d{1,2})(?::(\d{2})?)?$/.exec(maskTime(typed)) ?? [];
  if (hour === undefined || Number(hour) > 23) return typed.trim();
  return `${hour.padStart(2, "0")}:${minute ?? "00"}`;
}

export function stateOf(entry: ScheduleEntry): DayState {
  if (intervals.every(({ start, end }) => isEmpty(entry[start]) && isEmpty(entry[end]))) {
    return "unset";
  }
  const isClosed = intervals.every(
    ({ start, end }) =>
      (start === "startTimeB" && !hasSecond(entry)) || isSameTime(entry[start], entry[end]),
  );
  return isClosed ? "closed" : "open";
}

/** The day in another state. A day that opens takes the hours of `like` if that day is open. */
export function inState(entry: ScheduleEntry, state: DayState, like: ScheduleEntry): ScheduleEntry {
  if (state === "unset") return { ...entry, startTime: "", endTime: "", ...NO_SECOND };
  if (state === "closed") return { ...entry, startTime: CLOSED, endTime: CLOSED, ...NO_SECOND };
  return stateOf(like) === "open" ? withTimesOf(entry, like) : { ...entry, ...USUAL, ...NO_SECOND };
}

export function withTimesOf(entry: ScheduleEntry, other: ScheduleEntry): ScheduleEntry {
  const { startTime, endTime, startTimeB = "", endTimeB = "" } = other;
  return { ...entry, startTime, endTime, startTimeB, endTimeB };
}

/** Whether the day has a second interval, complete or not. */
export function hasSecond({ startTimeB, endTimeB }: ScheduleEntry): boolean {
  return !isEmpty(startTimeB) || !isEmpty(endTimeB);
}

/** The day with a second interval: hours over noon get a break for lunch, others an interval to be filled in. */
export function withSecond(entry: ScheduleEntry): ScheduleEntry {
  const [start, end] = [completeTime(entry.startTime), completeTime(entry.endTime)];
  const isOverLunch = isTime(start) && isTime(end) && start < LUNCH.from && end > LUNCH.to;
  if (isOverLunch) {
    return { ...entry, endTime: LUNCH.from, startTimeB: LUNCH.to, endTimeB: end };
  }
  const after = isTime(end) ? end : LUNCH.to;
  return { ...entry, startTimeB: after, endTimeB: after };
}

/** The day with its first interval alone. */
export function withoutSecond(entry: ScheduleEntry): ScheduleEntry {
  return { ...entry, ...NO_SECOND };
}

/** The end of the hours of a day that go on into the next day; null if none do. */
export function endAfterMidnight(entry: ScheduleEntry): string | null {
  for (const interval of intervals) {
    const { start, end } = timesOf(entry, interval);
    if (isTime(start) && isTime(end) && end < start) return end;
  }
  return null;
}

export function dayAfter(day: Weekday): Weekday {
  return weekdays[(weekdays.indexOf(day) + 1) % weekdays.length] ?? "monday";
}

/** The hours to save, in the names of both kinds of clients, and their errors. */
export function checkHours(entries: readonly ScheduleEntry[]): CheckedHours {
  const value = sevenDays(entries).map((entry) => {
    const [first, second] = intervals.map((interval) => timesOf(entry, interval));
    const { start: startTime = "", end: endTime = "" } = first ?? {};
    const { start: startTimeB = "", end: endTimeB = "" } = second ?? {};
    const both = { startTime, endTime, startTimeA: startTime, endTimeA: endTime };
    return { ...entry, ...both, startTimeB, endTimeB };
  });
  const errors = value.map(errorsOf);
  return { value, errors, hasErrors: errors.some((one) => one !== null) };
}

function timesOf(entry: ScheduleEntry, { start, end }: (typeof intervals)[number]) {
  return { start: completeTime(entry[start] ?? ""), end: completeTime(entry[end] ?? "") };
}

function errorsOf(entry: ScheduleEntry): DayErrors | null {
  const errors: DayErrors = {};
  for (const { start, end } of intervals) {
    if (isEmpty(entry[start]) && isEmpty(entry[end])) continue;
    for (const key of [start, end]) {
      if (isEmpty(entry[key])) errors[key] = "missing";
      else if (!isTime(entry[key] ?? "")) errors[key] = "wrong";
    }
  }
  // The second interval alone: its first one is missing.
  if (hasSecond(entry) && isEmpty(entry.startTime) && isEmpty(entry.endTime)) {
    errors.startTime = "missing";
    errors.endTime = "missing";
  }
  if (Object.keys(errors).length > 0) return errors;
  return overlaps(entry) ? { startTimeB: "overlap" } : null;
}

function overlaps(entry: ScheduleEntry): boolean {
  if (!hasSecond(entry)) return false;
  const [first, second] = intervals.map((interval) => {
    const { start, end } = timesOf(entry, interval);
    const from = minuteOf(start);
    const to = minuteOf(end);
    return { from, to: to < from ? MINUTES_OF_DAY : to };
  });
  if (!first || !second) return false;
  return Math.max(first.from, second.from) < Math.min(first.to, second.to);
}

function minuteOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}

function isSameTime(one: string | undefined, other: string | undefined): boolean {
  const start = completeTime(one ?? "");
  return start === completeTime(other ?? "") && isTime(start);
}

function isEmpty(time: string | undefined): boolean {
  return time === undefined || time === "";
}

function isTime(text: string): boolean {
  return /^([01]\d|2[0-3]):[0-5]\d$/.test(text);
}
