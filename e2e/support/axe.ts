import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect } from "@playwright/test";

/**
 * Fails on what axe calls serious or critical on the screen once that has come to rest, or in the part of it that
 * `within` (a selector) says; the rules of WCAG 2.2 AA included. The journey goes on, so that one run names all there is.
 */
export async function expectNoSeriousFindings(
  page: Page,
  { where, within }: { where?: string; within?: string } = {},
): Promise<void> {
  await expectStill(page);
  const axe = new AxeBuilder({ page }).options({ rules: { "target-size": { enabled: true } } });
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

/** The same in light and in dark, for who follows the system's theme. */
export async function expectNoSeriousFindingsInBothThemes(
  page: Page,
  what: { where: string; within?: string },
): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", colorScheme);
    await expectNoSeriousFindings(page, { ...what, where: `${what.where}, ${colorScheme}` });
  }
}
