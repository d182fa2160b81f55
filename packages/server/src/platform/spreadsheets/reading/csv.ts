import { parse } from "csv-parse";
import { decode, UnreadableSheet } from "./kinds.ts";
import type { ReadSheet, SheetLimits, SheetRow } from "./rows.ts";
import { trimmed } from "./rows.ts";

const DELIMITERS = [";", ",", "\t", "|"] as const;
const RECORD_MAX = 1_000_000;
const CHUNK = 64 * 1024;

/** The rows of a text file with separated values; its encoding and its separator are found out. */
export async function readCsv(file: Buffer, limits: SheetLimits): Promise<ReadSheet> {
  const text = decode(file).replace(/^\uFEFF/, "");
  // Spreadsheet programs may name the separator in a line of its own.
  const [, named] = /^sep=(.)\r?\n/i.exec(text) ?? [];
  const skipped = named === undefined ? 0 : 1;
  const rows: SheetRow[] = [];
  const parser = parse({
    delimiter: named ?? delimiterOf(text),
    ...{ relax_quotes: true, relax_column_count: true, max_record_size: RECORD_MAX },
  });
  let line = skipped;
  let count = 0;
  parser.on("readable", () => {
    for (let record: string[] | null; (record = parser.read() as string[] | null) !== null;) {
      line += 1;
      const row = trimmed(line, record.slice(0, limits.maxColumns).map(withoutGuard));
      if (row === null) continue;
      count += 1;
      // The rest is only counted.
      if (count <= limits.maxRows + 1) rows.push(row);
    }
  });
  const ended = new Promise<void>((resolve, reject) => {
    parser.on("end", resolve);
    parser.on("error", () => reject(new UnreadableSheet("ERR_SHEET_DAMAGED")));
  });
  await writeAll(parser, skipped === 0 ? text : text.slice(text.indexOf("\n") + 1));
  await ended;
  return { name: null, rows: count > rows.length ? counted(rows, count) : rows };
}

/** Rows of which some were only counted. */
function* counted(rows: readonly SheetRow[], count: number): Generator<SheetRow> {
  yield* rows;
  for (let missing = count - rows.length; missing > 0; missing -= 1) yield { line: 0, cells: [] };
}

async function writeAll(parser: ReturnType<typeof parse>, text: string): Promise<void> {
  for (let from = 0; from < text.length && !parser.destroyed; from += CHUNK) {
    if (!parser.write(text.slice(from, from + CHUNK))) {
      await new Promise<void>((resolve) => {
        parser.once("drain", resolve);
        parser.once("close", resolve);
      });
    }
  }
  parser.end();
}

/** An apostrophe that keeps a cell from being a formula; our own export writes it. */
const withoutGuard = (text: string): string => text.replace(/^'(?=[=+\-@\t\r])/, "");

/** The separator that stands most often outside of quotes in the first lines. */
function delimiterOf(text: string): string {
  const head = text
    .slice(0, CHUNK)
    .split(/\r?\n/)
    .slice(0, 50)
    .join("\n")
    .replace(/"[^"]*"/g, "");
  const counts = DELIMITERS.map((one) => head.split(one).length - 1);
  const most = Math.max(...counts);
  return DELIMITERS[counts.indexOf(most)] ?? ";";
}
