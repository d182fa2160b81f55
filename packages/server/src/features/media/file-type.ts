import type { MediaKind } from "@balcao/contract";
import { limits } from "@balcao/contract";
import type { Sniffed } from "../../platform/media/media-store.ts";

export type FileRefusal = "ERR_FILE_TYPE_FORBIDDEN" | "ERR_FILE_TYPE_MISMATCH";

const UNKNOWN: FileType = { kind: "document", mime: "application/octet-stream", extension: "bin" };
const PLAIN_TEXT: FileType = { kind: "document", mime: "text/plain", extension: "txt" };

/** The type of a user's file. Its name must match its content, and it must not be executable. */
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

/** The type of a customer's file, by its content. Executable content is stored as untyped bytes. */
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
  // The beginning of most office documents shows only the container.
  const document = OFFICE_DOCUMENTS[sniffed.extension]?.get(claimed);
  if (document !== undefined) return { kind: "document", mime: document, extension: claimed };
  const known = INFERRED_TYPES.get(sniffed.mime);
  if (known !== undefined) return known;
  const kind = kindOf(sniffed.mime);
  const extension = /^[a-z0-9]{1,8}$/.test(sniffed.extension) ? sniffed.extension : "bin";
  return { kind, mime: sniffed.mime, extension };
}

/** Pictures that browsers or this server cannot decode are documents. */
function kindOf(mime: string): FileType["kind"] {
  if (mime.startsWith("video/")) return "video";
  return mime.startsWith("audio/") ? "audio" : "document";
}

/** The type of a stored file. */
export function storedFileType({ key, mime }: { key: string; mime: string }): FileType {
  const known = INFERRED_TYPES.get(mime);
  return { kind: known?.kind ?? kindOf(mime), mime, extension: extensionOf(key) };
}

/** Control characters, and characters that change the reading direction. */
// oxlint-disable-next-line no-control-regex -- exactly these are removed
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const NAMELESS = "arquivo";

/**
 * The name for display and download: without path and invisible characters, limited in length. A name without extension
 * gets `extension`.
 */
export function safeFileName(name: string, extension: string): string {
  const last = name.normalize("NFC").split(/[/\\]/).at(-1) ?? "";
  const shown = withoutEnd(last.replace(UNSEEN, "")).trim();
  const named = shown.replace(/^\.+/, "") === "" ? NAMELESS : shown;
  const ending = extensionOf(named) === "" ? extension : "";
  return withExtension(named, ending);
}

/**
 * Windows drops trailing dots and blanks, which changes the extension. No regular expression, because one anchored to the
 * end takes quadratic time on a name full of dots.
 */
function withoutEnd(name: string): string {
  let end = name.length;
  while (end > 0 && /[.\s]/.test(name.charAt(end - 1))) end -= 1;
  return name.slice(0, end);
}

/** The same name with another extension; an empty one keeps it. */
export function withExtension(name: string, extension: string): string {
  const current = extensionOf(name);
  const stem = current === "" || extension === "" ? name : name.slice(0, -current.length - 1);
  const ending = extension === "" ? "" : `.${extension}`;
  return shorten(stem, ending);
}

/** The lower-case extension after the last dot; empty if there is none. */
export function extensionOf(name: string): string {
  return /[^.]\.([\p{L}\p{N}_-]{1,10})$/u.exec(name)?.[1]?.toLowerCase() ?? "";
}

/** Shortens long names in the middle and keeps the extension. */
function shorten(stem: string, ending: string): string {
  const whole = `${stem}${ending}`;
  if (whole.length <= limits.fileNameMax) return whole;
  const kept = ending === "" ? extensionOf(whole) : ending.slice(1);
  const tail = kept === "" ? "" : `.${kept}`;
  const cut = whole.slice(0, limits.fileNameMax - tail.length);
  // A surrogate pair is not cut in two.
  return `${cut.replace(/[\ud800-\udbff]$/, "")}${tail}`;
}

/** Content that a browser would execute: documents with markup, such as SVG. */
const MARKUP = /<(?:!doctype\s+(?:html|svg)|html|head|body|script|iframe|svg)[\s/>]/i;
const MARKUP_NAMESPACE = /http:\/\/www\.w3\.org\/(?:2000\/svg|1999\/xhtml)/i;
const NOT_CONTENT = /^\uFEFF?(?:\s|<\?[^>]*\?>|<!--[\s\S]*?-->)*/;

/** Bytes that no text contains in an ASCII-compatible encoding. */
function isBinary(byte: number): boolean {
  if (byte < 0x09 || byte === 0x0b) return true;
  return (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f);
}

/** Whether the beginning of a file may be text. */
function looksLikeText(head: Uint8Array): boolean {
  return !head.some(isBinary);
}

/**
 * Whether the beginning of a file is HTML, XHTML or SVG, regardless of its name. Markup later in a text is harmless,
 * because browsers do not render texts.
 */
function looksLikeMarkup(head: Uint8Array): boolean {
  const text = decode(head);
  const start = text.replace(NOT_CONTENT, "");
  if (new RegExp(`^${MARKUP.source}`, "i").test(start)) return true;
  const isXml = /^\uFEFF?\s*<\?xml/i.test(text) || start.startsWith("<!");
  return isXml && (MARKUP.test(text) || MARKUP_NAMESPACE.test(text));
}

/** Also decodes two-byte encodings, in which a browser would find markup. */
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

/** A file's type, by its content. */
export type FileType = {
  kind: Exclude<MediaKind, "voice" | "sticker">;
  mime: string;
  /** The extension of the stored file. */
  extension: string;
  /** The name has a text extension, so the content must not be binary. */
  mustStayText?: boolean;
};

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Extensions of files that operating systems execute. */
const EXECUTABLE_EXTENSIONS: ReadonlySet<string> = new Set(
  words(`exe msi msix msp mst appx bat cmd com scr pif cpl dll ocx sys drv vb vbs vbe js jse mjs cjs wsf wsh hta
    ps1 ps1xml psm1 psd1 psc1 msh lnk scf url reg inf ins isp job gadget application jar jnlp class chm hlp
    sh bash zsh csh command run app action workflow apk aab deb rpm dmg pkg elf so dylib xpi crx`),
);

/** Extensions of files that browsers execute. */
const MARKUP_EXTENSIONS: ReadonlySet<string> = new Set(
  words("svg svgz htm html xhtml xht shtml mht mhtml xsl xslt"),
);

const EXECUTABLE_TYPES: ReadonlySet<string> = new Set([
  "application/x-msdownload",
  "application/x-elf",
  "application/x-mach-binary",
  "application/x-ms-shortcut",
  "application/x-ft-apple.alias",
  "application/java-archive",
  "application/java-vm",
  "application/vnd.android.package-archive",
  "application/x-deb",
  "application/x-rpm",
  "application/x-apple-diskimage",
  "application/x-xpinstall",
  "application/x-google-chrome-extension",
  "application/x-shockwave-flash",
  "application/vnd.ms-htmlhelp",
  "application/x-ms-regedit",
]);

/** Text types by extension; their content has no signature. */
const TEXT_TYPES: ReadonlyMap<string, string> = new Map([
  ["txt", "text/plain"],
  ["log", "text/plain"],
  ["csv", "text/csv"],
  ["tsv", "text/tab-separated-values"],
  ["md", "text/markdown"],
  ["json", "application/json"],
  ["xml", "application/xml"],
  ["yaml", "application/yaml"],
  ["yml", "application/yaml"],
  ["ini", "text/plain"],
  ["sql", "text/plain"],
  ["srt", "text/plain"],
  ["vtt", "text/vtt"],
  ["vcf", "text/vcard"],
  ["ics", "text/calendar"],
  ["ofx", "text/plain"],
  ["ret", "text/plain"],
  ["rem", "text/plain"],
]);

const iso = words("mp4 m4v m4a m4b m4p mov 3gp 3g2 f4v f4p f4a f4b qt");
const ogg = words("ogg oga ogv ogx ogm opus spx");
const matroska = words("webm mkv");
const asf = ["asf"];
const mpeg = words("mp1 mp2 mp3");
const zips =
  words(`zip docx docm dotx dotm xlsx xlsm xltx xltm pptx pptm potx potm ppsx ppsm odt ods odp odg ott ots
  otp otg epub vsdx 3mf key numbers pages`);

/** Extensions of types with a signature, each with the sniffer's possible results (its own extensions). */
const SIGNED_EXTENSIONS: ReadonlyMap<string, readonly string[]> = new Map<
  string,
  readonly string[]
>([
  ...words("jpg jpeg jpe jfif").map((name) => [name, ["jpg"]] as const),
  ["png", ["png", "apng"]],
  ["apng", ["png", "apng"]],
  ["gif", ["gif"]],
  ["webp", ["webp"]],
  ["bmp", ["bmp"]],
  ["ico", ["ico"]],
  ["psd", ["psd"]],
  ...words("tif tiff").map((name) => [name, ["tif"]] as const),
  ...words("heic heif hif avif").map((name) => [name, ["heic", "avif"]] as const),
  ["pdf", ["pdf"]],
  ["rtf", ["rtf"]],
  ...words("mp3 mp2 mpga").map((name) => [name, mpeg] as const),
  ...ogg.map((name) => [name, ogg] as const),
  ...iso.map((name) => [name, iso] as const),
  ...words("webm weba mkv mka").map((name) => [name, matroska] as const),
  ...words("asf wma wmv").map((name) => [name, asf] as const),
  ["wav", ["wav"]],
  ["flac", ["flac"]],
  ["aac", ["aac"]],
  ["amr", ["amr"]],
  ...words("aif aiff").map((name) => [name, ["aif"]] as const),
  ["avi", ["avi"]],
  ...words("mpg mpeg").map((name) => [name, ["mpg", "mp1", "mp2"]] as const),
  ...words("ts mts m2ts").map((name) => [name, ["mts"]] as const),
  ["flv", ["flv"]],
  ...zips.map((name) => [name, zips] as const),
  // Old office documents; word processors write RTF under this name too.
  ["doc", ["cfb", "rtf"]],
  ...words("xls ppt pps msg pub vsd mpp").map((name) => [name, ["cfb"]] as const),
  ["rar", ["rar"]],
  ["7z", ["7z"]],
  ...words("gz tgz").map((name) => [name, ["gz", "tar.gz"]] as const),
  ["bz2", ["bz2"]],
  ["xz", ["xz"]],
  ["tar", ["tar"]],
]);

/** Office documents by extension, for each of their containers. */
const OFFICE_DOCUMENTS: Readonly<Record<string, ReadonlyMap<string, string>>> = {
  zip: new Map([
    ["docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
    ["xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
    ["pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"],
    ["ppsx", "application/vnd.openxmlformats-officedocument.presentationml.slideshow"],
    ["docm", "application/vnd.ms-word.document.macroenabled.12"],
    ["xlsm", "application/vnd.ms-excel.sheet.macroenabled.12"],
    ["pptm", "application/vnd.ms-powerpoint.presentation.macroenabled.12"],
    ["odt", "application/vnd.oasis.opendocument.text"],
    ["ods", "application/vnd.oasis.opendocument.spreadsheet"],
    ["odp", "application/vnd.oasis.opendocument.presentation"],
    ["odg", "application/vnd.oasis.opendocument.graphics"],
    ["epub", "application/epub+zip"],
  ]),
  cfb: new Map([
    ["doc", "application/msword"],
    ["xls", "application/vnd.ms-excel"],
    ["ppt", "application/vnd.ms-powerpoint"],
    ["pps", "application/vnd.ms-powerpoint"],
    ["msg", "application/vnd.ms-outlook"],
    ["pub", "application/x-mspublisher"],
    ["vsd", "application/vnd.visio"],
  ]),
};

/** The sniffer's types that have another name here, and the pictures that are decoded. */
const INFERRED_TYPES: ReadonlyMap<string, FileType> = new Map<string, FileType>([
  ["image/jpeg", { kind: "image", mime: "image/jpeg", extension: "jpg" }],
  ["image/png", { kind: "image", mime: "image/png", extension: "png" }],
  ["image/apng", { kind: "image", mime: "image/png", extension: "png" }],
  ["image/webp", { kind: "image", mime: "image/webp", extension: "webp" }],
  ["image/gif", { kind: "image", mime: "image/gif", extension: "gif" }],
  ["audio/ogg; codecs=opus", { kind: "audio", mime: "audio/ogg; codecs=opus", extension: "ogg" }],
  ["audio/ogg", { kind: "audio", mime: "audio/ogg", extension: "ogg" }],
  ["application/ogg", { kind: "audio", mime: "audio/ogg", extension: "ogg" }],
  ["audio/x-m4a", { kind: "audio", mime: "audio/mp4", extension: "m4a" }],
  ["audio/mp4", { kind: "audio", mime: "audio/mp4", extension: "m4a" }],
  ["video/x-m4v", { kind: "video", mime: "video/mp4", extension: "mp4" }],
  ["audio/x-ms-asf", { kind: "audio", mime: "audio/x-ms-wma", extension: "wma" }],
  ["video/x-ms-asf", { kind: "video", mime: "video/x-ms-wmv", extension: "wmv" }],
  ["application/vnd.ms-asf", { kind: "video", mime: "video/x-ms-asf", extension: "asf" }],
  ["video/matroska", { kind: "video", mime: "video/x-matroska", extension: "mkv" }],
  ["application/x-cfb", { kind: "document", mime: "application/x-ole-storage", extension: "bin" }],
]);

/** ffmpeg's container names by the stored file's MIME type. */
export const FFMPEG_FORMATS: ReadonlyMap<string, string> = new Map([
  ["video/mp4", "mov"],
  ["video/quicktime", "mov"],
  ["video/3gpp", "mov"],
  ["video/3gpp2", "mov"],
  ["audio/mp4", "mov"],
  ["video/webm", "matroska"],
  ["audio/webm", "matroska"],
  ["video/x-matroska", "matroska"],
  ["video/ogg", "ogg"],
  ["audio/ogg", "ogg"],
  ["audio/ogg; codecs=opus", "ogg"],
  ["audio/mpeg", "mp3"],
  ["audio/wav", "wav"],
  ["audio/flac", "flac"],
  ["audio/aac", "aac"],
  ["audio/amr", "amr"],
  ["audio/aiff", "aiff"],
  ["audio/x-caf", "caf"],
  ["audio/x-ms-wma", "asf"],
  ["video/x-ms-wmv", "asf"],
  ["video/x-ms-asf", "asf"],
  ["video/vnd.avi", "avi"],
  ["video/mpeg", "mpeg"],
  ["video/mp2t", "mpegts"],
  ["video/x-flv", "flv"],
]);

/** Sounds that the chat app plays as they are; the others become MP3 (behaviour 1.10). */
export const PLAYED_AS_THEY_ARE: ReadonlySet<string> = new Set([
  "audio/mpeg",
  "audio/ogg; codecs=opus",
  "audio/mp4",
  "audio/aac",
  "audio/amr",
]);
