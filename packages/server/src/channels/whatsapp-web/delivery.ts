import type { Logger } from "../../platform/logging/logger.ts";
import type { DurableEvent, EventSink } from "../port.ts";
import { LeaseLost } from "../port.ts";

type DeliveryDeps = {
  sink: Pick<EventSink, "store">;
  connectionId: number;
  /** Called with the messages whose events are stored. */
  stored: (messageIds: readonly string[]) => Promise<void>;
  log: Logger;
};

type Waiting = {
  events: readonly DurableEvent[];
  messageIds: readonly string[];
  whenStored?: () => void;
};
type Batch = Omit<Waiting, "whenStored"> & { whenStored: (() => void)[] };

const RETRY_MS = 300;
const BATCH = 500;

/** Stores events in their order, all waiting ones at once, and retries until they are stored. */
export class Delivery {
  readonly #deps: DeliveryDeps;
  #waiting: Waiting[] = [];
  #isRunning = false;
  #isClosed = false;

  constructor(deps: DeliveryDeps) {
    this.#deps = deps;
  }

  /** `messageIds`: messages that the journal may delete once the events are stored. */
  add(events: readonly DurableEvent[], messageIds: readonly string[] = []): void {
    if (events.length > 0 || messageIds.length > 0) this.#push({ events, messageIds });
  }

  /** Resolves when the events are stored; never when the session ends before. */
  addAndWait(events: readonly DurableEvent[]): Promise<void> {
    return new Promise((resolve) => {
      this.#push({ events, messageIds: [], whenStored: resolve });
    });
  }

  get isIdle(): boolean {
    return !this.#isRunning && this.#waiting.length === 0;
  }

  /** Drops the waiting events: the next session reads them from the journal. */
  close(): void {
    this.#isClosed = true;
    this.#waiting = [];
  }

  #push(waiting: Waiting): void {
    if (this.#isClosed) return;
    this.#waiting.push(waiting);
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      await this.#insist(this.#nextBatch());
    }
    this.#isRunning = false;
  }

  #nextBatch(): Batch {
    let size = 0;
    const count = this.#waiting.findIndex(({ events }) => (size += events.length) > BATCH);
    const taken = this.#waiting.splice(0, count === -1 ? this.#waiting.length : Math.max(count, 1));
    return {
      events: taken.flatMap(({ events }) => events),
      messageIds: [...new Set(taken.flatMap(({ messageIds }) => messageIds))],
      whenStored: taken.flatMap(({ whenStored }) => whenStored ?? []),
    };
  }

  async #insist({ events, messageIds, whenStored }: Batch): Promise<void> {
    const { sink, stored, connectionId, log } = this.#deps;
    while (!this.#isClosed) {
      try {
        if (events.length > 0) await sink.store(events);
        if (messageIds.length > 0) await stored(messageIds);
        for (const resolve of whenStored) resolve();
        return;
      } catch (error) {
        if (error instanceof LeaseLost) {
          this.close();
          return;
        }
        log.warn({ err: error, connectionId }, "arrived events are not stored yet");
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }
}
