import { defineConfig } from "@playwright/test";
import { browserOptions } from "./support/browser.ts";

/** The journeys: two workers with a product each. Run after a build. */
export default defineConfig({
  testDir: "journeys",
  outputDir: "test-results",
  fullyParallel: false,
  workers: 2,
  forbidOnly: Boolean(process.env["CI"]),
  retries: 0,
  timeout: 90_000,
  expect: { timeout: 10_000 },
  reporter: [
    ["line"],
    ...(process.env["BALCAO_E2E_REPORT"]
      ? [["json", { outputFile: process.env["BALCAO_E2E_REPORT"] }] as const]
      : []),
  ],
  use: { ...browserOptions, trace: "retain-on-failure" },
});
