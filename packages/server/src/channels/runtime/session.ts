import type { Logger } from "../../platform/logging/logger.ts";
import type {
  ChannelAdapter,
  ChatProvider,
  DurableEvent,
  ProviderContext,
  TransientEvent,
} from "../port.ts";
import { LeaseLost } from "../port.ts";
import type { Lease } from "./fence.ts";

export type SessionDeps = {
  adapter: ChannelAdapter;
  lease: Lease;
  store: (events: readonly DurableEvent[]) => Promise<void>;
  /** Called with what the provider tells as long as the session is not closed. */
  tell: (session: Session, event: TransientEvent) => Promise<void>;
  openFile: ProviderContext["openFile"];
  transaction: ProviderContext["transaction"];
  pairingPhone: string | null;
  stopMs: number;
  log: Logger;
};

/** One run of one provider. Once closed, nothing of it reaches the product any more. */
export class Session {
  readonly generation: number;
  readonly provider: ChatProvider;
  readonly #abort = new AbortController();
  readonly #deps: SessionDeps;
  /** A code was shown, or one was used: the link is being made. */
  isLinking = false;
  /** Resolves when it has said what became of its start, or is over. */
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
    const { companyId, connectionId, fence } = deps.lease;
    this.provider = deps.adapter.createProvider({
      companyId,
      connectionId,
      fence,
      signal: this.#abort.signal,
      openFile: deps.openFile,
      pairingPhone: deps.pairingPhone,
      transaction: deps.transaction,
      sink: {
        store: (events) => (this.#isClosed ? Promise.reject(new LeaseLost()) : deps.store(events)),
        tell: (event) => (this.#isClosed ? Promise.resolve() : deps.tell(this, event)),
      },
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Its start is over, one way or the other. */
  settle(): void {
    this.#settle();
  }

  /** From now on the provider's reports are ignored. */
  mute(): void {
    this.#isClosed = true;
    this.#settle();
  }

  /** Closes the session and keeps the link. Resolves when the provider has ended, or does not after a long wait. */
  close(): Promise<void> {
    this.mute();
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    const { lease, log, stopMs } = this.#deps;
    this.#abort.abort();
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<"late">((resolve) => {
      timer = setTimeout(() => resolve("late"), stopMs);
    });
    try {
      const ended = await Promise.race([this.provider.stop(), patience]);
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
