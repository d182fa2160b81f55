import type { ConnectionId, MessageId, TicketId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { TicketRow } from "../tickets/index.ts";
import { lockTicket } from "../tickets/index.ts";
import { cardOf } from "./last-message.ts";
import { NUMBER_CHANGED } from "./marks.ts";
import type { MessageRow, QuotedRow } from "./message-row.ts";
import {
  messageColumns,
  messageJoins,
  quotedColumn,
  readableBesideMessage,
} from "./message-row.ts";

/** Whether a message of the connection is there already. */
export async function isStored(
  ctx: Ctx,
  tx: Tx,
  connectionId: ConnectionId,
  providerId: string,
): Promise<boolean> {
  const rows = await tx.query(storedStatement, [ctx.companyId, connectionId, providerId]);
  return rows.length > 0;
}

/** The message that another one quotes by its id on the network; null when it is not known. */
export async function findQuoted(
  ctx: Ctx,
  tx: Tx,
  connectionId: ConnectionId,
  providerId: string,
): Promise<QuotedRow | null> {
  const [row] = await tx.query<{ quoted: QuotedRow }>(quotedStatement, [
    ctx.companyId,
    connectionId,
    providerId,
  ]);
  return row?.quoted ?? null;
}

/** What decides who hears of a change to a message of the ticket. */
export type TicketOfMessage = Pick<
  TicketRow,
  "id" | "companyId" | "status" | "userId" | "queueId" | "servedByUserId" | "servedByQueueId"
>;

/** A message that changed, with its ticket as far as its live event asks. */
export type ChangedMessage = { message: MessageRow; ticket: TicketOfMessage };

export type ChangedRow = MessageRow & TicketOfMessage;

/** A message with what decides who may see its ticket. */
export async function findMessage(
  ctx: Ctx,
  tx: Tx,
  messageId: MessageId,
): Promise<ChangedMessage | null> {
  const [row] = await tx.query<ChangedRow>(findStatement, [ctx.companyId, messageId]);
  return row ? changedMessage(row) : null;
}

/** A message with its ticket, which is locked: whoever changes one of its messages stands in line there. */
export type LockedMessage = { message: MessageRow; ticket: TicketRow };

export async function lockMessage(
  ctx: Ctx,
  tx: Tx,
  messageId: MessageId,
): Promise<LockedMessage | null> {
  const [place] = await tx.query<{ ticketId: TicketId }>(placeStatement, [
    ctx.companyId,
    messageId,
  ]);
  const ticket = place && (await lockTicket(ctx, tx, place.ticketId));
  const found = ticket && (await findMessage(ctx, tx, messageId));
  return found ? { message: found.message, ticket } : null;
}

/** Messages of the company by their ids, in the order in which they stand. */
export async function findMessages(
  ctx: Ctx,
  tx: Tx,
  messageIds: readonly MessageId[],
): Promise<MessageRow[]> {
  return tx.query<MessageRow>(byIdsStatement, [ctx.companyId, messageIds]);
}

/** Removes a message; what it leaves on the card is for `restoreLastMessage`. */
export async function deleteMessage(ctx: Ctx, tx: Tx, messageId: MessageId): Promise<void> {
  await tx.query(removeStatement, [ctx.companyId, messageId]);
}

/** Saves what can change of a message, and its card where it is the ticket's last one; answers whether it is. */
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
 * Puts the newest message on the ticket's card after the one that stood there was removed. One that came meanwhile
 * stands there already: then nothing is to be done.
 */
export async function restoreLastMessage(
  ctx: Ctx,
  tx: Tx,
  ticketId: TicketId,
  removed: MessageId,
): Promise<void> {
  const [newest] = await tx.query<MessageRow>(newestStatement, [ctx.companyId, ticketId]);
  const card = newest ? cardOf(newest) : { kind: "text", text: "" };
  await tx.query(restoreStatement, [
    ctx.companyId,
    ticketId,
    removed,
    card.text,
    card.kind,
    newest?.messageId ?? null,
    newest?.sentAt ?? null,
    newest?.fromMe ?? false,
    newest?.ack ?? 0,
    newest ? newest.failedCode !== null : false,
  ]);
}

/** Parts a row of `changedColumns`. */
export function changedMessage(row: ChangedRow): ChangedMessage {
  const { companyId, ticketId, status, userId, queueId, servedByUserId, servedByQueueId } = row;
  const ticket = {
    id: ticketId,
    companyId,
    status,
    userId,
    queueId,
    servedByUserId,
    servedByQueueId,
  };
  return { message: row, ticket };
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

const newestStatement = {
  name: "messages.newest",
  text: `
select ${messageColumns}, null as quoted from messages m ${messageJoins}
where m.company_id = $1 and m.ticket_id = $2 and m.media_type is distinct from '${NUMBER_CHANGED}'
order by m.created_at desc nulls last, m.seq desc nulls last limit 1`,
};

const restoreStatement = {
  name: "messages.restore-last",
  text: `
update tickets set last_message = $4, last_message_kind = $5, last_message_id = $6, last_message_at = $7,
  last_message_from_me = $8, last_message_ack = $9, last_message_failed = $10
where company_id = $1 and id = $2 and last_message_id = $3`,
};
