import { defineConfig } from "@playwright/test";

/** Flags that Debian's Chromium needs in containers and as root, and without which it looks for hosts outside. */
const launchArguments = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-default-apps",
  "--disable-sync",
  "--no-first-run",
  "--font-render-hinting=none",
  "--force-color-profile=srgb",
];

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
  use: {
    locale: "pt-BR",
    timezoneId: "America/Sao_Paulo",
    contextOptions: { reducedMotion: "reduce" },
    trace: "retain-on-failure",
    launchOptions: {
      executablePath: process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium",
      args: launchArguments,
    },
  },
});
