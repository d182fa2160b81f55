import type { Message, MessageId } from "@balcao/contract";
import { limits } from "@balcao/contract";
import type { MessageRef, OutboundChange } from "../../../channels/port.ts";
import type { Outbox } from "../../../channels/runtime/index.ts";
import type { UserCtx } from "../../../platform/context.ts";
import { DomainError } from "../../../platform/context.ts";
import type { Database, Tx } from "../../../platform/db/database.ts";
import type { Sources } from "../../../platform/sources.ts";
import { requireLocked, requireReadable } from "../access.ts";
import type { ToMessageDto } from "../message-dto.ts";
import type { LockedMessage } from "../message-repository.ts";
import { isDiscardable } from "../delivery-repository.ts";
import { NUMBER_CHANGED } from "../marks.ts";
import type { MessageRow } from "../message-row.ts";

import { newProviderId } from "../send/outgoing.ts";
import type { Removal } from "../send/removal.ts";
import { findOnNetwork } from "../send/send-repository.ts";
import type { BeforeEdit, BeforeReaction } from "./change-outcomes.ts";
import { isEmoji } from "./emoji.ts";
import type { MessageChanges } from "./message-changes.ts";
import { findCompanyReaction, saveReaction } from "./reaction-repository.ts";

export type ChangeDeps = {
  db: Database;
  sources: Sources;
  outbox: Pick<Outbox, "enqueueChange">;
  changes: MessageChanges;
  removal: Removal;
  toMessageDto: ToMessageDto;
};

type ChangeCode = "ERR_EDITING_WAPP_MSG" | "ERR_DELETE_WAPP_MSG" | "ERR_REACTION_WAPP_MSG";

/**
 * What an agent changes of messages that are there: shown at once and queued for the network, in the chat's order. What
 * the network refuses is taken back (`change-outcomes.ts`).
 */
export function createChanging(deps: ChangeDeps) {
  const { db, sources, outbox, changes, removal, toMessageDto } = deps;
  const { clock } = sources;

  /** Another text for one of the company's own, within 15 minutes (behaviour 1.10). */
  async function edit(ctx: UserCtx, messageId: MessageId, text: string): Promise<Message> {
    if (text.trim() === "") throw new DomainError("ERR_MESSAGE_EMPTY");
    return db.transaction(ctx, async (tx) => {
      const locked = await requireLocked(ctx, tx, messageId);
      const { message } = locked;
      const ageMs = clock.now().getTime() - message.sentAt.getTime();
      if (!isOwnText(message) || ageMs > limits.editWithinMs) {
        throw new DomainError("ERR_EDITING_WAPP_MSG");
      }
      if (message.body === text) return toMessageDto(message);
      const before: BeforeEdit = { body: message.body, isEdited: message.isEdited };
      await enqueue(ctx, tx, locked, before, "ERR_EDITING_WAPP_MSG", (target) => ({
        kind: "edit",
        target,
        text,
      }));
      const after = { body: text, isEdited: true, changeFailedCode: null };
      return toMessageDto(await changes.apply(ctx, tx, locked, after));
    });
  }

  /** Deletes one of the company's own for everyone; one that has not left is simply gone. */
  async function remove(ctx: UserCtx, messageId: MessageId): Promise<Message> {
    const done = await db.transaction(ctx, async (tx) => {
      const locked = await requireLocked(ctx, tx, messageId);
      const { message } = locked;
      if (!message.fromMe || isOurLine(message)) throw new DomainError("ERR_DELETE_WAPP_MSG");
      if (message.isDeleted) return { message, isGone: false };
      if (await neverLeft(ctx, tx, locked)) return { message, isGone: true };
      await enqueue(ctx, tx, locked, {}, "ERR_DELETE_WAPP_MSG", (target) => ({
        kind: "revoke",
        target,
      }));
      const after = { isDeleted: true, changeFailedCode: null };
      return { message: await changes.apply(ctx, tx, locked, after), isGone: false };
    });
    if (done.isGone) await removal.removeFile(done.message);
    return toMessageDto({ ...done.message, isDeleted: true });
  }

  async function neverLeft(ctx: UserCtx, tx: Tx, locked: LockedMessage): Promise<boolean> {
    if (await removal.removeQueued(ctx, tx, locked)) return true;
    if (!(await isDiscardable(ctx, tx, locked.message.messageId))) return false;
    await removal.remove(ctx, tx, locked);
    return true;
  }

  /** The company's one reaction to a message; an empty emoji takes it back. */
  async function react(ctx: UserCtx, messageId: MessageId, emoji: string): Promise<Message> {
    if (emoji !== "" && !isEmoji(emoji)) {
      const issues = [{ path: "type", message: "one emoji, or nothing" }];
      throw new DomainError("ERR_INVALID_REQUEST", { issues });
    }
    return db.transaction(ctx, async (tx) => {
      const locked = await requireLocked(ctx, tx, messageId);
      if (!isOnNetwork(locked.message)) throw new DomainError("ERR_REACTION_WAPP_MSG");
      const { userId } = ctx.actor;
      const known = await findCompanyReaction(ctx, tx, messageId);
      const wanted = emoji === "" ? null : { emoji, userId };
      if ((known?.emoji ?? null) === (wanted?.emoji ?? null)) return toMessageDto(locked.message);
      const before: BeforeReaction = { known, wanted };
      await enqueue(ctx, tx, locked, before, "ERR_REACTION_WAPP_MSG", (target) => ({
        kind: "reaction",
        target,
        emoji: wanted?.emoji ?? null,
      }));
      const reaction = { emoji: wanted?.emoji ?? null, now: clock.now() };
      await saveReaction(ctx, tx, messageId, { userId }, reaction);
      return toMessageDto(await changes.apply(ctx, tx, locked, { changeFailedCode: null }));
    });
  }

  async function enqueue(
    ctx: UserCtx,
    tx: Tx,
    { message }: LockedMessage,
    before: object,
    code: ChangeCode,
    changeOf: (target: MessageRef) => OutboundChange,
  ): Promise<void> {
    const { messageId } = message;
    const place = await findOnNetwork(ctx, tx, messageId);
    if (!place) throw new DomainError(code);
    const { connectionId, to, target } = place;
    const { author, ...ref } = target;
    await outbox.enqueueChange(tx, ctx, {
      connectionId,
      messageId,
      providerId: newProviderId(sources),
      to,
      change: changeOf({ chat: to, ...ref, ...(author === null ? {} : { author }) }),
      before: JSON.stringify(before),
    });
  }

  /** As it is; older clients confirm an edit with it. */
  async function show(ctx: UserCtx, messageId: MessageId): Promise<Message> {
    const { message } = await db.transaction(ctx, (tx) => requireReadable(ctx, tx, messageId));
    return toMessageDto(message);
  }

  return { edit, remove, react, show };
}

export type Changing = ReturnType<typeof createChanging>;

/** Whether the network has the message, or will have it before a change of it. */
function isOnNetwork(message: MessageRow): boolean {
  const { isDeleted, failedCode, isUnconfirmed, mediaType } = message;
  const wasSent = failedCode === null && !isUnconfirmed;
  return !isDeleted && wasSent && mediaType !== "call_log" && !isOurLine(message);
}

/** No message: it cannot be taken back. */
function isOurLine({ mediaType }: MessageRow): boolean {
  return mediaType === NUMBER_CHANGED;
}

function isOwnText(message: MessageRow): boolean {
  const isText = message.media === null && message.details === null;
  return message.fromMe && isText && isOnNetwork(message);
}
