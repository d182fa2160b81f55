import type { HolidayCalendar } from "@balcao/contract/holidays";
import type { DayHours } from "@balcao/contract/hours-at";
import { hoursAt, instantAfter, wallClock } from "@balcao/contract/hours-at";

/** A time to put a ticket off until. `reply`: until its customer writes, which has no time. */
export type SnoozeTime =
  | { id: "hour" | "afternoon" | "evening" | "tomorrow" | "opening" | "nextWeek"; until: Date }
  | { id: "reply"; until: null };

/** Opening hours, and the holidays on which they do not count. */
export type OpenTimes = Readonly<{ days: readonly DayHours[]; holidays: HolidayCalendar | null }>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_DAYS = 7;
const MONDAY = 1;
/** Hours of the day. */
const MORNING = 9;
const AFTERNOON = 14;
const EVENING = 18;
/** A time that is nearer than this is not offered: one hour is offered anyway. */
const AHEAD_MS = HOUR_MS;

/**
 * The times that are offered at a moment, in the company's time zone and within its opening hours: the mornings begin when it
 * opens, and it is open this afternoon and this evening. Without hours a morning begins at nine.
 */
export function snoozeTimes(
  now: Date,
  timeZone: string,
  { days, holidays }: OpenTimes,
): SnoozeTime[] {
  const wall = wallClock(now, timeZone);
  const midnight = wall - (wall % DAY_MS);
  const at = (daysAhead: number, hour: number): Date =>
    instantAfter(now, midnight + daysAhead * DAY_MS + hour * HOUR_MS, timeZone);
  const isOffered = (time: Date): boolean =>
    time.getTime() - now.getTime() > AHEAD_MS && hoursAt(days, time, timeZone, holidays).isOpen;
  /** The first opening from the beginning of a day on. */
  const opening = (daysAhead: number): Date => {
    const state = hoursAt(days, at(daysAhead, 0), timeZone, holidays);
    return state.isOpen ? at(daysAhead, MORNING) : (state.until ?? at(daysAhead, MORNING));
  };

  const hour = new Date(wall).getUTCHours();
  const later: SnoozeTime[] = [];
  if (hour < AFTERNOON && isOffered(at(0, AFTERNOON))) {
    later.push({ id: "afternoon", until: at(0, AFTERNOON) });
  }
  // The last full hour before the evening in which it is open.
  const evening = [EVENING, EVENING - 1, EVENING - 2].find(
    (one) => one > hour && isOffered(at(0, one)),
  );
  if (evening !== undefined) later.push({ id: "evening", until: at(0, evening) });

  const next = opening(1);
  const isTomorrow = next < at(2, 0);
  const weekday = new Date(midnight).getUTCDay();
  const monday = opening((MONDAY - weekday + WEEK_DAYS) % WEEK_DAYS || WEEK_DAYS);
  return [
    { id: "hour", until: new Date(now.getTime() + HOUR_MS) },
    ...later,
    { id: isTomorrow ? "tomorrow" : "opening", until: next },
    ...(monday.getTime() === next.getTime() ? [] : [{ id: "nextWeek" as const, until: monday }]),
    { id: "reply", until: null },
  ];
}
