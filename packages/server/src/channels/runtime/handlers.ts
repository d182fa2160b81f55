import type { CompanyId, ConnectionId, MessageId } from "@balcao/contract";
import type { Tx } from "../../platform/db/database.ts";
import type { DurableEvent, ProviderFailure, TransientEvent } from "../port.ts";

export type ConnectionRef = { companyId: CompanyId; connectionId: ConnectionId };

/** What became of a message that the pump handed to the provider; not told when the network's own report was quicker. */
export type DeliveryOutcome =
  /** On its way: `written` waits for the network's ack, `accepted` has it. */
  | { messageId: MessageId; result: "written" | "accepted" }
  /** It will not be sent again by itself; kind `unconfirmed` says that it may have been sent. */
  | { messageId: MessageId; result: "failed"; failure: ProviderFailure };

/**
 * What the product does with what channels report; given by the composition root, so that channels know no feature.
 * All run inside the runtime's transaction, after it has checked the lease's fence; they register their live events with
 * `tx.onCommit`. Throwing rolls back and the event is tried again (a presence is forgotten instead).
 */
export type ChannelHandlers = {
  /** One durable event, strictly in order per chat, parallel across chats, exactly once. */
  receive(tx: Tx, connection: ConnectionRef, event: DurableEvent): Promise<void>;
  /** The outcome of one send, in the transaction that records it. */
  sent(tx: Tx, connection: ConnectionRef, outcome: DeliveryOutcome): Promise<void>;
  /** A state, QR text or presence: told in order, not kept. `retries` counts starts since the last success. */
  tell(tx: Tx, connection: ConnectionRef, event: TransientEvent, retries: number): Promise<void>;
};
