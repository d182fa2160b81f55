import { readFile } from "node:fs/promises";
import { readCsv } from "./csv.ts";
import type { SheetFault } from "./kinds.ts";
import { checkPackage, kindOf, UnreadableSheet } from "./kinds.ts";
import type { ReadSheet, SheetLimits, SheetRow } from "./workbook.ts";
import { readWorkbook } from "./workbook.ts";

// A process of its own, which reads one file and ends (docs/imports.md says why it is no thread).

/** What the process is asked: a file, and after each page the next one. */
export type SheetWish = { path: string; limits: SheetLimits } | { next: true };

/** Rows as the JSON of an array of `SheetRow`: whoever stores them need not parse them. */
export type SheetPage = { json: string; rows: number; width: number };

/** What it answers: each page as it is asked for, then the end; or why the file is not read. */
export type SheetAnswer =
  | { page: SheetPage }
  | { end: { name: string | null; rows: number } }
  | { fault: SheetFault };

const PAGE_ROWS = 500;
const PAGE_CHARACTERS = 200_000;

async function openSheet(path: string, limits: SheetLimits): Promise<ReadSheet> {
  const file = await readFile(path);
  const kind = kindOf(file);
  if (kind === "text") return readCsv(file, limits);
  if (kind === "zip") await checkPackage(path, limits.maxBytes);
  return readWorkbook(file, kind, limits);
}

/** Throws at the end, too, when there are no rows or too many. */
async function* answersOf(path: string, limits: SheetLimits): AsyncGenerator<SheetAnswer> {
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

function send(answer: SheetAnswer): void {
  process.send?.(answer);
}

let answers: AsyncGenerator<SheetAnswer> | undefined;

async function answer(wish: SheetWish): Promise<void> {
  try {
    if ("path" in wish) answers = answersOf(wish.path, wish.limits);
    const next = await answers?.next();
    if (next && !next.done) send(next.value);
  } catch (error) {
    const fault =
      error instanceof UnreadableSheet ? error.fault : { code: "ERR_SHEET_DAMAGED" as const };
    send({ fault });
  }
}

process.on("message", (wish: SheetWish) => void answer(wish));
// The product has ended; nobody asks for the rest.
process.on("disconnect", () => process.exit(0));
