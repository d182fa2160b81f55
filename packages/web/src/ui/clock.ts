import { useEffect, useState } from "react";

/** Epoch ms by this browser's clock. */
export function epochMs(): number {
  return Date.now();
}

/** The current time as the wire writes it. Features take the time only from here and from `useNow`. */
export function nowIso(): string {
  return new Date().toISOString();
}

/** Epoch ms by this browser's clock, updated every `everyMs` while mounted. */
export function useNow(everyMs: number): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return nowMs;
}

/** Whole minutes since a moment, at least 0. */
export function minutesSince(iso: string, nowMs: number): number {
  return Math.max(0, Math.floor((nowMs - Date.parse(iso)) / 60_000));
}
