import type { CompanyId, ConnectionId, ContactId, MessageId } from "@balcao/contract";
import type { Tx } from "../../platform/db/database.ts";
import type { OutboundCommand } from "../../platform/db/schema/tickets.ts";
import type {
  Address,
  DurableEvent,
  MediaRef,
  ProviderContext,
  ProviderFailure,
  TransientEvent,
} from "../port.ts";

export type ConnectionRef = { companyId: CompanyId; connectionId: ConnectionId };

/**
 * What became of a message, or of a change of one, that the pump handed to the provider. Of a message it is not told
 * when the network's own report was quicker: `receive` gets that one.
 */
export type DeliveryOutcome = {
  messageId: MessageId;
  command: OutboundCommand;
  /** What the feature gave along with a change, to take it back when it failed. */
  before: string | null;
} &
  /** On its way: `written` waits for the network's ack, `accepted` has it. */
  (
    | { result: "written" | "accepted" }
    /** It will not be sent again by itself; kind `unconfirmed` says that it may have been sent. */
    | { result: "failed"; failure: ProviderFailure }
  );

export type PictureWish = { contactId: ContactId; address: Address };

/**
 * What the product does with what channels report; given by the composition root, so that channels know no feature.
 * Those with a `tx` run inside the runtime's transaction, after it has checked the lease's fence; they register their
 * live events with `tx.onCommit`. Throwing rolls back and the event is tried again (a presence is forgotten instead).
 */
export type ChannelHandlers = {
  /**
   * One durable event, strictly in order per chat, parallel across chats, exactly once. Acks and refusals of changes
   * are no events: a change that the network refuses later is told by `sent`.
   */
  receive(tx: Tx, connection: ConnectionRef, event: DurableEvent): Promise<void>;
  /** The outcome of one send, in the transaction that records it. */
  sent(tx: Tx, connection: ConnectionRef, outcome: DeliveryOutcome): Promise<void>;
  /** A state, QR text or presence: told in order, not kept. `retries` counts starts since the last success. */
  tell(tx: Tx, connection: ConnectionRef, event: TransientEvent, retries: number): Promise<void>;
  /** The company's own files, for sending. Null when there is none of that key. */
  openFile(companyId: CompanyId, key: string): ReturnType<ProviderContext["openFile"]>;
  /**
   * Stores a file that arrives, updates its message and tells; in transactions of its own. It may come again for a
   * message that has its file (a crash in between): then nothing changes. Throwing has it fetched again later,
   * MediaGone ends the tries.
   */
  storeMedia(
    connection: ConnectionRef,
    messageId: MessageId,
    file: MediaRef,
    content: AsyncIterable<Uint8Array>,
  ): Promise<void>;
  /** The file cannot be had, also not later. */
  mediaUnavailable(tx: Tx, connection: ConnectionRef, messageId: MessageId): Promise<void>;
  /**
   * Whose profile pictures are to be asked for now: people who wrote to the connection lately and were not asked for
   * within a day; from now on they are.
   */
  claimPictures(tx: Tx, connection: ConnectionRef, count: number): Promise<PictureWish[]>;
  /** What the network shows as a contact's picture; null: nothing. In transactions of its own. */
  storePicture(
    companyId: CompanyId,
    contactId: ContactId,
    picture: Uint8Array | null,
  ): Promise<void>;
};
