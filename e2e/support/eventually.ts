import { setTimeout as delay } from "node:timers/promises";

const LIMIT_MS = 60_000;
const PAUSE_MS = 100;

/** Asks until there is an answer; throws that there is no `what` when none comes in twenty seconds. */
export async function eventually<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  const endMs = performance.now() + LIMIT_MS;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (performance.now() > endMs) throw new Error(`there is no ${what}`);
    await delay(PAUSE_MS);
  }
}
