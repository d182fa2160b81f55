import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { queryClient } from "../api/query-client.ts";
import { batchPerFrame, createEventJournal } from "./live.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
  queryClient.clear();
});

test("the changes of one frame are applied together, in order", () => {
  const made: number[] = [];
  batchPerFrame(() => made.push(1));
  batchPerFrame(() => made.push(2));
  expect(made).toEqual([]);
  vi.advanceTimersToNextFrame();
  expect(made).toEqual([1, 2]);
});

test("a hidden page without frames applies them too", () => {
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

test("each load gets the events of its duration, in order", async () => {
  const journal = createEventJournal<number>();
  const first = Promise.withResolvers<string>();
  const second = Promise.withResolvers<string>();

  journal.record(0);
  const one = journal.during(() => first.promise);
  journal.record(1);
  const two = journal.during(() => second.promise);
  journal.record(2);
  first.resolve("a");
  expect(await one).toEqual({ reply: "a", missed: [1, 2] });
  journal.record(3);
  second.resolve("b");
  expect(await two).toEqual({ reply: "b", missed: [2, 3] });
});

test("a failed load records no more events", async () => {
  const journal = createEventJournal<number>();
  await expect(journal.during(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await journal.during(() => Promise.resolve(1))).toEqual({ reply: 1, missed: [] });
});
