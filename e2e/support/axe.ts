import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect } from "@playwright/test";

type Where = { where?: string; within?: string };

/** The only rules whose result depends on colours; all others read the DOM, which is the same in both themes. */
const rulesOfColour = ["color-contrast", "link-in-text-block"];

/**
 * Fails on what axe calls serious or critical on the screen once that has come to rest, or in the part of it that
 * `within` (a selector) says; the rules of WCAG 2.2 AA included. The journey goes on, so that one run names all there is.
 */
export async function expectNoSeriousFindings(page: Page, what: Where = {}): Promise<void> {
  const target = { rules: { "target-size": { enabled: true } } };
  await analyze(page, what, (axe) => axe.options(target));
}

async function analyze(
  page: Page,
  { where, within }: Where,
  choose: (axe: AxeBuilder) => AxeBuilder,
): Promise<void> {
  await expectStill(page);
  // Legacy mode runs in the page alone; the other one opens a further page each time, to join the results of frames.
  const axe = choose(new AxeBuilder({ page }).setLegacyMode(true));
  const { violations } = await (within === undefined ? axe : axe.include(within)).analyze();
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  const findings = serious.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => ({ id, target, failureSummary })),
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
      // What turns for as long as something is under way is no movement from here to there.
      .filter(({ effect }) => effect?.getComputedTiming().iterations !== Infinity)
      .every(({ playState }) => playState === "finished" || playState === "idle"),
  );
}

/** The same in light with all rules and in dark with those of colour, for a user who follows the system's theme. */
export async function expectNoSeriousFindingsInBothThemes(
  page: Page,
  what: Required<Pick<Where, "where">> & Where,
): Promise<void> {
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme });
    await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", colorScheme);
    const where = `${what.where}, ${colorScheme}`;
    if (colorScheme === "light") await expectNoSeriousFindings(page, { ...what, where });
    else await analyze(page, { ...what, where }, (axe) => axe.withRules(rulesOfColour));
  }
}
