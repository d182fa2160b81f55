import type { MessageId } from "@balcao/contract";
import type { Ctx } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/db/database.ts";
import type { Clock } from "../../../platform/sources.ts";
import type { MediaFiles } from "../../media/index.ts";
import type { TicketEvents } from "../../tickets/index.ts";
import type { MessageEvents } from "../events.ts";
import { cardOf } from "../last-message.ts";
import { releaseMedia } from "../media-repository.ts";
import type { LockedMessage } from "../message-repository.ts";
import { saveMessage } from "../message-repository.ts";
import type { MessageRow } from "../message-row.ts";

export type MessageChangesDeps = {
  clock: Clock;
  ticketEvents: TicketEvents;
  events: MessageEvents;
  files: Pick<MediaFiles, "removeUnused">;
};

/** What can become of a message that is there. A file is saved by itself; here it only counts for the card. */
export type MessageChange = Partial<
  Pick<MessageRow, "body" | "isEdited" | "isDeleted" | "changeFailedCode" | "media">
>;

/** Changes messages whose tickets are locked. */
export function createMessageChanges(deps: MessageChangesDeps) {
  const { clock, ticketEvents, events, files } = deps;
  return {
    /** Saves the change, on the ticket's card too, and tells it. Answers the message as it is now. */
    async apply(
      ctx: Ctx,
      tx: Tx,
      { message, ticket }: LockedMessage,
      change: MessageChange,
    ): Promise<MessageRow> {
      const after = { ...message, ...change };
      const { isOnCard, ...changed } = await saveMessage(ctx, tx, after, clock.now());
      events.updated(tx, changed);
      const card = cardOf(after);
      const looksDifferent =
        card.text !== ticket.lastMessage || card.kind !== ticket.lastMessageKind;
      if (isOnCard && looksDifferent) {
        const { kind: lastMessageKind, text: lastMessage } = card;
        ticketEvents.updated(tx, { ...ticket, lastMessage, lastMessageKind });
      }
      return changed.message;
    },

    /** The message was deleted for everyone, for good: its file goes after the commit. */
    async releaseFile(ctx: Ctx, tx: Tx, messageId: MessageId): Promise<void> {
      const keys = await releaseMedia(ctx, tx, messageId);
      if (keys.length > 0) tx.onCommit(() => void files.removeUnused(ctx.companyId, keys));
    },
  };
}

export type MessageChanges = ReturnType<typeof createMessageChanges>;
