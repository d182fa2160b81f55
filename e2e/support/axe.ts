import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "@playwright/test";
import { expect } from "@playwright/test";
import type Axe from "axe-core";

type Where = { where?: string; within?: string };

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The global that axe's source defines in the page. */
declare const axe: typeof Axe;

export const wide = { width: 1440, height: 900 };
export const narrow = { width: 390, height: 844 };

/** The windows in which pages are looked at; the middle one and the widest in `npm run soak`. */
export const windows = [
  wide,
  narrow,
  ...(process.env["BALCAO_SOAK"]
    ? [
        { width: 1024, height: 900 },
        { width: 2560, height: 1440 },
      ]
    : []),
];

/** Off in axe unless it is asked for. */
const withTargetSize = { rules: { "target-size": { enabled: true } } };

/** The only rules whose result depends on colours; all others read the DOM, which is the same in both themes. */
const rulesOfColour = ["color-contrast", "link-in-text-block"];

/** Without what makes axe four times slower. */
const quick: Axe.RunOptions = {
  // All that is in order, node by node, would be ten times as much to describe as what is not.
  resultTypes: ["violations"],
  // For two rules that are not serious or not on: sounds that start by themselves, and screens that do not turn.
  preload: false,
};

async function analyze(
  page: Page,
  { where, within }: Where,
  chosen: Pick<Axe.RunOptions, "rules" | "runOnly">,
): Promise<void> {
  await expectStill(page);
  // A document keeps it until the next one is loaded.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(source);
  const findings = await page.evaluate(
    async ([part, runOptions]) => {
      const { violations } = await axe.run(part ?? document, runOptions);
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, html, failureSummary }) => ({ id, target, html, failureSummary })),
      );
    },
    [within, { ...quick, ...chosen }] as const,
  );
  expect.soft(findings, where).toEqual([]);
}

/** Waits until nothing fades or slides any more and no toast lies over the page. */
async function expectStill(page: Page): Promise<void> {
  const toasts = page.locator(".mantine-Notification-root");
  // One stays as long as the pointer rests on it.
  if ((await toasts.count()) > 0) await page.mouse.move(0, page.viewportSize()?.height ?? 0);
  await expect(toasts).toHaveCount(0);
  await page.waitForFunction(() =>
    document
      .getAnimations()
      // A spinner that turns while a request runs is no transition.
      .filter(({ effect }) => effect?.getComputedTiming().iterations !== Infinity)
      .every(({ playState }) => playState === "finished" || playState === "idle"),
  );
}

/**
 * Fails on whatever axe finds on the screen once that has come to rest, or in the part of it that `within` (a selector) says:
 * of any severity, the rules of WCAG 2.2 AA included. In light with all rules and in dark with those of colour, for a user who
 * follows the system's theme. The journey goes on, so that one run names all there is.
 */
export async function expectNoFindings(
  page: Page,
  what: Required<Pick<Where, "where">> & Where,
): Promise<void> {
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme });
    await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", colorScheme);
    const where = `${what.where}, ${colorScheme}`;
    const chosen = colorScheme === "light" ? withTargetSize : { runOnly: rulesOfColour };
    await analyze(page, { ...what, where }, chosen);
  }
}

/**
 * The same in each window, one after the other, so that what had to be opened is opened once. The page keeps the size that it
 * had.
 */
export async function expectNoFindingsInWindows(
  page: Page,
  { where, ...what }: Required<Pick<Where, "where">> & Where,
  sizes: typeof windows = windows,
): Promise<void> {
  const before = page.viewportSize();
  for (const size of sizes) {
    await page.setViewportSize(size);
    await expectNoFindings(page, { ...what, where: `${where}, ${size.width} px` });
  }
  if (before) await page.setViewportSize(before);
}
