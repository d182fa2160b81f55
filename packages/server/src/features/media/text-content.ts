/** What a browser would run if it believed it: documents with markup (SVG is one). */
const MARKUP = /<(?:!doctype\s+(?:html|svg)|html|head|body|script|iframe|svg)[\s/>]/i;
const MARKUP_NAMESPACE = /http:\/\/www\.w3\.org\/(?:2000\/svg|1999\/xhtml)/i;
const NOT_CONTENT = /^\uFEFF?(?:\s|<\?[^>]*\?>|<!--[\s\S]*?-->)*/;

/** Bytes that no text has, in any encoding that has one byte for each ASCII character. */
function isBinary(byte: number): boolean {
  if (byte < 0x09 || byte === 0x0b) return true;
  return (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f);
}

/** Whether the beginning of a file can be text. */
export function looksLikeText(head: Uint8Array): boolean {
  return !head.some(isBinary);
}

/**
 * Whether the beginning of a file is HTML, XHTML or SVG, whatever it is called. Markup further down in a text is none:
 * a text is not shown by a browser.
 */
export function looksLikeMarkup(head: Uint8Array): boolean {
  const text = decode(head);
  const start = text.replace(NOT_CONTENT, "");
  if (new RegExp(`^${MARKUP.source}`, "i").test(start)) return true;
  const isXml = /^\uFEFF?\s*<\?xml/i.test(text) || start.startsWith("<!");
  return isXml && (MARKUP.test(text) || MARKUP_NAMESPACE.test(text));
}

/** Also the encodings with two bytes per character, in which a browser would find markup. */
function decode(head: Uint8Array): string {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return bytes.toString("utf16le");
  if (first === 0xfe && second === 0xff) {
    return Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)))
      .swap16()
      .toString("utf16le");
  }
  return bytes.toString("utf8");
}
