import type { ErrorCode, MessageId } from "@balcao/contract";
import type { ConnectionRef, DeliveryOutcome } from "../../../channels/runtime/index.ts";
import type { Ctx } from "../../../platform/context.ts";
import { systemCtx } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/db/database.ts";
import type { Clock } from "../../../platform/sources.ts";
import type { LockedMessage } from "../message-repository.ts";
import { lockMessage } from "../message-repository.ts";
import type { MessageChange, MessageChanges } from "./message-changes.ts";
import type { CompanyReaction } from "./reaction-repository.ts";
import { saveReaction } from "./reaction-repository.ts";
import type { SentChange } from "./standing.ts";
import { standingOf } from "./standing.ts";

/** What an edit found; it comes back when the network refuses the edit. */
export type BeforeEdit = { body: string; isEdited: boolean };
/** The company's reaction before and after. */
export type BeforeReaction = { known: CompanyReaction | null; wanted: CompanyReaction | null };

type ChangeCommand = Exclude<DeliveryOutcome["command"], "message">;

const codes: Record<ChangeCommand, ErrorCode> = {
  edit: "ERR_EDITING_WAPP_MSG",
  revoke: "ERR_DELETE_WAPP_MSG",
  reaction: "ERR_REACTION_WAPP_MSG",
};

export type ChangeOutcomesDeps = { clock: Clock; changes: MessageChanges };

/** What becomes of edits, deletions and reactions that were queued for the network. */
export function createChangeOutcomes({ clock, changes }: ChangeOutcomesDeps) {
  /**
   * A refused change is taken back: the message is again what the network has of it. While a later change of the same
   * kind is on its way, that one decides.
   */
  return async function refused(
    tx: Tx,
    { companyId }: ConnectionRef,
    messageId: MessageId,
    command: ChangeCommand,
  ): Promise<void> {
    const ctx = systemCtx(companyId, "channel", "report");
    const locked = await lockMessage(ctx, tx, messageId);
    if (!locked) return;
    const restored = await restore(ctx, tx, locked, command);
    if (restored === null) return;
    await changes.apply(ctx, tx, locked, { ...restored, changeFailedCode: codes[command] });
  };

  async function restore(
    ctx: Ctx,
    tx: Tx,
    { message }: LockedMessage,
    command: ChangeCommand,
  ): Promise<MessageChange | null> {
    const { messageId } = message;
    switch (command) {
      case "edit": {
        const standing = standingOf(await findSent<SentEdit>(ctx, tx, messageId, command));
        if (standing === null) return null;
        if (standing.kind === "before") return standing.before;
        return { body: standing.change.text, isEdited: true };
      }
      case "revoke":
        return { isDeleted: false };
      case "reaction": {
        const standing = standingOf(await findSent<SentReaction>(ctx, tx, messageId, command));
        if (standing === null) return null;
        const { known, wanted } = standing.before;
        const reaction = standing.kind === "before" ? known : wanted;
        const by = { userId: reaction?.userId ?? null };
        const now = clock.now();
        await saveReaction(ctx, tx, messageId, by, { emoji: reaction?.emoji ?? null, now });
        return {};
      }
    }
  }
}

export type ChangeOutcomes = ReturnType<typeof createChangeOutcomes>;

type SentEdit = SentChange<{ text: string }, BeforeEdit>;
type SentReaction = SentChange<object, BeforeReaction>;

async function findSent<Row>(
  ctx: Ctx,
  tx: Tx,
  messageId: MessageId,
  command: ChangeCommand,
): Promise<Row[]> {
  return tx.query<Row>(sentStatement, [ctx.companyId, messageId, command]);
}

const sentStatement = {
  name: "messages.sent-changes",
  text: `
select state, body::json as change, before::json as before from outbound
where company_id = $1 and message_id = $2 and command = $3
order by id`,
};
