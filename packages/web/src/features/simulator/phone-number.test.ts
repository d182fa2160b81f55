import { expect, test } from "vitest";
import { formatPhone, parsePhone } from "./api.ts";

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
])("%s is taken as %s", (typed, phone) => {
  expect(parsePhone(typed)).toBe(phone);
});
