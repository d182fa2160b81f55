import type { HolidayCalendar } from "./holidays.ts";
import { dayText, holidayOn } from "./holidays.ts";
import type { DayHours } from "./hours-at.ts";
import { hoursAt, instantAfter, wallClock } from "./hours-at.ts";
import { weekdays } from "./weekdays.ts";

// When a connection sends the next message of its campaigns (behaviour 5.5, stack-2 10), and when a campaign will end. Pure.

/** The settings that decide it, with the company's clock and calendar. */
export type SendingRules = {
  /** Seconds. */
  messageInterval: number;
  /** From so many messages of a campaign on, the greater interval holds; 0: never. */
  longerIntervalAfter: number;
  greaterInterval: number;
  varies: boolean;
  /** 0 is Sunday. Null: at any time. */
  hours: { weekdays: readonly number[]; from: string; to: string } | null;
  /** Null: holidays do not count. */
  holidays: HolidayCalendar | null;
  timeZone: string;
};

/** People that may be written to on a day; null: any number. */
export type DayLimit = { new: number | null; known: number | null };

/** How a number's limit grows: from so many days of use on, so many new people a day. */
export const warmUpSteps = [
  { fromDay: 0, perDay: 20 },
  { fromDay: 4, perDay: 50 },
  { fromDay: 8, perDay: 100 },
  { fromDay: 15, perDay: 200 },
  { fromDay: 31, perDay: 500 },
] as const;

/** People who wrote before count so much less. */
export const KNOWN_FACTOR = 5;
/** One message a second is the fastest on any connection. */
export const SHORTEST_GAP_MS = 1_000;
const VARIES_FROM = 0.7;
const VARIES_TO = 1.5;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const FORECAST_DAYS = 366;

/** The limit of a day `YYYY-MM-DD` for a number in use since a day, or with a fixed one. */
export function limitOn(
  day: string,
  { inUseSince, fixedLimit }: { inUseSince: string; fixedLimit: number | null },
): { new: number; known: number } {
  const days = Math.max(0, Math.round((Date.parse(day) - Date.parse(inUseSince)) / DAY_MS));
  const step = warmUpSteps.findLast(({ fromDay }) => fromDay <= days) ?? warmUpSteps[0];
  const perDay = fixedLimit ?? step.perDay;
  return { new: perDay, known: perDay * KNOWN_FACTOR };
}

/**
 * The pause before a campaign's message number `place` (from 0) since the campaign was started or went on, in ms; `random` is
 * from 0 to below 1.
 */
export function gapBefore(place: number, rules: SendingRules, random: number): number {
  const { messageInterval, longerIntervalAfter, greaterInterval, varies } = rules;
  const isLonger = longerIntervalAfter > 0 && place >= longerIntervalAfter;
  const seconds = isLonger ? greaterInterval : messageInterval;
  const factor = varies ? VARIES_FROM + (VARIES_TO - VARIES_FROM) * random : 1;
  return Math.max(SHORTEST_GAP_MS, Math.round(seconds * 1_000 * factor));
}

/** What a connection has done on the present day. */
export type SentToday = { new: number; known: number };

export type NextSend =
  | { isOpen: true }
  /** `until` null: not within the weeks to come. */
  | { isOpen: false; reason: "hours" | "holiday" | "limit"; until: Date | null };

/** Whether the hours let campaigns send at a moment. */
export function isSendingTime(at: Date, rules: SendingRules): NextSend {
  const { timeZone, holidays } = rules;
  const state = hoursAt(sendingDays(rules), at, timeZone, holidays);
  if (state.isOpen) return state;
  return { isOpen: false, reason: state.holiday ? "holiday" : "hours", until: state.until };
}

/**
 * Whether a connection may send now to a person who is new or known. One whose limit is used up goes on at the next day's first
 * sending time.
 */
export function maySend(
  at: Date,
  rules: SendingRules,
  { limit, sent, kind }: { limit: DayLimit; sent: SentToday; kind: "new" | "known" },
): NextSend {
  const time = isSendingTime(at, rules);
  if (!time.isOpen) return time;
  const most = limit[kind];
  if (most === null || sent[kind] < most) return time;
  const midnight = nextMidnight(at, rules.timeZone);
  const then = isSendingTime(midnight, rules);
  return { isOpen: false, reason: "limit", until: then.isOpen ? midnight : then.until };
}

/** The day `YYYY-MM-DD` that the clock of the time zone shows. */
export function localDay(at: Date, timeZone: string): string {
  return dayText(wallClock(at, timeZone));
}

/** Hours of which none are set leave a day open; so days without sending have hours that are closed. */
function sendingDays({ hours, holidays }: SendingRules): DayHours[] {
  const closed = { startTime: "00:00", endTime: "00:00" };
  return weekdays.map((weekdayEn, place) => {
    const weekday = (place + 1) % weekdays.length;
    if (hours === null) {
      // Holidays close a day only if it has hours.
      return holidays === null
        ? { weekdayEn, startTime: "", endTime: "" }
        : {
            weekdayEn,
            startTime: "00:00",
            endTime: "12:00",
            startTimeB: "12:00",
            endTimeB: "00:00",
          };
    }
    if (!hours.weekdays.includes(weekday)) return { weekdayEn, ...closed };
    return { weekdayEn, startTime: hours.from, endTime: hours.to };
  });
}

function nextMidnight(at: Date, timeZone: string): Date {
  const wall = wallClock(at, timeZone);
  return instantAfter(at, wall - (wall % DAY_MS) + DAY_MS, timeZone);
}

/** A day of a forecast. */
export type ForecastDay = { day: string; count: number; closed: "hours" | "holiday" | null };

export type ForecastWish = {
  from: Date;
  people: { new: number; known: number };
  /** Messages of the run so far: the longer interval begins after them. */
  place: number;
  sentToday: SentToday;
  /** The limit of each day. */
  limitOn(day: string): DayLimit;
  /** Told the moment of each message. */
  onSend?(at: number): void;
};

/**
 * How many people a campaign that has the connection to itself reaches on each day, known ones first, and when it ends; null if
 * not within a year. Varying intervals count with their mean.
 */
export function forecast(
  rules: SendingRules,
  { from, people, place, sentToday, limitOn: limitOf, onSend }: ForecastWish,
): { days: ForecastDay[]; endsAt: Date | null } {
  const { timeZone, holidays } = rules;
  const left = { ...people };
  const days: ForecastDay[] = [];
  let at = from.getTime();
  let next = place;
  let sent = { ...sentToday };
  if (left.new + left.known === 0) return { days, endsAt: from };
  for (let ahead = 0; ahead < FORECAST_DAYS; ahead += 1) {
    const day = localDay(new Date(at), timeZone);
    const midnight = nextMidnight(new Date(at), timeZone).getTime();
    const limit = limitOf(day);
    const isFree = (kind: "new" | "known"): boolean =>
      left[kind] > 0 && (limit[kind] === null || sent[kind] < limit[kind]);
    let count = 0;
    while (at < midnight && (isFree("known") || isFree("new"))) {
      const time = isSendingTime(new Date(at), rules);
      if (!time.isOpen) {
        at = Math.min(time.until?.getTime() ?? midnight, midnight);
        continue;
      }
      const closes = Math.min(closesAfter(new Date(at), rules), midnight);
      while (at < closes && (isFree("known") || isFree("new"))) {
        const kind = isFree("known") ? "known" : "new";
        left[kind] -= 1;
        sent[kind] += 1;
        count += 1;
        next += 1;
        onSend?.(at);
        if (left.new + left.known === 0) {
          days.push({ day, count, closed: null });
          return { days, endsAt: new Date(at) };
        }
        at += gapBefore(next, rules, MEAN_RANDOM);
      }
    }
    at = Math.max(at, midnight);
    const holiday = holidays !== null && holidayOn(holidays, day) !== null;
    const isClosed = count === 0 && !isAnyTimeOf(day, rules);
    days.push({ day, count, closed: isClosed ? (holiday ? "holiday" : "hours") : null });
    sent = { new: 0, known: 0 };
  }
  return { days, endsAt: null };
}

/** The middle of 0.7 to 1.5 is 1.1. */
const MEAN_RANDOM = 0.5;

/** A moment after `at` until which open hours stay open. */
function closesAfter(at: Date, { hours, timeZone }: SendingRules): number {
  if (hours === null) return Number.POSITIVE_INFINITY;
  const [hour = 0, minute = 0] = hours.to.split(":").map(Number);
  const wall = wallClock(at, timeZone);
  const closing = wall - (wall % DAY_MS) + (hour * 60 + minute) * MINUTE_MS;
  if (closing > wall) return instantAfter(at, closing, timeZone).getTime();
  return nextMidnight(at, timeZone).getTime();
}

function isAnyTimeOf(day: string, { hours, holidays }: SendingRules): boolean {
  if (holidays !== null && holidayOn(holidays, day) !== null) return false;
  return hours === null || hours.weekdays.includes(new Date(`${day}T00:00:00Z`).getUTCDay());
}
