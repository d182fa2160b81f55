import { automaticTexts } from "@balcao/contract";
import { expect, test } from "vitest";
import { latestRequest, overdueSince, rateIn, ratingRequest } from "./index.ts";

test.each<[string, number | null]>([
  ["1", 1],
  ["2", 2],
  ["3", 3],
  [" 3 \n", 3],
  ["0", null],
  ["4", null],
  ["1!", null],
  ["1.", null],
  ["01", null],
  ["1 2", null],
  ["três", null],
  ["３", null],
  ["", null],
])("2.8: %j is the rating %j", (text, rate) => {
  expect(rateIn(text)).toBe(rate);
});

test.each([
  ["", "Digite de 1 à 3"],
  ["  ", "Digite de 1 à 3"],
  ["Como foi?", "Como foi?\n\nDigite de 1 à 3"],
])("2.8: after the introduction %j the request begins with %j", (introduction, start) => {
  const scale = automaticTexts.ratingRequest.default;
  expect(ratingRequest(introduction, scale).startsWith(start)).toBe(true);
});

test("2.8: the wait is over after 24 hours, whatever the clocks change", () => {
  const now = new Date("2026-11-20T12:00:00Z");
  expect(overdueSince(now)).toEqual(new Date("2026-11-19T12:00:00Z"));
});

test("2.8: what was written a minute before the request, and not earlier, may be its answer", () => {
  expect(latestRequest(new Date("2026-11-20T12:00:00Z"))).toEqual(new Date("2026-11-20T12:01:00Z"));
});
