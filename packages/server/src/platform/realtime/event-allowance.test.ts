import { expect, test } from "vitest";
import { createEventAllowance } from "./socket-session.ts";

const allowed = (isLetThrough: (nowMs: number) => boolean, events: number, nowMs: number): number =>
  Array.from({ length: events }, () => isLetThrough(nowMs)).filter(Boolean).length;

test("a burst of a hundred events is let through, and the rest fills up again with time", () => {
  const isLetThrough = createEventAllowance();
  expect(allowed(isLetThrough, 150, 0)).toBe(100);
  expect(allowed(isLetThrough, 150, 1_000)).toBe(10);
  expect(allowed(isLetThrough, 150, 11_000)).toBe(100);
  expect(allowed(isLetThrough, 150, 3_600_000)).toBe(100);
});

test("a steady client is never refused", () => {
  const isLetThrough = createEventAllowance();
  for (let nowMs = 0; nowMs < 600_000; nowMs += 200) expect(isLetThrough(nowMs)).toBe(true);
});
