export type SheetLimits = { maxBytes: number; maxRows: number; maxColumns: number };

/** A row with data. Cells behind the last one with data are left out. */
export type SheetRow = {
  /** As the sheet numbers it, from 1. */
  line: number;
  cells: string[];
};

export type ReadSheet = { name: string | null; rows: Iterable<SheetRow> };

/** The longest text of a cell that is kept. */
const CELL_MAX = 1_000;

/** Null for a row without data. */
export function trimmed(line: number, texts: readonly string[]): SheetRow | null {
  const cells = texts.map(cleanText);
  while (cells.at(-1) === "") cells.pop();
  return cells.length === 0 ? null : { line, cells };
}

/** PostgreSQL stores neither NUL nor halves of surrogate pairs. */
const cleanText = (text: string): string =>
  text.replaceAll("\u0000", "").trim().slice(0, CELL_MAX).toWellFormed();
