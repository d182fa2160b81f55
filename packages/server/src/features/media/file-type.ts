import type { Sniffed } from "../../platform/media/sniff.ts";
import { extensionOf } from "./file-name.ts";
import type { FileType } from "./known-types.ts";
import {
  EXECUTABLE_EXTENSIONS,
  EXECUTABLE_TYPES,
  INFERRED_TYPES,
  MARKUP_EXTENSIONS,
  OFFICE_DOCUMENTS,
  SIGNED_EXTENSIONS,
  TEXT_TYPES,
} from "./known-types.ts";
import { looksLikeMarkup, looksLikeText } from "./text-content.ts";

export type FileRefusal = "ERR_FILE_TYPE_FORBIDDEN" | "ERR_FILE_TYPE_MISMATCH";

const UNKNOWN: FileType = { kind: "document", mime: "application/octet-stream", extension: "bin" };
const PLAIN_TEXT: FileType = { kind: "document", mime: "text/plain", extension: "txt" };

/** What somebody of the company sends: its name must not lie, and nothing in it may run. */
export function agentFileType(
  name: string,
  head: Uint8Array,
  sniffed: Sniffed | null,
): FileType | FileRefusal {
  const extension = extensionOf(name);
  if (EXECUTABLE_EXTENSIONS.has(extension) || MARKUP_EXTENSIONS.has(extension)) {
    return "ERR_FILE_TYPE_FORBIDDEN";
  }
  if (isDangerous(head, sniffed)) return "ERR_FILE_TYPE_FORBIDDEN";

  const textType = TEXT_TYPES.get(extension);
  if (textType !== undefined) {
    const isText = looksLikeText(head) && (sniffed === null || isTextual(sniffed.mime));
    return isText
      ? { kind: "document", mime: textType, extension, mustStayText: true }
      : "ERR_FILE_TYPE_MISMATCH";
  }
  const expected = SIGNED_EXTENSIONS.get(extension);
  if (expected === undefined) return customerFileType(name, head, sniffed);
  if (sniffed === null || !expected.includes(sniffed.extension)) return "ERR_FILE_TYPE_MISMATCH";
  return typeOf(sniffed, extension);
}

/** What a customer sent: taken as what it is. What could run is kept as bytes of no type. */
export function customerFileType(
  name: string,
  head: Uint8Array,
  sniffed: Sniffed | null,
): FileType {
  if (isDangerous(head, sniffed)) return UNKNOWN;
  const extension = extensionOf(name);
  if (sniffed !== null && !isTextual(sniffed.mime)) return typeOf(sniffed, extension);
  if (!looksLikeText(head)) return UNKNOWN;
  const textType = TEXT_TYPES.get(extension);
  return textType === undefined ? PLAIN_TEXT : { kind: "document", mime: textType, extension };
}

function isDangerous(head: Uint8Array, sniffed: Sniffed | null): boolean {
  return looksLikeMarkup(head) || (sniffed !== null && EXECUTABLE_TYPES.has(sniffed.mime));
}

/** Types that the sniffer finds in texts. */
function isTextual(mime: string): boolean {
  return mime === "application/xml" || mime.startsWith("text/");
}

function typeOf(sniffed: Sniffed, claimed: string): FileType {
  // Of most office documents a file's beginning shows the container only.
  const document = OFFICE_DOCUMENTS[sniffed.extension]?.get(claimed);
  if (document !== undefined) return { kind: "document", mime: document, extension: claimed };
  const known = INFERRED_TYPES.get(sniffed.mime);
  if (known !== undefined) return known;
  const kind = kindOf(sniffed.mime);
  const extension = /^[a-z0-9]{1,8}$/.test(sniffed.extension) ? sniffed.extension : "bin";
  return { kind, mime: sniffed.mime, extension };
}

/** Pictures that browsers do not show, or that are not decoded here, travel as documents. */
function kindOf(mime: string): FileType["kind"] {
  if (mime.startsWith("video/")) return "video";
  return mime.startsWith("audio/") ? "audio" : "document";
}

/** The type of a file that is stored already. */
export function storedFileType({ key, mime }: { key: string; mime: string }): FileType {
  const known = INFERRED_TYPES.get(mime);
  return { kind: known?.kind ?? kindOf(mime), mime, extension: extensionOf(key) };
}
