import type { ErrorCode } from "@balcao/contract";
import { DomainError } from "../context.ts";
import { FairSlots } from "../jobs/fair-slots.ts";
import { askReader, scriptBeside, startReader } from "../child-processes.ts";
import { inTemporaryFile, limitedContent } from "./content.ts";
import type { DocumentAnswer, DocumentLimits } from "./reading/document.ts";
import type { DocumentWish } from "./reading/process.ts";

/** Documents that one process of the product reads at the same time, and the time and memory that one may take. */
const AT_ONCE = 2;
const LIMIT_MS = 30_000;
const HEAP_MB = 512;
const slots = new FairSlots(AT_ONCE);
const script = scriptBeside(import.meta.url, "./reading/process");

export type DocumentReading = {
  /** Files of companies begin in turns. */
  companyId: number;
  limits: DocumentLimits & { maxFileBytes: number };
  signal?: AbortSignal;
  timeLimitMs?: number;
};

/**
 * The text of a document that is not kept (PDF, or plain text; found out by the bytes, not by the name), read by a process of its own.
 * Throws ERR_FILE_TOO_LARGE, and ERR_DOCUMENT_NOT_ONE, ERR_DOCUMENT_ENCRYPTED, ERR_DOCUMENT_DAMAGED, ERR_DOCUMENT_EMPTY and ERR_DOCUMENT_TOO_LARGE.
 */
export async function readDocument(
  { name, content }: { name: string; content: AsyncIterable<Uint8Array> },
  { companyId, limits, signal, timeLimitMs = LIMIT_MS }: DocumentReading,
): Promise<{ text: string; isCut: boolean }> {
  const { maxFileBytes, ...readingLimits } = limits;
  const limited = limitedContent(content, { name, maxBytes: maxFileBytes });
  return inTemporaryFile(limited, async (path) => {
    await new Promise<void>((resolve) => slots.acquire(companyId, resolve));
    const child = startReader(script, { heapMb: HEAP_MB });
    try {
      const answer = await askReader<DocumentAnswer>(
        child,
        { path, limits: readingLimits } satisfies DocumentWish,
        { timeLimitMs, signal, tooMuch: () => new DomainError("ERR_DOCUMENT_TOO_LARGE") },
      );
      if ("fault" in answer) throw new DomainError(answer.fault satisfies ErrorCode);
      return answer;
    } finally {
      child.kill("SIGKILL");
      slots.release();
    }
  });
}
