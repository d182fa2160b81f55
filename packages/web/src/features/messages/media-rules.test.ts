import { describe, expect, test } from "vitest";
import { fileEnding, formatBytes, formatDuration } from "./media-labels.ts";
import { pictureSize } from "./media-size.ts";
import { givenMedia } from "./testing/given-media.ts";
import { barsOf } from "./waveform.ts";

describe("the room of a picture", () => {
  test.each([
    ["a wide one", 1_600, 1_200, 268, 201],
    ["a high one is cut to the height", 900, 1_600, 180, 320],
    ["a small one is not blown up", 200, 150, 200, 150],
    ["a tiny one still has room for a finger", 10, 10, 120, 72],
    ["a strip is not a line", 3_000, 60, 268, 72],
  ])("%s", (_, width, height, widthPx, heightPx) => {
    expect(pictureSize(givenMedia({ width, height }))).toEqual({ widthPx, heightPx });
  });

  test("of unknown size is there all the same", () => {
    const size = pictureSize(givenMedia({ width: null, height: null }));
    expect(size).toEqual({ widthPx: 268, heightPx: 201 });
  });

  test("of a sticker is smaller", () => {
    const sticker = givenMedia({ kind: "sticker", width: 512, height: 512 });
    expect(pictureSize(sticker)).toEqual({ widthPx: 144, heightPx: 144 });
  });
});

test.each([
  [0, "0:00"],
  [14_900, "0:14"],
  [61_000, "1:01"],
  [3_750_000, "1:02:30"],
])("%i ms are %s", (durationMs, text) => {
  expect(formatDuration(durationMs)).toBe(text);
});

test.each([
  [640_000, /^640 kB$/],
  [1_234_567, /^1,2 MB$/],
  [256_000_000, /^256 MB$/],
  [12, /^12 bytes$/],
])("%i bytes are written short", (bytes, text) => {
  expect(formatBytes(bytes).replaceAll(/\s/g, " ")).toMatch(text);
});

test.each([
  ["contrato.PDF", "PDF"],
  ["sem-final", ""],
  [".oculto", ""],
  ["a.verylongending", ""],
])("the ending of %s is '%s'", (name, ending) => {
  expect(fileEnding(name)).toBe(ending);
});

describe("the bars of an audio", () => {
  test("are always as many, whatever the levels", () => {
    expect(barsOf([5]).length).toBe(barsOf(Array.from({ length: 999 }, () => 50)).length);
  });

  test("show the loudest of their part, and never nothing", () => {
    const levels = Array.from({ length: 280 }, (_, index) => (index === 15 ? 100 : 0));
    expect(barsOf(levels).filter((height) => height === 100)).toHaveLength(1);
    expect(Math.min(...barsOf(levels))).toBeGreaterThan(0);
  });

  test("are flat where nothing is known", () => {
    expect(new Set(barsOf(null)).size).toBe(1);
  });
});
