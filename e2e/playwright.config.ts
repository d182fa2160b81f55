import { defineConfig } from "@playwright/test";
import { browserOptions } from "./support/browser.ts";

/**
 * These journeys measure milliseconds and frames, so no other browser may run beside them. How fast screens are equal again
 * is measured by `npm run soak` alone.
 */
const measuring = process.env["BALCAO_SOAK"]
  ? /(long-lists|convergence)\.spec\.ts$/
  : /long-lists\.spec\.ts$/;

/**
 * The journeys: four workers with a product each, since three leave a fifth of two cores idle; then those that measure,
 * one at a time. Run after a build. A measuring one alone needs `--no-deps`: without it all others run before.
 */
export default defineConfig({
  testDir: "journeys",
  outputDir: "test-results",
  fullyParallel: false,
  workers: 4,
  projects: [
    { name: "journeys", testIgnore: measuring },
    { name: "measuring", testMatch: measuring, dependencies: ["journeys"], workers: 1 },
  ],
  forbidOnly: Boolean(process.env["CI"]),
  retries: 0,
  // Only what hangs is ended by these: on a busy machine a journey takes several times as long.
  timeout: 600_000,
  expect: { timeout: 60_000 },
  reporter: [
    ["line"],
    ...(process.env["BALCAO_E2E_REPORT"]
      ? [["json", { outputFile: process.env["BALCAO_E2E_REPORT"] }] as const]
      : []),
  ],
  // A trace costs a fifth of the CPU: `npm test` records one by running a failed journey again (scripts/test.mjs).
  use: { ...browserOptions, trace: process.env["BALCAO_E2E_TRACE"] === "on" ? "on" : "off" },
});
