import { expect, test } from "vitest";
import { edgesOf } from "./bubbles.tsx";
import { formatPhone, parsePhone } from "./api.ts";

const at = (time: string) => `2026-11-12T${time}:00.000Z`;

test("messages of one side within five minutes are one group, and each day is shown once", () => {
  const edges = edgesOf([
    { at: "2026-11-11T13:00:00.000Z", fromCustomer: true },
    { at: at("13:00"), fromCustomer: true },
    { at: at("13:04"), fromCustomer: true },
    { at: at("13:05"), fromCustomer: false },
    { at: at("13:11"), fromCustomer: false },
  ]);
  expect(edges.map(({ opensDay }) => opensDay)).toEqual([true, true, false, false, false]);
  expect(edges.map(({ starts }) => starts)).toEqual([true, true, false, true, true]);
  expect(edges.map(({ ends }) => ends)).toEqual([true, false, true, true, true]);
});

test("an empty conversation has no groups", () => {
  expect(edgesOf([])).toEqual([]);
});

test.each([
  ["5511984562210", "+55 11 98456-2210"],
  ["551130405060", "+55 11 3040-5060"],
  ["14155550123", "+14155550123"],
])("%s is shown as %s", (phone, shown) => {
  expect(formatPhone(phone)).toBe(shown);
});

test.each([
  ["+55 (11) 98456-2210", "5511984562210"],
  ["5511984562210", "5511984562210"],
  ["123", null],
  ["55 11 nove", null],
  ["1234567890123456", null],
])("%s is read as %s", (typed, phone) => {
  expect(parsePhone(typed)).toBe(phone);
});
