import { expect, test } from "vitest";
import { formatPhone } from "./phone-number.ts";

test.each([
  ["5511984562210", "+55 11 98456-2210"],
  ["551132456677", "+55 11 3245-6677"],
  ["13055550100", "+1 305 555-0100"],
  ["351912345678", "+351 912 345 678"],
  ["5491123456789", "+54 9 11 2345-6789"],
  ["4915112345678", "+4915112345678"],
  ["120363041234567890", "120363041234567890"],
  ["", ""],
])("the number %s is written %s", (number, written) => {
  expect(formatPhone(number)).toBe(written);
});
