// Without schemas: the browser needs them too.

/** The characters of a code; none of them looks like another one. */
export const resetCodeAlphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/** The characters of a typed or pasted code, which may have small letters, blanks and a hyphen. */
export function readResetCode(typed: string): string {
  return Array.from(typed.toUpperCase())
    .filter((character) => resetCodeAlphabet.includes(character))
    .join("");
}

/** "K7QD-2M9X": a code as people read it. */
export function showResetCode(code: string): string {
  return `${code.slice(0, code.length / 2)}-${code.slice(code.length / 2)}`;
}

/** The parts that a password must have when it is set by a code (spec, reset password). */
export const passwordParts = {
  length: /^.{8,}$/su,
  upper: /\p{Lu}/u,
  lower: /\p{Ll}/u,
  digit: /\d/,
} as const;
export type PasswordPart = keyof typeof passwordParts;
export const passwordPartNames = Object.keys(passwordParts) as PasswordPart[];

/** Whether a password has all of these. */
export const hasPasswordParts = (password: string): boolean =>
  passwordPartNames.every((part) => passwordParts[part].test(password));
