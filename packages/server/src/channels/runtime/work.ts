import type { Database } from "../../platform/db/database.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { ChatProvider, DurableEvent } from "../port.ts";
import type { Errand } from "./errand.ts";
import type { FairSlots } from "./fair-slots.ts";
import type { Lease } from "./fence.ts";
import type { ChannelHandlers } from "./handlers.ts";
import { InboundPump } from "./inbound-pump.ts";
import { Journal } from "./journal.ts";
import { MediaPump } from "./media-pump.ts";
import type { ChannelMetrics } from "./metrics.ts";
import { OutboundPump } from "./outbound-pump.ts";
import { picturesErrand } from "./pictures.ts";
import { questionsErrand } from "./questions.ts";
import { receiptsErrand } from "./read-receipts.ts";
import type { ChannelSettings } from "./settings.ts";
import type { WantedConnection } from "./wanted.ts";

export type WorkDeps = {
  db: Database;
  lease: Lease;
  handlers: ChannelHandlers;
  wake: Wake;
  inboundSlots: FairSlots;
  fileSlots: FairSlots;
  settings: ChannelSettings;
  metrics: ChannelMetrics;
  log: Logger;
  onLeaseLost: () => void;
};

/**
 * What goes on for a connection as long as its lease is ours, whichever session it has: the journal and its events, the
 * queue of messages, and what is done beside them while a session is connected.
 */
export class Work {
  readonly #journal: Journal;
  readonly #inbound: InboundPump;
  readonly #outbound: OutboundPump;
  readonly #receipts: Errand;
  readonly #media: MediaPump;
  readonly #questions: Errand;
  readonly #pictures: Errand;
  readonly #errands: readonly (Errand | MediaPump)[];

  constructor(deps: WorkDeps) {
    this.#inbound = new InboundPump({ ...deps, slots: deps.inboundSlots });
    this.#journal = new Journal(deps.db, deps.lease, {
      stored: (rows) => this.#inbound.submit(rows),
      doubt: () => this.#inbound.lookAgain(),
    });
    this.#outbound = new OutboundPump(deps);
    this.#receipts = receiptsErrand(deps);
    this.#media = new MediaPump({ ...deps, slots: deps.fileSlots });
    this.#questions = questionsErrand(deps);
    this.#pictures = picturesErrand(deps);
    this.#errands = [this.#receipts, this.#media, this.#questions, this.#pictures];
  }

  /** What the network delivers. Resolves when it is kept. */
  store(events: readonly DurableEvent[]): Promise<void> {
    return this.#journal.store(events);
  }

  /** There may be something to do. */
  wake(waiting: WantedConnection): void {
    if (waiting.hasOutbound) this.#outbound.wake();
    if (waiting.hasReceipts) this.#receipts.wake();
    if (waiting.hasMedia) this.#media.wake();
    if (waiting.hasQuestions) this.#questions.wake();
    this.#pictures.wake();
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

  /** A session is connected. */
  async resume(provider: ChatProvider): Promise<void> {
    for (const errand of this.#errands) errand.resume(provider);
    await this.#outbound.resume(provider);
  }

  /** No session: nothing is sent or asked until `resume`. */
  pause(): void {
    this.#outbound.pause();
    for (const errand of this.#errands) errand.pause();
  }

  get isSending(): boolean {
    return this.#outbound.isSending;
  }

  /** Whether it waits for `resume`. */
  get isPaused(): boolean {
    return this.#outbound.isPaused;
  }

  /** Whether everything that was delivered is handled. */
  get isHandled(): boolean {
    return this.#journal.isIdle && this.#inbound.isIdle;
  }

  get isIdle(): boolean {
    return this.isHandled && this.#outbound.isIdle && this.#errands.every(({ isIdle }) => isIdle);
  }

  /** No other message goes out and no other file is fetched; resolves when those under way are recorded. */
  async stopSending(): Promise<void> {
    await Promise.all([this.#outbound.stop(), this.#media.stop()]);
  }

  async stop(): Promise<void> {
    await Promise.all([this.stopSending(), this.#inbound.stop()]);
  }
}
