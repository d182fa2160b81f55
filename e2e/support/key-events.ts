import type { Page } from "@playwright/test";

/** How long the page took from each key until it was drawn, ascending. */
export type KeyReport = { keys: number; p50Ms: number; p95Ms: number; longestMs: number };

/** Quicker events are not reported by the browser; they count as this. */
const SHORTEST_MS = 16;

/**
 * Types `text` into what has the focus, on a processor slowed down by `slowdown`, and answers how long the page took from
 * each key event to the frame that shows what it did (Event Timing).
 */
export async function measureTyping(
  page: Page,
  text: string,
  { slowdown, paceMs }: { slowdown: number; paceMs: number },
): Promise<KeyReport> {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
  const watch = await page.evaluateHandle((shortestMs) => {
    const longestOfKey = new Map<number, number>();
    const observer = new PerformanceObserver((list) => {
      for (const { name, startTime, duration } of list.getEntries()) {
        if (!/^(keydown|keypress|beforeinput|input|keyup)$/.test(name)) continue;
        longestOfKey.set(startTime, Math.max(longestOfKey.get(startTime) ?? 0, duration));
      }
    });
    // The library's types do not know of the threshold.
    const wish = { type: "event", durationThreshold: shortestMs };
    observer.observe(wish);
    return { longestOfKey, observer };
  }, SHORTEST_MS);
  await page.keyboard.type(text, { delay: paceMs });
  const durationsMs = await watch.evaluate(async ({ longestOfKey, observer }) => {
    // The last key is reported a frame later.
    await new Promise((resolve) => setTimeout(resolve, 500));
    observer.disconnect();
    return [...longestOfKey.values()];
  });
  await session.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  await session.detach();
  // Each key is at least two moments: down and up.
  const events = text.length * 2;
  const quick = Array.from({ length: Math.max(0, events - durationsMs.length) }, () => SHORTEST_MS);
  const all = [...quick, ...durationsMs].toSorted((a, b) => a - b);
  const at = (share: number): number => all[Math.ceil(share * all.length) - 1] ?? Number.NaN;
  return { keys: text.length, p50Ms: at(0.5), p95Ms: at(0.95), longestMs: at(1) };
}
