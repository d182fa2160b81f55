import { expect, test } from "vitest";
import { DomainError } from "../../platform/context.ts";
import { formsOf, readNumber } from "./address.ts";

test.each<[written: string, digits: string]>([
  ["5511987654321", "5511987654321"],
  ["+55 (11) 98765-4321", "5511987654321"],
  ["(11) 98765-4321", "5511987654321"],
  ["11 3456.7890", "551134567890"],
  ["+1 415 555 1234", "14155551234"],
  ["00351 912 345 678", "351912345678"],
  ["351912345678", "351912345678"],
])("%s is %s", (written, digits) => {
  expect(readNumber(written)).toBe(digits);
});

test.each(["onze 98765", "119876a4321", "1234567", "12345678901234567", "+", "١١٩٨٧٦٥٤٣٢١"])(
  "%s is no number",
  (written) => {
    expect(() => readNumber(written)).toThrow(new DomainError("ERR_NUMBER_FORMAT"));
  },
);

test.each<[digits: string, forms: string[]]>([
  ["5511987654321", ["5511987654321", "551187654321"]],
  ["551187654321", ["551187654321", "5511987654321"]],
  ["551134567890", ["551134567890"]],
  ["5511934567890", ["5511934567890"]],
  ["351912345678", ["351912345678"]],
])("the network may know %s as %j", (digits, forms) => {
  expect(formsOf(digits)).toEqual(forms);
});
