import { readFile } from "node:fs/promises";
import type { SheetFault } from "./kinds.ts";
import { checkPackage, kindOf, UnreadableSheet } from "./kinds.ts";
import type { ReadSheet, SheetLimits, SheetRow } from "./rows.ts";

/** Rows as the JSON of an array of `SheetRow`: whoever stores them need not parse them. */
export type SheetPage = { json: string; rows: number; width: number };

/** The answers to a file: its pages, then the end; or the reason why it is not read. */
export type SheetAnswer =
  | { page: SheetPage }
  | { end: { name: string | null; rows: number } }
  | { fault: SheetFault };

const PAGE_ROWS = 500;
const PAGE_CHARACTERS = 200_000;

export async function* sheetAnswers(
  path: string,
  limits: SheetLimits,
): AsyncGenerator<SheetAnswer, void> {
  try {
    yield* pagesOf(path, limits);
  } catch (error) {
    const fault =
      error instanceof UnreadableSheet ? error.fault : { code: "ERR_SHEET_DAMAGED" as const };
    yield { fault };
  }
}

/** Loads only the parser of the file's kind: the one for workbooks takes longer to load than most files take to read. */
async function openSheet(path: string, limits: SheetLimits): Promise<ReadSheet> {
  const file = await readFile(path);
  const kind = kindOf(file);
  if (kind === "text") {
    const { readCsv } = await import("./csv.ts");
    return readCsv(file, limits);
  }
  if (kind === "zip") await checkPackage(path, limits.maxBytes);
  const { readWorkbook } = await import("./workbook.ts");
  return readWorkbook(file, kind, limits);
}

/** Throws at the end, too, when there are no rows or too many. */
async function* pagesOf(path: string, limits: SheetLimits): AsyncGenerator<SheetAnswer, void> {
  const { name, rows } = await openSheet(path, limits);
  let page: SheetRow[] = [];
  let [characters, count] = [0, 0];
  for (const row of rows) {
    count += 1;
    // One more: the titles.
    if (count > limits.maxRows + 1) continue;
    page.push(row);
    characters += row.cells.reduce((sum, { length }) => sum + length, 0);
    if (page.length < PAGE_ROWS && characters < PAGE_CHARACTERS) continue;
    yield { page: toPage(page) };
    [page, characters] = [[], 0];
  }
  if (count === 0) throw new UnreadableSheet("ERR_SHEET_EMPTY");
  if (count > limits.maxRows + 1) {
    const data = { rows: count - 1, max: limits.maxRows };
    throw new UnreadableSheet("ERR_SHEET_TOO_MANY_ROWS", data);
  }
  if (page.length > 0) yield { page: toPage(page) };
  yield { end: { name, rows: count } };
}

const toPage = (rows: readonly SheetRow[]): SheetPage => ({
  json: JSON.stringify(rows),
  rows: rows.length,
  width: Math.max(...rows.map(({ cells }) => cells.length)),
});
