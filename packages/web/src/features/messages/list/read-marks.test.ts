import { renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startSession } from "../../../api/session-store.ts";
import type { SeenRequest } from "../../../testing/fake-server.ts";
import { fakeServer } from "../../../testing/fake-server.ts";
import { givenToken, givenUser } from "../../../testing/given.ts";
import { useMarkRead } from "./read-marks.ts";

let requests: SeenRequest[];
const reading = { ticketId: 1, hasUnread: true, newestId: "a", isReading: true };

beforeEach(() => {
  startSession(givenToken("t"), givenUser());
  ({ requests } = fakeServer({
    "POST /api/messages/1/read": () => ({ body: { unreadMessages: 0 } }),
  }));
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function startReading(state: Parameters<typeof useMarkRead>[0]) {
  return renderHook((now) => useMarkRead(now), { initialProps: state });
}

function glance(): void {
  vi.advanceTimersByTime(1_000);
}

test("visible messages are marked once", () => {
  startReading(reading);
  expect(requests).toHaveLength(0);
  glance();
  glance();
  expect(requests.map((one) => one.call)).toEqual(["POST /api/messages/1/read"]);
});

test.each([
  ["not his ticket, or its end is out of view", { ...reading, isReading: false }],
  ["nothing is unread", { ...reading, hasUnread: false }],
])("no message is marked: %s", (_, state) => {
  startReading(state);
  glance();
  expect(requests).toHaveLength(0);
});

test("a page in the background marks messages only when it becomes visible", () => {
  const visibility = vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden");
  const { rerender } = startReading(reading);
  glance();
  expect(requests).toHaveLength(0);
  visibility.mockReturnValue("visible");
  rerender(reading);
  glance();
  expect(requests).toHaveLength(1);
});

test("a stream of messages is marked while it arrives, not only at its end", () => {
  const { rerender } = startReading(reading);
  for (const newestId of ["b", "c", "d", "e", "f"]) {
    vi.advanceTimersByTime(150);
    rerender({ ...reading, newestId });
  }
  expect(requests.length).toBeGreaterThan(0);
});
