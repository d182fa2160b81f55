import type { ScheduleEntry } from "@balcao/contract";
import { hoursAt } from "@balcao/contract";
import { addHours } from "date-fns/addHours";

/** How often somebody is told who writes to a place that never opens. */
const TELL_AGAIN_HOURS = 4;

/**
 * Until when the closed period lasts in which `now` falls, by the clocks of the company's time zone; null: it is open
 * (behaviour 2.6). That is the next opening. Hours that never open have none, so a period ends for them after 4 hours.
 */
export function closedUntil(
  schedules: readonly ScheduleEntry[],
  now: Date,
  timeZone: string,
): Date | null {
  const hours = hoursAt(schedules, now, timeZone);
  if (hours.isOpen) return null;
  return hours.until ?? addHours(now, TELL_AGAIN_HOURS);
}
