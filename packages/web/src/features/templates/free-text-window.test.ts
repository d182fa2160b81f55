import { expect, test } from "vitest";
import { freeTextWindow, timeLeft, untilNextState } from "./free-text-window.ts";

const until = "2026-11-20T18:00:00.000Z";
const at = (time: string): number => Date.parse(`2026-11-20T${time}.000Z`);
const hour = 60 * 60_000;

test.each([
  ["11:59:59", "free", 1_000],
  ["12:00:00", "closing", 6 * hour],
  ["17:59:59", "closing", 1_000],
  ["18:00:00", "closed", null],
  ["20:00:00", "closed", null],
])("at %s a window until 18:00 is %s", (time, state, nextMs) => {
  expect(freeTextWindow(until, at(time))).toBe(state);
  expect(untilNextState(until, at(time))).toBe(nextMs);
});

test("without a rule the window never closes", () => {
  expect(freeTextWindow(null, at("12:00:00"))).toBe("free");
  expect(untilNextState(null, at("12:00:00"))).toBeNull();
});

test.each([
  ["12:30:00", 5, 30],
  ["17:00:01", 1, 0],
  ["17:59:59", 0, 1],
])("at %s there are %i h %i min left", (time, hours, minutes) => {
  expect(timeLeft(until, at(time))).toEqual({ hours, minutes });
});
