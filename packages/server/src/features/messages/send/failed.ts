import type { Message, MessageId } from "@balcao/contract";
import type { Outbox } from "../../../channels/runtime/index.ts";
import type { UserCtx } from "../../../platform/context.ts";
import { DomainError } from "../../../platform/context.ts";
import type { Database } from "../../../platform/db/database.ts";
import type { Clock } from "../../../platform/sources.ts";
import { requireLocked } from "../access.ts";
import type { MessageEvents } from "../events.ts";
import type { ToMessageDto } from "../message-dto.ts";
import { clearFailure, isDiscardable, isUnconfirmed } from "../delivery-repository.ts";
import type { Removal } from "./removal.ts";

export type FailedDeps = {
  db: Database;
  clock: Clock;
  outbox: Pick<Outbox, "requeueFailed">;
  events: MessageEvents;
  removal: Removal;
  toMessageDto: ToMessageDto;
};

/** What an agent can do about a message that was not sent. */
export function createFailedMessages(deps: FailedDeps) {
  const { db, clock, outbox, events, removal, toMessageDto } = deps;

  /**
   * Sends it again, as the same message, with the same file. One that may have been sent could reach the customer twice:
   * a person has to confirm that.
   */
  async function retry(
    ctx: UserCtx,
    messageId: MessageId,
    { confirmed }: { confirmed: boolean },
  ): Promise<Message> {
    return db.transaction(ctx, async (tx) => {
      await requireLocked(ctx, tx, messageId);
      if (!confirmed && (await isUnconfirmed(ctx, tx, messageId))) {
        throw new DomainError("ERR_MESSAGE_UNCONFIRMED");
      }
      const again = await clearFailure(ctx, tx, messageId, clock.now());
      const isQueued = again !== null && (await outbox.requeueFailed(tx, ctx, messageId));
      if (!isQueued) throw new DomainError("ERR_MESSAGE_NOT_FAILED");
      events.updated(tx, again);
      return toMessageDto(again.message);
    });
  }

  /** Removes it for good; the message before it stands on the ticket's card again. */
  async function discard(ctx: UserCtx, messageId: MessageId): Promise<void> {
    const gone = await db.transaction(ctx, async (tx) => {
      const locked = await requireLocked(ctx, tx, messageId);
      const isFailed = await isDiscardable(ctx, tx, messageId);
      if (!isFailed) throw new DomainError("ERR_MESSAGE_NOT_FAILED");
      await removal.remove(ctx, tx, locked);
      return locked.message;
    });
    await removal.removeFile(gone);
  }

  return { retry, discard };
}

export type FailedMessages = ReturnType<typeof createFailedMessages>;
