import type { ConnectionId, ContactId, MessageId } from "@balcao/contract";
import { acks, renderVariables } from "@balcao/contract";
import { and, eq } from "drizzle-orm";
import type {
  CallEvent,
  EditEvent,
  MediaRef,
  MessageRef,
  ReactionEvent,
  RevokeEvent,
} from "../../../channels/port.ts";
import { MediaGone } from "../../../channels/port.ts";
import type { ConnectionRef } from "../../../channels/runtime/index.ts";
import type { Ctx } from "../../../platform/context.ts";
import { DomainError, systemCtx } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/db/database.ts";
import { isUnavailable } from "../../../platform/db/database.ts";
import { messageMedia } from "../../../platform/db/schema/index.ts";
import { keyedAddresses } from "../../contacts/index.ts";
import { readText } from "../../settings/index.ts";
import type { Reactor } from "../change.ts";
import { applyChange, isEmoji, releaseFile, saveReaction } from "../change.ts";
import type { Deps, MessagesDeps } from "../deps.ts";
import type { MediaRow } from "../message.ts";
import {
  bodyWithText,
  captionOf,
  mediaBody,
  mediaName,
  PENDING,
  readyMedia,
  UNAVAILABLE_BODY,
} from "../message.ts";
import { publishDeleted } from "../events.ts";
import { sendMessage } from "../outgoing.ts";
import type { LockedMessage } from "../stored-messages.ts";
import { deleteMessage, keepEarly, lockMessage, restoreLastMessage } from "../stored-messages.ts";
import { storeArrival } from "./arrival.ts";
import { groupMember, ignoresGroups, openConversation } from "./conversation.ts";

// Events that are no new message: edits, deletions for everyone and reactions, a message's file, and calls. Edits,
// deletions and reactions of an unknown message are kept until it is stored. They do not count as unread, reopen a
// ticket or move it up (behaviour 1.2, ADR 9).

/** The delay of the reply to a call. */
const REPLY_DELAY_SECONDS = 3;

/** Changes a message's text, if the edit is by its author. */
export async function receiveEdit(
  deps: Deps,
  tx: Tx,
  connection: ConnectionRef,
  event: EditEvent,
): Promise<void> {
  const { target, text } = event;
  await withTarget(tx, connection, event, async (ctx, found, lock) => {
    if (!isByAuthor(found, target) || text.trim() === "") return;
    const locked = await lock();
    const body = locked && bodyWithText(locked.message, text);
    if (!body || locked.message.isDeleted) return;
    // A message that was edited before its delivery arrives with the new text already.
    if (locked.message.body === body && locked.message.isEdited) return;
    await applyChange(deps, ctx, tx, locked, { body, isEdited: true });
  });
}

/** Marks a message as deleted; its text stays in the database and is not shown. */
export async function receiveRevoke(
  deps: Deps,
  tx: Tx,
  connection: ConnectionRef,
  event: RevokeEvent,
): Promise<void> {
  await withTarget(tx, connection, event, async (ctx, found, lock) => {
    if (found.fromMe !== event.target.fromMe) return;
    const locked = await lock();
    if (!locked || locked.message.isDeleted) return;
    await applyChange(deps, ctx, tx, locked, { isDeleted: true, changeFailedCode: null });
    await releaseFile(deps, ctx, tx, found.messageId);
  });
}

/** Saves the reaction of a person, or of the company from its phone. */
export async function receiveReaction(
  deps: Deps,
  tx: Tx,
  connection: ConnectionRef,
  event: ReactionEvent,
): Promise<void> {
  const { emoji } = event;
  if (emoji !== null && !isEmoji(emoji)) return;
  await withTarget(tx, connection, event, async (ctx, found, lock) => {
    const by = await reactorOf(deps, ctx, tx, event, found);
    const locked = by && (await lock());
    if (!locked) return;
    await saveReaction(ctx, tx, found.messageId, by, emoji, deps.sources.clock.now());
    await applyChange(deps, ctx, tx, locked, {});
  });
}

/** Runs the action on the event's message; the event of an unknown message is kept until it is stored. */
async function withTarget(
  tx: Tx,
  { companyId, connectionId }: ConnectionRef,
  event: EditEvent | RevokeEvent | ReactionEvent,
  action: (ctx: Ctx, found: Target, lock: () => Promise<LockedMessage | null>) => Promise<void>,
): Promise<void> {
  const { target } = event;
  const ctx = systemCtx(companyId, "channel", target.id);
  const found = await findTarget(ctx, tx, connectionId, target);
  if (found) return action(ctx, found, () => lockMessage(ctx, tx, found.messageId));
  // Messages of ignored groups are never stored.
  if (target.chat.kind === "group" && (await ignoresGroups(ctx, tx))) return;
  await keepEarly(ctx, tx, connectionId, event);
}

async function reactorOf(
  deps: Deps,
  ctx: Ctx,
  tx: Tx,
  { target, from, fromMe }: ReactionEvent,
  { contactId }: Target,
): Promise<Reactor | null> {
  if (fromMe) return { userId: null };
  if (target.chat.kind !== "group") return { contactId };
  const person = groupMember(from);
  const member = person && (await deps.contacts.findOrCreate(ctx, tx, person));
  return member && { contactId: member.id };
}

/** The message of an event: found by its id on the network and the event's chat. */
type Target = {
  messageId: MessageId;
  fromMe: boolean;
  /** The contact of the chat. */
  contactId: ContactId;
  /** In a group: the event's author has written the message. */
  isByNamedAuthor: boolean;
};

function isByAuthor(found: Target, { chat, fromMe }: MessageRef): boolean {
  if (found.fromMe !== fromMe) return false;
  return fromMe || chat.kind !== "group" || found.isByNamedAuthor;
}

async function findTarget(
  ctx: Ctx,
  tx: Tx,
  connectionId: ConnectionId,
  { chat, id, author }: MessageRef,
): Promise<Target | null> {
  const [place] = keyedAddresses([chat]);
  const [writer] = author ? keyedAddresses([author]) : [];
  const [target] = await tx.query<Target>(targetStatement, [
    ctx.companyId,
    connectionId,
    id,
    place?.kind,
    place?.key,
    writer?.kind,
    writer?.key,
  ]);
  return target ?? null;
}

/**
 * Stores the fetched file of a stored message. A message that has its file keeps it. A file over the size limit ends as
 * unavailable.
 */
export async function storeArrivedMedia(
  deps: MessagesDeps,
  { companyId }: ConnectionRef,
  messageId: MessageId,
  file: MediaRef,
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  const { db, media: files } = deps;
  const ctx = systemCtx(companyId, "channel", messageId);
  const isAwaited = await db.transaction(ctx, async (tx) => {
    const locked = await lockMessage(ctx, tx, messageId);
    return locked?.message.media?.state === "loading";
  });
  if (!isAwaited) return;
  const name = mediaName(file.media, file.mime, file.fileName);
  const arriving = { name, claimedMime: file.mime, claimedKind: file.media, content };
  const stored = await files.storeCustomerFile(companyId, arriving).catch((error: unknown) => {
    // While the storage or the database is away, the file is as good as before.
    throw error instanceof DomainError && !isUnavailable(error) ? new MediaGone() : error;
  });
  const isKept = await db.transaction(ctx, (tx) =>
    settleMedia(deps, ctx, tx, messageId, (loading, body) => {
      const ready = readyMedia(stored, loading.isViewOnce);
      const media = { ...ready, durationMs: ready.durationMs ?? loading.durationMs };
      // A body that only names the file follows the file's real type.
      return { media, body: captionOf(body, loading) === null ? mediaBody(media, "") : body };
    }),
  );
  if (isKept) return;
  const keys = [stored.key, stored.thumbnailKey].filter((key) => key !== null);
  await files.removeUnused(companyId, keys);
}

/** Marks the file of a message as unavailable. The message and its caption stay. */
export async function markMediaUnavailable(
  deps: MessagesDeps,
  tx: Tx,
  { companyId }: ConnectionRef,
  messageId: MessageId,
): Promise<void> {
  const ctx = systemCtx(companyId, "channel", messageId);
  await settleMedia(deps, ctx, tx, messageId, (loading, body) => ({
    media: { ...loading, state: "unavailable" },
    body: captionOf(body, loading) ?? UNAVAILABLE_BODY,
  }));
}

/** Saves the file's final state and the body that follows from it; false when the message no longer waits for a file. */
async function settleMedia(
  deps: MessagesDeps,
  ctx: Ctx,
  tx: Tx,
  messageId: MessageId,
  settled: (loading: MediaRow, body: string) => { media: MediaRow; body: string },
): Promise<boolean> {
  const locked = await lockMessage(ctx, tx, messageId);
  const loading = locked?.message.media;
  if (!locked || !loading) return false;
  const change = settled(loading, locked.message.body);
  const ofMessage = and(
    eq(messageMedia.companyId, ctx.companyId),
    eq(messageMedia.messageId, messageId),
    eq(messageMedia.state, "loading"),
  );
  const saved = await tx.orm
    .update(messageMedia)
    .set(change.media)
    .where(ofMessage)
    .returning({ messageId: messageMedia.messageId });
  if (saved.length === 0) return false;
  const message = await applyChange(deps, ctx, tx, locked, change);
  if (change.media.state === "ready") {
    await deps.domainEvents.publish(tx, ctx, "message.fileStored", { ...locked, message });
  }
  return true;
}

/**
 * Refuses a call if the company takes no calls (behaviour 2.12). For a customer with a ticket, stores the call there and
 * replies with a text; a closed ticket waits again. A repeated event changes nothing.
 */
export async function refuseCall(
  deps: Deps,
  tx: Tx,
  { companyId, connectionId }: ConnectionRef,
  call: CallEvent,
): Promise<void> {
  const ctx = systemCtx(companyId, "channel", call.id);
  const [rule] = await tx.query<{ isRefused: boolean; timeZone: string }>(callRuleStatement, [
    companyId,
  ]);
  if (!rule) throw new Error("the company is gone");
  const { isRefused, timeZone } = rule;
  if (!isRefused || call.chat.kind === "group") return;
  await deps.outbox.refuseCall(tx, ctx, connectionId, call);

  const addresses = keyedAddresses([call.chat, ...call.from.addresses]);
  const person = { addresses, isGroup: false };
  const conversation = await openConversation(deps, ctx, tx, connectionId, person, null);
  if (!conversation) return;
  const time = renderVariables("{{hora}}", { contactName: "", now: call.at, timeZone });
  const after = await storeArrival(deps, ctx, tx, {
    connectionId,
    conversation,
    providerId: call.id,
    content: {
      mediaType: "call_log",
      body: `Chamada de voz/vídeo perdida às ${time.slice(0, "HH:mm".length)}`,
      details: { kind: "call", isVideo: call.isVideo },
      media: null,
    },
    file: null,
    fromMe: false,
    origin: "live",
    isCalling: true,
    isForwarded: false,
    at: call.at,
    ack: acks.written,
    ...{ unread: "keep", rating: null },
    writer: conversation.contact,
    quoted: null,
  });
  if (after === null) return;
  const text = await readText(ctx, tx, "callRefused");
  await sendMessage(deps, ctx, tx, after, { text, delaySeconds: REPLY_DELAY_SECONDS });
}

const targetStatement = {
  name: "messages.target",
  text: `
select m.id as "messageId", m.from_me as "fromMe", t.contact_id as "contactId",
  exists (select from contact_addresses w where w.company_id = $1 and w.kind = $6 and w.key = $7
    and w.contact_id = m.contact_id) as "isByNamedAuthor"
from messages m
join tickets t on t.company_id = m.company_id and t.id = m.ticket_id
join contact_addresses a on a.company_id = $1 and a.kind = $4 and a.key = $5 and a.contact_id = t.contact_id
where m.company_id = $1 and m.connection_id = $2 and m.provider_id = $3`,
};

const callRuleStatement = {
  name: "messages.call-rule",
  text: `
select c.time_zone as "timeZone", coalesce(s.value, 'disabled') <> 'enabled' as "isRefused"
from companies c left join settings s on s.company_id = c.id and s.key = 'call'
where c.id = $1`,
};

/** Removes a message's placeholder; false when it has none. The ticket is locked. */
export async function dropPlaceholder(
  deps: Deps,
  ctx: Ctx,
  tx: Tx,
  connectionId: ConnectionId,
  providerId: string,
): Promise<boolean> {
  const values = [ctx.companyId, connectionId, providerId];
  const [found] = await tx.query<{ id: MessageId }>(placeholderStatement, values);
  const placeholder = found && (await lockMessage(ctx, tx, found.id));
  if (!placeholder) return false;
  const { message, ticket } = placeholder;
  await deleteMessage(ctx, tx, found.id);
  await restoreLastMessage(ctx, tx, ticket.id, found.id);
  if (!message.read) await tx.query(oneLessStatement, [ctx.companyId, ticket.id]);
  publishDeleted(deps, tx, placeholder);
  return true;
}

const placeholderStatement = {
  name: "messages.placeholder",
  text: `
select id from messages
where company_id = $1 and connection_id = $2 and provider_id = $3 and media_type = '${PENDING}'`,
};

const oneLessStatement = {
  name: "tickets.one-unread-less",
  text: "update tickets set unread_messages = greatest(unread_messages - 1, 0) where company_id = $1 and id = $2",
};
