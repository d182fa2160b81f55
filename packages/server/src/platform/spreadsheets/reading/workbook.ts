import { CFB, read, set_cptable, SSF, utils } from "@e965/xlsx";
import type { CellObject, DenseWorkSheet, ParsingOptions, Range, WorkBook } from "@e965/xlsx";
import * as codePages from "@e965/xlsx/dist/cpexcel.full.mjs";
import { decode, notASheet, UnreadableSheet } from "./kinds.ts";
import type { SheetKind } from "./kinds.ts";
import type { ReadSheet, SheetLimits, SheetRow } from "./rows.ts";
import { trimmed } from "./rows.ts";

set_cptable(codePages);

/** The first sheet of a workbook: of .xlsx, .xls, and of the HTML and XML files that programs call .xls. */
export function readWorkbook(file: Buffer, kind: SheetKind, limits: SheetLimits): ReadSheet {
  if (kind === "compound") refuseOtherDocuments(file);
  const parse = (rows: number): WorkBook => parseWorkbook(file, kind, rows);
  // Two more than the limit: the titles, and the row that says there are too many.
  let book = parse(limits.maxRows + 2);
  if (lastLineOf(book) > limits.maxRows + 2) book = parse(0);
  const name = book.SheetNames[0] ?? null;
  const sheet = name === null ? undefined : book.Sheets[name];
  if (!sheet) throw new UnreadableSheet("ERR_SHEET_EMPTY");
  const is1904 = book.Workbook?.WBProps?.date1904 === true;
  return { name, rows: rowsOf(sheet as DenseWorkSheet, is1904, limits.maxColumns) };
}

function parseWorkbook(file: Buffer, kind: SheetKind, sheetRows: number): WorkBook {
  const options: ParsingOptions = {
    ...{ dense: true, raw: true, sheets: 0, sheetRows, cellNF: true },
    ...{ cellText: false, cellHTML: false, cellFormula: false },
  };
  try {
    // Markup has its own ways to name its encoding, which the parser does not know.
    return kind === "markup"
      ? read(decode(file), { ...options, type: "string" })
      : read(file, { ...options, type: "buffer" });
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    if (/password|encrypt/i.test(message)) throw new UnreadableSheet("ERR_SHEET_ENCRYPTED");
    throw new UnreadableSheet("ERR_SHEET_DAMAGED");
  }
}

/** Word documents, e-mails and encrypted workbooks have the same container as .xls. */
function refuseOtherDocuments(file: Buffer): void {
  let names: string[];
  try {
    names = CFB.read(file, { type: "buffer" }).FullPaths;
  } catch {
    throw new UnreadableSheet("ERR_SHEET_DAMAGED");
  }
  const has = (part: RegExp): boolean => names.some((name) => part.test(name));
  if (has(/\/EncryptedPackage$/i)) throw new UnreadableSheet("ERR_SHEET_ENCRYPTED");
  if (has(/\/(Workbook|Book)$/i)) return;
  throw notASheet(has(/\/WordDocument$/i) ? "doc" : "");
}

/** The last line that the file says it has, formatted but empty ones too. */
function lastLineOf(book: WorkBook): number {
  const sheet = book.Sheets[book.SheetNames[0] ?? ""];
  const range = sheet?.["!fullref"] ?? sheet?.["!ref"];
  return typeof range === "string" ? utils.decode_range(range).e.r + 1 : 0;
}

function* rowsOf(sheet: DenseWorkSheet, is1904: boolean, maxColumns: number): Generator<SheetRow> {
  const hidden = hiddenByMerging(sheet["!merges"] ?? []);
  for (const [place, cells] of (sheet["!data"] ?? []).entries()) {
    // Rows without any cell are holes.
    if (!cells) continue;
    const texts: string[] = [];
    const width = Math.min(cells.length, maxColumns);
    for (let column = 0; column < width; column += 1) {
      const cell = cells[column];
      texts.push(cell && !hidden(place, column) ? textOf(cell, is1904) : "");
    }
    const row = trimmed(place + 1, texts);
    if (row) yield row;
  }
}

/** A merged cell shows its first value; what stands in the others is left from before. */
function hiddenByMerging(merges: readonly Range[]): (row: number, column: number) => boolean {
  const MERGES_MAX = 20_000;
  const byRow = new Map<number, Range[]>();
  const tall: Range[] = [];
  for (const merge of merges.slice(0, MERGES_MAX)) {
    const height = merge.e.r - merge.s.r;
    if (height > 100) {
      tall.push(merge);
      continue;
    }
    for (let row = merge.s.r; row <= merge.e.r; row += 1) {
      byRow.set(row, [...(byRow.get(row) ?? []), merge]);
    }
  }
  const hides = ({ s, e }: Range, row: number, column: number): boolean =>
    row >= s.r && row <= e.r && column >= s.c && column <= e.c && (row > s.r || column > s.c);
  return (row, column) =>
    (byRow.get(row) ?? []).some((merge) => hides(merge, row, column)) ||
    tall.some((merge) => hides(merge, row, column));
}

/** A cell as people read it: dates by day, numbers without exponent. Formulas have the value that was computed last. */
function textOf({ t, v, z }: CellObject, is1904: boolean): string {
  if (v === undefined || v === null || t === "e" || t === "z") return "";
  if (v instanceof Date) return dateText(v.getTime() / 86_400_000 + 25_569, false);
  if (typeof v === "boolean") return v ? "TRUE" : "FALSE";
  if (typeof v === "string") return v;
  return typeof z === "string" && SSF.is_date(z) ? dateText(v, is1904) : numberText(v);
}

function dateText(value: number, date1904: boolean): string {
  const { y, m, d, H, M } = SSF.parse_date_code(value, { date1904 }) ?? {};
  const two = (part: number): string => String(part).padStart(2, "0");
  if (y === undefined || d === undefined) return numberText(value);
  const time = value % 1 === 0 ? "" : ` ${two(H)}:${two(M)}`;
  return value < 1 ? time.trim() : `${two(d)}/${two(m)}/${y}${time}`;
}

/** Up to 15 digits a number of a sheet is exact; a longer one has lost some, and says so by its exponent. */
function numberText(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) >= 1e15) return value.toExponential();
  return String(value);
}
