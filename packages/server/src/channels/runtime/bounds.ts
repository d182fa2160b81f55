import { z } from "zod";

const LONG_TEXT = 65_536;
const SHORT_TEXT = 2_000;
const LIST = 300;
const PICTURE = 200_000;

/** The beginning of a text, without half a character at its end. */
export function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const end = /[\uD800-\uDBFF]/.test(text.charAt(longest - 1)) ? longest - 1 : longest;
  return text.slice(0, end);
}

/** What people write: cut at the chat app's own limit. */
export const longText = z.string().transform((text) => cut(text, LONG_TEXT));
/** Names, titles, addresses. */
export const shortText = z.string().transform((text) => cut(text, SHORT_TEXT));
/** A small picture as base64; half of a larger one would be none, so it becomes an empty one. */
export const picture = z.string().transform((text) => (text.length > PICTURE ? "" : text));
/** The first ones of a list. */
export const list = <T extends z.ZodType>(item: T) =>
  z
    .array(z.unknown())
    .transform((items) => items.slice(0, LIST))
    .pipe(z.array(item));
