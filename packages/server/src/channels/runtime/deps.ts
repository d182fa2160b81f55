import type {
  ChannelKind,
  CompanyId,
  ConnectionId,
  ConnectionStatus,
  ContactId,
  MessageId,
} from "@balcao/contract";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { OutboundCommand } from "../../platform/db/schema/messages.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Random } from "../../platform/sources.ts";
import type {
  Address,
  ChannelAdapter,
  CloseReason,
  DurableEvent,
  Fence,
  MediaRef,
  ProviderContext,
  ProviderFailure,
  TransientEvent,
} from "../port.ts";
import type { FairShare } from "../../platform/jobs/fair-share.ts";
import type { FairSlots } from "../../platform/jobs/fair-slots.ts";

export type ConnectionRef = { companyId: CompanyId; connectionId: ConnectionId };

/** The right of this process to work for a connection, as taken; the database decides whether it is still valid. */
export type Lease = ConnectionRef & { owner: string; fence: Fence };

/** Dependencies of the whole runtime. */
export type RuntimeDeps = {
  db: Database;
  wake: Wake;
  adapters: ReadonlyMap<ChannelKind, ChannelAdapter>;
  handlers: ChannelHandlers;
  /** New at each start of a process: a restarted one must not inherit a fence. */
  owner: string;
  random: Random;
  settings: ChannelSettings;
  metrics: ChannelMetrics;
  /** Is told of events that arrived, before they are stored. */
  onArrived: (companyId: CompanyId, count: number) => void;
  log: Logger;
};

/** Dependencies of each part that works for one connection under its lease. */
export type ConnectionDeps = Omit<RuntimeDeps, "adapters" | "owner" | "random"> & {
  lease: Lease;
  /** Shared by all connections of the process, by company. */
  inboundSlots: FairShare;
  fileSlots: FairSlots;
  /** Is told when more or fewer events wait to be stored. */
  onUnstored: (change: number) => void;
  onLeaseLost: () => void;
};

/** The message that an outbound row sends or changes. */
export type OutboundSubject = {
  messageId: MessageId;
  command: OutboundCommand;
  /** The state that the feature stored with a change, to restore it when the change fails. */
  before: string | null;
};

/**
 * The outcome of a message, or of a change to one, that the pump handed to the provider. Not reported for a message
 * when the network's own report came first: that one goes to `receive`.
 */
export type DeliveryOutcome = OutboundSubject &
  /** On its way: `written` waits for the network's ack, `accepted` has it. */
  (
    | { result: "written" | "accepted" }
    /** It is not sent again automatically; kind `unconfirmed` means that it may have been sent. */
    | { result: "failed"; failure: ProviderFailure }
  );

export type PictureRequest = { contactId: ContactId; address: Address };

/**
 * How the product handles what channels report; given by the composition root, so that channels know no feature.
 * Those with a `tx` run inside the runtime's transaction, after it has checked the lease's fence; they register their
 * live events with `tx.onCommit`. Throwing rolls back and the event is tried again (a presence is dropped instead).
 */
export type ChannelHandlers = {
  /**
   * One durable event, strictly in order per chat, parallel across chats, exactly once. Acks and refusals of changes do
   * not come here: a change that the network refuses later is reported by `sent`.
   */
  receive(tx: Tx, connection: ConnectionRef, event: DurableEvent): Promise<void>;
  /** The outcome of one send, in the transaction that records it. */
  sent(tx: Tx, connection: ConnectionRef, outcome: DeliveryOutcome): Promise<void>;
  /** A state, code or presence, in order and not stored. `retries` counts starts since the last success. */
  tell(tx: Tx, connection: ConnectionRef, event: TransientEvent, retries: number): Promise<void>;
  /** The company's own files, for sending. Null when no file has the key. */
  openFile(companyId: CompanyId, key: string): ReturnType<ProviderContext["openFile"]>;
  /**
   * Stores an arriving file, updates its message and publishes it; in transactions of its own. Called again after a
   * crash for a message that has its file: then nothing changes. When it throws, the file is fetched again later;
   * MediaGone ends the retries.
   */
  storeMedia(
    connection: ConnectionRef,
    messageId: MessageId,
    file: MediaRef,
    content: AsyncIterable<Uint8Array>,
  ): Promise<void>;
  /** The file cannot be fetched, now or later. */
  mediaUnavailable(tx: Tx, connection: ConnectionRef, messageId: MessageId): Promise<void>;
  /**
   * Contacts whose profile pictures are requested now: they wrote to the connection lately, and no picture was
   * requested within a day. Marks them as requested.
   */
  claimPictures(tx: Tx, connection: ConnectionRef, count: number): Promise<PictureRequest[]>;
  /** Stores a contact's picture; null when the network shows none. In transactions of its own. */
  storePicture(
    companyId: CompanyId,
    contactId: ContactId,
    picture: Uint8Array | null,
  ): Promise<void>;
};

/** Counters that the composition root connects to its metrics. */
export type ChannelMetrics = {
  /** An event was handled, will be retried, or was given up after its last attempt. */
  inbound(result: "handled" | "retried" | "given-up"): void;
  /** A send ended: on its way, queued for another attempt, or failed. */
  outbound(result: "sent" | "retried" | "failed"): void;
  /** A file of a message was fetched, will be retried, or was given up. */
  file(result: "stored" | "retried" | "given-up"): void;
  /** A session ended by itself. */
  closed(reason: CloseReason): void;
};

export const noMetrics: ChannelMetrics = {
  inbound: () => undefined,
  outbound: () => undefined,
  file: () => undefined,
  closed: () => undefined,
};

/** Counters of one connection since this process owns it. */
export type ConnectionFigures = {
  connectionId: ConnectionId;
  status: ConnectionStatus;
  /** Events handled, and messages handed to the network. */
  received: number;
  sent: number;
  /** Sessions that were started again automatically. */
  reconnects: number;
  /** How long the oldest waiting message has been due; null for none. */
  sendLagSeconds: number | null;
};

/** Times and limits of the channel runtime; tests shorten them. */
export type ChannelSettings = {
  /** A lease not renewed for this long is free. */
  leaseMs: number;
  renewEveryMs: number;
  /** Without a successful renewal for this long the session is closed; well before anyone else may take the lease. */
  closeAfterMs: number;
  /** The supervisor polls this often, in addition to wake-ups, and wakes the pumps. */
  lookEveryMs: number;
  /** Sessions that may start at the same time, so that many lost together do not reconnect all at once. */
  startsAtOnce: number;
  /** A session that reports nothing for this long after its start gives its start slot to the next. */
  startHoldMs: number;
  /** Waits before the next session after the network closed one; the last value repeats. */
  reconnectDelaysMs: readonly number[];
  /** The same after the service itself failed. */
  serviceDelaysMs: readonly number[];
  /** This many sessions in a row may restart at once; further ones wait as after a failure of the service. */
  restartsInARow: number;
  /** After a session that was connected this long, the waits begin again with the first value. */
  steadyAfterMs: number;
  /** A session that reports nothing for this long after its start is restarted. */
  openingMs: number;
  /** After "another client uses this link": one more attempt after this wait. */
  replacedRetryMs: number;
  /** Longest wait at a stop, for a provider to close and for work in progress to end. */
  stopMs: number;
  /** Events of all connections handled at the same time in this process. */
  inboundAtOnce: number;
  /** The same of one busy company, however many others work (`FairShare`). */
  inboundLeast: number;
  /** Waits after a failed attempt; after one more failure the event is given up. */
  inboundRetriesMs: readonly number[];
  /** Events of a connection queued in memory; further ones wait in the journal only. */
  backlogInMemory: number;
  /** Chats of one connection that messages are sent to at the same time. */
  chatsAtOnce: number;
  /** Shortest time between two bulk messages of a connection. */
  bulkGapMs: number;
  /** A send without an answer for this long has an unknown outcome. */
  sendMs: number;
  /** The same for a message with a file. */
  sendFileMs: number;
  /** A message with an unknown outcome is not sent again once its attempt is older than this. */
  resendWithinMs: number;
  /** Waits before a send with a temporary refusal or an unknown outcome is retried. */
  outboundRetriesMs: readonly number[];
  /** Files fetched at the same time, for one connection and for all connections of this process. */
  filesPerConnection: number;
  filesAtOnce: number;
  /** Waits after a failed fetch of a file; after one more failure it is given up. */
  fileRetriesMs: readonly number[];
  /** Longest time for a whole file, and between two chunks of it. */
  fileMs: number;
  fileStallMs: number;
  /** Time limit of a number check and of other questions to a provider. */
  answerMs: number;
  /** Time limit for one profile picture, and how many are requested in one round. */
  pictureMs: number;
  picturesAtOnce: number;
  /** Time between two rounds of profile pictures. */
  picturesEveryMs: number;
};

export const defaultSettings: ChannelSettings = {
  leaseMs: 17_000,
  renewEveryMs: 5_000,
  closeAfterMs: 12_000,
  lookEveryMs: 2_000,
  startsAtOnce: 5,
  startHoldMs: 1_500,
  reconnectDelaysMs: [1_000, 2_000, 5_000, 10_000, 30_000, 60_000],
  serviceDelaysMs: [5_000, 10_000, 30_000, 60_000],
  restartsInARow: 3,
  steadyAfterMs: 60_000,
  openingMs: 60_000,
  replacedRetryMs: 30_000,
  stopMs: 30_000,
  inboundAtOnce: 10,
  inboundLeast: 2,
  inboundRetriesMs: [100, 500, 2_000, 5_000],
  backlogInMemory: 2_000,
  chatsAtOnce: 8,
  bulkGapMs: 300,
  sendMs: 30_000,
  sendFileMs: 5 * 60_000,
  resendWithinMs: 10 * 60_000,
  outboundRetriesMs: [1_000, 3_000, 10_000, 30_000],
  filesPerConnection: 3,
  filesAtOnce: 12,
  fileRetriesMs: [1_000, 10_000, 60_000, 10 * 60_000],
  fileMs: 15 * 60_000,
  fileStallMs: 30_000,
  answerMs: 5_000,
  pictureMs: 2_000,
  picturesAtOnce: 5,
  picturesEveryMs: 30_000,
};

/** The wait before attempt number `step` (from 0); the last value repeats. */
export function waitAt(waitsMs: readonly number[], step: number): number {
  return waitsMs[Math.min(step, waitsMs.length - 1)] ?? 0;
}
