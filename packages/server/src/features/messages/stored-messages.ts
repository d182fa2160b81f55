import type { ConnectionId, MessageId, TicketId } from "@balcao/contract";
import type {
  AckEvent,
  DurableEvent,
  EditEvent,
  ReactionEvent,
  RevokeEvent,
} from "../../channels/port.ts";
import { decodeEvent, encodeEvent } from "../../channels/runtime/index.ts";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { messageMedia } from "../../platform/db/schema/index.ts";
import type { TicketRow } from "../tickets/index.ts";
import { canRead, lockTicket, readerOf, requireVisible } from "../tickets/index.ts";
import type { MediaRow, MessageRow, QuotedRow } from "./message.ts";
import {
  cardOf,
  messageColumns,
  messageJoins,
  NUMBER_CHANGED,
  quotedColumn,
  readableBesideMessage,
} from "./message.ts";

/** Whether a message of the connection is stored. */
export async function isStored(
  ctx: Ctx,
  tx: Tx,
  connectionId: ConnectionId,
  providerId: string,
): Promise<boolean> {
  const rows = await tx.query(storedStatement, [ctx.companyId, connectionId, providerId]);
  return rows.length > 0;
}

/** The quoted message, by its id on the network; null when it is unknown. */
export async function findQuoted(
  ctx: Ctx,
  tx: Tx,
  connectionId: ConnectionId,
  providerId: string,
): Promise<QuotedRow | null> {
  const values = [ctx.companyId, connectionId, providerId];
  const [row] = await tx.query<{ quoted: QuotedRow }>(quotedStatement, values);
  return row?.quoted ?? null;
}

/** The fields of a ticket that decide which users receive a message's events. */
export type TicketOfMessage = Pick<
  TicketRow,
  "id" | "companyId" | "status" | "userId" | "queueId" | "servedByUserId" | "servedByQueueId"
>;

/** A changed message, with the ticket's fields for its live event. */
export type ChangedMessage = { message: MessageRow; ticket: TicketOfMessage };

export type ChangedRow = MessageRow & Omit<TicketOfMessage, "id">;

/** Parts a row of `changedColumns`. */
export function changedMessage(row: ChangedRow): ChangedMessage {
  return { message: row, ticket: { ...row, id: row.ticketId } };
}

async function findMessage(ctx: Ctx, tx: Tx, messageId: MessageId): Promise<ChangedMessage | null> {
  const [row] = await tx.query<ChangedRow>(findStatement, [ctx.companyId, messageId]);
  return row ? changedMessage(row) : null;
}

/** A message with its ticket, which is locked: concurrent changes of its messages wait for the lock. */
export type LockedMessage = { message: MessageRow; ticket: TicketRow };

/** Null when the company has no such message. */
export async function lockMessage(
  ctx: Ctx,
  tx: Tx,
  messageId: MessageId,
): Promise<LockedMessage | null> {
  const values = [ctx.companyId, messageId];
  const [place] = await tx.query<{ ticketId: TicketId }>(placeStatement, values);
  const ticket = place && (await lockTicket(ctx, tx, place.ticketId));
  const found = ticket && (await findMessage(ctx, tx, messageId));
  return found ? { message: found.message, ticket } : null;
}

/**
 * The message, if the user may act on its ticket and read it; otherwise throws ERR_NO_MESSAGE_FOUND or another refusal.
 */
export async function requireReadable(
  ctx: UserCtx,
  tx: Tx,
  messageId: MessageId,
): Promise<MessageRow> {
  return refuseUnreadable(ctx, await findMessage(ctx, tx, messageId)).message;
}

/** The same with the ticket locked, for a change of the message. */
export async function requireLocked(
  ctx: UserCtx,
  tx: Tx,
  messageId: MessageId,
): Promise<LockedMessage> {
  return refuseUnreadable(ctx, await lockMessage(ctx, tx, messageId));
}

/** A message with the connection of its ticket. */
export type PlacedRow = ChangedRow & { connectionId: ConnectionId | null };

/** The messages, in the order of the conversation, if the user may act on their tickets and read them all. */
export async function requireAllReadable(
  ctx: UserCtx,
  tx: Tx,
  messageIds: readonly MessageId[],
): Promise<PlacedRow[]> {
  const values = [ctx.companyId, messageIds];
  const rows = await tx.query<PlacedRow>(allStatement, values);
  if (rows.length < messageIds.length) throw new DomainError("ERR_NO_MESSAGE_FOUND");
  for (const row of rows) refuseUnreadable(ctx, changedMessage(row));
  return rows;
}

function refuseUnreadable<M extends ChangedMessage>(ctx: UserCtx, found: M | null): M {
  if (!found) throw new DomainError("ERR_NO_MESSAGE_FOUND");
  requireVisible(ctx, found.ticket);
  if (canRead(readerOf(ctx), found.ticket, found.message.messageQueueId)) return found;
  throw new DomainError("ERR_TICKET_FORBIDDEN");
}

/** Messages of the company by their ids, in the order of the conversation. */
export async function findMessages(
  ctx: Ctx,
  tx: Tx,
  messageIds: readonly MessageId[],
): Promise<MessageRow[]> {
  return tx.query<MessageRow>(byIdsStatement, [ctx.companyId, messageIds]);
}

/** Deletes a message; `restoreLastMessage` corrects the card. */
export async function deleteMessage(ctx: Ctx, tx: Tx, messageId: MessageId): Promise<void> {
  await tx.query(removeStatement, [ctx.companyId, messageId]);
}

/** Stores the file of a new message. */
export async function insertMedia(
  { companyId }: Ctx,
  tx: Tx,
  messageId: MessageId,
  media: MediaRow,
): Promise<void> {
  await tx.orm.insert(messageMedia).values({ companyId, messageId, ...media });
}

/**
 * Saves the fields of a message that can change, and the card if it is the ticket's last one; returns whether it is.
 */
export async function saveMessage(
  ctx: Ctx,
  tx: Tx,
  message: MessageRow,
  now: Date,
): Promise<ChangedMessage & { isOnCard: boolean }> {
  const card = cardOf(message);
  const [row] = await tx.query<ChangedRow & { isOnCard: boolean }>(saveStatement, [
    ctx.companyId,
    message.messageId,
    message.body,
    now,
    message.isEdited,
    message.isDeleted,
    message.changeFailedCode,
    card.text,
    card.kind,
  ]);
  if (!row) throw new Error("the message is gone while its ticket is locked");
  return { ...changedMessage(row), isOnCard: row.isOnCard };
}

/**
 * Puts the newest message on the ticket's card, if the card still shows the removed one. A customer whose answer was
 * removed waits again.
 */
export async function restoreLastMessage(
  ctx: Ctx,
  tx: Tx,
  ticketId: TicketId,
  removed: MessageId,
): Promise<void> {
  await tx.query(withoutRemovedStatement, [ctx.companyId, ticketId]);
  await tx.query(unansweredStatement, [ctx.companyId, ticketId]);
  const [newest] = await tx.query<MessageRow>(newestStatement, [ctx.companyId, ticketId]);
  const card = newest ? cardOf(newest) : { kind: "text", text: "" };
  await tx.query(restoreStatement, [
    ctx.companyId,
    ticketId,
    removed,
    card.text,
    card.kind,
    newest?.messageId ?? null,
    newest?.fromMe ?? false,
    newest?.ack ?? 0,
    newest ? newest.failedCode !== null : false,
    newest?.messageNamedQueueId ?? null,
  ]);
}

/**
 * Events that can arrive before their message: the network uses several addresses of a chat, and resends lost messages.
 */
type EarlyEvent = EditEvent | RevokeEvent | ReactionEvent | AckEvent;

/** Most events kept for one message, so that a network that repeats itself does not fill the table. */
const KEPT_MAX = 50;

/**
 * Keeps an event until its message is stored (`takeEarly`), at most a day: then the daily sweep removes it. Keeps none
 * for a message that is stored.
 */
export async function keepEarly(
  ctx: Ctx,
  tx: Tx,
  connectionId: ConnectionId,
  event: EarlyEvent,
): Promise<void> {
  const providerId = event.type === "ack" ? event.providerId : event.target.id;
  const { text } = encodeEvent(event);
  await tx.query(keepStatement, [ctx.companyId, connectionId, providerId, text, KEPT_MAX]);
}

/** Takes the events that arrived before their message, in their order. */
export async function takeEarly(
  ctx: Ctx,
  tx: Tx,
  connectionId: ConnectionId,
  providerId: string,
): Promise<DurableEvent[]> {
  const values = [ctx.companyId, connectionId, providerId];
  const rows = await tx.query<{ event: string }>(takeStatement, values);
  return rows.map(({ event }) => decodeEvent(event));
}

const storedStatement = {
  name: "messages.is-stored",
  text: "select 1 from messages where company_id = $1 and connection_id = $2 and provider_id = $3",
};

const quotedStatement = {
  name: "messages.quoted",
  text: `
select ${quotedColumn("true")}
from (select $1::int as company_id, id as quoted_message_id
  from messages where company_id = $1 and connection_id = $2 and provider_id = $3) m`,
};

/** Select list and joins of `ChangedRow` for a row `m` of messages. */
export const changedColumns = `${messageColumns}, ${quotedColumn(readableBesideMessage)},
  t.company_id as "companyId", t.status, t.user_id as "userId", t.queue_id as "queueId",
  t.served_user_id as "servedByUserId", t.served_queue_id as "servedByQueueId"`;
export const changedJoins = `${messageJoins}
  join tickets t on t.company_id = m.company_id and t.id = m.ticket_id`;

const findStatement = {
  name: "messages.find",
  text: `select ${changedColumns} from messages m ${changedJoins} where m.company_id = $1 and m.id = $2`,
};

const allStatement = {
  name: "messages.find-all",
  text: `
select ${changedColumns}, t.connection_id as "connectionId" from messages m ${changedJoins}
where m.company_id = $1 and m.id = any($2::uuid[])
order by m.created_at, m.seq`,
};

const byIdsStatement = {
  name: "messages.by-ids",
  text: `
select ${messageColumns}, ${quotedColumn(readableBesideMessage)}
from messages m ${messageJoins}
where m.company_id = $1 and m.id = any($2::uuid[])
order by m.created_at, m.seq`,
};

const placeStatement = {
  name: "messages.place",
  text: `select ticket_id as "ticketId" from messages where company_id = $1 and id = $2`,
};

const removeStatement = {
  name: "messages.remove",
  text: "delete from messages where company_id = $1 and id = $2",
};

const saveStatement = {
  name: "messages.save",
  text: `
with m as (
  update messages set body = $3, is_edited = $5, is_deleted = $6, change_failed_code = $7,
    updated_at = greatest(updated_at, $4)
  where company_id = $1 and id = $2
  returning *
), card as (
  update tickets t set last_message = $8, last_message_kind = $9
  from m where t.company_id = $1 and t.id = m.ticket_id and t.last_message_id = m.id
  returning t.id
)
select ${changedColumns}, exists (select from card) as "isOnCard" from m ${changedJoins}`,
};

/**
 * When the first message of a row `t` of tickets arrived that no person of the company has answered since the ticket
 * was closed last; null when nobody waits. Read from its messages, for what is not a hot path.
 */
export const waitingSinceOf = (t: string): string => `
  case when ${t}.status <> 'closed' then (
    select min(m.created_at) from messages m
    where m.company_id = ${t}.company_id and m.ticket_id = ${t}.id and not m.from_me
      and m.created_at > coalesce((
        select max(a.finished_at) from attendances a
        where a.company_id = ${t}.company_id and a.ticket_id = ${t}.id), '-infinity')
      and (m.created_at, m.seq) > (select coalesce(max(p.created_at), '-infinity'), coalesce(max(p.seq), 0) from (
        select p.created_at, p.seq from messages p
        where p.company_id = ${t}.company_id and p.ticket_id = ${t}.id and p.from_me and not p.is_automatic
          and p.media_type is distinct from '${NUMBER_CHANGED}'
        order by p.created_at desc, p.seq desc limit 1) p)) end`;

/**
 * The part of a statement that stores a person's message `m` to the customer, written at `writtenAt`: in the unfinished
 * attendance a person has acted, and the customer who waited has the first answer. It sees the ticket as it was before.
 */
export const attendedBy = (now: string, writtenAt: string): string => `
  update attendances a set
    attended_at = coalesce(a.attended_at, ${now}),
    asked_at = coalesce(a.asked_at, w.waiting_since),
    answered_at = case when a.answered_at is null and w.waiting_since is not null then ${writtenAt} else a.answered_at end
  from m join tickets w on w.company_id = $1 and w.id = m.ticket_id
  where a.company_id = $1 and a.ticket_id = m.ticket_id and a.finished_at is null
    and (a.attended_at is null or (a.answered_at is null and w.waiting_since is not null))`;

/** A message that was taken back is no longer the first answer. */
const unansweredStatement = {
  name: "messages.unanswered",
  text: `
update attendances a set asked_at = null, answered_at = null
where a.company_id = $1 and a.ticket_id = $2 and a.finished_at is null and a.answered_at is not null
  and not exists (
    select from messages m where m.company_id = $1 and m.ticket_id = $2 and m.from_me and not m.is_automatic
      and m.created_at = a.answered_at)`,
};

const withoutRemovedStatement = {
  name: "messages.without-removed",
  text: `
update tickets t set waiting_since = ${waitingSinceOf("t")}, last_message_at = (
  select m.created_at from messages m
  where m.company_id = t.company_id and m.ticket_id = t.id and m.media_type is distinct from '${NUMBER_CHANGED}'
  order by m.created_at desc, m.seq desc limit 1)
where t.company_id = $1 and t.id = $2`,
};

const newestStatement = {
  name: "messages.newest",
  text: `
select ${messageColumns}, null as quoted from messages m ${messageJoins}
where m.company_id = $1 and m.ticket_id = $2 and m.media_type is distinct from '${NUMBER_CHANGED}'
  and not (m.is_automatic
    and exists (select from tickets t where t.company_id = $1 and t.id = $2 and t.waiting_since is not null))
order by m.created_at desc nulls last, m.seq desc nulls last limit 1`,
};

const restoreStatement = {
  name: "messages.restore-last",
  text: `
update tickets set last_message = $4, last_message_kind = $5, last_message_id = $6,
  last_message_from_me = $7, last_message_ack = $8, last_message_failed = $9, last_message_queue_id = $10
where company_id = $1 and id = $2 and last_message_id = $3`,
};

const keepStatement = {
  name: "early-events.keep",
  text: `
insert into early_events (company_id, connection_id, provider_id, event)
select $1, $2, $3, $4
where not exists (select from messages where company_id = $1 and connection_id = $2 and provider_id = $3)
  and (select count(*) from early_events where company_id = $1 and connection_id = $2 and provider_id = $3) < $5`,
};
const takeStatement = {
  name: "early-events.take",
  text: `
with taken as (
  delete from early_events where company_id = $1 and connection_id = $2 and provider_id = $3 returning id, event
)
select event from taken order by id`,
};
