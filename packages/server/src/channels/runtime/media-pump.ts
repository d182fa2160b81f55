import type { Database } from "../../platform/db/database.ts";
import { isUnavailable } from "../../platform/db/unavailable.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { ChatProvider } from "../port.ts";
import { LeaseLost, MediaForged, MediaGone } from "../port.ts";
import { mediaRef, parseStored } from "./durable-events.ts";
import type { FairSlots } from "./fair-slots.ts";
import type { Lease } from "./fence.ts";
import type { ChannelHandlers } from "./handlers.ts";
import type { DownloadRow } from "./media-rows.ts";
import { claimDownload, putDownloadBack, removeDownload } from "./media-rows.ts";
import type { ChannelMetrics } from "./metrics.ts";
import type { ChannelSettings } from "./settings.ts";
import { waitAt } from "./settings.ts";
import { untilAborted, watched } from "./watched-content.ts";

export type MediaPumpDeps = {
  db: Database;
  lease: Lease;
  handlers: ChannelHandlers;
  /** Shared by all connections of the process, in turns by company. */
  slots: FairSlots;
  settings: ChannelSettings;
  metrics: ChannelMetrics;
  log: Logger;
  onLeaseLost: () => void;
};

/** Tries of a file whose hash is wrong: with the default waits it is given up after eleven seconds. */
const FORGED_TRIES = 3;
const TROUBLE_WAIT_MS = 1_000;

/**
 * Fetches the files of a connection's messages while a session is connected: the oldest first, a few at a time. The row
 * goes when the file is stored or given up, so a crash anywhere has the next owner fetch it again. What waits for a later
 * try is found by the supervisor's look.
 */
export class MediaPump {
  readonly #deps: MediaPumpDeps;
  /** What was claimed here and is not over. */
  readonly #fetching = new Map<number, AbortController>();
  #provider: ChatProvider | null = null;
  #workers = 0;
  /** There may be due rows that no claim has seen. */
  #again = false;
  /** One claim at a time, so that no row is claimed twice. */
  #lastClaim: Promise<unknown> = Promise.resolve();
  #isStopped = false;
  #onQuiet: (() => void)[] = [];

  constructor(deps: MediaPumpDeps) {
    this.#deps = deps;
  }

  resume(provider: ChatProvider): void {
    this.#provider = provider;
    this.wake();
  }

  /** No session: nothing new is begun; what is under way may end. */
  pause(): void {
    this.#provider = null;
  }

  /** There may be due rows. */
  wake(): void {
    this.#again = true;
    this.#addWorker();
  }

  get isIdle(): boolean {
    return this.#workers === 0;
  }

  /** Begins nothing new and breaks off what is under way: it is fetched again by whoever comes. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.pause();
    for (const abort of this.#fetching.values()) abort.abort();
    await this.#lastClaim;
    if (this.#fetching.size === 0) return;
    await new Promise<void>((resolve) => void this.#onQuiet.push(resolve));
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
    const { slots, lease } = this.#deps;
    let hasMore = true;
    while (hasMore) hasMore = await slots.run(lease.companyId, () => this.#fetchNext());
  }

  /** One file, if one is due. Answers whether there may be more. */
  async #fetchNext(): Promise<boolean> {
    const { log, lease, onLeaseLost } = this.#deps;
    const provider = this.#provider;
    if (!provider || this.#isStopped) return false;
    try {
      const claimed = this.#lastClaim.then(() => this.#claimOne());
      this.#lastClaim = claimed.catch(() => undefined);
      const row = await claimed;
      if (!row) return this.#again;
      this.#addWorker();
      await this.#fetch(row, provider);
      return true;
    } catch (error) {
      // The supervisor wakes us again with its next look: what could not be recorded is due and is found again.
      if (error instanceof LeaseLost) onLeaseLost();
      else log.warn({ err: error, connectionId: lease.connectionId }, "files wait");
      return false;
    }
  }

  async #claimOne(): Promise<DownloadRow | null> {
    const { db, lease } = this.#deps;
    if (this.#isStopped) return null;
    this.#again = false;
    const row = await db.transaction({ companyId: lease.companyId }, (tx) =>
      claimDownload(tx, lease, [...this.#fetching.keys()]),
    );
    if (row) this.#fetching.set(row.id, new AbortController());
    return row;
  }

  async #fetch(row: DownloadRow, provider: ChatProvider): Promise<void> {
    const abort = this.#fetching.get(row.id) ?? new AbortController();
    try {
      await this.#try(row, provider, abort);
    } finally {
      this.#fetching.delete(row.id);
      if (this.#fetching.size === 0) for (const resolve of this.#onQuiet.splice(0)) resolve();
    }
  }

  async #try(row: DownloadRow, provider: ChatProvider, abort: AbortController): Promise<void> {
    const { db, lease, settings, metrics } = this.#deps;
    // A process died of it again and again.
    if (row.attempts > settings.fileRetriesMs.length + 1) {
      await this.#giveUp(row, new Error("it was begun too often"));
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
      // A provider that still reads may stop.
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
    const pieces = watched(content, abort, settings.fileStallMs);
    await handlers.storeMedia(lease, row.messageId, file, pieces);
  }

  async #failed(row: DownloadRow, error: unknown): Promise<void> {
    const { settings, metrics, log, lease } = this.#deps;
    const { connectionId } = lease;
    if (error instanceof LeaseLost) throw error;
    // Says nothing about the file.
    if (this.#isStopped || isUnavailable(error)) {
      const waitMs = this.#isStopped ? 0 : TROUBLE_WAIT_MS;
      await this.#putBack(row, { waitMs, isCounted: false });
      return;
    }
    // A broken transfer may come right with the next try; a file that stays another one never does.
    const tries = error instanceof MediaForged ? FORGED_TRIES : settings.fileRetriesMs.length + 1;
    if (error instanceof MediaGone || row.attempts >= tries) {
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
