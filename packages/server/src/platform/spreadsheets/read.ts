import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { ErrorCode } from "@balcao/contract";
import { DomainError } from "../context.ts";
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
const ending = import.meta.url.endsWith(".ts") ? "ts" : "js";
const script = new URL(`./reading/process.${ending}`, import.meta.url);

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
  const folder = await mkdtemp(join(tmpdir(), "balcao-sheet-"));
  try {
    const path = join(folder, "sheet");
    const limited = limitedContent(content, { name, maxBytes: maxFileBytes });
    await pipeline(limited, createWriteStream(path));
    const rows: SheetRow[] = [];
    const onPage = async ({ json }: SheetPage): Promise<void> => {
      rows.push(...(JSON.parse(json) as SheetRow[])); // what a page is
    };
    await readSheet(path, { ...reading, onPage });
    return rows;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The content of a file as long as it is no larger; else throws ERR_FILE_TOO_LARGE. */
export async function* limitedContent(
  content: AsyncIterable<Uint8Array>,
  { name, maxBytes }: { name: string; maxBytes: number },
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new DomainError("ERR_FILE_TOO_LARGE", { name, maxBytes });
    yield chunk;
  }
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
  const child = fork(script, {
    execArgv: [`--max-old-space-size=${HEAP_MB}`],
    serialization: "advanced",
    // What the parser prints about a file is nobody's business, and an out-of-memory report is long.
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    env: { NODE_ENV: process.env["NODE_ENV"] ?? "production" },
  });
  child.on("error", () => undefined); // each question has a listener of its own
  const next = (wish: SheetWish): Promise<SheetAnswer> =>
    ask(child, wish, { limits, timeLimitMs, signal });
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

type Patience = { limits: SheetLimits; signal: AbortSignal | undefined; timeLimitMs: number };

/** The next answer. A process that ends without one, or takes too long, has a file that is too large when opened. */
async function ask(
  child: ChildProcess,
  wish: SheetWish,
  { limits, signal, timeLimitMs }: Patience,
): Promise<SheetAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<SheetAnswer>();
  const take = (answer: unknown): void => resolve(answer as SheetAnswer); // the script's only messages
  const giveUp = (): void =>
    reject(new DomainError("ERR_SHEET_TOO_LARGE", { maxBytes: limits.maxBytes }));
  const stop = (): void => reject(signal?.reason);
  const timer = setTimeout(giveUp, timeLimitMs);
  signal?.addEventListener("abort", stop);
  child.on("message", take).on("exit", giveUp).on("error", reject);
  try {
    if (child.exitCode !== null || child.signalCode !== null) giveUp();
    else child.send(wish, (error) => error && giveUp());
    return await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
    child.off("message", take).off("exit", giveUp).off("error", reject);
  }
}
