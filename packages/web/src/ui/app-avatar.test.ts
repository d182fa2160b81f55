import { expect, test } from "vitest";
import { hueOf, initials } from "./app-avatar.tsx";

test.each([
  ["Helena Duarte", "HD"],
  ["Padaria do Bairro", "Pd"],
  ["  João ", "J"],
  ["🌵 Cactos", "🌵C"],
  ["", ""],
])("the initials of %j are %j", (name, expected) => {
  expect(initials(name)).toBe(expected);
});

test("equal ids have the same hue, and neighbouring ids differ", () => {
  expect(hueOf(12)).toBe(hueOf(12));
  expect(hueOf("5511900000001")).toBe(hueOf("5511900000001"));
  for (let id = 1; id < 200; id += 1) {
    const apart = Math.abs(hueOf(id) - hueOf(id + 1));
    expect(Math.min(apart, 360 - apart)).toBeGreaterThan(60);
  }
});
