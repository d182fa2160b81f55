import { expect, test } from "vitest";
import { givenToken } from "../testing/given.ts";
import { tokenSecondsLeft } from "./client.ts";

test("the remaining time of a token is read from it", () => {
  const left = tokenSecondsLeft(givenToken("x", 900), Date.now());
  expect(left).toBeGreaterThan(890);
  expect(left).toBeLessThanOrEqual(900);
});

test.each([
  ["expired", givenToken("x", -5)],
  ["empty", ""],
  ["not a token", "a.%%%.c"],
  ["without an end", `a.${btoa("{}")}.c`],
])("a token that is %s has no remaining time", (_, token) => {
  expect(tokenSecondsLeft(token, Date.now())).toBe(0);
});
