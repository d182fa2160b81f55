import { readFile } from "node:fs/promises";

export type DocumentLimits = { maxPages: number; maxCharacters: number };

type Fault =
  | "ERR_DOCUMENT_NOT_ONE"
  | "ERR_DOCUMENT_ENCRYPTED"
  | "ERR_DOCUMENT_DAMAGED"
  | "ERR_DOCUMENT_EMPTY";

/** The text of a document, cut where it has more pages or characters than the limits; or why it has none. */
export type DocumentAnswer = { text: string; isCut: boolean } | { fault: Fault };

/** Reads a PDF, or a text in UTF-8, UTF-16 with its mark, or the usual encoding of Windows. */
export async function readText(path: string, limits: DocumentLimits): Promise<DocumentAnswer> {
  const content = await readFile(path);
  const isPdf = content.subarray(0, PDF_MARK_WITHIN).includes("%PDF-");
  const answer = isPdf ? await pdfText(content, limits) : plainText(content);
  if ("fault" in answer) return answer;
  const text = tidied(answer.text);
  if (!/[\p{L}\p{N}]/u.test(text)) return { fault: "ERR_DOCUMENT_EMPTY" };
  if (text.length <= limits.maxCharacters) return { text, isCut: answer.isCut };
  return { text: text.slice(0, limits.maxCharacters).toWellFormed(), isCut: true };
}

/** Some programs write a line before the mark. */
const PDF_MARK_WITHIN = 1_024;

function plainText(content: Buffer): DocumentAnswer {
  const text = decoded(content);
  // oxlint-disable-next-line no-control-regex -- texts have none of these
  if (/[\u0000-\u0008\u000E-\u001A\u001C-\u001F]/.test(text)) {
    return { fault: "ERR_DOCUMENT_NOT_ONE" };
  }
  return { text, isCut: false };
}

function decoded(content: Buffer): string {
  const mark = content.subarray(0, 2).toString("hex");
  const encoding = { fffe: "utf-16le", feff: "utf-16be" }[mark] ?? "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(content);
  } catch {
    return new TextDecoder("windows-1252").decode(content);
  }
}

async function pdfText(content: Buffer, limits: DocumentLimits): Promise<DocumentAnswer> {
  const { getDocumentProxy } = await import("unpdf");
  try {
    const options = { isEvalSupported: false, verbosity: 0, stopAtErrors: false };
    const document = await getDocumentProxy(new Uint8Array(content), options);
    const pages: string[] = [];
    let length = 0;
    for (let number = 1; number <= Math.min(document.numPages, limits.maxPages); number += 1) {
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      const text = textOf(items);
      page.cleanup();
      pages.push(text);
      length += text.length;
      if (length > limits.maxCharacters) break;
    }
    return { text: pages.join("\n\n"), isCut: document.numPages > limits.maxPages };
  } catch (error) {
    const isLocked = error instanceof Error && error.name === "PasswordException";
    return { fault: isLocked ? "ERR_DOCUMENT_ENCRYPTED" : "ERR_DOCUMENT_DAMAGED" };
  }
}

/** A piece of text as it stands on a page; `transform` ends with its place. Other items mark where content begins. */
type Item =
  | { str: string; hasEOL: boolean; height: number; transform: number[] }
  | { type: string };

/** The lines of a page. A line far below the one before begins a paragraph. */
function textOf(items: readonly Item[]): string {
  const lines: { text: string; y: number; height: number }[] = [];
  let isOpen = false;
  for (const item of items) {
    if (!("str" in item)) continue;
    const [y = 0] = item.transform.slice(5);
    const line = lines.at(-1);
    if (isOpen && line) line.text += item.str;
    else if (item.str !== "") lines.push({ text: item.str, y, height: item.height || 10 });
    isOpen = !item.hasEOL && (isOpen || item.str !== "");
  }
  return lines
    .map(({ text, y, height }, index) => {
      const before = lines[index - 1];
      if (!before) return text;
      const isFar = Math.abs(before.y - y) > PARAGRAPH_GAP * Math.max(height, before.height);
      return `${isFar ? "\n\n" : "\n"}${text}`;
    })
    .join("");
}

/** In heights of a line. */
const PARAGRAPH_GAP = 1.8;

/** One kind of line ends, no blanks at their ends, no more than one empty line, words whole that were divided at an end. */
function tidied(text: string): string {
  return (
    text
      .toWellFormed()
      .normalize("NFC")
      // oxlint-disable-next-line no-control-regex -- the database takes no NUL, and nobody reads the others
      .replace(/[\u0000-\u0008\u000B\u000E-\u001F\u00AD\uFEFF]/g, "")
      .replace(/\r\n?|\f|\u2028|\u2029/g, "\n")
      .replace(/[^\S\n]+/g, " ")
      .replace(/ ?\n ?/g, "\n")
      .replace(/(\p{Ll})-\n(?=\p{Ll})/gu, "$1")
      .replace(/\n{3,}/g, "\n\n")
      .trim()
  );
}
