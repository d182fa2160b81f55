/**
 * Resolves with the work, or rejects when the controller aborts or the work takes longer than the stall limit, which
 * aborts it. The work itself may go on: its late result is ignored.
 */
export async function untilAborted<T>(
  work: Promise<T>,
  abort: AbortController,
  stallMs: number,
): Promise<T> {
  const { signal } = abort;
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(reasonOf(signal));
    signal.addEventListener("abort", onAbort, { once: true });
  });
  const timer = setTimeout(() => abort.abort(new Error("the content stalled")), stallMs);
  try {
    if (signal.aborted) throw reasonOf(signal);
    return await Promise.race([work, aborted]);
  } finally {
    clearTimeout(timer);
    if (onAbort) signal.removeEventListener("abort", onAbort);
    // The loser of the race is nobody's any more.
    work.catch(() => undefined);
    aborted.catch(() => undefined);
  }
}

/** The content, which ends with an error when the controller aborts or the next piece takes too long. */
export async function* watched(
  content: AsyncIterable<Uint8Array>,
  abort: AbortController,
  stallMs: number,
): AsyncGenerator<Uint8Array, void, void> {
  const source = content[Symbol.asyncIterator]();
  let isOver = false;
  try {
    for (;;) {
      const next = await untilAborted(source.next(), abort, stallMs);
      if (next.done) {
        isOver = true;
        return;
      }
      yield next.value;
    }
  } finally {
    // Not waited for: a source that hangs does not answer this either.
    if (!isOver) void source.return?.().catch(() => undefined);
  }
}

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error("broken off");
}
