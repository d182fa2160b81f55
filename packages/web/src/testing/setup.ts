import { notifications } from "@mantine/notifications";
import { cleanup, configure } from "@testing-library/react";
import { afterEach, beforeAll, beforeEach, vi } from "vitest";
import { queryClient } from "../api/query-client.ts";
import { startTexts, textParts, withTexts } from "../i18n/index.ts";
import { undoOffer } from "../ui/undo.tsx";
import { sockets } from "./sockets.ts";

// Missing in happy-dom. An error that the product reports fails the test, unless the test expects it.
globalThis.reportError ??= (error: unknown) => {
  queueMicrotask(() => {
    throw error;
  });
};

// A limit for events that never come; a second is too short on a busy machine.
configure({ asyncUtilTimeout: 25_000 });

beforeAll(async () => {
  await startTexts();
  for (const part of textParts) await withTexts(part, Promise.resolve());
});

beforeEach(() => {
  sockets.length = 0;
  localStorage.clear();
  sessionStorage.clear();
});

afterEach(() => {
  // In this order: requests of an unmounting screen must not reach a real network.
  cleanup();
  // A closing dialog may outlive its screen.
  document.body.replaceChildren();
  // Files share it; an answer that an earlier file got would never be asked for again under a fixed clock.
  queryClient.clear();
  // Toasts and undo bars of unmounted screens stay in their stores; three toasts keep the next test's toast waiting.
  notifications.clean();
  undoOffer.set(null);
  vi.unstubAllGlobals();
});
