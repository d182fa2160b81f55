import type { ImportTarget } from "@balcao/contract";
import { importProblems, importRules, importTargets } from "@balcao/contract";
import { expect, test } from "vitest";
import { bytesText } from "../../ui/sheet-drop.tsx";
import { countryChoices } from "./countries.ts";
import { percentOf } from "./import-news.tsx";
import {
  columnsUsedTwice,
  countToImport,
  durationText,
  importRules as ownRules,
  importTargets as ownTargets,
  isComplete,
  letterOf,
  problemIn,
  secondsLeft,
} from "./rules.ts";

const columns = (...targets: ImportTarget[]) =>
  targets.map((target) => ({ target, extraName: "" }));

test("the choices are those of the contract", () => {
  expect(ownTargets).toEqual(importTargets);
  expect(ownRules).toEqual(importRules);
  for (const problem of importProblems) {
    expect(problemIn(new URLSearchParams({ problem }))).toBe(problem);
  }
  expect(problemIn(new URLSearchParams("problem=none"))).toBeNull();
});

test.each<[ImportTarget[], number[], boolean]>([
  [["name", "number", "none", "none"], [], true],
  [["name", "number", "extra", "extra"], [], true],
  [["name", "none"], [], false],
  [["number", "name", "number"], [0, 2], false],
  [["tag", "number", "tag", "tag"], [0, 2, 3], false],
])("of the columns %j those used twice are %j, and it can start: %s", (targets, twice, can) => {
  expect([...columnsUsedTwice(columns(...targets))]).toEqual(twice);
  expect(isComplete(columns(...targets))).toBe(can);
});

test.each([
  [0, "A"],
  [25, "Z"],
  [26, "AA"],
  [51, "AZ"],
  [52, "BA"],
  [99, "CV"],
])("column %i is %s", (index, letter) => {
  expect(letterOf(index)).toBe(letter);
});

test("known contacts that are kept count only for a list", () => {
  const trial = { added: 30, known: 5 };
  const [book, list] = [{ contactListId: null }, { contactListId: 4 as never }];
  expect(countToImport(trial, "keep", book)).toBe(30);
  expect(countToImport(trial, "fill", book)).toBe(35);
  expect(countToImport(trial, "replace", book)).toBe(35);
  expect(countToImport(trial, "keep", list)).toBe(35);
});

const evenly = (seconds: number, perSecond: number) =>
  Array.from({ length: seconds + 1 }, (_, at) => ({ atMs: at * 1000, done: at * perSecond }));

test("the rest time is told once the speed has been even for 3 s", () => {
  expect(secondsLeft([], 1000)).toBeNull();
  expect(secondsLeft(evenly(2, 100), 1000)).toBeNull();
  expect(secondsLeft(evenly(3, 100), 1000)).toBeCloseTo(7);
  const standing = evenly(4, 100).map((one) => ({ ...one, done: 50 }));
  expect(secondsLeft(standing, 1000)).toBeNull();
  const rushing = [...evenly(3, 10), { atMs: 4000, done: 600 }];
  expect(secondsLeft(rushing, 1000)).toBeNull();
  // What was long ago does not count.
  const faster = [
    ...evenly(3, 10),
    ...evenly(12, 100).map(({ atMs, done }) => ({ atMs: atMs + 3_000, done: done + 30 })),
  ];
  expect(secondsLeft(faster, 2_230)).toBeCloseTo(10);
});

test.each([
  [0.2, "1 s"],
  [40.2, "41 s"],
  [60, "1 min"],
  [61, "2 min"],
  [3_900, "1 h 5 min"],
])("%d s are %s", (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});

test("a rest time is told in steps", () => {
  expect(durationText(8.1, { isRough: true })).toBe("9 s");
  expect(durationText(12, { isRough: true })).toBe("15 s");
});

test("sizes are in the units of the limit, and all is done only at the end", () => {
  expect(bytesText(25 * 1024 * 1024)).toBe("25 MB");
  expect(bytesText(3_250_000)).toBe("3,1 MB");
  expect(bytesText(900)).toBe("1 kB");
  expect(percentOf({ done: 999, rows: 1000 })).toBe(99);
  expect(percentOf({ done: 1000, rows: 1000 })).toBe(100);
});

test("countries have the names of the language and their codes, and a strange one stays chosen", () => {
  const portuguese = countryChoices("pt-BR", "BR");
  expect(portuguese).toContainEqual({ value: "BR", label: "Brasil +55" });
  expect(portuguese.length).toBeGreaterThan(230);
  expect(countryChoices("en-GB", "BR")).toContainEqual({ value: "DE", label: "Germany +49" });
  expect(countryChoices("es", "AQ").find(({ value }) => value === "AQ")?.label).toBe("Antártida");
});
