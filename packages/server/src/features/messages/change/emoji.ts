const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Whether a text is one emoji and nothing else: what people react with. */
export function isEmoji(text: string): boolean {
  const [first, ...rest] = graphemes.segment(text);
  if (first === undefined || rest.length > 0) return false;
  return /\p{Extended_Pictographic}|\p{Regional_Indicator}{2}|\u20E3/u.test(text);
}
