import type { MessageId } from "@balcao/contract";
import type { UserCtx } from "../../../platform/context.ts";
import { DomainError } from "../../../platform/context.ts";
import type { Database, Tx } from "../../../platform/db/database.ts";
import type { Outbox } from "../../../channels/runtime/index.ts";
import type { MediaFiles } from "../../media/index.ts";
import type { TicketEvents } from "../../tickets/index.ts";
import { lockTicket } from "../../tickets/index.ts";
import { requireLocked } from "../access.ts";
import type { MessageEvents } from "../events.ts";
import type { LockedMessage } from "../message-repository.ts";
import { deleteMessage, restoreLastMessage } from "../message-repository.ts";
import type { MessageRow } from "../message-row.ts";

export type RemovalDeps = {
  db: Database;
  outbox: Pick<Outbox, "cancelQueued">;
  files: Pick<MediaFiles, "removeUnused">;
  ticketEvents: TicketEvents;
  events: MessageEvents;
};

/** Messages that have not left can be gone as if they had never been written. */
export function createRemoval({ db, outbox, files, ticketEvents, events }: RemovalDeps) {
  /** Takes back what still waits; the message before it stands on the ticket's card again. */
  async function undo(ctx: UserCtx, messageId: MessageId): Promise<void> {
    const gone = await db.transaction(ctx, async (tx) => {
      const locked = await requireLocked(ctx, tx, messageId);
      if (!(await removeQueued(ctx, tx, locked))) throw new DomainError("ERR_MESSAGE_SENT");
      return locked.message;
    });
    await removeFile(gone);
  }

  /** Removes an own message that has not left, in the transaction that has locked it; false when it has. */
  async function removeQueued(ctx: UserCtx, tx: Tx, locked: LockedMessage): Promise<boolean> {
    const { message } = locked;
    if (!message.fromMe || !(await outbox.cancelQueued(tx, ctx, message.messageId))) return false;
    await remove(ctx, tx, locked);
    return true;
  }

  async function remove(ctx: UserCtx, tx: Tx, { message, ticket }: LockedMessage): Promise<void> {
    await deleteMessage(ctx, tx, message.messageId);
    await restoreLastMessage(ctx, tx, ticket.id, message.messageId);
    events.deleted(tx, { message, ticket });
    const after = await lockTicket(ctx, tx, ticket.id);
    if (after) ticketEvents.updated(tx, after);
  }

  /** After the commit; what is not removed now, the sweep finds. */
  async function removeFile({ messageCompanyId, media }: MessageRow): Promise<void> {
    const keys = [media?.fileKey, media?.thumbnailKey].filter((key) => typeof key === "string");
    if (keys.length > 0) await files.removeUnused(messageCompanyId, keys);
  }

  return { undo, removeQueued, remove, removeFile };
}

export type Removal = ReturnType<typeof createRemoval>;
