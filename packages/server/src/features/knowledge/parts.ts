/** A part is quoted as a whole: enough for an answer, and six of them are no long text. */
const PART_MAX = 800;
/** The end of a part stands once more at the beginning of the next, so that an answer across both is found. */
const OVERLAP_MAX = 160;

/**
 * Cuts a text into parts of at most `PART_MAX` characters: at the ends of paragraphs, of sentences where a paragraph is
 * longer, and of words where a sentence is.
 */
export function partsOf(text: string): string[] {
  const parts: string[] = [];
  let part = "";
  for (const { text: piece, isNewParagraph } of piecesOf(text)) {
    const joined = part === "" ? piece : `${part}${isNewParagraph ? "\n\n" : " "}${piece}`;
    if (joined.length <= PART_MAX) {
      part = joined;
      continue;
    }
    parts.push(part);
    const begin = lastSentence(part);
    part = begin.length + piece.length < PART_MAX ? `${begin}${begin && " "}${piece}` : piece;
  }
  return part === "" ? parts : [...parts, part];
}

/** What is not cut any more: a short paragraph, a sentence, or a piece of a very long one. */
function piecesOf(text: string): { text: string; isNewParagraph: boolean }[] {
  const paragraphs = text
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== "");
  return paragraphs.flatMap((paragraph) => {
    const pieces =
      paragraph.length <= PART_MAX ? [paragraph] : sentencesOf(paragraph).flatMap(shortened);
    return pieces.map((piece, index) => ({ text: piece, isNewParagraph: index === 0 }));
  });
}

/** Lines count as sentences: lists have no full stops. */
const sentencesOf = (paragraph: string): string[] =>
  paragraph
    .split(/(?<=[.!?…])\s+|\n+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");

function shortened(sentence: string): string[] {
  if (sentence.length <= PART_MAX) return [sentence];
  const blank = sentence.lastIndexOf(" ", PART_MAX);
  const end = blank > 0 ? blank : wholeCharacters(sentence, PART_MAX);
  return [sentence.slice(0, end), ...shortened(sentence.slice(end).trimStart())];
}

/** Not in the middle of a character of two units. */
function wholeCharacters(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? end - 1 : end;
}

function lastSentence(part: string): string {
  const last = sentencesOf(part).at(-1) ?? "";
  return last.length <= OVERLAP_MAX && last.length < part.length ? last : "";
}
