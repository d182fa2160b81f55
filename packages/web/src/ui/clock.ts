import { useEffect, useState } from "react";

/** Epoch ms by this browser's clock: the one place where features take the time from. */
export function nowMs(): number {
  return Date.now();
}

/** The time, taken anew every `everyMs` while mounted. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(nowMs);
  useEffect(() => {
    const timer = setInterval(() => setNow(nowMs()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
