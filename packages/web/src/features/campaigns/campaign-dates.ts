import { dayKey, formatTime } from "../../i18n/format.ts";
import { currentLanguage } from "../../i18n/index.ts";
import { localeTags } from "../../i18n/languages.ts";

// Days are `YYYY-MM-DD` and times `YYYY-MM-DDTHH:mm`, both on the company's clock.

/** An instant on the company's clock, as a date-time field has it. */
export const localOf = (iso: string): string => `${dayKey(iso)}T${formatTime(iso)}`;

/** "qua", "dom". */
export const shortWeekday = (day: string): string =>
  words(day, { weekday: "short" }).replace(/\.$/, "");

/** "quarta". */
const longWeekday = (day: string): string => words(day, { weekday: "long" }).replace("-feira", "");

/** "18/11". */
export const dayMonth = (day: string): string => words(day, { day: "2-digit", month: "2-digit" });

/** "quarta, 25/11". */
const dayWords = (day: string): string => `${longWeekday(day)}, ${dayMonth(day)}`;

/** "quarta, 25/11" and "10:20" of an instant. */
export const dayAndTime = (iso: string): { day: string; time: string } => ({
  day: dayWords(dayKey(iso)),
  time: formatTime(iso),
});

/** "17/11, 09:00". */
export const shortMoment = (local: string): string =>
  `${dayMonth(local.slice(0, 10))}, ${local.slice(11, 16)}`;

/** Days from one instant to another, as people count them: the first one is a day, too. */
export function daysFrom(startIso: string, endIso: string): number {
  const dayMs = 86_400_000;
  return Math.round((Date.parse(dayKey(endIso)) - Date.parse(dayKey(startIso))) / dayMs) + 1;
}

function words(day: string, style: Intl.DateTimeFormatOptions): string {
  const format = new Intl.DateTimeFormat(localeTags[currentLanguage()], {
    ...style,
    timeZone: "UTC",
  });
  return format.format(new Date(`${day}T12:00:00Z`));
}
