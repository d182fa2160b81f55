import type { SentFile, SheetFormat } from "@balcao/contract";
import { writeXlsxStream } from "hucre/xlsx";

/** A number is one for spreadsheet programs as well; null is an empty cell. */
export type SheetCell = string | number | null;

/** Rows of cells; they are read page by page, as fast as the file is fetched. */
export type SheetPages = AsyncIterable<readonly (readonly SheetCell[])[]>;

const BYTE_ORDER_MARK = "\uFEFF";

/** What spreadsheet programs take for the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** XML cannot hold these, and nobody sees them in a cell. */
// oxlint-disable-next-line no-control-regex -- these are the characters that are removed
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g;

/**
 * A spreadsheet of one sheet, written while it is sent: no more of it is in memory than a page of rows. The first row has the
 * titles, unless it is not `titled`. A CSV file is as Brazilian spreadsheet programs open it: `;`, UTF-8 with byte order mark, CRLF; a cell that begins like a formula
 * has an apostrophe before it. `name` is without ending.
 */
export function writeSheet(
  name: string,
  format: SheetFormat,
  pages: SheetPages,
  { titled }: { titled: boolean } = { titled: true },
): SentFile {
  if (format === "csv") {
    return { name: `${name}.csv`, mime: "text/csv; charset=utf-8", content: csvTexts(pages) };
  }
  const content = writeXlsxStream(xlsxRows(pages), {
    name: "1",
    ...(titled && { freezePane: { rows: 1 } }),
  });
  const mime = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
  return { name: `${name}.xlsx`, mime, content };
}

async function* csvTexts(pages: SheetPages): AsyncGenerator<string> {
  let before = BYTE_ORDER_MARK;
  for await (const page of pages) {
    yield before + page.map((row) => `${row.map(csvCell).join(";")}\r\n`).join("");
    before = "";
  }
}

/** Numbers have a decimal comma, as in the countries of the separator `;`. */
function csvCell(cell: SheetCell): string {
  if (typeof cell === "number") return String(cell).replace(".", ",");
  const text = cell ?? "";
  const harmless = (FORMULA.test(text) ? `'${text}` : text).replace(CONTROL, "");
  return /[";\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

async function* xlsxRows(pages: SheetPages): AsyncGenerator<SheetCell[]> {
  for await (const page of pages) {
    for (const row of page) {
      yield row.map((cell) => (typeof cell === "string" ? cell.replace(CONTROL, "") : cell));
    }
  }
}
