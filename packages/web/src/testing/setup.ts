import { cleanup, configure } from "@testing-library/react";
import { afterEach, beforeAll, beforeEach, vi } from "vitest";
import { startTexts, withLaterTexts } from "../i18n/index.ts";

// Missing in happy-dom. What the product reports as an error fails the test, unless the test expects it.
globalThis.reportError ??= (error: unknown) => {
  queueMicrotask(() => {
    throw error;
  });
};

// Ends what never comes, not what is slow: on a busy machine a second is short.
configure({ asyncUtilTimeout: 10_000 });

beforeAll(async () => {
  await withLaterTexts(startTexts());
});

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

afterEach(() => {
  // In this order: what a screen still sends while it goes must not leave for a real network.
  cleanup();
  // A dialog on its way out may outlive its screen.
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});
