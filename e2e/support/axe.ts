import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect } from "@playwright/test";

/**
 * Fails on what axe calls serious or critical on the screen as it is, the rules of WCAG 2.2 AA included. The journey
 * goes on, so that one run names all there is.
 */
export async function expectNoSeriousFindings(page: Page, where?: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page })
    .options({ rules: { "target-size": { enabled: true } } })
    .analyze();
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  const findings = serious.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => ({ id, target, failureSummary })),
  );
  expect.soft(findings, where).toEqual([]);
}
