import type { MessageId } from "@balcao/contract";
import type { Tx } from "../../platform/db/database.ts";
import { isUnavailable } from "../../platform/db/database.ts";
import type { ChatProvider } from "../port.ts";
import { LeaseLost, MediaForged, MediaGone } from "../port.ts";
import type { ConnectionDeps, Lease } from "./deps.ts";
import { waitAt } from "./deps.ts";
import { mediaRef, parseStored } from "./journal.ts";
import { heldLease, leaseValues } from "./lease.ts";

/** Attempts for a file with a wrong hash: with the default waits it is given up after eleven seconds. */
const FORGED_ATTEMPTS = 3;
const ERROR_WAIT_MS = 1_000;

/**
 * Fetches the files of a connection's messages while a session is connected: the oldest first, a few at a time. The row
 * is deleted when the file is stored or given up, so after a crash at any step the next owner fetches it again. The
 * supervisor's poll finds rows that are due for another attempt.
 */
export class MediaPump {
  readonly #deps: ConnectionDeps;
  /** Claimed downloads that have not ended. */
  readonly #fetching = new Map<number, AbortController>();
  #provider: ChatProvider | null = null;
  #workers = 0;
  /** There may be due rows that no claim has seen. */
  #mayHaveMore = false;
  /** One claim at a time, so that no row is claimed twice. */
  #lastClaim: Promise<unknown> = Promise.resolve();
  #isStopped = false;
  #onIdle: (() => void)[] = [];

  constructor(deps: ConnectionDeps) {
    this.#deps = deps;
  }

  resume(provider: ChatProvider): void {
    this.#provider = provider;
    this.wake();
  }

  /** Starts no new download until `resume`; running ones may end. */
  pause(): void {
    this.#provider = null;
  }

  /** Called when there may be due rows. */
  wake(): void {
    this.#mayHaveMore = true;
    this.#addWorker();
  }

  get isIdle(): boolean {
    return this.#workers === 0;
  }

  /** Starts no new download and aborts the running ones: the next owner fetches them again. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.pause();
    for (const abort of this.#fetching.values()) abort.abort();
    await this.#lastClaim;
    if (this.#fetching.size === 0) return;
    await new Promise<void>((resolve) => void this.#onIdle.push(resolve));
  }

  #addWorker(): void {
    const { settings } = this.#deps;
    if (!this.#provider || this.#isStopped || this.#workers >= settings.filesPerConnection) return;
    this.#workers += 1;
    void this.#work().finally(() => {
      this.#workers -= 1;
    });
  }

  async #work(): Promise<void> {
    const { fileSlots, lease } = this.#deps;
    let hasMore = true;
    while (hasMore) hasMore = await fileSlots.run(lease.companyId, () => this.#fetchNext());
  }

  /** Fetches one file, if one is due. Returns whether there may be more. */
  async #fetchNext(): Promise<boolean> {
    const { log, lease, onLeaseLost } = this.#deps;
    const provider = this.#provider;
    if (!provider || this.#isStopped) return false;
    try {
      const claimed = this.#lastClaim.then(() => this.#claimOne());
      this.#lastClaim = claimed.catch(() => undefined);
      const row = await claimed;
      if (!row) return this.#mayHaveMore;
      this.#addWorker();
      await this.#fetch(row, provider);
      return true;
    } catch (error) {
      // The supervisor's next poll wakes the pump again: a download without a recorded outcome is still due.
      if (error instanceof LeaseLost) onLeaseLost();
      else log.warn({ err: error, connectionId: lease.connectionId }, "files wait");
      return false;
    }
  }

  async #claimOne(): Promise<DownloadRow | null> {
    const { db, lease } = this.#deps;
    if (this.#isStopped) return null;
    this.#mayHaveMore = false;
    const row = await db.transaction({ companyId: lease.companyId }, (tx) =>
      claimDownload(tx, lease, [...this.#fetching.keys()]),
    );
    if (row) this.#fetching.set(row.id, new AbortController());
    return row;
  }

  async #fetch(row: DownloadRow, provider: ChatProvider): Promise<void> {
    const abort = this.#fetching.get(row.id) ?? new AbortController();
    try {
      await this.#attempt(row, provider, abort);
    } finally {
      this.#fetching.delete(row.id);
      if (this.#fetching.size === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
    }
  }

  async #attempt(row: DownloadRow, provider: ChatProvider, abort: AbortController): Promise<void> {
    const { db, lease, settings, metrics } = this.#deps;
    // The process may have crashed in each attempt.
    if (row.attempts > settings.fileRetriesMs.length + 1) {
      await this.#giveUp(row, new Error("it was started too often"));
      return;
    }
    const late = () => abort.abort(new Error("the file took too long"));
    const timer = setTimeout(late, settings.fileMs);
    timer.unref();
    try {
      await this.#store(row, provider, abort);
    } catch (error) {
      await this.#failed(row, error);
      return;
    } finally {
      clearTimeout(timer);
      // Stops a provider that still reads.
      abort.abort();
    }
    await db.transaction({ companyId: lease.companyId }, (tx) => removeDownload(tx, lease, row.id));
    metrics.file("stored");
  }

  async #store(row: DownloadRow, provider: ChatProvider, abort: AbortController): Promise<void> {
    const { lease, handlers, settings } = this.#deps;
    const file = mediaRef.parse(parseStored(row.source));
    const opened = provider.openMedia(file, abort.signal);
    const content = await untilAborted(opened, abort, settings.fileStallMs);
    const chunks = withStallLimit(content, abort, settings.fileStallMs);
    await handlers.storeMedia(lease, row.messageId, file, chunks);
  }

  async #failed(row: DownloadRow, error: unknown): Promise<void> {
    const { settings, metrics, log, lease } = this.#deps;
    const { connectionId } = lease;
    if (error instanceof LeaseLost) throw error;
    // These are no faults of the file.
    if (this.#isStopped || isUnavailable(error)) {
      const waitMs = this.#isStopped ? 0 : ERROR_WAIT_MS;
      await this.#putBack(row, { waitMs, isCounted: false });
      return;
    }
    // A broken transfer may succeed next time; a file that differs from its message stays different.
    const maxAttempts =
      error instanceof MediaForged ? FORGED_ATTEMPTS : settings.fileRetriesMs.length + 1;
    if (error instanceof MediaGone || row.attempts >= maxAttempts) {
      await this.#giveUp(row, error);
      return;
    }
    const subject = { connectionId, messageId: row.messageId, attempts: row.attempts };
    log.warn({ err: error, ...subject }, "a file will be fetched again");
    const waitMs = waitAt(settings.fileRetriesMs, row.attempts - 1);
    await this.#putBack(row, { waitMs, isCounted: true });
    metrics.file("retried");
  }

  async #putBack(
    { id }: DownloadRow,
    { waitMs, isCounted }: { waitMs: number; isCounted: boolean },
  ): Promise<void> {
    const { db, lease } = this.#deps;
    await db.transaction({ companyId: lease.companyId }, (tx) =>
      putDownloadBack(tx, lease, { id, waitMs, isCounted }),
    );
  }

  async #giveUp(row: DownloadRow, error: unknown): Promise<void> {
    const { db, lease, handlers, metrics, log } = this.#deps;
    const { connectionId, companyId } = lease;
    const subject = { connectionId, messageId: row.messageId, attempts: row.attempts };
    log.warn({ err: error, ...subject }, "a file was given up");
    await db.transaction({ companyId }, async (tx) => {
      const isThere = await removeDownload(tx, lease, row.id);
      if (isThere) await handlers.mediaUnavailable(tx, lease, row.messageId);
    });
    metrics.file("given-up");
  }
}

type DownloadRow = {
  id: number;
  messageId: MessageId;
  source: string;
  /** Attempts started, including this one and those of killed processes. */
  attempts: number;
};

// Only the connection's owner fetches, so every due row that it is not fetching is free: new, waiting for its next
// attempt, or left by a killed process.
const claimDue = {
  name: "media-download-claim",
  text: `with ${heldLease}, due as (
           select id from media_downloads
            where company_id = $1 and connection_id = $2 and due_at <= now() and id <> all ($5::bigint[])
              and exists (select 1 from held)
            order by due_at, id limit 1
              for no key update skip locked
         ), claimed as (
           update media_downloads d set attempts = attempts + 1, fence = $4
             from due where d.company_id = $1 and d.id = due.id
           returning d.id, d.message_id, d.source, d.attempts
         )
         select (select count(*) from held) as held, id, message_id as "messageId", source, attempts
           from (values (1)) as always left join claimed on true`,
};
const putBack = {
  name: "media-download-put-back",
  text: `with ${heldLease}
         update media_downloads
            set fence = null, due_at = now() + $6::int * interval '1 ms', attempts = attempts - $7::int
          where company_id = $1 and id = $5 and exists (select 1 from held)`,
};
const remove = {
  name: "media-download-remove",
  text: `with ${heldLease}, gone as (
           delete from media_downloads where company_id = $1 and id = $5 and exists (select 1 from held)
           returning 1
         )
         select (select count(*) from held) as held, (select count(*) from gone) as gone`,
};

/** Claims the oldest due row that is not being fetched here; null when there is none. */
async function claimDownload(
  tx: Tx,
  lease: Lease,
  fetching: readonly number[],
): Promise<DownloadRow | null> {
  const [row] = await tx.query<{ held: number } & (DownloadRow | { id: null })>(claimDue, [
    ...leaseValues(lease),
    fetching,
  ]);
  if (row?.held !== 1) throw new LeaseLost();
  return row.id === null ? null : row;
}

/** Schedules another attempt; with `isCounted` false this one does not count. */
async function putDownloadBack(
  tx: Tx,
  lease: Lease,
  { id, waitMs, isCounted }: { id: number; waitMs: number; isCounted: boolean },
): Promise<void> {
  await tx.query(putBack, [...leaseValues(lease), id, waitMs, isCounted ? 0 : 1]);
}

/** Deletes the row of an ended download. False: the message was deleted meanwhile. */
async function removeDownload(tx: Tx, lease: Lease, id: number): Promise<boolean> {
  const [row] = await tx.query<{ held: number; gone: number }>(remove, [...leaseValues(lease), id]);
  if (row?.held !== 1) throw new LeaseLost();
  return row.gone === 1;
}

/**
 * Resolves with the work, or rejects when the controller aborts or the work takes longer than the stall limit, which
 * aborts it. The work itself may go on: its late result is ignored.
 */
async function untilAborted<T>(
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
    // The promise that lost the race may still reject.
    work.catch(() => undefined);
    aborted.catch(() => undefined);
  }
}

/** Passes the content on; throws when the controller aborts or the next chunk takes too long. */
async function* withStallLimit(
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
    // Not awaited: a source that hangs does not answer this either.
    if (!isOver) void source.return?.().catch(() => undefined);
  }
}

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error("aborted");
}
