import { notifications } from "@mantine/notifications";
import { act, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { renderScreen } from "../testing/render.tsx";
import { notifyError, notifyInfo, notifySuccess } from "./toasts.tsx";

afterEach(() => {
  vi.useRealTimers();
  notifications.clean();
});

test.each([
  ["what was done", notifySuccess, 3_000],
  ["what is worth knowing", notifyInfo, 3_000],
  ["what failed", notifyError, 2_000],
] as const)("%s closes after its time", async (_what, notify, afterMs) => {
  renderScreen(null);
  act(() => notify("primeira vez"));
  // The code is loaded from the second toast on.
  await screen.findByText("primeira vez");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  act(() => notify("agora"));
  // The code is imported again, which takes turns of the event loop but no fake time.
  while (screen.queryByText("agora") === null) {
    await act(() => new Promise<void>((resolve) => setImmediate(resolve)));
  }
  await act(async () => vi.advanceTimersByTimeAsync(afterMs - 100));
  expect(screen.getByText("agora")).toBeTruthy();
  await act(async () => vi.advanceTimersByTimeAsync(100 + 500));
  expect(screen.queryByText("agora")).toBeNull();
});
