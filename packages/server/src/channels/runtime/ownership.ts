import type { Database } from "../../platform/db/database.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Random } from "../../platform/sources.ts";
import type { ChannelAdapter, CloseReason, StateEvent, TransientEvent } from "../port.ts";
import { LeaseLost } from "../port.ts";
import { SessionHistory, withJitter } from "./endings.ts";
import type { FairSlots } from "./fair-slots.ts";
import type { Errand } from "./errand.ts";
import type { Lease } from "./fence.ts";
import type { ChannelHandlers } from "./handlers.ts";
import { InboundPump } from "./inbound-pump.ts";
import { Journal } from "./journal.ts";
import { MediaPump } from "./media-pump.ts";
import type { ChannelMetrics } from "./metrics.ts";
import { OutboundPump } from "./outbound-pump.ts";
import { questionsErrand } from "./questions.ts";
import { receiptsErrand } from "./read-receipts.ts";
import { Reports } from "./reports.ts";
import { Session } from "./session.ts";
import type { ChannelSettings } from "./settings.ts";
import { Steps } from "./steps.ts";
import type { WantedConnection } from "./wanted.ts";
import { clearUnlinkRequest, markUnwanted } from "./wanted.ts";

export type OwnershipDeps = {
  db: Database;
  lease: Lease;
  adapter: ChannelAdapter;
  handlers: ChannelHandlers;
  wake: Wake;
  inboundSlots: FairSlots;
  fileSlots: FairSlots;
  startSlots: FairSlots;
  settings: ChannelSettings;
  random: Random;
  metrics: ChannelMetrics;
  log: Logger;
  onLeaseLost: () => void;
  /** Nothing is left to do for the connection: its lease may go. */
  onFinished: () => Promise<void>;
};

const DRAIN_MS = 5_000;

/**
 * One connection while this process owns it: brings the session to what people want, one step at a time, and feeds the
 * pumps. Sessions come and go (one per start), the journal and the pumps last as long as the lease.
 */
export class Ownership {
  readonly #deps: OwnershipDeps;
  readonly #journal: Journal;
  readonly #inbound: InboundPump;
  readonly #outbound: OutboundPump;
  readonly #receipts: Errand;
  readonly #media: MediaPump;
  readonly #questions: Errand;
  /** What is done beside messages while a session is connected. */
  readonly #errands: readonly (Errand | MediaPump)[];
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
  #isConnected = false;
  #retryTimer: NodeJS.Timeout | undefined;
  #openingTimer: NodeJS.Timeout | undefined;
  #isEnded = false;

  constructor(deps: OwnershipDeps) {
    this.#deps = deps;
    this.#inbound = new InboundPump({ ...deps, slots: deps.inboundSlots });
    this.#journal = new Journal(deps.db, deps.lease, {
      stored: (rows) => this.#inbound.submit(rows),
      doubt: () => this.#inbound.lookAgain(),
    });
    this.#outbound = new OutboundPump(deps);
    this.#receipts = receiptsErrand(deps);
    this.#media = new MediaPump({ ...deps, slots: deps.fileSlots });
    this.#questions = questionsErrand(deps);
    this.#errands = [this.#receipts, this.#media, this.#questions];
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
    if (wanted.hasOutbound) this.#outbound.wake();
    if (wanted.hasReceipts) this.#receipts.wake();
    if (wanted.hasMedia) this.#media.wake();
    if (wanted.hasQuestions) this.#questions.wake();
  }

  wakeOutbound(): void {
    this.#outbound.wake();
    this.#receipts.wake();
  }

  wakeMedia(): void {
    this.#media.wake();
  }

  wakeQuestions(): void {
    this.#questions.wake();
  }

  /** The network can be reached: a session that waits for its next try starts now. */
  retryNow(): void {
    if (this.#retryTimer) this.#startAgain();
  }

  get isSending(): boolean {
    return this.#outbound.isSending;
  }

  /** Whether nothing is under way; what the database still holds is not asked here. */
  async isIdle(): Promise<boolean> {
    if (!this.#steps.isIdle || !this.#reports.isIdle) return false;
    if (!this.#journal.isIdle || !this.#inbound.isIdle) return false;
    if (!this.#outbound.isIdle || this.#errands.some(({ isIdle }) => !isIdle)) return false;
    if (this.#isConnected && !this.#outbound.isSending) return false;
    return (await this.#session?.provider.isIdle?.()) ?? true;
  }

  /** The lease is gone: everything stops at once and writes nothing more. */
  abandon(): void {
    if (this.#isEnded) return;
    this.#end();
    void this.#session?.close();
    void this.#outbound.stop();
    void this.#media.stop();
    void this.#inbound.stop();
  }

  /** Closes the session, keeps its link, and lets what is under way end. The lease may be released afterwards. */
  async stop(): Promise<void> {
    this.#reports.stop();
    // At once: no other message goes out while earlier steps end, and no file keeps them waiting.
    const sent = Promise.all([this.#outbound.stop(), this.#media.stop()]);
    await this.#steps.add(() => this.#closeAll());
    await sent;
  }

  #end(): void {
    this.#isEnded = true;
    this.#steps.end();
    this.#reports.stop();
    for (const errand of this.#errands) errand.pause();
    this.#outbound.pause();
    clearTimeout(this.#retryTimer);
    clearTimeout(this.#openingTimer);
  }

  async #closeAll(): Promise<void> {
    if (this.#isEnded) return;
    this.#end();
    await this.#session?.close();
    await Promise.all([this.#outbound.stop(), this.#media.stop(), this.#inbound.stop()]);
  }

  async #reconcile(): Promise<void> {
    const wanted = this.#wanted;
    this.#wanted = null;
    if (!wanted) return;
    const generation = wanted.startGeneration;
    if (wanted.unlinkRequested) {
      if (this.#unlinked !== generation) await this.#unlink(generation);
      await clearUnlinkRequest(this.#deps.db, this.lease, generation);
    }
    if (!wanted.isWanted) {
      await this.#finish(wanted);
      return;
    }
    if (this.#generation !== generation) {
      this.#history.forget();
      this.#reports.retries = 0;
      await this.#closeSession();
      await this.#start(generation);
    } else if (this.#finalReason) {
      await this.#giveUp(generation, this.#finalReason);
    } else if (this.#isConnected && this.#outbound.isPaused && this.#session) {
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

  /** Nobody wants the connection: its session ends, what it had delivered is still handled, the lease goes. */
  async #finish(wanted: WantedConnection): Promise<void> {
    const hadSession = await this.#closeSession();
    if (hadSession || wanted.status !== "DISCONNECTED") {
      await this.#reports.tell({ type: "state", status: "DISCONNECTED", reason: "stopped" });
    }
    const deadlineMs = performance.now() + DRAIN_MS;
    while (!(this.#journal.isIdle && this.#inbound.isIdle) && performance.now() < deadlineMs) {
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
    this.#outbound.pause();
    for (const errand of this.#errands) errand.pause();
    clearTimeout(this.#openingTimer);
    clearTimeout(this.#retryTimer);
    this.#retryTimer = undefined;
  }

  #newSession(generation: number): Session {
    const { adapter, lease, settings, handlers, log } = this.#deps;
    return new Session(generation, {
      adapter,
      lease,
      log,
      stopMs: settings.stopMs,
      openFile: (key) => handlers.openFile(lease.companyId, key),
      store: (events) => this.#watchingLease(this.#journal.store(events)),
      tell: (session, event) => this.#watchingLease(this.#onTell(session, event)),
    });
  }

  async #watchingLease(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      if (error instanceof LeaseLost) this.#deps.onLeaseLost();
      throw error;
    }
  }

  async #start(generation: number): Promise<void> {
    const session = this.#newSession(generation);
    this.#session = session;
    this.#generation = generation;
    this.#finalReason = null;
    const { startSlots, settings, lease } = this.#deps;
    try {
      await this.#reports.tell({ type: "state", status: "OPENING" });
      this.#openingTimer = setTimeout(() => this.#onEnd(session, "network"), settings.openingMs);
      this.#openingTimer.unref();
      await startSlots.run(lease.companyId, () => session.provider.start());
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      this.#warn(error, "a session did not start");
      this.#onEnd(session, "network");
    }
  }

  #startAgain(): void {
    clearTimeout(this.#retryTimer);
    this.#retryTimer = undefined;
    void this.#steps.add(async () => {
      if (this.#session || this.#generation === null) return;
      this.#reports.retries += 1;
      await this.#start(this.#generation);
    });
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
    const isSignOfLife = event.type === "qr" || event.status !== "OPENING";
    if (isSignOfLife) clearTimeout(this.#openingTimer);
    if (event.type === "state" && event.status === "CONNECTED") {
      await this.#onConnected(session, event);
      return;
    }
    await this.#reports.tell(event, () => !session.isClosed);
  }

  async #onConnected(session: Session, event: StateEvent): Promise<void> {
    this.#isConnected = true;
    this.#history.connected(performance.now());
    this.#reports.retries = 0;
    await this.#reports.tell(event, () => !session.isClosed);
    if (!session.isClosed) this.#resume(session);
  }

  #resume(session: Session): void {
    for (const errand of this.#errands) errand.resume(session.provider);
    this.#outbound.resume(session.provider).catch((error: unknown) => {
      if (error instanceof LeaseLost) this.#deps.onLeaseLost();
      else this.#warn(error, "the outbound queue does not go on yet");
    });
  }

  /** The session is over by itself. */
  #onEnd(session: Session, reason: CloseReason): void {
    if (session.isClosed) return;
    session.mute();
    const { settings, random } = this.#deps;
    const ending = this.#history.ended(reason, performance.now(), settings);
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
      const waitMs = withJitter(ending.waitMs, random);
      this.#retryTimer = setTimeout(() => this.#startAgain(), waitMs);
      this.#retryTimer.unref();
      await this.#reports.tell({ type: "state", status: "TIMEOUT", reason });
    });
  }

  /** The connection waits for people from now on. */
  #giveUp(generation: number, reason: CloseReason): Promise<void> {
    const event = { type: "state", status: "DISCONNECTED", reason } as const;
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
