import { defineConfig } from "@playwright/test";
import { browserOptions } from "./support/browser.ts";

/** Takes pictures of the demo: `npx playwright test -c e2e/pictures.config.ts` after a build. */
export default defineConfig({
  testMatch: "pictures.spec.ts",
  outputDir: "test-results",
  workers: 1,
  timeout: 120_000,
  expect: { timeout: 10_000 },
  reporter: "list",
  use: browserOptions,
});
