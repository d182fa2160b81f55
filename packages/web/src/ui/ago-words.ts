import { formatTime } from "../i18n/format.ts";
import type { TFunction } from "../i18n/index.ts";
import { minutesSince } from "./clock.ts";

const MINUTES_PER_HOUR = 60;
const MINUTES_PER_DAY = 24 * MINUTES_PER_HOUR;

/** "agora", "há 12 min", "há 5 dias". */
export function agoWords(t: TFunction, iso: string, nowMs: number): string {
  const minutes = minutesSince(iso, nowMs);
  if (minutes === 0) return t("tickets.now");
  if (minutes >= MINUTES_PER_DAY) {
    return t("tickets.sinceDays", { count: Math.floor(minutes / MINUTES_PER_DAY) });
  }
  const isHours = minutes >= MINUTES_PER_HOUR;
  const value = isHours ? Math.floor(minutes / MINUTES_PER_HOUR) : minutes;
  return t("tickets.ago", { time: t(isHours ? "tickets.hours" : "tickets.minutes", { value }) });
}

/** "10:09:04", in the company's time zone: the seconds are the same in all of them. */
export const formatSecond = (iso: string): string =>
  `${formatTime(iso)}:${iso.slice("2026-11-20T10:05:".length, "2026-11-20T10:05:07".length)}`;
