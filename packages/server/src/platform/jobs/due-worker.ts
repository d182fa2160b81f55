import { isUnavailable } from "../db/database.ts";
import type { Wake } from "../db/wake.ts";
import type { Logger } from "../logging/logger.ts";
import { inWork } from "../observing/work.ts";
import { FairSlots } from "./fair-slots.ts";

type ItemId = string | number;

/** The result of a look. */
export type Found<Item> = {
  due: readonly Item[];
  /** When the next one after these comes due; without it the next look is the regular one. */
  nextInMs?: number | null;
};

/** How the items that a look finds are worked on. */
export type ItemWork<Item> = {
  /** Items that run at the same time. */
  atOnce: number;
  /** Items that are held at the same time, running and waiting ones. */
  batch: number;
  /**
   * Two items with the same id do not run at the same time in this process: the later one is dropped. Where `run` works only
   * under its own claim, the id includes the claim. Otherwise a row that is claimed again while its older run goes on is
   * dropped, and waits until that claim runs out too.
   */
  idOf(item: Item): ItemId;
  /** Waiting items begin in turns by company. */
  companyOf?(item: Item): number;
  /** `again`: the item may still be due, so the next look comes soon. The signal aborts when the worker stops. */
  run(item: Item, signal: AbortSignal): Promise<"again" | void>;
  /** Returns the claims on items that a stop has left unbegun. */
  giveBack?(items: readonly Item[]): Promise<void>;
};

export type DueWorkerOptions<Item> = {
  /** Says in the log which work it is. */
  name: string;
  log: Logger;
  /** It looks this often when nothing wakes it. */
  lookEveryMs: number;
  /** Between two looks at least: what comes due meanwhile is found by one. */
  betweenLooksMs?: number;
  /** A topic that tells that something comes due, and how soon. */
  wokenBy?: { wake: Wake; topic: string; inMs: number };
  /**
   * Reads what is due, in any process at any time. It claims its rows (`for update skip locked`), or `run` locks each one and
   * finds out whether it is still due. `limit` is the number of further items that can be held, `held` that of the items that
   * are held now: a look that does not claim reads those again.
   */
  look(limit: number, held: number): Promise<Found<Item>>;
  /** Without it the look does all the work itself. */
  work?: ItemWork<Item>;
  /** Whether anything is due, or will be; for `idle`. */
  isAnyWaiting?(): Promise<boolean>;
};

const BETWEEN_LOOKS_MS = 10;
/** After an error, doubled with each further one. */
const TROUBLE_WAIT_MS = 500;
const IDLE_POLL_MS = 5;

/**
 * Works on rows that come due: looks for them regularly, when it is woken, and when the next one comes due, and has
 * several worked on at the same time. Only the rows say which are due, so any number of processes may do the same work.
 */
export class DueWorker<Item = never> {
  readonly #options: DueWorkerOptions<Item>;
  readonly #slots: FairSlots;
  /** Items of this process that run or wait for a slot. */
  readonly #held = new Set<ItemId>();
  readonly #running = new Set<Promise<void>>();
  readonly #unbegun: Item[] = [];
  readonly #stopping = new AbortController();
  #isStarted = false;
  #timer: NodeJS.Timeout | undefined;
  /** When the timer goes off, by the process's own time. */
  #lookAtMs = Number.POSITIVE_INFINITY;
  #notBeforeMs = Number.NEGATIVE_INFINITY;
  #look: Promise<void> | null = null;
  /** The look that runs may have read before the event that woke us. */
  #isWokenMeanwhile = false;
  /** There may be more due items than could be held. */
  #hasMore = false;
  #failures = 0;
  #unsubscribe: (() => void) | undefined;

  constructor(options: DueWorkerOptions<Item>) {
    this.#options = options;
    this.#slots = new FairSlots(options.work?.atOnce ?? 0);
  }

  start(): void {
    const { wokenBy } = this.#options;
    this.#isStarted = true;
    if (wokenBy) {
      this.#unsubscribe = wokenBy.wake.on(wokenBy.topic, () => this.wake(wokenBy.inMs));
    }
    this.wake(0);
  }

  /** Something comes due so soon. */
  wake(inMs: number): void {
    if (!this.#isActive) return;
    const nowMs = performance.now();
    const atMs = Math.max(nowMs, nowMs + inMs, this.#notBeforeMs);
    if (atMs >= this.#lookAtMs) return;
    clearTimeout(this.#timer);
    this.#lookAtMs = atMs;
    this.#timer = setTimeout(() => {
      this.#lookAtMs = Number.POSITIVE_INFINITY;
      if (performance.now() < this.#notBeforeMs) this.wake(0);
      else this.#lookOnce();
    }, atMs - nowMs);
  }

  /** Whether this process has nothing to do now or later; true in one that was not started. */
  async isIdle(): Promise<boolean> {
    if (!this.#isActive) return true;
    if (this.#look || this.#held.size > 0) return false;
    return !(await this.#options.isAnyWaiting?.());
  }

  /** Resolves when it is idle. */
  async idle(): Promise<void> {
    while (!(await this.isIdle())) await pause(IDLE_POLL_MS);
  }

  /** Begins nothing new; resolves when what runs is over and the claims on the rest are returned. */
  async stop(): Promise<void> {
    this.#unsubscribe?.();
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#look;
    while (this.#running.size > 0) await Promise.all(this.#running);
    const unbegun = this.#unbegun.splice(0);
    if (unbegun.length > 0) await this.#options.work?.giveBack?.(unbegun);
  }

  get #isActive(): boolean {
    return this.#isStarted && !this.#stopping.signal.aborted;
  }

  #lookOnce(): void {
    if (!this.#isActive) return;
    if (this.#look) {
      this.#isWokenMeanwhile = true;
      return;
    }
    this.#look = this.#lookNow().then((nextMs) => {
      this.#look = null;
      this.wake(this.#isWokenMeanwhile ? 0 : nextMs);
      this.#isWokenMeanwhile = false;
      this.#lookForMore();
    });
  }

  /** Answers when to look again. */
  async #lookNow(): Promise<number> {
    const { lookEveryMs, betweenLooksMs = BETWEEN_LOOKS_MS } = this.#options;
    const held = this.#held.size;
    const limit = (this.#options.work?.batch ?? 1) - held;
    if (limit <= 0) {
      this.#hasMore = true;
      return lookEveryMs;
    }
    this.#holdFor(betweenLooksMs);
    try {
      const { due, nextInMs } = await this.#options.look(limit, held);
      this.#failures = 0;
      const begun = due.filter((item) => this.#begin(item)).length;
      this.#hasMore = begun >= limit;
      return Math.min(nextInMs ?? lookEveryMs, lookEveryMs);
    } catch (error) {
      const waitMs = Math.min(
        TROUBLE_WAIT_MS * 2 ** this.#failures,
        Math.max(lookEveryMs, TROUBLE_WAIT_MS),
      );
      this.#failures += 1;
      this.#holdFor(waitMs);
      if (this.#isActive) this.#report(error, "the look for due work failed", {});
      return waitMs;
    }
  }

  /** No look for so long. */
  #holdFor(ms: number): void {
    this.#notBeforeMs = Math.max(this.#notBeforeMs, performance.now() + ms);
  }

  /** False if this process has it already. */
  #begin(item: Item): boolean {
    const { work } = this.#options;
    if (!work)
      throw new Error(`${this.#options.name} finds items and says not how to work on them`);
    const id = work.idOf(item);
    if (this.#held.has(id)) return false;
    this.#held.add(id);
    this.#slots.acquire(work.companyOf?.(item) ?? 0, () => {
      if (this.#stopping.signal.aborted) {
        this.#unbegun.push(item);
        this.#end(id);
        return;
      }
      const run = this.#run(work, item).finally(() => {
        this.#running.delete(run);
        this.#end(id);
      });
      this.#running.add(run);
    });
    return true;
  }

  #end(id: ItemId): void {
    this.#held.delete(id);
    this.#slots.release();
    this.#lookForMore();
  }

  /** Half of the batch waits while the next look is made. */
  #lookForMore(): void {
    if (this.#hasMore && this.#held.size <= (this.#options.work?.batch ?? 0) / 2) this.wake(0);
  }

  async #run(work: ItemWork<Item>, item: Item): Promise<void> {
    try {
      const companyId = work.companyOf?.(item);
      const about = { kind: "job", name: this.#options.name } as const;
      const outcome = await inWork(
        companyId === undefined ? about : { ...about, companyId },
        async () => work.run(item, this.#stopping.signal),
      );
      if (outcome === "again") this.wake(0);
    } catch (error) {
      // The row says when it is due again. One that still is due is found by the next look: not at once.
      this.#holdFor(TROUBLE_WAIT_MS);
      this.wake(0);
      const companyId = work.companyOf?.(item);
      this.#report(error, "due work failed", { companyId, item: work.idOf(item) });
    }
  }

  #report(error: unknown, message: string, subject: object): void {
    const { log, name } = this.#options;
    const fields = { err: error, worker: name, ...subject };
    if (isUnavailable(error)) log.warn(fields, "due work waits for the database");
    else log.error(fields, message);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
