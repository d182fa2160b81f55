import { useEffect, useState } from "react";
import { epochMs } from "../../ui/clock.ts";

/** The countdown is shown for this time before the end of the window. */
const COUNTDOWN_MS = 6 * 60 * 60_000;
const MINUTE_MS = 60_000;

/**
 * The state of the free-text window: `free` (no rule, or a long time left), `closing` (under six hours), `closed` (only
 * templates).
 */
type FreeTextWindow = "free" | "closing" | "closed";

/** The state of the window at a moment. `until` null: the channel has no such rule. */
export function freeTextWindow(until: string | null, nowMs: number): FreeTextWindow {
  if (until === null) return "free";
  const leftMs = Date.parse(until) - nowMs;
  if (leftMs <= 0) return "closed";
  return leftMs <= COUNTDOWN_MS ? "closing" : "free";
}

/** Ms until the state changes by time; null if it does not. */
export function untilNextState(until: string | null, nowMs: number): number | null {
  if (until === null) return null;
  const leftMs = Date.parse(until) - nowMs;
  if (leftMs <= 0) return null;
  return leftMs > COUNTDOWN_MS ? leftMs - COUNTDOWN_MS : leftMs;
}

/** The time left as text: never "0 min" while the window is open. */
export function timeLeft(until: string, nowMs: number): { hours: number; minutes: number } {
  const minutes = Math.max(1, Math.ceil((Date.parse(until) - nowMs) / MINUTE_MS));
  return { hours: Math.floor(minutes / 60), minutes: minutes % 60 };
}

/** A delay after the moment, so that it has passed. */
const AFTERWARDS_MS = 50;

/** The state of a ticket's window; renders only when it changes. */
export function useFreeTextWindow(until: string | null): FreeTextWindow {
  const [, setTurns] = useState(0);
  const state = freeTextWindow(until, epochMs());
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    function waitForNext(): void {
      const waitMs = untilNextState(until, epochMs());
      if (waitMs === null) return;
      timer = setTimeout(() => {
        setTurns((turns) => turns + 1);
        waitForNext();
      }, waitMs + AFTERWARDS_MS);
    }
    waitForNext();
    return () => clearTimeout(timer);
  }, [until]);
  return state;
}
