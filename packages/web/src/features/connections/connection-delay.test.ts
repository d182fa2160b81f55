import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useIsDown } from "./live-connections.ts";
import { givenConnection } from "../tickets/testing/given-choices.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const up = givenConnection(1, "Loja Paulista");
const down = givenConnection(1, "Loja Paulista", { status: "DISCONNECTED" });

const wait = (ms: number): void => act(() => void vi.advanceTimersByTime(ms));

test("a connection is said to be down 2 seconds after it went, not sooner", () => {
  const { result, rerender } = renderHook((connection) => useIsDown(connection), {
    initialProps: up,
  });
  wait(10_000);
  rerender(down);
  wait(1_999);
  expect(result.current).toBe(false);
  wait(1);
  expect(result.current).toBe(true);
  rerender(up);
  expect(result.current).toBe(false);
});

test("one that is back within 2 seconds was never down", () => {
  const { result, rerender } = renderHook((connection) => useIsDown(connection), {
    initialProps: down,
  });
  wait(1_500);
  rerender(up);
  wait(5_000);
  expect(result.current).toBe(false);
});
