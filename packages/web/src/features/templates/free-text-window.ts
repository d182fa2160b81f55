/** How long before its end the window is counted down. */
const COUNTDOWN_MS = 6 * 60 * 60_000;
const MINUTE_MS = 60_000;

/**
 * Whether anything may be written to the customer: `free` (no rule, or a long time left), `closing` (under six hours),
 * `closed` (only a template goes through).
 */
export type FreeTextWindow = "free" | "closing" | "closed";

/** The state of the window at a moment. `until` null: the channel has no such rule. */
export function freeTextWindow(until: string | null, nowMs: number): FreeTextWindow {
  if (until === null) return "free";
  const leftMs = Date.parse(until) - nowMs;
  if (leftMs <= 0) return "closed";
  return leftMs <= COUNTDOWN_MS ? "closing" : "free";
}

/** In how many ms the state changes by itself; null when it does not. */
export function untilNextState(until: string | null, nowMs: number): number | null {
  if (until === null) return null;
  const leftMs = Date.parse(until) - nowMs;
  if (leftMs <= 0) return null;
  return leftMs > COUNTDOWN_MS ? leftMs - COUNTDOWN_MS : leftMs;
}

/** What is left, for people: never "0 min" while something still goes through. */
export function timeLeft(until: string, nowMs: number): { hours: number; minutes: number } {
  const minutes = Math.max(1, Math.ceil((Date.parse(until) - nowMs) / MINUTE_MS));
  return { hours: Math.floor(minutes / 60), minutes: minutes % 60 };
}
