import yauzl from "yauzl";

/** Why a file is not read: a code of the contract's `sheetErrors`, with what its text needs. */
export type SheetFault = { code: string; data?: Record<string, string | number> };

/** Thrown inside the process that reads; it tells the fault and ends. */
export class UnreadableSheet extends Error {
  readonly fault: SheetFault;

  constructor(code: string, data?: Record<string, string | number>) {
    super(code);
    this.fault = data === undefined ? { code } : { code, data };
  }
}

export const notASheet = (kind: string): UnreadableSheet =>
  new UnreadableSheet("ERR_SHEET_NOT_ONE", { kind });

export type SheetKind = "zip" | "compound" | "oldBinary" | "markup" | "text";

/** The first bytes of files that people take for spreadsheets by their names. */
const others: readonly (readonly [kind: string, bytes: readonly number[]])[] = [
  ["exe", [0x4d, 0x5a]],
  ["elf", [0x7f, 0x45, 0x4c, 0x46]],
  ["pdf", [0x25, 0x50, 0x44, 0x46]],
  ["jpg", [0xff, 0xd8, 0xff]],
  ["png", [0x89, 0x50, 0x4e, 0x47]],
  ["gif", [0x47, 0x49, 0x46, 0x38]],
  ["rar", [0x52, 0x61, 0x72, 0x21]],
  ["7z", [0x37, 0x7a, 0xbc, 0xaf]],
  ["gz", [0x1f, 0x8b]],
  ["rtf", [0x7b, 0x5c, 0x72, 0x74, 0x66]],
];

const begins = (file: Uint8Array, bytes: readonly number[]): boolean =>
  bytes.every((byte, place) => file[place] === byte);

/** Says by its bytes how a file is read; throws when it is something else. */
export function kindOf(file: Uint8Array): SheetKind {
  if (file.byteLength === 0) throw new UnreadableSheet("ERR_SHEET_EMPTY");
  const other = others.find(([, bytes]) => begins(file, bytes));
  if (other) throw notASheet(other[0]);
  if (begins(file, [0x50, 0x4b])) return "zip";
  if (begins(file, [0xd0, 0xcf, 0x11, 0xe0])) return "compound";
  // A workbook of the eighties: the record BOF, which is 4 to 16 bytes long.
  if (file[0] === 0x09 && (file[1] ?? 99) <= 8 && file[3] === 0) return "oldBinary";
  const head = textHead(file);
  if (/^\s*</.test(head)) return "markup";
  if (head.includes("\u0000")) throw notASheet("");
  return "text";
}

/** Also of UTF-16, which spreadsheet programs write as "Unicode text". */
function textHead(file: Uint8Array): string {
  const head = file.subarray(0, 4_096);
  const isWide = begins(file, [0xff, 0xfe]) || begins(file, [0xfe, 0xff]);
  const text = isWide ? decode(head.subarray(0, head.length & ~1)) : latin.decode(head);
  return text.replace(/^(\uFEFF|ï»¿)/, "");
}

const latin = new TextDecoder("windows-1252");

/** UTF-8 or UTF-16 by their marks, UTF-8 without a mark, else Windows-1252. */
export function decode(file: Uint8Array): string {
  if (begins(file, [0xff, 0xfe])) return new TextDecoder("utf-16le").decode(file);
  if (begins(file, [0xfe, 0xff])) return new TextDecoder("utf-16be").decode(file);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(file);
  } catch {
    return latin.decode(file);
  }
}

const ENTRIES_MAX = 2_000;

/** The parts of other files of the same format. */
const otherPackages: readonly (readonly [kind: string, part: RegExp])[] = [
  ["docx", /^word\//],
  ["pptx", /^ppt\//],
  ["ods", /^content\.xml$/],
  ["apk", /^(AndroidManifest\.xml|META-INF\/MANIFEST\.MF)$/],
];

/**
 * Unpacks every part of a zip once without keeping it, before the parser does: parsers trust the sizes that the file states, and
 * would take gigabytes for a small file. Throws for a file that is damaged, encrypted, too large when opened, or no workbook.
 */
export async function checkPackage(path: string, maxBytes: number): Promise<void> {
  let zip: yauzl.ZipFile;
  try {
    zip = await yauzl.openPromise(path, {
      lazyEntries: true,
      autoClose: false,
      validateEntrySizes: true,
      strictFileNames: true,
    });
  } catch {
    throw new UnreadableSheet("ERR_SHEET_DAMAGED");
  }
  try {
    await checkParts(zip, maxBytes);
  } catch (error) {
    throw error instanceof UnreadableSheet ? error : new UnreadableSheet("ERR_SHEET_DAMAGED");
  } finally {
    zip.close();
  }
}

async function checkParts(zip: yauzl.ZipFile, maxBytes: number): Promise<void> {
  const tooLarge = new UnreadableSheet("ERR_SHEET_TOO_LARGE", { maxBytes });
  if (zip.entryCount > ENTRIES_MAX) throw tooLarge;
  const names: string[] = [];
  let [declared, real] = [0, 0];
  for await (const entry of zip.eachEntry()) {
    if (entry.isEncrypted()) throw new UnreadableSheet("ERR_SHEET_ENCRYPTED");
    names.push(entry.fileName);
    declared += entry.uncompressedSize;
    if (declared > maxBytes) throw tooLarge;
    for await (const chunk of await zip.openReadStreamPromise(entry)) {
      real += (chunk as Uint8Array).byteLength;
      if (real > maxBytes) throw tooLarge;
    }
  }
  if (names.some((name) => /^xl\/workbook\.(xml|bin)$/i.test(name))) return;
  if (names.length === 0) throw new UnreadableSheet("ERR_SHEET_DAMAGED");
  const other = otherPackages.find(([, part]) => names.some((name) => part.test(name)));
  throw notASheet(other?.[0] ?? "zip");
}
