import { z } from "zod";
import type { Weekday } from "./weekdays.ts";
import { weekdayLabels, weekdays } from "./weekdays.ts";

/** One day of opening hours; unknown keys of other clients are kept (wire-contract 2.4). */
export const scheduleEntry = z.looseObject({
  weekday: z.string(),
  weekdayEn: z.string(),
  startTime: z.string(),
  endTime: z.string(),
});
export type ScheduleEntry = z.output<typeof scheduleEntry>;

const time = z.union([z.literal(""), z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/)]);

/** The seven days from Monday to Sunday; an empty time is not set. */
export const scheduleEntries = z
  .array(
    scheduleEntry.extend({
      weekday: z.string().max(40),
      weekdayEn: z.enum(weekdays),
      startTime: time,
      endTime: time,
    }),
  )
  .length(weekdays.length)
  .refine((days) => days.every((day, index) => day.weekdayEn === weekdays[index]), {
    message: "must be the seven days from monday to sunday",
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
  return stored.length === 0 ? defaultSchedules() : [...stored];
}

function defaultTimes(day: Weekday): Pick<ScheduleEntry, "startTime" | "endTime"> {
  if (day === "sunday") return { startTime: "00:00", endTime: "00:00" };
  return { startTime: "08:00", endTime: day === "saturday" ? "12:00" : "18:00" };
}
