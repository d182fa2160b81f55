import type { ConnectionId, ConnectionStatus } from "@balcao/contract";
import type { AddressKind } from "../../platform/db/schema/contacts.ts";
import type { ChatProvider, DurableEvent } from "../port.ts";
import { LeaseLost } from "../port.ts";
import { SessionTask, within } from "./concurrency.ts";
import type { ChannelMetrics, ConnectionDeps, ConnectionFigures, PictureRequest } from "./deps.ts";
import { InboundPump } from "./inbound-pump.ts";
import { Journal } from "./journal.ts";
import type { DesiredConnection } from "./lease.ts";
import { transactionUnderLease } from "./lease.ts";
import { MediaPump } from "./media-pump.ts";
import { OutboundPump } from "./outbound-pump.ts";
import { questionsTask } from "./questions.ts";

/**
 * The pumps and tasks of one connection, for as long as its lease is ours; its sessions come and go. The journal and
 * its events are worked off always, the other queues while a session is connected.
 */
export class ConnectionPumps {
  readonly #onArrived: (count: number) => void;
  readonly #journal: Journal;
  readonly #inbound: InboundPump;
  readonly #outbound: OutboundPump;
  readonly #receipts: SessionTask;
  readonly #media: MediaPump;
  readonly #questions: SessionTask;
  readonly #pictures: SessionTask;
  readonly #tasks: readonly (SessionTask | MediaPump)[];

  constructor(deps: ConnectionDeps) {
    this.#onArrived = (count) => deps.onArrived(deps.lease.companyId, count);
    this.#inbound = new InboundPump(deps);
    this.#journal = new Journal(deps.db, deps.lease, {
      stored: (rows) => this.#inbound.submit(rows),
      doubt: () => this.#inbound.lookAgain(),
      waiting: deps.onUnstored,
    });
    this.#outbound = new OutboundPump(deps);
    this.#receipts = receiptsTask(deps);
    this.#media = new MediaPump(deps);
    this.#questions = questionsTask(deps);
    this.#pictures = picturesTask(deps);
    this.#tasks = [this.#receipts, this.#media, this.#questions, this.#pictures];
  }

  /** Stores delivered events. Resolves after COMMIT. */
  store(events: readonly DurableEvent[]): Promise<void> {
    this.#onArrived(events.length);
    return this.#journal.store(events);
  }

  /** Wakes the pumps whose queues have rows. */
  wake(desired: DesiredConnection): void {
    if (desired.hasOutbound) this.#outbound.wake();
    if (desired.hasReceipts) this.#receipts.wake();
    if (desired.hasMedia) this.#media.wake();
    if (desired.hasQuestions) this.#questions.wake();
    this.#pictures.wake();
  }

  wakeOutbound(): void {
    this.#outbound.wake();
  }

  wakeReceipts(): void {
    this.#receipts.wake();
  }

  wakeMedia(): void {
    this.#media.wake();
  }

  wakeQuestions(): void {
    this.#questions.wake();
  }

  /** Called when a session is connected. */
  async resume(provider: ChatProvider): Promise<void> {
    for (const task of this.#tasks) task.resume(provider);
    await this.#outbound.resume(provider);
  }

  /** Sends and asks nothing until `resume`. */
  pause(): void {
    this.#outbound.pause();
    for (const task of this.#tasks) task.pause();
  }

  get isSending(): boolean {
    return this.#outbound.isSending;
  }

  /** Whether it waits for `resume`. */
  get isPaused(): boolean {
    return this.#outbound.isPaused;
  }

  /** Whether all delivered events are handled. */
  get isHandled(): boolean {
    return this.#journal.isIdle && this.#inbound.isIdle;
  }

  get isIdle(): boolean {
    return this.isHandled && this.#outbound.isIdle && this.#tasks.every(({ isIdle }) => isIdle);
  }

  /** Starts no new send and no new download; resolves when the running ones are recorded. */
  async stopSending(): Promise<void> {
    await Promise.all([this.#outbound.stop(), this.#media.stop()]);
  }

  async stop(): Promise<void> {
    await Promise.all([this.stopSending(), this.#inbound.stop()]);
  }
}

type Receipt = { chatKey: string; toKind: AddressKind; toValue: string; providerId: string };

const readReceipts = {
  name: "read-receipts-read",
  text: `select chat_key as "chatKey", to_kind as "toKind", to_value as "toValue", provider_id as "providerId"
           from read_receipts where company_id = $1 and connection_id = $2 order by created_at limit 100`,
};
// A row that a newer mark of its chat has replaced meanwhile stays for the next round.
const deleteReceipts = {
  name: "read-receipts-delete",
  text: `delete from read_receipts r
          using unnest($3::text[], $4::text[]) as told (chat_key, provider_id)
          where r.company_id = $1 and r.connection_id = $2
            and r.chat_key = told.chat_key and r.provider_id = told.provider_id`,
};

/** Sends read receipts. Sending one twice is harmless, so its row is deleted afterwards. */
function receiptsTask({ db, lease, log, onLeaseLost }: ConnectionDeps): SessionTask {
  async function sendReceipts(provider: ChatProvider): Promise<boolean> {
    const { companyId, connectionId } = lease;
    const receipts = await db.transaction({ companyId }, (tx) =>
      tx.query<Receipt>(readReceipts, [companyId, connectionId]),
    );
    if (receipts.length === 0) return false;
    await provider.markRead(
      receipts.map(({ toKind, toValue, providerId }) => ({
        chat: { kind: toKind, value: toValue },
        id: providerId,
        fromMe: false,
      })),
    );
    await transactionUnderLease(db, lease, (tx) =>
      tx.query(deleteReceipts, [
        companyId,
        connectionId,
        receipts.map(({ chatKey }) => chatKey),
        receipts.map(({ providerId }) => providerId),
      ]),
    );
    // There may be newer marks, or more than one round holds.
    return true;
  }

  return new SessionTask({
    round: sendReceipts,
    failure: "read receipts were not told",
    onLeaseLost,
    log,
  });
}

/** Requests profile pictures in the background, one at a time. A failed request is not repeated on the same day. */
function picturesTask(deps: ConnectionDeps): SessionTask {
  const { db, lease, handlers, settings, log, onLeaseLost } = deps;
  let nextRoundAtMs = 0;

  async function fetchSome(provider: ChatProvider): Promise<boolean> {
    if (!provider.capabilities.profilePicture || performance.now() < nextRoundAtMs) return false;
    nextRoundAtMs = performance.now() + settings.picturesEveryMs;
    const requests = await transactionUnderLease(db, lease, (tx) =>
      handlers.claimPictures(tx, lease, settings.picturesAtOnce),
    );
    for (const request of requests) await fetchOne(provider, request);
    return false;
  }

  async function fetchOne(provider: ChatProvider, request: PictureRequest): Promise<void> {
    const { address, contactId } = request;
    const { companyId, connectionId } = lease;
    const signal = AbortSignal.timeout(settings.pictureMs);
    try {
      const asked = provider.profilePicture(address, signal);
      const picture = await within(settings.pictureMs, asked);
      await handlers.storePicture(companyId, contactId, picture?.content ?? null);
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      log.info({ err: error, companyId, connectionId, contactId }, "a profile picture was not had");
    }
  }

  return new SessionTask({
    round: fetchSome,
    failure: "profile pictures were not asked for",
    onLeaseLost,
    log,
  });
}

/** Counters of one connection, beside those of its process. */
export class ConnectionCounters {
  /** The status that users see. */
  status: ConnectionStatus = "OPENING";
  reconnects = 0;
  sendLagSeconds: number | null = null;
  #received = 0;
  #sent = 0;

  /** The process's counters, which from now on also count here. */
  countingInto(metrics: ChannelMetrics): ChannelMetrics {
    return {
      ...metrics,
      inbound: (result) => {
        if (result === "handled") this.#received += 1;
        metrics.inbound(result);
      },
      outbound: (result) => {
        if (result === "sent") this.#sent += 1;
        metrics.outbound(result);
      },
    };
  }

  read(connectionId: ConnectionId): ConnectionFigures {
    const { status, reconnects, sendLagSeconds } = this;
    const [received, sent] = [this.#received, this.#sent];
    return { connectionId, status, received, sent, reconnects, sendLagSeconds };
  }
}
