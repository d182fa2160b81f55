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

test("the same person always has the same hue and neighbours rarely share one", () => {
  expect(hueOf(12)).toBe(hueOf(12));
  const hues = new Set(Array.from({ length: 100 }, (_, id) => hueOf(id)));
  expect(hues.size).toBeGreaterThan(60);
});
