import { expect, test } from "vitest";
import type { BrandRole, ColorScheme } from "./brand-choices.ts";
import {
  brandShades,
  colorSchemes,
  contrast,
  neutralShades,
  PRODUCT_COLOR,
  productShades,
  TEXT_CONTRAST,
} from "./brand-choices.ts";

const part = (value: number): string => value.toString(16).padStart(2, "0");

/** Each mixture of red, green and blue in steps of 51: 216 colours with black, white and all greys between. */
const colors = Array.from({ length: 216 }, (_, at) => {
  const parts = [Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6];
  return `#${parts.map((one) => part(one * 51)).join("")}`;
});

const softRoles = ["acc-soft", "sel", "out"] as const;

/** Every text with the grounds that it stands on, and the contrast that it must have. */
function pairsOf(
  scheme: ColorScheme,
  color: string,
): [name: string, actual: number, asked: number][] {
  const shades = brandShades(color)[scheme];
  const { grounds, texts } = neutralShades[scheme];
  const allGrounds = [...Object.values(grounds), ...softRoles.map((role) => shades[role])];
  const ownTexts = (["acc", "acc-ink"] as const).flatMap((role) =>
    allGrounds.map((ground): [string, number, number] => [
      `${role} on ${ground}`,
      contrast(shades[role], ground),
      TEXT_CONTRAST,
    ]),
  );
  const onAccent = (["acc", "acc-h"] as const).map((role): [string, number, number] => [
    `text on ${role}`,
    contrast(shades["on-acc"], shades[role]),
    TEXT_CONTRAST,
  ]);
  const onSoft = softRoles.flatMap((role) =>
    Object.entries(texts).map(([name, text]): [string, number, number] => [
      `${name} on ${role}`,
      contrast(text, shades[role]),
      Math.min(TEXT_CONTRAST, contrast(text, productShades[scheme][role])),
    ]),
  );
  return [...ownTexts, ...onAccent, ...onSoft];
}

test.each(colorSchemes)("every text of every colour can be read in %s", (scheme) => {
  const wrong = colors.flatMap((color) =>
    pairsOf(scheme, color)
      .filter(([, actual, asked]) => actual < asked)
      .map(([name, actual]) => `${color}: ${name} has ${actual.toFixed(2)}`),
  );
  expect(wrong).toEqual([]);
});

test("the texts of the product's own colours have the contrast that is asked of brands", () => {
  for (const scheme of colorSchemes) {
    const own = productShades[scheme];
    expect(contrast(own["on-acc"], own.acc)).toBeGreaterThanOrEqual(TEXT_CONTRAST);
    for (const ground of Object.values(neutralShades[scheme].grounds)) {
      expect(contrast(own["acc-ink"], ground)).toBeGreaterThanOrEqual(TEXT_CONTRAST);
    }
  }
});

test("a colour that can be read is used as it is; a light one becomes darker, and lighter in the dark", () => {
  expect(brandShades("#1d4ed8").light.acc).toBe("#1d4ed8");
  expect(brandShades(PRODUCT_COLOR).light.acc).toBe(PRODUCT_COLOR);
  const yellow = brandShades("#ffd400");
  expect(contrast(yellow.light.acc, "#ffffff")).toBeLessThan(7);
  expect(contrast(yellow.dark.acc, "#000000")).toBeGreaterThan(7);
  expect(contrast(brandShades("#000000").dark.acc, "#141917")).toBeGreaterThan(TEXT_CONTRAST);
});

test.each(["#000000", "#ffffff", "#ff0000", "#123456"])(
  "a button of %s changes under the pointer",
  (color) => {
    for (const scheme of colorSchemes) {
      const roles: Record<BrandRole, string> = brandShades(color)[scheme];
      expect(roles.acc).not.toBe(roles["acc-h"]);
      expect(Object.values(roles).every((hex) => /^#[\da-f]{6}$/.test(hex))).toBe(true);
    }
  },
);
