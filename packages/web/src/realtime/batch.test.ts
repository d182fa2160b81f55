import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { queryClient } from "../api/query-client.ts";
import { batchPerFrame } from "./batch.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
  queryClient.clear();
});

test("the changes of one frame are made together, in order", () => {
  const made: number[] = [];
  batchPerFrame(() => made.push(1));
  batchPerFrame(() => made.push(2));
  expect(made).toEqual([]);
  vi.advanceTimersToNextFrame();
  expect(made).toEqual([1, 2]);
});

test("a page without frames makes them all the same", () => {
  vi.stubGlobal("requestAnimationFrame", () => 1);
  const made: number[] = [];
  batchPerFrame(() => made.push(1));
  vi.advanceTimersByTime(250);
  expect(made).toEqual([1]);
  vi.unstubAllGlobals();
});

test("a change that fails is reported and does not stop the others", () => {
  const report = vi.fn();
  vi.stubGlobal("reportError", report);
  const made: number[] = [];
  batchPerFrame(() => {
    throw new Error("broken event");
  });
  batchPerFrame(() => made.push(2));
  vi.advanceTimersToNextFrame();
  expect(made).toEqual([2]);
  expect(report).toHaveBeenCalledOnce();
  vi.unstubAllGlobals();
});
