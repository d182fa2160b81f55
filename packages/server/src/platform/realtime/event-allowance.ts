/** How many events a client may send: this many at once, and as many again every ten seconds. */
const BURST = 100;
const REFILL_MS = 10_000;

/** Counts down with each event and fills up evenly with time; answers whether the event is let through. */
export function createEventAllowance(): (nowMs: number) => boolean {
  let left = BURST;
  let countedAtMs: number | null = null;
  return (nowMs) => {
    const elapsedMs = nowMs - (countedAtMs ?? nowMs);
    left = Math.min(BURST, left + (elapsedMs / REFILL_MS) * BURST);
    countedAtMs = nowMs;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}
