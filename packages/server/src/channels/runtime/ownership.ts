import type { ChannelKind } from "@balcao/contract";
import type { Random } from "../../platform/sources.ts";
import type { Address, ChannelAdapter, CloseReason, StateEvent, TransientEvent } from "../port.ts";
import { LeaseLost } from "../port.ts";
import { isForOperators, SessionHistory, withJitter } from "./endings.ts";
import type { FairSlots } from "./fair-slots.ts";
import type { Lease } from "./fence.ts";
import { transactionUnderLease } from "./fence.ts";
import { FiguresOfConnection } from "./figures.ts";
import type { ConnectionFigures } from "./metrics.ts";
import { Reports } from "./reports.ts";
import { Session } from "./session.ts";
import { Steps } from "./steps.ts";
import type { WantedConnection } from "./wanted.ts";
import { clearUnlinkRequest, markUnwanted } from "./wanted.ts";
import { within } from "./within.ts";
import type { WorkDeps } from "./work.ts";
import { Work } from "./work.ts";

export type OwnershipDeps = WorkDeps & {
  adapter: ChannelAdapter;
  /** Whose adapter it is. */
  channel: ChannelKind;
  startSlots: FairSlots;
  random: Random;
  /** Nothing is left to do for the connection: its lease may go. */
  onFinished: () => Promise<void>;
};

const DRAIN_MS = 5_000;

/**
 * One connection while this process owns it: brings the session to what people want, one step at a time. Sessions come
 * and go (one per start), the connection's work lasts as long as the lease.
 */
export class Ownership {
  readonly #deps: OwnershipDeps;
  readonly #work: Work;
  readonly #reports: Reports;
  readonly #history = new SessionHistory();
  readonly #steps = new Steps((error) => this.#onStepError(error));
  #session: Session | null = null;
  /** The start request that was seen to last. */
  #generation: number | null = null;
  /** The start request whose unlinking is done. */
  #unlinked: number | null = null;
  /** Why the last session ended for good; people have to ask for the next one. */
  #finalReason: CloseReason | null = null;
  #wanted: WantedConnection | null = null;
  /** Of the start that was asked for last. */
  #pairingPhone: string | null = null;
  #isConnected = false;
  /** Sessions that wait for their turn to start, or begin. */
  #starting = 0;
  /** What people see until the session says more: a link that was just made is not begun from the start. */
  #opening: "OPENING" | "PAIRING" = "OPENING";
  readonly #figures = new FiguresOfConnection();
  #retryTimer: NodeJS.Timeout | undefined;
  #openingTimer: NodeJS.Timeout | undefined;
  #isEnded = false;

  constructor(deps: OwnershipDeps) {
    this.#deps = deps;
    this.#work = new Work({ ...deps, metrics: this.#figures.beside(deps.metrics) });
    this.#reports = new Reports(deps);
  }

  get lease(): Lease {
    return this.#deps.lease;
  }

  /** Brings the connection to what is wanted now; of several calls in a row the last one counts. */
  settle(wanted: WantedConnection): void {
    const isQueued = this.#wanted !== null;
    this.#wanted = wanted;
    if (!isQueued) void this.#steps.add(() => this.#reconcile());
    this.#figures.sendLagSeconds = wanted.outboundLagSeconds;
    this.#work.wake(wanted);
  }

  wakeOutbound(): void {
    this.#work.wakeOutbound();
  }

  wakeMedia(): void {
    this.#work.wakeMedia();
  }

  wakeQuestions(): void {
    this.#work.wakeQuestions();
  }

  /** The customer sees that somebody writes to him; without a session nobody does. */
  setTyping(chat: Address, isTyping: boolean): void {
    const session = this.#session;
    if (!session || !this.#isConnected) return;
    within(this.#deps.settings.answerMs, session.provider.setTyping(chat, isTyping)).catch(
      (error: unknown) => this.#warn(error, "typing was not told"),
    );
  }

  figures(): ConnectionFigures {
    return this.#figures.read(this.lease.connectionId);
  }

  /** The network can be reached: a session that waits for its next try starts now. */
  retryNow(): void {
    if (this.#retryTimer) this.#startAgain();
  }

  get isSending(): boolean {
    return this.#work.isSending;
  }

  /** Whether nothing is under way; what the database still holds is not asked here. */
  async isIdle(): Promise<boolean> {
    if (!this.#steps.isIdle || !this.#reports.isIdle || this.#starting > 0) return false;
    if (!this.#work.isIdle) return false;
    if (this.#isConnected && !this.#work.isSending) return false;
    return (await this.#session?.provider.isIdle?.()) ?? true;
  }

  /** The lease is gone: everything stops at once and writes nothing more. */
  abandon(): void {
    if (this.#isEnded) return;
    this.#end();
    void this.#session?.close();
    void this.#work.stop();
  }

  /** Closes the session, keeps its link, and lets what is under way end. The lease may be released afterwards. */
  async stop(): Promise<void> {
    this.#reports.stop();
    // At once: no other message goes out while earlier steps end, and no file keeps them waiting.
    const sent = this.#work.stopSending();
    await this.#steps.add(() => this.#closeAll());
    await sent;
  }

  #end(): void {
    this.#isEnded = true;
    this.#steps.end();
    this.#reports.stop();
    this.#work.pause();
    clearTimeout(this.#retryTimer);
    clearTimeout(this.#openingTimer);
  }

  async #closeAll(): Promise<void> {
    if (this.#isEnded) return;
    this.#end();
    await this.#session?.close();
    await this.#work.stop();
  }

  async #reconcile(): Promise<void> {
    const wanted = this.#wanted;
    this.#wanted = null;
    if (!wanted) return;
    const { channel, adapter } = this.#deps;
    const generation = wanted.startGeneration;
    await adapter.prepare?.();
    this.#pairingPhone = wanted.pairingPhone;
    if (wanted.channel === channel && wanted.unlinkRequested) {
      if (this.#unlinked !== generation) await this.#unlink(generation);
      await clearUnlinkRequest(this.#deps.db, this.lease, generation);
    }
    if (wanted.channel !== channel || wanted.nextChannel !== channel) {
      await this.#handOver();
      return;
    }
    if (!wanted.isWanted) {
      await this.#finish(wanted);
      return;
    }
    if (this.#generation !== generation) {
      this.#history.forget();
      this.#reports.retries = 0;
      await this.#closeSession();
      await this.#start(generation, "OPENING");
    } else if (this.#finalReason) {
      await this.#giveUp(generation, this.#finalReason);
    } else if (this.#isConnected && this.#work.isPaused && this.#session) {
      // The pump could not begin when the session connected.
      this.#resume(this.#session);
    }
  }

  async #unlink(generation: number): Promise<void> {
    await this.#closeSession();
    const session = this.#newSession(generation);
    session.mute();
    try {
      await session.provider.unlink();
    } finally {
      await session.close();
    }
    this.#unlinked = generation;
  }

  /** Another channel's adapter is needed: whoever takes the connection next has it. */
  async #handOver(): Promise<void> {
    await this.#closeSession();
    await this.#closeAll();
    await this.#deps.onFinished();
  }

  /** Nobody wants the connection: its session ends, what it had delivered is still handled, the lease goes. */
  async #finish(wanted: WantedConnection): Promise<void> {
    const hadSession = await this.#closeSession();
    if (hadSession || wanted.status !== "DISCONNECTED") {
      await this.#tell({ type: "state", status: "DISCONNECTED", reason: "stopped" });
    }
    const deadlineMs = performance.now() + DRAIN_MS;
    while (!this.#work.isHandled && performance.now() < deadlineMs) {
      // People want it again.
      if (this.#wanted?.isWanted) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await this.#closeAll();
    await this.#deps.onFinished();
  }

  /** Whether there was one, running or waiting for its next try. */
  async #closeSession(): Promise<boolean> {
    const session = this.#session;
    const wasWaiting = this.#retryTimer !== undefined;
    this.#quiet();
    this.#session = null;
    await session?.close();
    return session !== null || wasWaiting;
  }

  /** Nothing is sent and no timer runs until the next session. */
  #quiet(): void {
    this.#isConnected = false;
    this.#work.pause();
    clearTimeout(this.#openingTimer);
    clearTimeout(this.#retryTimer);
    this.#retryTimer = undefined;
  }

  #newSession(generation: number): Session {
    const { adapter, db, lease, settings, handlers, log } = this.#deps;
    return new Session(generation, {
      adapter,
      lease,
      log,
      stopMs: settings.stopMs,
      openFile: (key) => handlers.openFile(lease.companyId, key),
      pairingPhone: this.#pairingPhone,
      transaction: (work) => this.#watchingLease(transactionUnderLease(db, lease, work)),
      store: (events) => this.#watchingLease(this.#work.store(events)),
      tell: (session, event) => this.#watchingLease(this.#onTell(session, event)),
    });
  }

  async #watchingLease<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof LeaseLost) this.#deps.onLeaseLost();
      throw error;
    }
  }

  /** Puts a session in the line of those that start; others of the process, in turns by company, go before it. */
  async #start(generation: number, opening: "OPENING" | "PAIRING"): Promise<void> {
    const session = this.#newSession(generation);
    this.#session = session;
    this.#generation = generation;
    this.#finalReason = null;
    this.#opening = opening;
    this.#starting += 1;
    const { startSlots, lease, settings } = this.#deps;
    void startSlots.run(lease.companyId, async () => {
      await this.#steps.add(() => this.#begin(session));
      this.#starting -= 1;
      const hold = within(settings.startHoldMs, session.settled);
      // Late is not wrong: the next ones wait no longer for it.
      await hold.catch(() => undefined);
    });
    await this.#tell({ type: "state", status: opening });
  }

  async #begin(session: Session): Promise<void> {
    // People have asked for something else while it waited.
    if (session.isClosed || this.#session !== session) return;
    const { settings } = this.#deps;
    try {
      this.#openingTimer = setTimeout(() => this.#onEnd(session, "network"), settings.openingMs);
      this.#openingTimer.unref();
      await session.provider.start();
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      this.#warn(error, "a session did not start");
      this.#onEnd(session, "network");
    }
  }

  #startAgain(opening: "OPENING" | "PAIRING" = "OPENING"): void {
    clearTimeout(this.#retryTimer);
    this.#retryTimer = undefined;
    void this.#steps.add(async () => {
      if (this.#session || this.#generation === null) return;
      this.#reports.retries += 1;
      this.#figures.reconnects += 1;
      await this.#start(this.#generation, opening);
    });
  }

  /** What people see of it. */
  #tell(event: TransientEvent, isStillTrue?: () => boolean): Promise<void> {
    if (event.type === "state") this.#figures.status = event.status;
    else if (event.type !== "presence" && event.text !== null) this.#figures.status = "qrcode";
    return this.#reports.tell(event, isStillTrue);
  }

  async #onTell(session: Session, event: TransientEvent): Promise<void> {
    if (event.type === "presence") {
      await this.#reports.mention(event, () => !session.isClosed);
      return;
    }
    if (event.type === "state" && event.status === "DISCONNECTED") {
      this.#onEnd(session, event.reason ?? "network");
      return;
    }
    const isOpening = event.type === "state" && event.status === "OPENING";
    if (!isOpening) {
      clearTimeout(this.#openingTimer);
      session.settle();
    }
    if (isLinking(event)) session.isLinking = true;
    if (event.type === "state" && event.status === "CONNECTED") {
      await this.#onConnected(session, event);
      return;
    }
    const shown = isOpening ? { ...event, status: this.#opening } : event;
    await this.#tell(shown, () => !session.isClosed);
  }

  async #onConnected(session: Session, event: StateEvent): Promise<void> {
    this.#isConnected = true;
    this.#history.connected(performance.now());
    this.#reports.retries = 0;
    await this.#tell(event, () => !session.isClosed);
    if (!session.isClosed) this.#resume(session);
  }

  #resume(session: Session): void {
    this.#work.resume(session.provider).catch((error: unknown) => {
      if (error instanceof LeaseLost) this.#deps.onLeaseLost();
      else this.#warn(error, "the outbound queue does not go on yet");
    });
  }

  /** The session is over by itself. */
  #onEnd(session: Session, reason: CloseReason): void {
    if (session.isClosed) return;
    session.mute();
    const { settings, random, metrics, log, lease } = this.#deps;
    const ending = this.#history.ended(reason, performance.now(), settings);
    metrics.closed(reason);
    if (isForOperators(reason)) {
      const { companyId, connectionId } = lease;
      log.error({ companyId, connectionId, reason }, "a connection cannot be served");
    }
    this.#quiet();
    void this.#steps.add(async () => {
      // Replaced by a newer start meanwhile.
      if (this.#session !== session) return;
      await session.close();
      this.#session = null;
      if (ending.action === "stop") {
        this.#finalReason = reason;
        await this.#giveUp(session.generation, reason);
        return;
      }
      if (reason === "restart" && ending.waitMs === 0) {
        this.#startAgain(session.isLinking ? "PAIRING" : "OPENING");
        return;
      }
      const waitMs = withJitter(ending.waitMs, random);
      this.#retryTimer = setTimeout(() => this.#startAgain(), waitMs);
      this.#retryTimer.unref();
      await this.#tell({ type: "state", status: "TIMEOUT", reason });
    });
  }

  /** The connection waits for people from now on. */
  #giveUp(generation: number, reason: CloseReason): Promise<void> {
    const event = { type: "state", status: "DISCONNECTED", reason } as const;
    this.#figures.status = event.status;
    return this.#reports.tell(event, undefined, (tx) => markUnwanted(tx, this.lease, generation));
  }

  #onStepError(error: unknown): void {
    if (error instanceof LeaseLost) this.#deps.onLeaseLost();
    // The supervisor's next look takes the step again.
    else this.#warn(error, "a connection could not be brought to what is wanted");
  }

  #warn(error: unknown, message: string): void {
    const { log, lease } = this.#deps;
    const { companyId, connectionId } = lease;
    log.warn({ err: error, companyId, connectionId }, message);
  }
}

/** A code is shown or was used: not yet a session that has its link. */
function isLinking(event: TransientEvent): boolean {
  if (event.type === "state") return event.status === "PAIRING" || event.status === "qrcode";
  return event.type !== "presence" && event.text !== null;
}
