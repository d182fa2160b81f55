import type { Random } from "../../platform/sources.ts";

// No l, o, i, 0 or 1: whoever copies it from a terminal must not guess.
const UPPER = "ABCDEFGHJKMNPQRSTUVWXYZ";
const LOWER = "abcdefghjkmnpqrstuvwxyz";
const DIGITS = "23456789";

/**
 * A password to be read from a screen and typed, as `Kmtpx-qwert-47abc`: an upper-case letter, lower-case letters and
 * digits in three groups, about 64 bits of randomness.
 */
export function generatePassword(random: Random): string {
  const pick = (alphabet: string, length: number) =>
    Array.from({ length }, () => alphabet.charAt(random.integer(0, alphabet.length))).join("");
  const groups = [
    pick(UPPER, 1) + pick(LOWER, 4),
    pick(LOWER, 5),
    pick(DIGITS, 2) + pick(LOWER, 3),
  ];
  return groups.join("-");
}
