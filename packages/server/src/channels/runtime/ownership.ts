import type { ChannelKind } from "@balcao/contract";
import type { Random } from "../../platform/sources.ts";
import type { Address, ChannelAdapter, CloseReason, StateEvent, TransientEvent } from "../port.ts";
import { LeaseLost } from "../port.ts";
import type { FairSlots } from "../../platform/jobs/fair-slots.ts";
import { SerialQueue, within } from "./concurrency.ts";
import type { ConnectionDeps, ConnectionFigures, Lease } from "./deps.ts";
import type { DesiredConnection } from "./lease.ts";
import { clearUnlinkRequest, disableAutoStart } from "./lease.ts";
import { ConnectionCounters, ConnectionPumps } from "./pumps.ts";
import {
  isForOperators,
  isLinking,
  Reports,
  Session,
  SessionHistory,
  withJitter,
} from "./session.ts";

type OwnershipDeps = ConnectionDeps & {
  adapter: ChannelAdapter;
  /** The adapter's channel. */
  channel: ChannelKind;
  startSlots: FairSlots;
  random: Random;
  /** The connection needs no owner: releases its lease. */
  onFinished: () => Promise<void>;
};

const DRAIN_MS = 5_000;

/**
 * One connection while this process owns it: starts and stops sessions until they match the desired state, one step at
 * a time. Each start is a new session; the pumps run as long as the lease.
 */
export class Ownership {
  readonly #deps: OwnershipDeps;
  readonly pumps: ConnectionPumps;
  readonly #reports: Reports;
  readonly #history = new SessionHistory();
  readonly #queue = new SerialQueue((error) => this.#onQueueError(error));
  #session: Session | null = null;
  /** The start request of the last session. */
  #generation: number | null = null;
  /** The start request whose unlink is done. */
  #unlinked: number | null = null;
  /** The reason for which the last session ended for good; a user must start the next one. */
  #finalReason: CloseReason | null = null;
  /** The newest desired state that no step has handled. */
  #desired: DesiredConnection | null = null;
  /** The phone of the last start request. */
  #pairingPhone: string | null = null;
  #isConnected = false;
  /** Sessions that wait for a start slot, or start. */
  #starting = 0;
  /** The status shown until the session reports another: after linking, users still see PAIRING during the restart. */
  #opening: "OPENING" | "PAIRING" = "OPENING";
  readonly #counters = new ConnectionCounters();
  #retryTimer: NodeJS.Timeout | undefined;
  #openingTimer: NodeJS.Timeout | undefined;
  #isEnded = false;

  constructor(deps: OwnershipDeps) {
    this.#deps = deps;
    const metrics = this.#counters.countingInto(deps.metrics);
    this.pumps = new ConnectionPumps({ ...deps, metrics });
    this.#reports = new Reports(deps);
  }

  get lease(): Lease {
    return this.#deps.lease;
  }

  /** Moves the connection to its desired state; of several calls in a row the last one counts. */
  apply(desired: DesiredConnection): void {
    const isQueued = this.#desired !== null;
    this.#desired = desired;
    if (!isQueued) void this.#queue.add(() => this.#reconcile());
    this.#counters.sendLagSeconds = desired.outboundLagSeconds;
    this.pumps.wake(desired);
  }

  /** Shows the customer that a user types; has no effect without a session. */
  setTyping(chat: Address, isTyping: boolean): void {
    const session = this.#session;
    if (!session || !this.#isConnected) return;
    within(this.#deps.settings.answerMs, session.provider.setTyping(chat, isTyping)).catch(
      (error: unknown) => this.#warn(error, "typing was not told"),
    );
  }

  figures(): ConnectionFigures {
    return this.#counters.read(this.lease.connectionId);
  }

  /** Starts a session that waits to reconnect, because the network can be reached. */
  retryNow(): void {
    if (this.#retryTimer) this.#startAgain();
  }

  /** Whether nothing runs in memory; rows in the database do not count. */
  async isIdle(): Promise<boolean> {
    if (!this.#queue.isIdle || !this.#reports.isIdle || this.#starting > 0) return false;
    if (!this.pumps.isIdle) return false;
    if (this.#isConnected && !this.pumps.isSending) return false;
    return (await this.#session?.provider.isIdle?.()) ?? true;
  }

  /** Stops at once and writes nothing more, because the lease is lost. Resolves when nothing of it runs any more. */
  async abandon(): Promise<void> {
    if (this.#isEnded) return;
    this.#end();
    await Promise.all([this.#session?.close(), this.pumps.stop()]);
  }

  /** Closes the session, keeps its link, and waits for running work. The lease may be released afterwards. */
  async stop(): Promise<void> {
    this.#reports.stop();
    // Before earlier changes end: no new message is sent meanwhile, and no download delays them.
    const sent = this.pumps.stopSending();
    await this.#queue.add(() => this.#closeAll());
    await sent;
  }

  #end(): void {
    this.#isEnded = true;
    this.#queue.end();
    this.#reports.stop();
    this.pumps.pause();
    clearTimeout(this.#retryTimer);
    clearTimeout(this.#openingTimer);
  }

  async #closeAll(): Promise<void> {
    if (this.#isEnded) return;
    this.#end();
    await this.#session?.close();
    await this.pumps.stop();
  }

  async #reconcile(): Promise<void> {
    const desired = this.#desired;
    this.#desired = null;
    if (!desired) return;
    const { channel, adapter } = this.#deps;
    const generation = desired.startGeneration;
    await adapter.prepare?.();
    this.#pairingPhone = desired.pairingPhone;
    if (desired.channel === channel && desired.unlinkRequested) {
      if (this.#unlinked !== generation) await this.#unlink(generation);
      await clearUnlinkRequest(this.#deps.db, this.lease, generation);
    }
    if (desired.channel !== channel || desired.nextChannel !== channel) {
      await this.#handOver();
      return;
    }
    if (!desired.shouldRun) {
      await this.#finish(desired);
      return;
    }
    if (this.#generation !== generation) {
      this.#history.reset();
      this.#reports.retries = 0;
      await this.#closeSession();
      await this.#start(generation, "OPENING");
    } else if (this.#finalReason) {
      await this.#giveUp(generation, this.#finalReason);
    } else if (this.#isConnected && this.pumps.isPaused && this.#session) {
      // The pumps could not start when the session connected.
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

  /** Releases the connection, because its next owner must use another channel's adapter. */
  async #handOver(): Promise<void> {
    await this.#closeSession();
    await this.#closeAll();
    await this.#deps.onFinished();
  }

  /** Ends a connection that should not run: closes its session, handles what it has delivered, releases the lease. */
  async #finish(desired: DesiredConnection): Promise<void> {
    const hadSession = await this.#closeSession();
    if (hadSession || desired.status !== "DISCONNECTED") {
      await this.#tell({ type: "state", status: "DISCONNECTED", reason: "stopped" });
    }
    const deadlineMs = performance.now() + DRAIN_MS;
    while (!this.pumps.isHandled && performance.now() < deadlineMs) {
      // A user has started it again.
      if (this.#desired?.shouldRun) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await this.#closeAll();
    await this.#deps.onFinished();
  }

  /** Returns whether there was one, running or waiting to reconnect. */
  async #closeSession(): Promise<boolean> {
    const session = this.#session;
    const wasWaiting = this.#retryTimer !== undefined;
    this.#pause();
    this.#session = null;
    await session?.close();
    return session !== null || wasWaiting;
  }

  /** Stops sending and all timers until the next session. */
  #pause(): void {
    this.#isConnected = false;
    this.pumps.pause();
    clearTimeout(this.#openingTimer);
    clearTimeout(this.#retryTimer);
    this.#retryTimer = undefined;
  }

  #newSession(generation: number): Session {
    return new Session(generation, {
      ...this.#deps,
      pairingPhone: this.#pairingPhone,
      store: (events) => this.pumps.store(events),
      tell: (session, event) => this.#onTell(session, event),
    });
  }

  /** Queues a session for a start slot; companies get slots in turns. */
  async #start(generation: number, opening: "OPENING" | "PAIRING"): Promise<void> {
    const session = this.#newSession(generation);
    this.#session = session;
    this.#generation = generation;
    this.#finalReason = null;
    this.#opening = opening;
    this.#starting += 1;
    const { startSlots, lease, settings } = this.#deps;
    void startSlots.run(lease.companyId, async () => {
      await this.#queue.add(() => this.#begin(session));
      this.#starting -= 1;
      const hold = within(settings.startHoldMs, session.settled);
      // A slow start is no error: it only gives its slot to the next session.
      await hold.catch(() => undefined);
    });
    await this.#tell({ type: "state", status: opening });
  }

  async #begin(session: Session): Promise<void> {
    // A later request has replaced it while it waited.
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
    void this.#queue.add(async () => {
      if (this.#session || this.#generation === null) return;
      this.#reports.retries += 1;
      this.#counters.reconnects += 1;
      await this.#start(this.#generation, opening);
    });
  }

  /** Reports the state that users see. */
  #tell(event: TransientEvent, isStillTrue?: () => boolean): Promise<void> {
    if (event.type === "state") this.#counters.status = event.status;
    else if (event.type !== "presence" && event.text !== null) this.#counters.status = "qrcode";
    return this.#reports.tell(event, isStillTrue);
  }

  async #onTell(session: Session, event: TransientEvent): Promise<void> {
    if (event.type === "presence") {
      await this.#reports.tellOnce(event, () => !session.isClosed);
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
    this.pumps.resume(session.provider).catch((error: unknown) => {
      if (error instanceof LeaseLost) this.#deps.onLeaseLost();
      else this.#warn(error, "the pumps have not resumed");
    });
  }

  /** Called when the session has ended by itself. */
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
    this.#pause();
    void this.#queue.add(async () => {
      // A newer start has replaced it meanwhile.
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

  /** Keeps the connection closed until a user starts it. */
  #giveUp(generation: number, reason: CloseReason): Promise<void> {
    const event = { type: "state", status: "DISCONNECTED", reason } as const;
    this.#counters.status = event.status;
    return this.#reports.tell(event, undefined, (tx) =>
      disableAutoStart(tx, this.lease, generation),
    );
  }

  #onQueueError(error: unknown): void {
    if (error instanceof LeaseLost) this.#deps.onLeaseLost();
    // The supervisor's next poll repeats the step.
    else this.#warn(error, "a connection did not reach its desired state");
  }

  #warn(error: unknown, message: string): void {
    const { log, lease } = this.#deps;
    const { companyId, connectionId } = lease;
    log.warn({ err: error, companyId, connectionId }, message);
  }
}
