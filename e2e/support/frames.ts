import { setTimeout as delay } from "node:timers/promises";
import type { Page } from "@playwright/test";

/** The content of a scrolling area, frame by frame. */
export type FrameReport = {
  frames: number;
  /** Frames in which some of the area was without rows though there are rows for it. */
  blank: number;
  /** The largest such part. */
  largestGapPx: number;
  longestFrameMs: number;
  /** Where it was blank, of the first such frames: what the area shows, what is drawn, and the keys before. */
  where: string[];
};

/** Rows have some space before the first and after the last. */
const PADDING_PX = 24;

/** Looks at an area of virtual rows in every animation frame until it is stopped. */
export async function watchFrames(
  page: Page,
  scroller: "#ticket-list" | "#messages" | "[data-page-scroller]",
): Promise<{ stop(): Promise<FrameReport> }> {
  const rowsIn = scroller === "[data-page-scroller]" ? "tbody" : ":scope > *";
  const watch = await page.evaluateHandle(startWatch, { scroller, rowsIn, paddingPx: PADDING_PX });
  return {
    stop: () =>
      watch.evaluate((running) => {
        running.stop();
        return running.report;
      }),
  };
}

/** Runs in the page. */
function startWatch({
  scroller,
  rowsIn,
  paddingPx,
}: {
  scroller: string;
  rowsIn: string;
  paddingPx: number;
}) {
  const report: FrameReport = {
    frames: 0,
    blank: 0,
    largestGapPx: 0,
    longestFrameMs: 0,
    where: [],
  };
  const lastKeys: string[] = [];
  document.addEventListener("keydown", ({ key }) => lastKeys.push(key), { capture: true });
  let isRunning = true;
  let lastMs: number | null = null;

  function look(nowMs: number): void {
    if (!isRunning) return;
    requestAnimationFrame(look);
    if (lastMs !== null) report.longestFrameMs = Math.max(report.longestFrameMs, nowMs - lastMs);
    lastMs = nowMs;
    const gapPx = largestGapPx();
    report.frames += 1;
    report.largestGapPx = Math.max(report.largestGapPx, gapPx);
    if (gapPx <= paddingPx) return;
    report.blank += 1;
    if (report.where.length < 5) report.where.push(`${gapPx.toFixed(0)} px ${whereItIs()}`);
  }

  function whereItIs(): string {
    const area = document.querySelector(scroller);
    if (!area) return "without an area";
    const rows = boxesIn(area.querySelector(rowsIn));
    const areaTopPx = area.getBoundingClientRect().top;
    const fromPx = Math.min(...rows.map(({ top }) => top)) - areaTopPx;
    const toPx = Math.max(...rows.map(({ bottom }) => bottom)) - areaTopPx;
    return (
      `at ${area.scrollTop.toFixed(0)} of ${area.scrollHeight}, ${area.clientHeight} high: ` +
      `${rows.length} rows from ${fromPx.toFixed(0)} to ${toPx.toFixed(0)}, keys ${lastKeys.slice(-3).join(" ")}`
    );
  }

  /** The boxes of the rows that are drawn. In a table, hidden rows take the place of the others; they do not count. */
  function boxesIn(rows: Element | null): DOMRect[] {
    const drawn = [...(rows?.children ?? [])].filter((row) => row.ariaHidden !== "true");
    return drawn.map((row) => row.getBoundingClientRect());
  }

  function largestGapPx(): number {
    const area = document.querySelector(scroller);
    const rows = area?.querySelector(rowsIn);
    if (!area || !rows) return Number.POSITIVE_INFINITY;
    const whole = rows.getBoundingClientRect();
    const topPx = Math.max(area.getBoundingClientRect().top, whole.top);
    const bottomPx = Math.min(area.getBoundingClientRect().bottom, whole.bottom);
    let reachedPx = topPx;
    let gapPx = 0;
    for (const box of boxesIn(rows).toSorted((a, b) => a.top - b.top)) {
      if (box.bottom <= reachedPx || box.top >= bottomPx) continue;
      gapPx = Math.max(gapPx, box.top - reachedPx);
      reachedPx = box.bottom;
    }
    return Math.max(gapPx, bottomPx - reachedPx);
  }

  requestAnimationFrame(look);
  return {
    report,
    stop: () => {
      isRunning = false;
    },
  };
}

/** How far rows moved on the screen while older ones came above them, at most. */
export type DriftReport = { prepends: number; largestDriftPx: number };

/** So long is a page held back: time for the scrolling to come to rest, as on a slower network. */
const PAGE_TAKES_MS = 250;

/**
 * Scrolls to the top of what is loaded of a conversation, as often as wanted, comes to rest there, and looks in every
 * frame where the first row in view is while the page before it is put above it.
 */
export async function measureDrift(page: Page, prepends: number): Promise<DriftReport> {
  const pages = /\/api\/messages\/\d+\?.*beforeId=/;
  await page.route(pages, async (route) => {
    await delay(PAGE_TAKES_MS);
    await route.continue();
  });
  const largestDriftPx = await page.evaluate(driftOf, prepends);
  await page.unroute(pages);
  return { prepends, largestDriftPx };
}

/** Runs in the page. */
async function driftOf(prepends: number): Promise<number> {
  const area = document.querySelector("#messages");
  if (!area) throw new Error("no conversation is open");
  const nextFrame = (): Promise<number> => new Promise(requestAnimationFrame);
  const rowsIn = (): HTMLElement[] => [...area.querySelectorAll<HTMLElement>("[data-row]")];
  const topOf = (row: Element): number => row.getBoundingClientRect().top;
  let largestDriftPx = 0;
  for (let done = 0; done < prepends; done += 1) {
    while (area.scrollTop > 40) {
      area.scrollTop = Math.max(30, area.scrollTop - 200);
      await nextFrame();
    }
    for (let rest = 0; rest < 5; rest += 1) await nextFrame();
    const heightPx = area.scrollHeight;
    const anchor = rowsIn().find((row) => topOf(row) >= topOf(area));
    if (!anchor) throw new Error("no row is in view");
    const key = anchor.dataset["row"];
    const startPx = topOf(anchor);
    // Until the page is there, and a while longer: rows are measured once they are drawn.
    for (let after = 0, waited = 0; after < 12; waited += 1) {
      if (waited > 1_200) throw new Error("the page before does not come");
      await nextFrame();
      const row = rowsIn().find((one) => one.dataset["row"] === key);
      if (!row) throw new Error("the row in view is gone");
      largestDriftPx = Math.max(largestDriftPx, Math.abs(topOf(row) - startPx));
      if (area.scrollHeight > heightPx) after += 1;
    }
  }
  return largestDriftPx;
}
