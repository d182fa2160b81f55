/** A text with the caret, or the selection, in it. */
export type TextAtCaret = Readonly<{ text: string; start: number; end: number }>;

/** Puts `inserted` in place of the selection; the caret stands behind it. */
export function insertText({ text, start, end }: TextAtCaret, inserted: string): TextAtCaret {
  const caret = start + inserted.length;
  return { text: text.slice(0, start) + inserted + text.slice(end), start: caret, end: caret };
}

/** The `/term` that the caret stands at the end of, and where it begins. */
export type SlashTerm = Readonly<{ term: string; start: number; end: number }>;

/** At the start of the text, or after white space; without white space in it. */
const SLASH = /(?:^|\s)\/(\S*)$/;

/** What is being typed after a `/`, null when the caret does not stand behind one. */
export function slashTerm({ text, start, end }: TextAtCaret): SlashTerm | null {
  if (start !== end) return null;
  const term = SLASH.exec(text.slice(0, end))?.[1];
  return term === undefined ? null : { term, start: end - term.length - 1, end };
}
