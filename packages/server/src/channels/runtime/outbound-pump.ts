import type { Database } from "../../platform/db/database.ts";
import { isUnavailable } from "../../platform/db/unavailable.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { ChatProvider, SendOutcome } from "../port.ts";
import { LeaseLost } from "../port.ts";
import { FairSlots } from "./fair-slots.ts";
import type { Lease } from "./fence.ts";
import { transactionUnderLease } from "./fence.ts";
import type { ChannelHandlers } from "./handlers.ts";
import type { ChannelMetrics } from "./metrics.ts";
import { commandOf } from "./outbound-bodies.ts";
import type { OutboundRow } from "./outbound-rows.ts";
import { claimOutbound, readQueuedRows, recordOutbound, recoverOutbound } from "./outbound-rows.ts";
import type { NextStep } from "./outbound-rules.ts";
import { afterSend, mayResend, metricOf, reportOf } from "./outbound-rules.ts";
import type { ChannelSettings } from "./settings.ts";

export type OutboundPumpDeps = {
  db: Database;
  lease: Lease;
  handlers: ChannelHandlers;
  settings: ChannelSettings;
  metrics: ChannelMetrics;
  log: Logger;
  onLeaseLost: () => void;
};

/** A row and the moment (performance.now) before which it is not sent. */
type Waiting = { row: OutboundRow; dueAtMs: number };
/** Rows in id order; the first one is being sent while `isBusy`. */
type Chat = { waiting: Waiting[]; isBusy: boolean; timer?: NodeJS.Timeout };

/** Rows of a connection in memory. */
const IN_MEMORY = 500;
const TROUBLE_WAIT_MS = 500;
const HANDLER_TRIES = 5;

/**
 * Sends a connection's outbound rows: in id order and one at a time in each chat (a row that is tried again holds up
 * the later ones), a few chats in parallel, and only while a session is connected. Each row is claimed in its own commit
 * before the provider is called and carries an id chosen beforehand, so that a crash anywhere repeats the same message
 * and never makes a second one.
 */
export class OutboundPump {
  readonly #deps: OutboundPumpDeps;
  readonly #chats = new Map<string, Chat>();
  readonly #known = new Set<number>();
  readonly #slots: FairSlots;
  #provider: ChatProvider | null = null;
  /** Counts resumes and pauses, so that a resume that takes long notices a later call. */
  #turn = 0;
  #isResuming = false;
  #isStopped = false;
  #isReading = false;
  #readAgain = false;
  /** Rows that were tried since the queue is being read. */
  #triedMeanwhile = new Set<number>();
  #hasMore = false;
  #running = 0;
  #onQuiet: (() => void)[] = [];

  constructor(deps: OutboundPumpDeps) {
    this.#deps = deps;
    this.#slots = new FairSlots(deps.settings.chatsAtOnce);
  }

  /** A session is connected: first what an earlier one left unclear, then what waits. */
  async resume(provider: ChatProvider): Promise<void> {
    this.#turn += 1;
    const turn = this.#turn;
    this.#isResuming = true;
    try {
      await this.#quiet();
      if (turn === this.#turn) await this.#recover(provider);
    } finally {
      if (turn === this.#turn) this.#isResuming = false;
    }
    if (turn !== this.#turn) return;
    this.#forget();
    this.#provider = provider;
    this.wake();
  }

  /** No session: nothing new is sent until `resume`. */
  pause(): void {
    this.#turn += 1;
    this.#isResuming = false;
    this.#provider = null;
  }

  /** There may be new rows. */
  wake(): void {
    if (this.#provider && !this.#isStopped) void this.#read();
  }

  /** Whether nothing is being sent or waits here; what waits for a session does not count. */
  get isIdle(): boolean {
    if (this.#isReading || this.#running > 0) return false;
    return this.#provider === null || this.#known.size === 0;
  }

  /** Whether it waits for `resume`. */
  get isPaused(): boolean {
    return this.#provider === null && !this.#isResuming;
  }

  /** Whether a session is there to send. */
  get isSending(): boolean {
    return this.#provider !== null;
  }

  /** Begins nothing new; resolves when the sends under way are recorded. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.pause();
    this.#forget();
    await this.#quiet();
  }

  async #recover(provider: ChatProvider): Promise<void> {
    const { db, lease, handlers, settings } = this.#deps;
    const safe = {
      resends: mayResend(provider.capabilities),
      withinMs: settings.resendWithinMs,
    };
    await this.#insist((isLastTry) =>
      transactionUnderLease(db, lease, async (tx) => {
        const unconfirmed = await recoverOutbound(tx, lease, safe);
        if (isLastTry) return;
        for (const sending of unconfirmed) {
          const failure = { kind: "unconfirmed" } as const;
          await handlers.sent(tx, lease, { ...sending, result: "failed", failure });
        }
      }),
    );
  }

  async #quiet(): Promise<void> {
    if (this.#running === 0) return;
    await new Promise<void>((resolve) => void this.#onQuiet.push(resolve));
  }

  #forget(): void {
    for (const chat of this.#chats.values()) clearTimeout(chat.timer);
    this.#chats.clear();
    this.#known.clear();
  }

  async #read(): Promise<void> {
    this.#readAgain = true;
    if (this.#isReading) return;
    this.#isReading = true;
    const { db, lease, log } = this.#deps;
    while (this.#readAgain && this.#provider && this.#known.size < IN_MEMORY) {
      this.#readAgain = false;
      this.#triedMeanwhile = new Set(this.#underWay());
      try {
        const rows = await db.transaction({ companyId: lease.companyId }, (tx) =>
          readQueuedRows(tx, lease, IN_MEMORY),
        );
        this.#hasMore = rows.length === IN_MEMORY;
        if (!this.#provider) break;
        if (!this.#hasMore) this.#dropCancelled(rows);
        this.#take(rows);
      } catch (error) {
        // The supervisor wakes us again with its next look.
        log.warn({ err: error, connectionId: lease.connectionId }, "outbound rows were not read");
      }
    }
    this.#isReading = false;
  }

  /** Rows that are being sent. */
  *#underWay(): Iterable<number> {
    for (const { isBusy, waiting } of this.#chats.values()) {
      if (isBusy && waiting[0]) yield waiting[0].row.id;
    }
  }

  /**
   * What waits here for its time and is not in the queue any more was taken back; what follows it need not wait. A row
   * that was tried while the queue was read may be missing there for that reason, and was certainly not taken back.
   */
  #dropCancelled(queued: readonly OutboundRow[]): void {
    const ids = new Set(queued.map(({ id }) => id));
    for (const chat of this.#chats.values()) {
      const isKept = ({ row }: Waiting, place: number): boolean =>
        ids.has(row.id) || this.#triedMeanwhile.has(row.id) || (chat.isBusy && place === 0);
      const dropped = chat.waiting.filter((waiting, place) => !isKept(waiting, place));
      if (dropped.length === 0) continue;
      chat.waiting = chat.waiting.filter(isKept);
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
        chat = { waiting: [], isBusy: false };
        this.#chats.set(row.chatKey, chat);
      }
      insertInOrder(chat, { row, dueAtMs: now + row.dueInMs });
    }
    for (const [chatKey, chat] of this.#chats) this.#next(chatKey, chat);
  }

  #next(chatKey: string, chat: Chat): void {
    const first = chat.waiting[0];
    if (chat.isBusy) return;
    clearTimeout(chat.timer);
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
    chat.isBusy = true;
    this.#slots.acquire(0, () => {
      const provider = this.#provider;
      // `resume` reads the rows again.
      if (!provider || this.#chats.get(chatKey) !== chat) {
        chat.isBusy = false;
        this.#slots.release();
        return;
      }
      this.#running += 1;
      this.#triedMeanwhile.add(first.row.id);
      void this.#send(provider, first.row)
        .catch((error: unknown) => this.#troubled(first.row, error))
        .then((againInMs) => {
          this.#slots.release();
          this.#running -= 1;
          chat.isBusy = false;
          this.#settle(chatKey, chat, first, againInMs);
        });
    });
  }

  #settle(chatKey: string, chat: Chat, first: Waiting, againInMs: number | null): void {
    if (this.#running === 0) for (const resolve of this.#onQuiet.splice(0)) resolve();
    // Forgotten meanwhile: the rows are read again when there is a session.
    if (this.#chats.get(chatKey) !== chat) return;
    if (againInMs === null) {
      chat.waiting.shift();
      this.#known.delete(first.row.id);
    } else {
      first.dueAtMs = performance.now() + againInMs;
    }
    this.#next(chatKey, chat);
    if (this.#hasMore && this.#known.size < IN_MEMORY / 2) this.wake();
  }

  /** One attempt. Answers the wait before the next one, null when this row is done with here. */
  async #send(provider: ChatProvider, row: OutboundRow): Promise<number | null> {
    const { db, lease, settings, metrics } = this.#deps;
    const attempt = await db.transaction({ companyId: lease.companyId }, (tx) =>
      claimOutbound(tx, lease, row.id),
    );
    if (attempt === null) return null;
    const outcome = await this.#call(provider, row);
    const { capabilities } = provider;
    const step = afterSend(outcome, {
      command: row.command,
      number: attempt,
      capabilities,
      settings,
    });
    const isRecorded = await this.#record(row, step);
    metrics.outbound(metricOf(step));
    return isRecorded && step.state === "queued" ? step.waitMs : null;
  }

  async #call(provider: ChatProvider, row: OutboundRow): Promise<SendOutcome> {
    const { settings, log, lease } = this.#deps;
    let timer: NodeJS.Timeout | undefined;
    try {
      const command = commandOf(row);
      const limitMs = command.body.kind === "media" ? settings.sendFileMs : settings.sendMs;
      const timeout = new Promise<SendOutcome>((resolve) => {
        const failure = { kind: "temporary", code: "timeout" } as const;
        timer = setTimeout(() => resolve({ result: "unknown", failure }), limitMs);
      });
      return await Promise.race([provider.send(command), timeout]);
    } catch (error) {
      const { connectionId } = lease;
      log.error({ err: error, connectionId, messageId: row.messageId }, "a provider's send threw");
      return { result: "unknown", failure: { kind: "temporary" } };
    } finally {
      clearTimeout(timer);
    }
  }

  /** Records the outcome together with what the product makes of it; insists, because the send has happened. */
  async #record(row: OutboundRow, step: NextStep): Promise<boolean> {
    const { db, lease, handlers } = this.#deps;
    const outcome = {
      state: step.state,
      errorCode: "failure" in step ? step.failure.kind : null,
      dueInMs: step.state === "queued" ? step.waitMs : 0,
      isCounted: step.state !== "queued" || step.isCounted,
    };
    const report = reportOf(row, step);
    return this.#insist((isLastTry) =>
      db.transaction({ companyId: lease.companyId }, async (tx) => {
        const isOurs = await recordOutbound(tx, lease, row.id, outcome);
        // A handler that keeps failing must not hold up the chat for ever.
        if (isOurs && report && !isLastTry) await handlers.sent(tx, lease, report);
        return isOurs;
      }),
    );
  }

  /** Tries until it works; gives up on the work's own errors after several tries, on the database's only at a stop. */
  async #insist<T>(work: (isLastTry: boolean) => Promise<T>): Promise<T> {
    for (let tries = 1; ;) {
      try {
        return await work(tries > HANDLER_TRIES);
      } catch (error) {
        if (error instanceof LeaseLost || tries > HANDLER_TRIES) throw error;
        if (!isUnavailable(error)) tries += 1;
        else if (this.#isStopped) throw error;
        const { connectionId } = this.#deps.lease;
        this.#deps.log.warn({ err: error, connectionId }, "an outcome is not recorded yet");
        await new Promise((resolve) => setTimeout(resolve, TROUBLE_WAIT_MS));
      }
    }
  }

  #troubled(row: OutboundRow, error: unknown): number {
    const { lease, log, onLeaseLost } = this.#deps;
    if (error instanceof LeaseLost) onLeaseLost();
    else {
      const { connectionId } = lease;
      log.warn({ err: error, connectionId, messageId: row.messageId }, "a message waits");
    }
    return TROUBLE_WAIT_MS;
  }
}

/** Behind the row that is being sent, in the order of ids. */
function insertInOrder(chat: Chat, added: Waiting): void {
  const first = chat.isBusy ? 1 : 0;
  let place = chat.waiting.length;
  while (place > first && (chat.waiting[place - 1]?.row.id ?? 0) > added.row.id) place -= 1;
  chat.waiting.splice(place, 0, added);
}
