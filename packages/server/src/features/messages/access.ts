import type { MessageId } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { requireVisible } from "../tickets/index.ts";
import type { ChangedMessage, LockedMessage } from "./message-repository.ts";
import { findMessage, lockMessage } from "./message-repository.ts";
import type { MessageRow } from "./message-row.ts";
import type { ReadTicket } from "./readable.ts";
import { canRead, readerOf } from "./readable.ts";

/** The message, if the user may read it (else as if it were not there) and act on its ticket. */
export async function requireReadable(
  ctx: UserCtx,
  tx: Tx,
  messageId: MessageId,
): Promise<ChangedMessage> {
  const found = await findMessage(ctx, tx, messageId);
  if (!found) throw new DomainError("ERR_NO_MESSAGE_FOUND");
  requireVisible(ctx, found.ticket);
  refuseUnreadable(ctx, found);
  return found;
}

/** The same with the ticket locked, for changing the message. */
export async function requireLocked(
  ctx: UserCtx,
  tx: Tx,
  messageId: MessageId,
): Promise<LockedMessage> {
  const locked = await lockMessage(ctx, tx, messageId);
  if (!locked) throw new DomainError("ERR_NO_MESSAGE_FOUND");
  requireVisible(ctx, locked.ticket);
  refuseUnreadable(ctx, locked);
  return locked;
}

function refuseUnreadable(
  ctx: UserCtx,
  { ticket, message }: { ticket: ReadTicket; message: MessageRow },
): void {
  const queueId = message.messageQueueId;
  if (!canRead(readerOf(ctx), ticket, { queueId })) throw new DomainError("ERR_TICKET_FORBIDDEN");
}
