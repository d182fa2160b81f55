import { expect, test } from "vitest";
import { waitingLabel } from "./card-texts.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

test.each([
  ["no time", 0, { tone: undefined, unit: "minutes", value: 0 }],
  ["2 min 59 s", 3 * MINUTE - SECOND, { tone: undefined, unit: "minutes", value: 2 }],
  ["3 min", 3 * MINUTE, { tone: "ok", unit: "minutes", value: 3 }],
  ["10 min 59 s", 11 * MINUTE - SECOND, { tone: "ok", unit: "minutes", value: 10 }],
  ["11 min", 11 * MINUTE, { tone: undefined, unit: "minutes", value: 11 }],
  ["29 min 59 s", 30 * MINUTE - SECOND, { tone: undefined, unit: "minutes", value: 29 }],
  ["30 min", 30 * MINUTE, { tone: "warn", unit: "minutes", value: 30 }],
  ["59 min 59 s", HOUR - SECOND, { tone: "warn", unit: "minutes", value: 59 }],
  ["60 min", HOUR, { tone: "bad", unit: "hours", value: 1 }],
  ["23 h 59 min", DAY - MINUTE, { tone: "bad", unit: "hours", value: 23 }],
  ["24 h", DAY, { tone: "bad", unit: "days", value: 1 }],
  ["3 days and a half", 3.5 * DAY, { tone: "bad", unit: "days", value: 3 }],
  [
    "a clock that is behind the server's",
    -5 * MINUTE,
    { tone: undefined, unit: "minutes", value: 0 },
  ],
])("after %s", (_, elapsedMs, expected) => {
  const at = Date.UTC(2026, 10, 20, 10);
  expect(waitingLabel(at, at + elapsedMs)).toEqual(expected);
});
