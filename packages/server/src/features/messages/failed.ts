import type { Message, MessageId } from "@balcao/contract";
import type { Outbox } from "../../channels/runtime/index.ts";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Clock } from "../../platform/sources.ts";
import type { TicketEvents } from "../tickets/index.ts";
import { lockTicket, requireVisible } from "../tickets/index.ts";
import type { MessageEvents } from "./events.ts";
import type { ChangedMessage } from "./message-repository.ts";
import {
  clearFailure,
  deleteFailed,
  findMessage,
  restoreLastMessage,
} from "./message-repository.ts";
import { toMessageDto } from "./message-row.ts";
import { canRead, readerOf } from "./readable.ts";

export type FailedDeps = {
  db: Database;
  clock: Clock;
  outbox: Pick<Outbox, "requeueFailed">;
  ticketEvents: TicketEvents;
  events: MessageEvents;
};

/** What an agent can do about a message that was not sent. */
export function createFailedMessages({ db, clock, outbox, ticketEvents, events }: FailedDeps) {
  /** Sends it again, as the same message. */
  async function retry(ctx: UserCtx, messageId: MessageId): Promise<Message> {
    return db.transaction(ctx, async (tx) => {
      await requireOwn(ctx, tx, messageId);
      const again = await clearFailure(ctx, tx, messageId, clock.now());
      const isQueued = again !== null && (await outbox.requeueFailed(tx, ctx, messageId));
      if (!isQueued) throw new DomainError("ERR_MESSAGE_NOT_FAILED");
      events.updated(tx, again);
      return toMessageDto(again.message);
    });
  }

  /** Removes it for good; the message before it stands on the ticket's card again. */
  async function discard(ctx: UserCtx, messageId: MessageId): Promise<void> {
    await db.transaction(ctx, async (tx) => {
      await requireOwn(ctx, tx, messageId);
      const gone = await deleteFailed(ctx, tx, messageId);
      if (!gone) throw new DomainError("ERR_MESSAGE_NOT_FAILED");
      const { ticketId } = gone.message;
      await restoreLastMessage(ctx, tx, ticketId, messageId);
      events.deleted(tx, gone);
      const ticket = await lockTicket(ctx, tx, ticketId);
      if (ticket) ticketEvents.updated(tx, ticket);
    });
  }

  /** The message, if the user may read it (else as if it were not there) and act on its ticket. */
  async function requireOwn(ctx: UserCtx, tx: Tx, messageId: MessageId): Promise<ChangedMessage> {
    const found = await findMessage(ctx, tx, messageId);
    if (!found) throw new DomainError("ERR_NO_MESSAGE_FOUND");
    const { ticket, message } = found;
    requireVisible(ctx, ticket);
    const queueId = message.messageQueueId;
    if (!canRead(readerOf(ctx), ticket, { queueId })) throw new DomainError("ERR_TICKET_FORBIDDEN");
    return found;
  }

  return { retry, discard };
}

export type FailedMessages = ReturnType<typeof createFailedMessages>;
