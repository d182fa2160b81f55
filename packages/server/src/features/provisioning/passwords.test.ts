import { expect, test } from "vitest";
import { systemSources } from "../../platform/sources.ts";
import { generatePassword } from "./passwords.ts";

test("a generated password is readable, long enough, and has upper case, lower case and digits", () => {
  const passwords = Array.from({ length: 500 }, () => generatePassword(systemSources.random));
  const shape = /^[A-HJKMNP-Z][a-hjkmnp-z]{4}-[a-hjkmnp-z]{5}-[2-9]{2}[a-hjkmnp-z]{3}$/;
  expect(passwords.filter((password) => !shape.test(password))).toEqual([]);
  expect(new Set(passwords).size).toBe(passwords.length);
});

test("every character of the alphabets can come up, the first and the last included", () => {
  const always = (pick: (max: number) => number) =>
    generatePassword({ hex: () => "", integer: (min, max) => min + pick(max - min) });
  expect(always(() => 0)).toBe("Aaaaa-aaaaa-22aaa");
  expect(always((count) => count - 1)).toBe("Zzzzz-zzzzz-99zzz");
});
