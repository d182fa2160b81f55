import type { TFunction } from "../../i18n/index.ts";
import { currentLanguage } from "../../i18n/index.ts";
import { localeTags } from "../../i18n/languages.ts";
import { minutesSince } from "../../ui/clock.ts";

const MINUTE_S = 60;
const MINUTES_PER_DAY = 1_440;
/** Up to here a precise time has seconds. */
const PRECISE_S = 10 * MINUTE_S;

/**
 * "24 min", "1 h 20", "45 s"; a precise one below 10 minutes "2 min 40 s". Hours and minutes, never days (spec 9). Without a time
 * "sem dados".
 */
export function durationText(t: TFunction, seconds: number | null, isPrecise = false): string {
  if (seconds === null) return t("figures.noData");
  const whole = Math.max(0, Math.round(seconds));
  if (whole < MINUTE_S) return t("figures.seconds", { s: whole });
  if (isPrecise && whole < PRECISE_S) {
    const [m, s] = [Math.floor(whole / MINUTE_S), whole % MINUTE_S];
    return s === 0 ? t("figures.minutes", { m }) : t("figures.minutesSeconds", { m, s: two(s) });
  }
  const minutes = Math.round(whole / MINUTE_S);
  if (minutes < 60) return t("figures.minutes", { m: minutes });
  const [h, m] = [Math.floor(minutes / 60), minutes % 60];
  return m === 0 ? t("figures.hours", { h }) : t("figures.hoursMinutes", { h, m: two(m) });
}

/** Since an instant until now: "0 min", "56 min", "1 h 20", "3 d". */
export function sinceText(t: TFunction, iso: string, nowMs: number): string {
  const minutes = minutesSince(iso, nowMs);
  if (minutes < 1) return t("figures.minutes", { m: 0 });
  const days = Math.floor(minutes / MINUTES_PER_DAY);
  return days > 0 ? t("figures.days", { d: days }) : durationText(t, minutes * MINUTE_S);
}

/** The colour of a wait, by the limits of the ticket list (spec 4): up to 10 min, from 30 min, from an hour. */
export function waitTone(iso: string, nowMs: number): "ok" | "warn" | "bad" | undefined {
  const minutes = minutesSince(iso, nowMs);
  if (minutes >= 60) return "bad";
  if (minutes >= 30) return "warn";
  return minutes >= 3 && minutes <= 10 ? "ok" : undefined;
}

/** "2,7", with one digit. */
export function oneDigit(value: number): string {
  const options = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  return new Intl.NumberFormat(localeTags[currentLanguage()], options).format(value);
}

/** "76%". */
export function percent(share: number, digits: 0 | 1 = 0): string {
  const options = { style: "percent", maximumFractionDigits: digits } as const;
  return new Intl.NumberFormat(localeTags[currentLanguage()], options).format(share);
}

/** "17/11" of a day `YYYY-MM-DD`. */
export const dayMonth = (day: string): string =>
  dayWords(day, { day: "2-digit", month: "2-digit" });

/** "17/11/2026". */
export const wholeDay = (day: string): string =>
  dayWords(day, { day: "2-digit", month: "2-digit", year: "numeric" });

/** "17". */
export const dayNumber = (day: string): string => dayWords(day, { day: "numeric" });

/** "qui.". */
export const shortWeekday = (day: string): string => dayWords(day, { weekday: "short" });

/** "segunda": a weekday without its ending. */
export const longWeekday = (day: string): string =>
  dayWords(day, { weekday: "long" }).replace("-feira", "");

/** "segunda, 23 de novembro". */
export const spokenDay = (day: string): string =>
  `${longWeekday(day)}, ${dayWords(day, { day: "numeric", month: "long" })}`;

/** The Monday to Sunday of some week, for names of weekdays. */
export const weekdays = [1, 2, 3, 4, 5, 6, 7].map((day) => `2024-01-0${day}`);

function dayWords(day: string, style: Intl.DateTimeFormatOptions): string {
  const format = new Intl.DateTimeFormat(localeTags[currentLanguage()], {
    ...style,
    timeZone: "UTC",
  });
  return format.format(new Date(`${day}T12:00:00Z`));
}

const two = (value: number): string => String(value).padStart(2, "0");
