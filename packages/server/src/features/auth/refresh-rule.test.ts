import { expect, test } from "vitest";
import { judgeRefresh } from "./refresh-rule.ts";

const now = new Date("2026-01-01T12:00:00Z");
const secondsAgo = (seconds: number) => new Date(now.getTime() - seconds * 1_000);

test.each([
  ["the newest token rotates", { tokenVersion: 3, generation: 7 }, secondsAgo(5), "rotate"],
  ["however long ago it was given", { tokenVersion: 3, generation: 7 }, secondsAgo(9e5), "rotate"],
  [
    "the one before is repeated for a minute",
    { tokenVersion: 3, generation: 6 },
    secondsAgo(60),
    "repeat",
  ],
  ["and is reused after it", { tokenVersion: 3, generation: 6 }, secondsAgo(61), "reuse"],
  ["an older one is reused at once", { tokenVersion: 3, generation: 5 }, secondsAgo(1), "reuse"],
  ["one without a known renewal is reused", { tokenVersion: 3, generation: 6 }, null, "reuse"],
  ["one of an older session is ended", { tokenVersion: 2, generation: 7 }, secondsAgo(1), "ended"],
  ["one from the future is ended", { tokenVersion: 3, generation: 8 }, secondsAgo(1), "ended"],
] as const)("%s", (_name, claims, refreshedAt, verdict) => {
  const stored = { tokenVersion: 3, refreshGeneration: 7, refreshedAt };
  expect(judgeRefresh(claims, stored, now)).toBe(verdict);
});
