import type { Tx } from "../../platform/db/database.ts";
import { isUnavailable } from "../../platform/db/database.ts";
import type { Random } from "../../platform/sources.ts";
import type {
  ChannelAdapter,
  ChatProvider,
  CloseReason,
  DurableEvent,
  TransientEvent,
} from "../port.ts";
import { LeaseLost } from "../port.ts";
import type { ChannelSettings, ConnectionDeps } from "./deps.ts";
import { waitAt } from "./deps.ts";
import { transactionUnderLease } from "./lease.ts";

type SessionDeps = ConnectionDeps & {
  adapter: ChannelAdapter;
  store: (events: readonly DurableEvent[]) => Promise<void>;
  /** Called with the provider's transient events while the session is not closed. */
  tell: (session: Session, event: TransientEvent) => Promise<void>;
  pairingPhone: string | null;
};

/** One session of a provider. Once closed, its events no longer reach the product. */
export class Session {
  readonly generation: number;
  readonly provider: ChatProvider;
  readonly #abort = new AbortController();
  readonly #deps: SessionDeps;
  /** A code is shown, or was used: the phone is being linked. */
  isLinking = false;
  /** Resolves when the start has succeeded or failed, or the session is closed. */
  readonly settled: Promise<void>;
  #settle: () => void = () => undefined;
  #isClosed = false;
  #stopping: Promise<void> | null = null;

  constructor(generation: number, deps: SessionDeps) {
    this.generation = generation;
    this.#deps = deps;
    this.settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
    const { adapter, db, lease, handlers, pairingPhone } = deps;
    const { companyId, connectionId, fence } = lease;
    this.provider = adapter.createProvider({
      companyId,
      connectionId,
      fence,
      signal: this.#abort.signal,
      openFile: (key) => handlers.openFile(companyId, key),
      pairingPhone,
      transaction: (work) => this.#noticeLoss(transactionUnderLease(db, lease, work)),
      sink: {
        store: (events) =>
          this.#isClosed ? Promise.reject(new LeaseLost()) : this.#noticeLoss(deps.store(events)),
        tell: (event) =>
          this.#isClosed ? Promise.resolve() : this.#noticeLoss(deps.tell(this, event)),
      },
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Called when the start has succeeded or failed. */
  settle(): void {
    this.#settle();
  }

  /** Ignores the provider's events from now on. */
  mute(): void {
    this.#isClosed = true;
    this.#settle();
  }

  /** Closes the session and keeps the link. Resolves when the provider has stopped, or after a time limit. */
  close(): Promise<void> {
    this.mute();
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #noticeLoss<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof LeaseLost) this.#deps.onLeaseLost();
      throw error;
    }
  }

  async #stop(): Promise<void> {
    const { lease, log, settings } = this.#deps;
    this.#abort.abort();
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<"late">((resolve) => {
      timer = setTimeout(() => resolve("late"), settings.stopMs);
    });
    try {
      const ended = await Promise.race([this.provider.stop(), limit]);
      if (ended === "late") {
        log.error({ connectionId: lease.connectionId }, "a provider does not stop");
      }
    } catch (error) {
      log.error({ err: error, connectionId: lease.connectionId }, "a provider failed to stop");
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Whether the event belongs to linking a phone: a code is shown, or was used. */
export function isLinking(event: TransientEvent): boolean {
  if (event.type === "state") return event.status === "PAIRING" || event.status === "qrcode";
  return event.type !== "presence" && event.text !== null;
}

type ReportsDeps = Pick<ConnectionDeps, "db" | "lease" | "handlers" | "log">;

type IsStillTrue = () => boolean;

const MAX_ATTEMPTS = 5;
const WAIT_MS = 300;

/**
 * Reports a connection's transient events, in order and under the lease: users see the last state of the true owner.
 */
export class Reports {
  /** Starts since the last success, reported with every event. */
  retries = 0;
  readonly #deps: ReportsDeps;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;
  #isStopped = false;

  constructor(deps: ReportsDeps) {
    this.#deps = deps;
  }

  get isIdle(): boolean {
    return this.#waiting === 0;
  }

  /**
   * Reports a state or code; retried while the database is away, because users would otherwise see an old state for
   * ever. Skipped when `isStillTrue` returns false at its turn. `also` runs in the same transaction.
   */
  tell(event: TransientEvent, isStillTrue?: IsStillTrue, also?: (tx: Tx) => Promise<void>) {
    return this.#inOrder(async () => {
      for (let attempts = 1; ;) {
        if (this.#isStopped || isStillTrue?.() === false) return;
        try {
          await this.#report(event, also);
          return;
        } catch (error) {
          if (error instanceof LeaseLost) throw error;
          if (!isUnavailable(error)) attempts += 1;
          if (attempts > MAX_ATTEMPTS) throw error;
          const { connectionId } = this.#deps.lease;
          this.#deps.log.warn({ err: error, connectionId }, "a connection's state is not told yet");
          await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
        }
      }
    });
  }

  /** Reports an event without a retry. */
  tellOnce(event: TransientEvent, isStillTrue: IsStillTrue): Promise<void> {
    return this.#inOrder(async () => {
      if (this.#isStopped || !isStillTrue()) return;
      try {
        await this.#report(event);
      } catch (error) {
        if (error instanceof LeaseLost) throw error;
        const { connectionId } = this.#deps.lease;
        this.#deps.log.warn({ err: error, connectionId }, "a presence was not told");
      }
    });
  }

  stop(): void {
    this.#isStopped = true;
  }

  #report(event: TransientEvent, also?: (tx: Tx) => Promise<void>): Promise<void> {
    const { db, lease, handlers } = this.#deps;
    return transactionUnderLease(db, lease, async (tx) => {
      await also?.(tx);
      await handlers.tell(tx, lease, event, this.retries);
    });
  }

  #inOrder(work: () => Promise<void>): Promise<void> {
    this.#waiting += 1;
    const told = this.#last.then(work).finally(() => {
      this.#waiting -= 1;
    });
    this.#last = told.catch(() => undefined);
    return told;
  }
}

/** The action after a session ends: reconnect after a wait, or stay closed until a user asks. */
type Ending = { action: "retry"; waitMs: number } | { action: "stop" };

/**
 * Sessions in a row, including this one. `failures`: closed before they were steady; `replaced`: closed because another
 * client uses the link; `restarts`: asked for a restart.
 */
type SessionsInARow = { failures: number; replaced: number; restarts: number };

/** Decides by the reason for which the session ended (channels.md 3, behaviour 10.2). */
export function afterClose(
  reason: CloseReason,
  inARow: SessionsInARow,
  settings: ChannelSettings,
): Ending {
  const { reconnectDelaysMs, serviceDelaysMs, restartsInARow, replacedRetryMs } = settings;
  switch (reason) {
    case "network":
      return { action: "retry", waitMs: waitAt(reconnectDelaysMs, inARow.failures - 1) };
    case "service":
    case "unreadable":
      return { action: "retry", waitMs: waitAt(serviceDelaysMs, inARow.failures - 1) };
    case "restart": {
      const excess = inARow.restarts - restartsInARow;
      if (excess <= 0) return { action: "retry", waitMs: 0 };
      return { action: "retry", waitMs: waitAt(serviceDelaysMs, excess - 1) };
    }
    case "replaced":
      // Two servers would otherwise take the link from each other for ever.
      if (inARow.replaced > 1) return { action: "stop" };
      return { action: "retry", waitMs: replacedRetryMs };
    case "logged-out":
    case "qr-expired":
    case "link-refused":
    case "banned":
    case "outdated":
    case "untrusted":
    case "auth":
    case "stopped":
      return { action: "stop" };
  }
}

/** Reasons that only the operator can fix: the program is too old, or the service could not prove its identity. */
export function isForOperators(reason: CloseReason): boolean {
  return reason === "outdated" || reason === "untrusted";
}

/** Counts a connection's sessions in a row, for the wait before the next one. */
export class SessionHistory {
  #failures = 0;
  #replaced = 0;
  #restarts = 0;
  #connectedAtMs: number | null = null;

  /** Starts counting anew, as after a user's start request. */
  reset(): void {
    this.#failures = 0;
    this.#replaced = 0;
    this.#restarts = 0;
    this.#connectedAtMs = null;
  }

  connected(nowMs: number): void {
    this.#connectedAtMs = nowMs;
  }

  /** Counts a session that ended by itself, and decides what follows. */
  ended(reason: CloseReason, nowMs: number, settings: ChannelSettings): Ending {
    const connectedAtMs = this.#connectedAtMs ?? nowMs;
    if (nowMs - connectedAtMs >= settings.steadyAfterMs) this.reset();
    this.#connectedAtMs = null;
    if (reason === "restart") this.#restarts += 1;
    else this.#failures += 1;
    this.#replaced = reason === "replaced" ? this.#replaced + 1 : 0;
    return afterClose(
      reason,
      { failures: this.#failures, replaced: this.#replaced, restarts: this.#restarts },
      settings,
    );
  }
}

/** Adds up to a quarter to the wait, so that sessions lost together do not reconnect together. */
export function withJitter(waitMs: number, random: Random): number {
  return waitMs + random.integer(0, Math.floor(waitMs / 4) + 1);
}
