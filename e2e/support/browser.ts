import type { PlaywrightTestConfig } from "@playwright/test";

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
  // A microphone that beeps, and a user who allows it.
  "--use-fake-device-for-media-stream",
  "--use-fake-ui-for-media-stream",
];

/**
 * The browser of journeys and pictures: Debian's Chromium as people in São Paulo have it, without motion, and built without
 * windows, which takes a tenth less CPU.
 */
export const browserOptions: NonNullable<PlaywrightTestConfig["use"]> = {
  locale: "pt-BR",
  timezoneId: "America/Sao_Paulo",
  contextOptions: { reducedMotion: "reduce" },
  launchOptions: {
    executablePath: process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium-headless-shell",
    args: launchArguments,
  },
};
