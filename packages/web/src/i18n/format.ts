import { limits } from "@balcao/contract/limits";
import { currentSession } from "../api/session-store.ts";
import { currentLanguage, i18n } from "./index.ts";
import { localeTags } from "./languages.ts";

const DAY_MS = 86_400_000;
const DEFAULT_TIME_ZONE = "America/Sao_Paulo";

const styles = {
  time: { hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  date: { day: "2-digit", month: "2-digit", year: "numeric" },
  dayMonth: { day: "2-digit", month: "2-digit" },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

const formatters = new Map<string, Intl.DateTimeFormat>();

/** "10:09", in the company's time zone. */
export function formatTime(iso: string): string {
  return formatter("time").format(new Date(iso));
}

/** "9h" or "9h30" in Portuguese, "9:00" or "9:30" in the other languages: an hour inside a sentence. */
export function formatHour(iso: string): string {
  const [hour, minute] = formatTime(iso).split(":");
  if (currentLanguage() !== "pt") return `${Number(hour)}:${minute}`;
  return `${Number(hour)}h${minute === "00" ? "" : minute}`;
}

/** "1,5": as the chosen language writes it. */
export function formatNumber(value: number): string {
  return new Intl.NumberFormat(localeTags[currentLanguage()]).format(value);
}

/** "R$ 199,90": reais, as the chosen language writes them. */
export function formatMoney(reais: number): string {
  const style = { style: "currency", currency: "BRL" } as const;
  return new Intl.NumberFormat(localeTags[currentLanguage()], style).format(reais);
}

/** True if a list has more rows than are counted (ADR 18). */
export const isCountCapped = (count: number): boolean => count >= limits.listCountMax;

/** "42", or "1.000+" if not all were counted. */
export function formatListCount(count: number): string {
  return isCountCapped(count) ? `${formatNumber(limits.listCountMax)}+` : String(count);
}

/** "12/11/2025", in the company's time zone. */
export function formatDate(iso: string): string {
  return formatter("date").format(new Date(iso));
}

/** "Hoje", "Ontem", else the date; the year only when it is not this one. */
export function formatDayLabel(iso: string, nowMs: number = Date.now()): string {
  const day = dayKey(iso);
  const now = new Date(nowMs);
  if (day === dayKey(now.toISOString())) return i18n.t("common.today");
  if (day === dayBefore(dayKey(now.toISOString()))) return i18n.t("common.yesterday");
  const isThisYear = day.slice(0, 4) === dayKey(now.toISOString()).slice(0, 4);
  return formatter(isThisYear ? "dayMonth" : "date").format(new Date(iso));
}

/** "10:09" today, then "Ontem", then the date: the one label of a list row. */
export function formatMoment(iso: string, nowMs: number = Date.now()): string {
  const isToday = dayKey(iso) === dayKey(new Date(nowMs).toISOString());
  return isToday ? formatTime(iso) : formatDayLabel(iso, nowMs);
}

/** Days of minutes that were asked for; a conversation asks for one per message, again at each opening. */
const days = new Map<string, string>();
const DAYS_MAX = 20_000;

/** The calendar day `YYYY-MM-DD` in the company's time zone; equal texts are the same day. */
export function dayKey(iso: string): string {
  const key = `${companyTimeZone()} ${iso.slice(0, "2026-11-20T10:05".length)}`;
  const known = days.get(key);
  if (known !== undefined) return known;
  const parts = new Map(
    formatter("date")
      .formatToParts(new Date(iso))
      .map((part) => [part.type, part.value] as const),
  );
  const day = `${parts.get("year")}-${parts.get("month")}-${parts.get("day")}`;
  if (days.size >= DAYS_MAX) days.clear();
  days.set(key, day);
  return day;
}

/** Days of the calendar from now to a moment, in the company's time zone; negative when it is past. */
export function daysUntil(iso: string, nowMs: number = Date.now()): number {
  const dayMs = (moment: string): number => Date.parse(dayKey(moment));
  return Math.round((dayMs(iso) - dayMs(new Date(nowMs).toISOString())) / DAY_MS);
}

function dayBefore(day: string): string {
  const noon = new Date(`${day}T12:00:00Z`);
  noon.setUTCDate(noon.getUTCDate() - 1);
  return noon.toISOString().slice(0, 10);
}

function formatter(style: keyof typeof styles): Intl.DateTimeFormat {
  const timeZone = companyTimeZone();
  const locale = localeTags[currentLanguage()];
  const key = `${style} ${locale} ${timeZone}`;
  const known = formatters.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat(locale, { ...styles[style], timeZone });
  formatters.set(key, made);
  return made;
}

const companyTimeZone = (): string => currentSession()?.user.company.timeZone ?? DEFAULT_TIME_ZONE;
