import type {
  CompanyId,
  ConnectionId,
  ContactId,
  ErrorCode,
  Message,
  MessageId,
  UserId,
} from "@balcao/contract";
import { limits } from "@balcao/contract";
import { and, eq } from "drizzle-orm";
import type { Address, MessageRef, OutboundChange } from "../../channels/port.ts";
import type { ConnectionRef, DeliveryOutcome } from "../../channels/runtime/index.ts";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError, systemCtx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { messageMedia, messageReactions } from "../../platform/db/schema/index.ts";
import type { OutboundState } from "../../platform/db/schema/messages.ts";
import type { MediaKey } from "../../platform/media/media-store.ts";
import type { MessagesDeps } from "./deps.ts";
import { publishReactionRows, publishUpdated, toMessageDto } from "./events.ts";
import type { MessageRow } from "./message.ts";
import { cardOf, NUMBER_CHANGED } from "./message.ts";
import type { StoredQuote } from "./outgoing.ts";
import { contactAddress, newProviderId, wireMessage } from "./outgoing.ts";
import type { LockedMessage } from "./stored-messages.ts";
import { lockMessage, requireLocked, requireReadable, saveMessage } from "./stored-messages.ts";
import { removeFailed, removeFile, removeQueued } from "./delivery.ts";

// An agent's change is shown at once and queued for the network, in the chat's order. A change that the network refuses
// is reverted (`recordChange`).

type ChangeCommand = Exclude<DeliveryOutcome["command"], "message">;

const codes = {
  edit: "ERR_EDITING_WAPP_MSG",
  revoke: "ERR_DELETE_WAPP_MSG",
  reaction: "ERR_REACTION_WAPP_MSG",
} satisfies Record<ChangeCommand, ErrorCode>;

/** Edits one of the company's own texts, within 15 minutes (behaviour 1.10). */
export async function editMessage(
  deps: MessagesDeps,
  ctx: UserCtx,
  messageId: MessageId,
  text: string,
): Promise<Message> {
  if (text.trim() === "") throw new DomainError("ERR_MESSAGE_EMPTY");
  return deps.db.transaction(ctx, async (tx) => {
    const locked = await requireLocked(ctx, tx, messageId);
    const { message } = locked;
    const ageMs = deps.sources.clock.now().getTime() - message.sentAt.getTime();
    if (!isOwnText(message) || ageMs > limits.editWithinMs) throw new DomainError(codes.edit);
    if (message.body === text) return toMessageDto(deps, message);
    const before: BeforeEdit = { body: message.body, isEdited: message.isEdited };
    await enqueueChange(deps, ctx, tx, messageId, { kind: "edit", text }, before);
    const after = { body: text, isEdited: true, changeFailedCode: null };
    return toMessageDto(deps, await applyChange(deps, ctx, tx, locked, after));
  });
}

/** Deletes one of the company's own messages for everyone; a message that was not sent is removed. */
export async function deleteForEveryone(
  deps: MessagesDeps,
  ctx: UserCtx,
  messageId: MessageId,
): Promise<Message> {
  const done = await deps.db.transaction(ctx, async (tx) => {
    const locked = await requireLocked(ctx, tx, messageId);
    const { message } = locked;
    if (!message.fromMe || isInfoLine(message)) throw new DomainError(codes.revoke);
    if (message.isDeleted) return { message, isGone: false };
    if (
      (await removeQueued(deps, ctx, tx, locked)) ||
      (await removeFailed(deps, ctx, tx, locked))
    ) {
      return { message, isGone: true };
    }
    await enqueueChange(deps, ctx, tx, messageId, { kind: "revoke" }, {});
    const after = { isDeleted: true, changeFailedCode: null };
    return { message: await applyChange(deps, ctx, tx, locked, after), isGone: false };
  });
  if (done.isGone) await removeFile(deps, done.message);
  return toMessageDto(deps, { ...done.message, isDeleted: true });
}

/** Sets the company's reaction to a message; an empty emoji removes it. */
export async function reactToMessage(
  deps: MessagesDeps,
  ctx: UserCtx,
  messageId: MessageId,
  emoji: string,
): Promise<Message> {
  if (emoji !== "" && !isEmoji(emoji)) {
    const issues = [{ path: "type", message: "one emoji, or nothing" }];
    throw new DomainError("ERR_INVALID_REQUEST", { issues });
  }
  return deps.db.transaction(ctx, async (tx) => {
    const locked = await requireLocked(ctx, tx, messageId);
    if (!isOnNetwork(locked.message)) throw new DomainError(codes.reaction);
    const { userId } = ctx.actor;
    const known = await findCompanyReaction(ctx, tx, messageId);
    const wanted = emoji === "" ? null : { emoji, userId };
    const newEmoji = wanted?.emoji ?? null;
    if ((known?.emoji ?? null) === newEmoji) return toMessageDto(deps, locked.message);
    const before: BeforeReaction = { known, wanted };
    await enqueueChange(deps, ctx, tx, messageId, { kind: "reaction", emoji: newEmoji }, before);
    await saveReaction(ctx, tx, messageId, { userId }, newEmoji, deps.sources.clock.now());
    const after = { changeFailedCode: null };
    return toMessageDto(deps, await applyChange(deps, ctx, tx, locked, after));
  });
}

/** The unchanged message; older clients confirm an edit with this call. */
export async function showMessage(
  deps: MessagesDeps,
  ctx: UserCtx,
  messageId: MessageId,
): Promise<Message> {
  const message = await deps.db.transaction(ctx, (tx) => requireReadable(ctx, tx, messageId));
  return toMessageDto(deps, message);
}

/** A change without its target message. */
type Untargeted<Change> = Change extends { target: MessageRef } ? Omit<Change, "target"> : never;

async function enqueueChange(
  deps: MessagesDeps,
  ctx: UserCtx,
  tx: Tx,
  messageId: MessageId,
  change: Untargeted<OutboundChange>,
  before: object,
): Promise<void> {
  const [place] = await tx.query<{
    connectionId: ConnectionId | null;
    to: Address | null;
    target: StoredQuote;
  }>(onNetworkStatement, [ctx.companyId, messageId]);
  if (!place?.connectionId || !place.to) throw new DomainError(codes[change.kind]);
  const { connectionId, to } = place;
  const { author, ...ref } = place.target;
  const target = { chat: to, ...ref, ...(author === null ? {} : { author }) };
  await deps.outbox.enqueueChange(tx, ctx, {
    connectionId,
    messageId,
    providerId: newProviderId(deps.sources),
    to,
    change: { ...change, target },
    before: JSON.stringify(before),
  });
}

/** Whether the network has the message, or gets it before the change. */
function isOnNetwork(message: MessageRow): boolean {
  const { isDeleted, failedCode, isUnconfirmed, mediaType } = message;
  const wasSent = failedCode === null && !isUnconfirmed;
  return !isDeleted && wasSent && mediaType !== "call_log" && !isInfoLine(message);
}

/** Whether it is an information line, which was never on the network. */
function isInfoLine({ mediaType }: MessageRow): boolean {
  return mediaType === NUMBER_CHANGED;
}

function isOwnText(message: MessageRow): boolean {
  const isText = message.media === null && message.details === null;
  return message.fromMe && isText && isOnNetwork(message);
}

/** The fields of a stored message that can change. A file is saved separately; here it only affects the card. */
type MessageChange = Partial<
  Pick<MessageRow, "body" | "isEdited" | "isDeleted" | "changeFailedCode" | "media">
>;

/** Saves a change of a message whose ticket is locked, also on the card, and publishes it. Returns the new message. */
export async function applyChange(
  deps: MessagesDeps,
  ctx: Ctx,
  tx: Tx,
  { message, ticket }: LockedMessage,
  change: MessageChange,
): Promise<MessageRow> {
  const after = { ...message, ...change };
  const { isOnCard, ...changed } = await saveMessage(ctx, tx, after, deps.sources.clock.now());
  publishUpdated(deps, tx, changed);
  publishReactionRows(deps, tx, ticket, [message, changed.message]);
  const { kind: lastMessageKind, text: lastMessage } = cardOf(after);
  const looksDifferent =
    lastMessage !== ticket.lastMessage || lastMessageKind !== ticket.lastMessageKind;
  if (isOnCard && looksDifferent) {
    const shown = { ...ticket, lastMessage, lastMessageKind };
    await deps.domainEvents.publish(tx, ctx, "ticket.updated", { ticket: shown });
  }
  return changed.message;
}

/** Keeps what a voice note says with its message. */
export async function keepTranscript(
  deps: MessagesDeps,
  ctx: Ctx,
  tx: Tx,
  messageId: MessageId,
  transcript: string,
): Promise<void> {
  const locked = await lockMessage(ctx, tx, messageId);
  if (!locked) return;
  const ofMessage = and(
    eq(messageMedia.companyId, ctx.companyId),
    eq(messageMedia.messageId, messageId),
  );
  await tx.orm.update(messageMedia).set({ transcript }).where(ofMessage);
  await applyChange(deps, ctx, tx, locked, {});
}

/** Removes the file of a message that was deleted for everyone, after the commit. */
export async function releaseFile(
  { media }: MessagesDeps,
  ctx: Ctx,
  tx: Tx,
  messageId: MessageId,
): Promise<void> {
  const values = [ctx.companyId, messageId];
  const [row] = await tx.query<{ keys: MediaKey[] }>(releaseStatement, values);
  const keys = row?.keys ?? [];
  if (keys.length > 0) tx.onCommit(() => void media.removeUnused(ctx.companyId, keys));
}

/** The content of a message before an edit, restored when the network refuses the edit. */
type BeforeEdit = Pick<MessageRow, "body" | "isEdited">;
/** The company's reaction before and after. */
type BeforeReaction = { known: CompanyReaction | null; wanted: CompanyReaction | null };

/**
 * Records the outcome of a change that was handed to the network. An accepted change is shown already; an accepted
 * deletion also removes the file. A refused change is reverted: the message gets the state that it has on the network.
 * If a later change of the same kind is still being sent, that one decides.
 */
export async function recordChange(
  deps: MessagesDeps,
  tx: Tx,
  { companyId }: ConnectionRef,
  { messageId, result }: DeliveryOutcome,
  command: ChangeCommand,
): Promise<void> {
  const ctx = systemCtx(companyId, "channel", "report");
  if (result !== "failed") {
    if (command === "revoke" && result === "accepted") await releaseFile(deps, ctx, tx, messageId);
    return;
  }
  const locked = await lockMessage(ctx, tx, messageId);
  if (!locked) return;
  const restored = await restore(deps, ctx, tx, messageId, command);
  if (restored === null) return;
  const changeFailedCode = codes[command];
  await applyChange(deps, ctx, tx, locked, { ...restored, changeFailedCode });
}

async function restore(
  deps: MessagesDeps,
  ctx: Ctx,
  tx: Tx,
  messageId: MessageId,
  command: ChangeCommand,
): Promise<MessageChange | null> {
  if (command === "revoke") return { isDeleted: false };
  const values = [ctx.companyId, messageId, command];
  if (command === "edit") {
    const { last, first } = confirmed(await tx.query<SentEdit>(sentStatement, values));
    if (last) return { body: last.change.text, isEdited: true };
    return first?.before ?? null;
  }
  const { last, first } = confirmed(await tx.query<SentReaction>(sentStatement, values));
  if (!last && !first) return null;
  const reaction = last ? last.before.wanted : (first?.before.known ?? null);
  const by = { userId: reaction?.userId ?? null };
  await saveReaction(ctx, tx, messageId, by, reaction?.emoji ?? null, deps.sources.clock.now());
  return {};
}

/** A change that was queued for the network, with the message's state before it. */
type Sent<Change, Before> = { state: OutboundState; change: Change; before: Before };
type SentEdit = Sent<{ text: string }, BeforeEdit>;
type SentReaction = Sent<object, BeforeReaction>;

/**
 * From all changes of one kind in their order: the last one that the network has, else the first one, because the
 * network has the state before it. Neither while one of them may still be sent, or when no row is left.
 */
function confirmed<S extends { state: OutboundState }>(sent: readonly S[]) {
  const isUnderWay = sent.some(({ state }) => state === "queued" || state === "sending");
  const settled = isUnderWay ? [] : sent;
  const last = settled.findLast(({ state }) => state === "sent" || state === "done");
  return { last, first: settled[0] };
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Whether a text is exactly one emoji, as reactions are. */
export function isEmoji(text: string): boolean {
  const [first, ...rest] = graphemes.segment(text);
  if (first === undefined || rest.length > 0) return false;
  return /\p{Extended_Pictographic}|\p{Regional_Indicator}{2}|\u20E3/u.test(text);
}

/** The company has one reaction, by an agent or from its phone; each person has one. */
export type Reactor = { contactId: ContactId } | { userId: UserId | null };

/** Saves the reaction of a person or of the company; null removes it. */
export async function saveReaction(
  { companyId }: Ctx,
  tx: Tx,
  messageId: MessageId,
  by: Reactor,
  emoji: string | null,
  createdAt: Date,
): Promise<void> {
  const author = "contactId" in by ? `contact:${by.contactId}` : "company";
  if (emoji === null) {
    await tx.orm.delete(messageReactions).where(isReaction(companyId, messageId, author));
    return;
  }
  const values = { contactId: null, userId: null, ...by, emoji, createdAt };
  await tx.orm
    .insert(messageReactions)
    .values({ companyId, messageId, author, ...values })
    .onConflictDoUpdate({
      target: [messageReactions.companyId, messageReactions.messageId, messageReactions.author],
      set: values,
    });
}

type CompanyReaction = Pick<typeof messageReactions.$inferSelect, "emoji" | "userId">;

async function findCompanyReaction(
  { companyId }: Ctx,
  tx: Tx,
  messageId: MessageId,
): Promise<CompanyReaction | null> {
  const [row] = await tx.orm
    .select({ emoji: messageReactions.emoji, userId: messageReactions.userId })
    .from(messageReactions)
    .where(isReaction(companyId, messageId, "company"));
  return row ?? null;
}

const isReaction = (companyId: CompanyId, messageId: MessageId, author: string) =>
  and(
    eq(messageReactions.companyId, companyId),
    eq(messageReactions.messageId, messageId),
    eq(messageReactions.author, author),
  );

const onNetworkStatement = {
  name: "messages.on-network",
  // A sent message is in the chat to which it was sent, although the contact's number may have changed.
  text: `
select m.connection_id as "connectionId",
  coalesce((
    select json_build_object('kind', o.to_kind, 'value', o.to_value) from outbound o
    where o.company_id = m.company_id and o.message_id = m.id and o.command = 'message'
  ), ${contactAddress("t")}) as "to", ${wireMessage("m", "t")} as target
from messages m join tickets t on t.company_id = m.company_id and t.id = m.ticket_id
where m.company_id = $1 and m.id = $2`,
};

const sentStatement = {
  name: "messages.sent-changes",
  text: `
select state, body::json as change, before::json as before from outbound
where company_id = $1 and message_id = $2 and command = $3
order by id`,
};

const releaseStatement = {
  name: "messages.release-media",
  text: `
with held as materialized (
  select f.file_key, f.thumbnail_key from message_media f
  join messages m on m.company_id = f.company_id and m.id = f.message_id
  where f.company_id = $1 and f.message_id = $2 and f.file_key is not null and m.is_deleted
  for update of f
)
update message_media f set state = 'unavailable', file_key = null, thumbnail_key = null
from held where f.company_id = $1 and f.message_id = $2
returning array_remove(array[held.file_key, held.thumbnail_key], null) as keys`,
};
