import type { CalendarState, Schedule } from "@balcao/contract";
import { addDays, weekdayOf } from "@balcao/contract/schedule-repeat";
import { currentLanguage } from "../../i18n/index.ts";
import { localeTags } from "../../i18n/languages.ts";
import { epochMs } from "../../ui/clock.ts";
import { capital, companyZone, localTime, noonOf, wordsOf } from "./schedule-words.ts";

// Days are `YYYY-MM-DD` and times `YYYY-MM-DDTHH:mm`, both on the clocks of the company.

export const calendarViews = ["month", "week", "day", "agenda"] as const;
export type CalendarView = (typeof calendarViews)[number];

/** The order of the counts above the calendar. */
export const shownStates = ["waiting", "sent", "failed", "optedOut"] as const;

/** How many messages of a day each view reads; the day alone reads as many as the server gives. */
export const perDayOf: Readonly<Record<CalendarView, number>> = {
  month: 3,
  week: 50,
  day: 200,
  agenda: 20,
};

/** First and last day of what a view shows around a day. */
export function rangeOf(view: CalendarView, day: string): { first: string; last: string } {
  switch (view) {
    case "day":
      return { first: day, last: day };
    case "week": {
      const first = addDays(day, -weekdayOf(day));
      return { first, last: addDays(first, 6) };
    }
    case "month": {
      const { first, last } = rangeOf("agenda", day);
      return {
        first: addDays(first, -weekdayOf(first)),
        last: addDays(last, 6 - weekdayOf(last)),
      };
    }
    case "agenda": {
      const first = `${day.slice(0, 7)}-01`;
      return { first, last: addDays(`${addDays(first, 31).slice(0, 7)}-01`, -1) };
    }
  }
}

/** The day that a step to the next (1) or previous (-1) range leads to. */
export function stepTo(view: CalendarView, day: string, by: 1 | -1): string {
  if (view === "day") return addDays(day, by);
  if (view === "week") return addDays(day, 7 * by);
  const month =
    by === 1 ? addDays(`${day.slice(0, 7)}-01`, 31) : addDays(`${day.slice(0, 7)}-01`, -1);
  const { last } = rangeOf("agenda", month);
  const same = month.slice(0, 8) + day.slice(8);
  return same > last ? last : same;
}

/** The range in words: "Novembro de 2026", "15 – 21 de novembro de 2026". */
export function titleOf(view: CalendarView, day: string): string {
  if (view === "week") {
    const { first, last } = rangeOf(view, day);
    return wordsOf({ day: "numeric", month: "long", year: "numeric" }).formatRange(
      noonOf(first),
      noonOf(last),
    );
  }
  const style: Intl.DateTimeFormatOptions =
    view === "day"
      ? { weekday: "long", day: "numeric", month: "long", year: "numeric" }
      : { month: "long", year: "numeric" };
  return capital(wordsOf(style).format(noonOf(day)));
}

/** "novembro". */
export const monthName = (day: string): string => wordsOf({ month: "long" }).format(noonOf(day));

export function stateOf({ status, contact }: Pick<Schedule, "status" | "contact">): CalendarState {
  if (status === "ENVIADA") return "sent";
  if (status === "ERRO") return "failed";
  return contact.optedOut ? "optedOut" : "waiting";
}

/** The name of the text that says the state in a word. */
export function statusText({ status, contact }: Pick<Schedule, "status" | "contact">) {
  const isOut = status === "PENDENTE" && contact.optedOut;
  return `schedules.status.${isOut ? "OPTED_OUT" : status}` as const;
}

/** Only what waits or was given up can still be changed. */
export const isChangeable = ({ status, sentAt }: Pick<Schedule, "status" | "sentAt">): boolean =>
  sentAt === null && (status === "PENDENTE" || status === "ERRO");

/** The company's time now. */
export const localNow = (): string => localTime(epochMs(), companyZone());

/** A free time for a new message: the next quarter of an hour that is asked for, or the next full hour if that is past. */
export function freeTime(local: string): string {
  const minutes = Math.round(Number(local.slice(14, 16)) / 15) * 15;
  const rounded = new Date(Date.parse(`${local.slice(0, 13)}:00Z`) + minutes * 60_000);
  const asked = rounded.toISOString().slice(0, 16);
  const now = localNow();
  if (asked > now) return asked;
  return new Date(Date.parse(`${now.slice(0, 13)}:00Z`) + 3_600_000).toISOString().slice(0, 16);
}

/** How the browser's clocks differ from the company's; null if they do not. */
export function zoneDifference(nowMs: number): {
  /** "Horário de Brasília". */
  zone: string;
  /** "GMT-3". */
  offset: string;
  /** Positive: the browser is ahead. */
  minutes: number;
} | null {
  const timeZone = companyZone();
  const company = Date.parse(`${localTime(nowMs, timeZone)}Z`);
  const { timeZone: own } = new Intl.DateTimeFormat().resolvedOptions();
  const minutes = Math.round((Date.parse(`${localTime(nowMs, own)}Z`) - company) / 60_000);
  if (minutes === 0) return null;
  const nameOf = (timeZoneName: "longGeneric" | "shortOffset"): string =>
    new Intl.DateTimeFormat(localeTags[currentLanguage()], { timeZone, timeZoneName })
      .formatToParts(new Date(nowMs))
      .find(({ type }) => type === "timeZoneName")?.value ?? timeZone;
  return { zone: nameOf("longGeneric"), offset: nameOf("shortOffset"), minutes };
}
