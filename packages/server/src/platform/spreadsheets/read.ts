import type { ErrorCode } from "@balcao/contract";
import { DomainError } from "../context.ts";
import { askReader, scriptBeside, startReader } from "../child-processes.ts";
import { inTemporaryFile, limitedContent } from "../documents/content.ts";
import { FairSlots } from "../jobs/fair-slots.ts";
import type { SheetAnswer, SheetPage } from "./reading/answers.ts";
import type { SheetWish } from "./reading/process.ts";
import type { SheetLimits, SheetRow } from "./reading/rows.ts";

export type { SheetPage } from "./reading/answers.ts";
export type { SheetLimits, SheetRow } from "./reading/rows.ts";

/** Files that one process of the product reads at the same time. */
const AT_ONCE = 2;
const slots = new FairSlots(AT_ONCE);
/** Until the file is opened, and between two pages after that, without the time in which the last page is used. */
const LIMIT_MS = 60_000;
/** Of the process that reads. A file that needs more is refused. */
const HEAP_MB = 768;

// From its source in tests and development, compiled in the built product.
const script = scriptBeside(import.meta.url, "./reading/process");

export type SheetReading = {
  limits: SheetLimits;
  /** Files of companies begin in turns. */
  companyId: number;
  /** Gets the rows with data, page by page; the next page is read when it resolves. */
  onPage(page: SheetPage): Promise<void>;
  signal?: AbortSignal;
  timeLimitMs?: number;
};

/**
 * Reads the first sheet of a spreadsheet (.xlsx, .xls, .csv; found out by the bytes, not by the name) in a process of its own, so that
 * neither a large file nor a malicious one takes memory or time of this one. Answers the sheet's name, null for a text file, and how many rows
 * have data. Throws one of the contract's `sheetErrors` as a DomainError, also after pages were handed over; the signal's reason when it aborts; and
 * what `onPage` throws.
 */
export async function readSheet(
  path: string,
  reading: SheetReading,
): Promise<{ name: string | null; rows: number }> {
  await new Promise<void>((resolve) => slots.acquire(reading.companyId, resolve));
  try {
    reading.signal?.throwIfAborted();
    return await readInChild(path, reading);
  } finally {
    slots.release();
  }
}

/**
 * The rows of a small spreadsheet that is not kept, read as by `readSheet` from a file that is removed again. Throws ERR_FILE_TOO_LARGE
 * as well, for a file of more than `maxFileBytes`.
 */
export async function readSheetAtOnce(
  { name, content }: { name: string; content: AsyncIterable<Uint8Array> },
  { maxFileBytes, ...reading }: Omit<SheetReading, "onPage"> & { maxFileBytes: number },
): Promise<SheetRow[]> {
  return inTemporaryFile(
    limitedContent(content, { name, maxBytes: maxFileBytes }),
    async (path) => {
      const rows: SheetRow[] = [];
      const onPage = async ({ json }: SheetPage): Promise<void> => {
        rows.push(...(JSON.parse(json) as SheetRow[])); // what a page is
      };
      await readSheet(path, { ...reading, onPage });
      return rows;
    },
  );
}

/** A title, or a word of a cell, for comparing: in lower case, without accents and signs. */
export const plainWords = (text: string): string =>
  text
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

async function readInChild(path: string, reading: SheetReading) {
  const { limits, onPage, signal, timeLimitMs = LIMIT_MS } = reading;
  const child = startReader(script, { heapMb: HEAP_MB });
  const tooMuch = (): Error =>
    new DomainError("ERR_SHEET_TOO_LARGE", { maxBytes: limits.maxBytes });
  const next = (wish: SheetWish): Promise<SheetAnswer> =>
    askReader(child, wish, { timeLimitMs, signal, tooMuch });
  try {
    let answer = await next({ path, limits });
    for (;;) {
      if ("fault" in answer) {
        const { code, data } = answer.fault;
        throw new DomainError(code as ErrorCode, data); // by `sheetErrors`
      }
      if ("end" in answer) return answer.end;
      await onPage(answer.page);
      answer = await next({ next: true });
    }
  } finally {
    child.kill("SIGKILL");
  }
}
