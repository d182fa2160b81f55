import { outboundPriorities } from "../../platform/db/schema/messages.ts";
import type { ChatProvider } from "../port.ts";
import { LeaseLost } from "../port.ts";
import type { ConnectionDeps } from "./deps.ts";
import type { OutboundRow } from "./outbound-attempt.ts";
import { attemptSend, readQueuedRows, recoverSends } from "./outbound-attempt.ts";

/** A row and the time (performance.now) before which it is not sent. */
type QueuedRow = { row: OutboundRow; dueAtMs: number };
/** Rows in id order; the first one is being sent while `isBusy`. */
type Chat = { queue: QueuedRow[]; isBusy: boolean; timer?: NodeJS.Timeout };

/** Most rows of a connection in memory. */
const IN_MEMORY = 500;
/** A priority number above all others: every row is more urgent. */
const LEAST_URGENT = 32_767;
const ERROR_WAIT_MS = 500;

/**
 * Sends a connection's outbound rows while a session is connected: in id order and one at a time in each chat (a
 * retried row delays the later ones), a few chats in parallel, the chat with the most urgent row first, with a gap
 * between bulk messages. Each row is claimed in its own commit before the provider is called, and has an id chosen
 * beforehand, so a crash at any step repeats the same message and never makes a second one.
 */
export class OutboundPump {
  readonly #deps: ConnectionDeps & { isStopped: () => boolean };
  readonly #chats = new Map<string, Chat>();
  readonly #known = new Set<number>();
  /** Chats whose first row is due. */
  readonly #ready = new Map<string, Chat>();
  #bulkFromMs = 0;
  #bulkTimer: NodeJS.Timeout | undefined;
  #provider: ChatProvider | null = null;
  /** Counts resumes and pauses, so that a slow resume notices a later call. */
  #turn = 0;
  #isResuming = false;
  #isStopped = false;
  #isReading = false;
  #readAgain = false;
  /** Rows whose attempt started during the current read of the queue. */
  #attemptedDuringRead = new Set<number>();
  #hasMore = false;
  #running = 0;
  #onIdle: (() => void)[] = [];

  constructor(deps: ConnectionDeps) {
    this.#deps = { ...deps, isStopped: () => this.#isStopped };
  }

  /** Starts sending through a connected session, after settling the sends of earlier sessions. */
  async resume(provider: ChatProvider): Promise<void> {
    this.#turn += 1;
    const turn = this.#turn;
    this.#isResuming = true;
    try {
      await this.#whenIdle();
      if (turn === this.#turn) await recoverSends(this.#deps, provider);
    } finally {
      if (turn === this.#turn) this.#isResuming = false;
    }
    if (turn !== this.#turn) return;
    this.#clear();
    this.#provider = provider;
    this.wake();
  }

  /** Starts no new send until `resume`. */
  pause(): void {
    this.#turn += 1;
    this.#isResuming = false;
    this.#provider = null;
  }

  /** Called when there may be new rows. */
  wake(): void {
    if (this.#provider && !this.#isStopped) void this.#read();
  }

  /** Whether no send is running or queued here; rows that wait for a session do not count. */
  get isIdle(): boolean {
    if (this.#isReading || this.#running > 0) return false;
    return this.#provider === null || this.#known.size === 0;
  }

  /** Whether it waits for `resume`. */
  get isPaused(): boolean {
    return this.#provider === null && !this.#isResuming;
  }

  /** Whether a session is connected. */
  get isSending(): boolean {
    return this.#provider !== null;
  }

  /** Starts no new send; resolves when the running ones are recorded. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.pause();
    this.#clear();
    await this.#whenIdle();
  }

  async #whenIdle(): Promise<void> {
    if (this.#running === 0) return;
    await new Promise<void>((resolve) => void this.#onIdle.push(resolve));
  }

  #clear(): void {
    for (const chat of this.#chats.values()) clearTimeout(chat.timer);
    clearTimeout(this.#bulkTimer);
    this.#chats.clear();
    this.#ready.clear();
    this.#known.clear();
  }

  async #read(): Promise<void> {
    this.#readAgain = true;
    if (this.#isReading) return;
    this.#isReading = true;
    const { db, lease, log } = this.#deps;
    while (this.#readAgain && this.#provider) {
      this.#readAgain = false;
      // When memory is full, read only rows that are more urgent than one in memory.
      const below = this.#known.size < IN_MEMORY ? LEAST_URGENT : this.#leastUrgent();
      if (below === outboundPriorities.agent) break;
      this.#attemptedDuringRead = new Set(this.#sending());
      try {
        const rows = await db.transaction({ companyId: lease.companyId }, (tx) =>
          readQueuedRows(tx, lease, { below, limit: IN_MEMORY }),
        );
        const isWhole = rows.length < IN_MEMORY;
        this.#hasMore = !isWhole || below !== LEAST_URGENT;
        if (!this.#provider) break;
        if (isWhole) this.#dropCancelled(rows, below);
        this.#take(rows);
      } catch (error) {
        // The supervisor's next poll wakes the pump again.
        log.warn({ err: error, connectionId: lease.connectionId }, "outbound rows were not read");
      }
    }
    this.#isReading = false;
  }

  /** Ids of rows that are being sent. */
  *#sending(): Iterable<number> {
    for (const { isBusy, queue } of this.#chats.values()) {
      if (isBusy && queue[0]) yield queue[0].row.id;
    }
  }

  /**
   * Drops rows that were cancelled: they are in memory and no longer queued in the database. A row whose attempt
   * started during the read may be missing there for that reason, and is kept.
   */
  #dropCancelled(queued: readonly OutboundRow[], below: number): void {
    const ids = new Set(queued.map(({ id }) => id));
    for (const chat of this.#chats.values()) {
      const isKept = ({ row }: QueuedRow, place: number): boolean =>
        row.priority >= below ||
        ids.has(row.id) ||
        this.#attemptedDuringRead.has(row.id) ||
        (chat.isBusy && place === 0);
      const dropped = chat.queue.filter((queued, place) => !isKept(queued, place));
      if (dropped.length === 0) continue;
      chat.queue = chat.queue.filter(isKept);
      for (const { row } of dropped) this.#known.delete(row.id);
    }
  }

  #take(rows: readonly OutboundRow[]): void {
    const now = performance.now();
    for (const row of rows) {
      if (this.#known.has(row.id)) continue;
      this.#known.add(row.id);
      let chat = this.#chats.get(row.chatKey);
      if (!chat) {
        chat = { queue: [], isBusy: false };
        this.#chats.set(row.chatKey, chat);
      }
      insertInOrder(chat, { row, dueAtMs: now + row.dueInMs });
    }
    for (const [chatKey, chat] of this.#chats) this.#next(chatKey, chat);
  }

  #leastUrgent(): number {
    const rows = [...this.#chats.values()].flatMap((chat) => chat.queue);
    return Math.max(...rows.map(({ row }) => row.priority));
  }

  #next(chatKey: string, chat: Chat): void {
    const first = chat.queue[0];
    if (chat.isBusy) return;
    clearTimeout(chat.timer);
    this.#ready.delete(chatKey);
    if (!first) {
      this.#chats.delete(chatKey);
      return;
    }
    const waitMs = first.dueAtMs - performance.now();
    if (waitMs > 0) {
      chat.timer = setTimeout(() => this.#next(chatKey, chat), waitMs);
      chat.timer.unref();
      return;
    }
    this.#ready.set(chatKey, chat);
    this.#sendReady();
  }

  /** Starts as many sends as may run, the most urgent chats first. */
  #sendReady(): void {
    // Without a session nothing is sent: `resume` reads the rows again.
    while (this.#provider && this.#running < this.#deps.settings.chatsAtOnce) {
      const gapMs = this.#bulkFromMs - performance.now();
      const chosen = this.#mostUrgent(gapMs > 0 ? outboundPriorities.schedule : LEAST_URGENT);
      if (!chosen) {
        clearTimeout(this.#bulkTimer);
        if (gapMs <= 0 || this.#ready.size === 0) return;
        this.#bulkTimer = setTimeout(() => this.#sendReady(), gapMs);
        this.#bulkTimer.unref();
        return;
      }
      const { chatKey, chat, first, urgency } = chosen;
      if (urgency >= outboundPriorities.schedule) {
        this.#bulkFromMs = performance.now() + this.#deps.settings.bulkGapMs;
      }
      this.#ready.delete(chatKey);
      this.#begin(this.#provider, { chatKey, chat, first });
    }
  }

  /** The ready chat with the most urgent row, if that is more urgent than `below`; among equals the oldest row. */
  #mostUrgent(below: number) {
    let best: { chatKey: string; chat: Chat; first: QueuedRow; urgency: number } | null = null;
    for (const [chatKey, chat] of this.#ready) {
      const [first] = chat.queue;
      // The most urgent row of a chat sets its urgency, because the rows before it must be sent first.
      const urgency = Math.min(...chat.queue.map(({ row }) => row.priority));
      if (!first || urgency >= below) continue;
      const isBetter =
        !best ||
        urgency < best.urgency ||
        (urgency === best.urgency && first.row.id < best.first.row.id);
      if (isBetter) best = { chatKey, chat, first, urgency };
    }
    return best;
  }

  #begin(
    provider: ChatProvider,
    { chatKey, chat, first }: { chatKey: string; chat: Chat; first: QueuedRow },
  ): void {
    chat.isBusy = true;
    this.#running += 1;
    this.#attemptedDuringRead.add(first.row.id);
    void attemptSend(this.#deps, provider, first.row)
      .catch((error: unknown) => this.#onError(first.row, error))
      .then((retryMs) => {
        this.#running -= 1;
        chat.isBusy = false;
        this.#settle(chatKey, chat, first, retryMs);
        this.#sendReady();
      });
  }

  #settle(chatKey: string, chat: Chat, first: QueuedRow, retryMs: number | null): void {
    if (this.#running === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
    // The queue was cleared meanwhile: `resume` reads the rows again.
    if (this.#chats.get(chatKey) !== chat) return;
    if (retryMs === null) {
      chat.queue.shift();
      this.#known.delete(first.row.id);
    } else {
      first.dueAtMs = performance.now() + retryMs;
    }
    this.#next(chatKey, chat);
    if (this.#hasMore && this.#known.size < IN_MEMORY / 2) this.wake();
  }

  #onError(row: OutboundRow, error: unknown): number {
    const { lease, log, onLeaseLost } = this.#deps;
    if (error instanceof LeaseLost) onLeaseLost();
    else {
      const { connectionId } = lease;
      log.warn({ err: error, connectionId, messageId: row.messageId }, "a message waits");
    }
    return ERROR_WAIT_MS;
  }
}

/** Inserts by id, after the row that is being sent. */
function insertInOrder(chat: Chat, added: QueuedRow): void {
  const first = chat.isBusy ? 1 : 0;
  let place = chat.queue.length;
  while (place > first && (chat.queue[place - 1]?.row.id ?? 0) > added.row.id) place -= 1;
  chat.queue.splice(place, 0, added);
}
