import { expect, test } from "vitest";
import { freeColor, isColor, normalColor, palette } from "./color-field.tsx";

test("the palette has fifty different colours", () => {
  expect(new Set(palette.map(({ hex }) => hex)).size).toBe(50);
  expect(palette.every(({ hex }) => isColor(hex) && hex === normalColor(hex))).toBe(true);
});

test.each([
  ["#ABC", "#aabbcc"],
  [" #0D6B59 ", "#0d6b59"],
  ["#0d6b59", "#0d6b59"],
])("%j is the colour %s", (typed, color) => {
  expect(isColor(typed)).toBe(true);
  expect(normalColor(typed)).toBe(color);
});

test.each(["", "0d6b59", "#0d6b5", "#0d6b599", "red"])("%j is not a colour", (typed) => {
  expect(isColor(typed)).toBe(false);
});

test("a new queue gets a free colour, also the last free one", () => {
  const all = palette.map(({ hex }) => hex.toUpperCase());
  expect(all).not.toContain(freeColor([]).toLowerCase());
  expect(freeColor(all.slice(1)).toUpperCase()).toBe(all[0]);
});
