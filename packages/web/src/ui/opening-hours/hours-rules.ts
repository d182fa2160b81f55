import type { ScheduleEntry } from "@balcao/contract";
import type { Weekday } from "@balcao/contract/weekdays";
import { weekdayLabels, weekdays } from "@balcao/contract/weekdays";

/**
 * The state of a stored day: equal times mean closed, empty ones mean not checked (wire-contract 2.4, behaviour 2.6).
 */
export const dayStates = ["open", "closed", "unset"] as const;
export type DayState = (typeof dayStates)[number];

export type DayTime = "startTime" | "endTime";
/** `wrong`: not a time of day; `missing`: only the other time is set. */
export type DayErrors = Partial<Record<DayTime, "wrong" | "missing">>;

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

/** The seven days from Monday to Sunday. A day that is not stored is not set; unknown keys are kept. */
export function sevenDays(entries: readonly ScheduleEntry[]): DayEntry[] {
  return weekdays.map((weekdayEn) => {
    const known = entries.find((entry) => entry.weekdayEn === weekdayEn);
    const unset = { weekday: weekdayLabels[weekdayEn], startTime: "", endTime: "" };
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
  if (entry.startTime === "" && entry.endTime === "") return "unset";
  const start = completeTime(entry.startTime);
  return start === completeTime(entry.endTime) && isTime(start) ? "closed" : "open";
}

/** The day in another state. A day that opens takes the hours of `like` if that day is open. */
export function inState(entry: ScheduleEntry, state: DayState, like: ScheduleEntry): ScheduleEntry {
  if (state === "unset") return { ...entry, startTime: "", endTime: "" };
  if (state === "closed") return { ...entry, startTime: CLOSED, endTime: CLOSED };
  return stateOf(like) === "open" ? withTimesOf(entry, like) : { ...entry, ...USUAL };
}

export function withTimesOf(entry: ScheduleEntry, other: ScheduleEntry): ScheduleEntry {
  return { ...entry, startTime: other.startTime, endTime: other.endTime };
}

/** True if the hours of a day end on the next day. */
export function isOverMidnight(entry: ScheduleEntry): boolean {
  const [start, end] = [completeTime(entry.startTime), completeTime(entry.endTime)];
  return isTime(start) && isTime(end) && end < start;
}

export function dayAfter(day: Weekday): Weekday {
  return weekdays[(weekdays.indexOf(day) + 1) % weekdays.length] ?? "monday";
}

/** The hours to save and their errors. */
export function checkHours(entries: readonly ScheduleEntry[]): CheckedHours {
  const value = sevenDays(entries).map((entry) => ({
    ...entry,
    startTime: completeTime(entry.startTime),
    endTime: completeTime(entry.endTime),
  }));
  const errors = value.map(errorsOf);
  return { value, errors, hasErrors: errors.some((one) => one !== null) };
}

function errorsOf(entry: ScheduleEntry): DayErrors | null {
  const { startTime, endTime } = entry;
  if (startTime === "" && endTime === "") return null;
  const errors: DayErrors = {};
  for (const key of ["startTime", "endTime"] as const) {
    if (entry[key] === "") errors[key] = "missing";
    else if (!isTime(entry[key])) errors[key] = "wrong";
  }
  return Object.keys(errors).length > 0 ? errors : null;
}

function isTime(text: string): boolean {
  return /^([01]\d|2[0-3]):[0-5]\d$/.test(text);
}
