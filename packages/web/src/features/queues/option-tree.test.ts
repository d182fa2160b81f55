import { expect, test } from "vitest";
import {
  countBelow,
  levelOf,
  nextNumber,
  pathTo,
  renumbered,
  reordered,
  without,
} from "./chatbot-api.ts";
import { givenOption } from "./testing/queues-server.ts";

const options = [
  givenOption(1, "Dez", { option: "10" }),
  givenOption(2, "Nove", { option: "9" }),
  givenOption(3, "Filha", { parentId: 2, option: "1" }),
  givenOption(4, "Neta", { parentId: 3, option: "1" }),
  givenOption(5, "Bisneta", { parentId: 4, option: "1" }),
];
const titles = (of: readonly { title: string }[]): string[] => of.map(({ title }) => title);

test("a level stands by its numbers, not by their letters", () => {
  expect(titles(levelOf(options, null))).toEqual(["Nove", "Dez"]);
});

test("what lies below is counted through all levels", () => {
  expect([1, 2, 3, 5].map((id) => countBelow(options, id))).toEqual([0, 3, 2, 0]);
});

test("the way to an option begins at the root", () => {
  expect(titles(pathTo(options, 5))).toEqual(["Nove", "Filha", "Neta", "Bisneta"]);
  expect(pathTo(options, 99)).toEqual([]);
});

test("a new option comes behind the last number, also where numbers were left out", () => {
  expect(nextNumber(levelOf(options, null))).toBe(11);
  expect(nextNumber([])).toBe(1);
});

test.each([
  [[1, 2, 3], 1, 2, [2, 3, 1]],
  [[1, 2, 3], 3, 0, [3, 1, 2]],
  [[1, 2, 3], 2, 1, null],
  [[1, 2, 3], 1, -1, null],
  [[1, 2, 3], 3, 3, null],
  [[1, 2, 3], 9, 0, null],
])("of %j, %d taken to place %d gives %j", (ids, id, toIndex, expected) => {
  expect(reordered(ids, id, toIndex)).toEqual(expected);
});

test("a level is numbered anew from 1, others keep their numbers", () => {
  const after = renumbered(options, [1, 2]);
  expect(titles(levelOf(after, null))).toEqual(["Dez", "Nove"]);
  expect(after.find(({ id }) => id === 3)?.option).toBe("1");
});

test("an option goes with all that is below it", () => {
  expect(titles(without(options, 2))).toEqual(["Dez"]);
});
