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

const isSoak = Boolean(process.env["BALCAO_SOAK"]);

/** The windows in which pages are looked at; the middle one and the widest in `npm run soak`. */
export const windows = [
  wide,
  narrow,
  ...(isSoak
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
  // A page that is still being loaded has no heading yet.
  if (within === undefined) await expect(page.locator("h1").first()).toBeAttached();
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

type What = Required<Pick<Where, "where">> & Where;

async function analyzeInTheme(
  page: Page,
  what: What,
  colorScheme: "dark" | "light",
  chosen: Pick<Axe.RunOptions, "rules" | "runOnly">,
): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", colorScheme);
  await analyze(page, { ...what, where: `${what.where}, ${colorScheme}` }, chosen);
}

/**
 * Fails on whatever axe finds on the screen once that has come to rest, or in the part of it that `within` (a selector) says:
 * of any severity, the rules of WCAG 2.2 AA included. In light with all rules and in dark with those of colour, for a user who
 * follows the system's theme. The journey goes on, so that one run names all there is.
 */
export async function expectNoFindings(page: Page, what: What): Promise<void> {
  await analyzeInTheme(page, what, "dark", { runOnly: rulesOfColour });
  await analyzeInTheme(page, what, "light", withTargetSize);
}

/**
 * Looks at the screen in each window, one after the other, so that what had to be opened is opened once, with all rules: light
 * in the first window, dark in the next. `npm run soak` looks at both themes in each. The page keeps the size that it had.
 */
export async function expectNoFindingsInWindows(
  page: Page,
  { where, ...what }: What,
  sizes: typeof windows = windows,
): Promise<void> {
  const before = page.viewportSize();
  for (const [index, size] of sizes.entries()) {
    await page.setViewportSize(size);
    const inWindow = { ...what, where: `${where}, ${size.width} px` };
    if (isSoak) await expectNoFindings(page, inWindow);
    else await analyzeInTheme(page, inWindow, index % 2 === 0 ? "light" : "dark", withTargetSize);
  }
  if (before) await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: "light" });
}
