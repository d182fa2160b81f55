import type { SearchHit } from "@balcao/contract";
import { plainText, splitSignature } from "../messages/index.ts";

export type Excerpt = Readonly<{ before: string; match: string; after: string }>;

/** A card shows one short line: with more in front, the found words would stand outside of it. */
const BEFORE_CHARACTERS = 18;

/** The found words with what stands around them, as one line that a card has room for. */
export function excerptOf(hit: SearchHit): Excerpt {
  // Who signed it is no part of what was said.
  const before = oneLine(hit.fromMe ? splitSignature(hit.before).text : hit.before);
  return { before: tailOf(before), match: oneLine(hit.match), after: oneLine(hit.after) };
}

/** Without formatting and line breaks, but with the spaces at its ends: the parts stand side by side. */
function oneLine(text: string): string {
  const start = /^\s/.test(text) ? " " : "";
  const end = /\S\s+$/.test(text) ? " " : "";
  return start + plainText(text) + end;
}

/** The last whole words that have room. */
function tailOf(text: string): string {
  const characters = Array.from(text);
  if (characters.length <= BEFORE_CHARACTERS) return text;
  const tail = characters.slice(-BEFORE_CHARACTERS).join("");
  const wordStart = tail.search(/\s\S/);
  return `…${wordStart === -1 ? tail : tail.slice(wordStart + 1)}`;
}
