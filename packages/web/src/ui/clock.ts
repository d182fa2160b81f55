import { useEffect, useState } from "react";

/** Epoch ms by this browser's clock. */
export function epochMs(): number {
  return Date.now();
}

/** The time as the wire writes it. With `useNow` the one place where features take it from. */
export function nowIso(): string {
  return new Date().toISOString();
}

/** Epoch ms by this browser's clock, taken anew every `everyMs` while mounted. */
export function useNow(everyMs: number): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return nowMs;
}
