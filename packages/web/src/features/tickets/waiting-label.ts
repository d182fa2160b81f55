/** How long the last message has been standing, where that says something (spec 4, ticket card time label). */
export type WaitingLabel = Readonly<{
  tone: "ok" | "warn" | "bad";
  unit: "minutes" | "hours" | "days";
  value: number;
}>;

const MINUTE_MS = 60_000;
const MINUTES_PER_HOUR = 60;
const MINUTES_PER_DAY = 24 * MINUTES_PER_HOUR;

/** Null in the ranges without a label: under 3, from 11 to 29 minutes, and for a time to come. */
export function waitingLabel(lastMessageAtMs: number, nowMs: number): WaitingLabel | null {
  const minutes = Math.floor((nowMs - lastMessageAtMs) / MINUTE_MS);
  if (minutes >= MINUTES_PER_DAY) {
    return { tone: "bad", unit: "days", value: Math.floor(minutes / MINUTES_PER_DAY) };
  }
  if (minutes >= MINUTES_PER_HOUR) {
    return { tone: "bad", unit: "hours", value: Math.floor(minutes / MINUTES_PER_HOUR) };
  }
  if (minutes >= 30) return { tone: "warn", unit: "minutes", value: minutes };
  if (minutes >= 3 && minutes <= 10) return { tone: "ok", unit: "minutes", value: minutes };
  return null;
}
