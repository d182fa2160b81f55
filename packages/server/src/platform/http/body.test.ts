import { expect, test } from "vitest";
import { jsonFault } from "./body.ts";

const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

test.each([
  ["64 levels", nested(64)],
  ["many values side by side", `[${nested(1)},${nested(1)}]`],
  ["brackets inside a text", `{"a":"${"[".repeat(200)}"}`],
  ["an escaped quote before brackets", `{"a":"\\"${"[".repeat(200)}"}`],
  ["a backslash followed by u0000", '{"a":"\\\\u0000"}'],
  ["another control character", '{"a":"\\u0001"}'],
  ["no JSON at all", "hello"],
])("%s may be parsed", (_name, text) => {
  expect(jsonFault(text)).toBeNull();
});

test.each([
  ["65 levels", nested(65), /nest deeper/],
  ["a million opening brackets", "[".repeat(1_000_000), /nest deeper/],
  ["objects in lists in objects", '{"a":['.repeat(40), /nest deeper/],
  ["a NUL", '{"a":"x\\u0000"}', /NUL/],
  ["a NUL after an escaped backslash", '{"a":"\\\\\\u0000"}', /NUL/],
  ["a NUL in a key", '{"a\\u0000":1}', /NUL/],
])("%s is refused", (_name, text, reason) => {
  expect(jsonFault(text)).toMatch(reason);
});
