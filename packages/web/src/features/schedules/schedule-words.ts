import { currentSession } from "../../api/session-store.ts";
import { currentLanguage } from "../../i18n/index.ts";
import { localeTags } from "../../i18n/languages.ts";

// Days are `YYYY-MM-DD` and times `YYYY-MM-DDTHH:mm`, both on the clocks of the company. In a file of its own, because the
// calendar and the dialog, which other pages open too, load without each other.

/** "quarta", without the ending that Portuguese leaves out. */
export const weekdayName = (day: string): string =>
  wordsOf({ weekday: "long" }).format(noonOf(day)).replace("-feira", "");

/** "qua". */
export const shortWeekday = (day: string): string =>
  wordsOf({ weekday: "short" }).format(noonOf(day)).replace(/\.$/, "");

/** "18/11". */
export const dayMonth = (day: string): string =>
  wordsOf({ day: "2-digit", month: "2-digit" }).format(noonOf(day));

export const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** The values of `schedules.when` and its like: "Quarta", "18/11", "12:10". */
export function momentOf(local: string): { weekday: string; day: string; time: string } {
  const day = local.slice(0, 10);
  return { weekday: capital(weekdayName(day)), day: dayMonth(day), time: local.slice(11, 16) };
}

/** The instant on the clocks of the company: `YYYY-MM-DDTHH:mm`. */
export const localOf = (iso: string): string => localTime(Date.parse(iso), companyZone());

/** The instant in `timeZone` as `YYYY-MM-DDTHH:mm`, the format of a date-time field. */
export function localTime(instantMs: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).formatToParts(new Date(instantMs));
  const part = (type: Intl.DateTimeFormatPartTypes): string =>
    parts.find((one) => one.type === type)?.value ?? "";
  return `${part("year")}-${part("month")}-${part("day")}T${part("hour")}:${part("minute")}`;
}

export const companyZone = (): string =>
  currentSession()?.user.company.timeZone ?? "America/Sao_Paulo";

/** A day as a moment of UTC for `wordsOf`. */
export const noonOf = (day: string): Date => new Date(`${day}T12:00:00Z`);

/** Formats days in the chosen language. */
export const wordsOf = (style: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(localeTags[currentLanguage()], { ...style, timeZone: "UTC" });
