import { z } from "zod";
import { nationalHolidayKeys } from "./holidays.ts";
import { limits } from "./limits.ts";
import { text } from "./primitives.ts";
import type { Weekday } from "./weekdays.ts";
import { weekdayLabels, weekdays } from "./weekdays.ts";

/**
 * One day of opening hours. `startTime` and `endTime` are its first interval, as `startTimeA` and `endTimeA` are; the second one
 * is `startTimeB` to `endTimeB` (behaviour 0.5). Unknown keys of other clients are kept (wire-contract 2.4).
 */
export const scheduleEntry = z.looseObject({
  weekday: z.string(),
  weekdayEn: z.string(),
  startTime: z.string(),
  endTime: z.string(),
  startTimeA: z.string().optional(),
  endTimeA: z.string().optional(),
  startTimeB: z.string().optional(),
  endTimeB: z.string().optional(),
});
export type ScheduleEntry = z.output<typeof scheduleEntry>;

const time = z.union([z.literal(""), z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/)]).optional();

/** The seven days from Monday to Sunday, in the names of one interval a day or of two; an empty time is not set. None: the default. */
export const scheduleEntries = z
  .array(
    z.looseObject({
      weekday: z.string().max(40),
      weekdayEn: z.enum(weekdays),
      ...{ startTime: time, endTime: time, startTimeA: time, endTimeA: time },
      ...{ startTimeB: time, endTimeB: time },
    }),
  )
  .refine((days) => days.length === 0 || days.length === weekdays.length, {
    message: "must be the seven days",
  })
  .refine((days) => days.every((day, index) => day.weekdayEn === weekdays[index]), {
    message: "must be the seven days from monday to sunday",
  });
export type GivenSchedules = z.output<typeof scheduleEntries>;

/**
 * The hours to store after a client has sent a week back. A client that knows one set of names returns the other one as it
 * was: the names that differ from the stored ones count, for a client that changes both those of one interval. That client sees one
 * interval: when it closes or clears a day, the second interval ends too.
 */
export function mergeSchedules(
  stored: readonly ScheduleEntry[],
  given: GivenSchedules,
): ScheduleEntry[] {
  const before = schedulesOrDefault(stored);
  return given.map((day, index) => {
    const { startTime = "", endTime = "", startTimeB = "", endTimeB = "" } = before[index] ?? {};
    const { startTimeA, endTimeA, ...rest } = day;
    const isChangedByOne =
      (day.startTime ?? startTime) !== startTime || (day.endTime ?? endTime) !== endTime;
    const isOfOne = isChangedByOne || startTimeA === undefined;
    const first = isOfOne
      ? { startTime: day.startTime ?? startTime, endTime: day.endTime ?? endTime }
      : { startTime: startTimeA, endTime: endTimeA ?? endTime };
    const isEnded = isChangedByOne && first.startTime === first.endTime;
    const second = isEnded
      ? { startTimeB: "", endTimeB: "" }
      : { startTimeB: day.startTimeB ?? startTimeB, endTimeB: day.endTimeB ?? endTimeB };
    return withIntervals({ ...rest, ...first, ...second });
  });
}

/** A day in both sets of names. */
function withIntervals<D extends ScheduleEntry>(day: D): D {
  const { startTime, endTime, startTimeB = "", endTimeB = "" } = day;
  return { ...day, startTimeA: startTime, endTimeA: endTime, startTimeB, endTimeB };
}

/** The holidays of a company: the national ones that it has switched, and its own days. */
export const holidayCalendar = z.object({
  national: z.partialRecord(z.enum(nationalHolidayKeys), z.boolean()),
  own: z
    .array(
      z.object({
        date: z.iso.date(),
        name: text(limits.nameMax).trim().min(1),
        everyYear: z.boolean(),
        isOn: z.boolean(),
      }),
    )
    .max(limits.ownHolidaysMax),
});

/** Monday to Friday 08:00-18:00, Saturday 08:00-12:00, Sunday closed (spec 9). */
export function defaultSchedules(): (ScheduleEntry & { weekdayEn: Weekday })[] {
  return weekdays.map((weekdayEn) => ({
    weekday: weekdayLabels[weekdayEn],
    weekdayEn,
    ...defaultTimes(weekdayEn),
  }));
}

/** Null was never set: the default is shown, and applies (wire-contract 2.3). */
export function schedulesOrDefault(stored: readonly ScheduleEntry[]): ScheduleEntry[] {
  const days: readonly ScheduleEntry[] = stored.length === 0 ? defaultSchedules() : stored;
  return days.map(withIntervals);
}

function defaultTimes(day: Weekday): Pick<ScheduleEntry, "startTime" | "endTime"> {
  if (day === "sunday") return { startTime: "00:00", endTime: "00:00" };
  return { startTime: "08:00", endTime: day === "saturday" ? "12:00" : "18:00" };
}
