import type { ConnectionId, MessageId, TicketId, UserId } from "@balcao/contract";
import type { Address } from "../../channels/port.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { preview } from "./last-message.ts";
import type { MessageRow, QuotedMessage } from "./message-row.ts";
import { messageColumns, messageJoins, quotedColumn } from "./message-row.ts";

/** What a message to a ticket's contact needs besides the ticket. */
export type Sending = {
  /** Where to send; null when the contact has no address. */
  to: Address | null;
  timeZone: string;
  /** The quoted message of the same ticket; null when it is not there. */
  quoted: QuotedMessage | null;
};

/** Reads it in one statement. The group's address, else the phone number, else a private one. */
export async function findSending(
  ctx: Ctx,
  tx: Tx,
  ticketId: TicketId,
  quotedId: MessageId | null,
): Promise<Sending> {
  const [row] = await tx.query<Sending>(sendingStatement, [ctx.companyId, ticketId, quotedId]);
  if (!row) throw new Error("the ticket is gone");
  return row;
}

export type OutgoingMessage = {
  row: MessageRow;
  connectionId: ConnectionId;
  providerId: string;
  userId: UserId;
  /** The sender serves the ticket: it counts as read. */
  clearUnread: boolean;
};

/**
 * Stores a message of an agent and puts it on the ticket's card. Null when a message with its client id exists: the
 * request is a repetition.
 */
export async function insertOutgoing(
  ctx: Ctx,
  tx: Tx,
  message: OutgoingMessage,
): Promise<{ unreadMessages: number; updatedAt: Date } | null> {
  const { row } = message;
  const [ticket] = await tx.query<{ unreadMessages: number; updatedAt: Date }>(insertStatement, [
    ctx.companyId,
    row.messageId,
    row.ticketId,
    message.connectionId,
    message.providerId,
    message.userId,
    row.clientId,
    row.body,
    row.ack,
    row.mediaType,
    row.quotedId,
    row.messageQueueId,
    row.sentAt,
    preview(row.body),
    message.clearUnread,
  ]);
  return ticket ?? null;
}

/** The message of a client id, if it is of this ticket. */
export async function findByClientId(
  ctx: Ctx,
  tx: Tx,
  ticketId: TicketId,
  clientId: string,
): Promise<MessageRow | null> {
  const [row] = await tx.query<MessageRow>(byClientIdStatement, [
    ctx.companyId,
    ticketId,
    clientId,
  ]);
  return row ?? null;
}

/** Where the contact of a row `t` of tickets is written to; a contact without addresses by its number. */
export const contactAddress = (t: string): string => `coalesce((
    select json_build_object('kind', a.kind, 'value', a.value) from contact_addresses a
    where a.company_id = ${t}.company_id and a.contact_id = ${t}.contact_id
    order by array_position(array['group', 'pn', 'lid', 'bsuid'], a.kind), a.key limit 1
  ), (
    select json_build_object('kind', case when ${t}.is_group then 'group' else 'pn' end, 'value', n.number)
    from contacts n where n.company_id = ${t}.company_id and n.id = ${t}.contact_id and n.number is not null
  ))`;

const sendingStatement = {
  name: "messages.sending",
  text: `
select ${contactAddress("t")} as "to",
  (select time_zone from companies where id = $1) as "timeZone",
  ${quotedColumn("o.ticket_id = m.ticket_id")}
from tickets t
cross join lateral (
  select t.company_id, t.id as ticket_id, $3::uuid as quoted_message_id) m
where t.company_id = $1 and t.id = $2`,
};

const insertStatement = {
  name: "messages.send",
  text: `
with m as (
  insert into messages
    (company_id, id, ticket_id, connection_id, provider_id, user_id, client_id, body, from_me, read, ack,
     media_type, quoted_message_id, queue_id, created_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, true, true, $9, $10, $11, $12, $13, $13)
  on conflict (company_id, client_id) where client_id is not null do nothing
  returning ticket_id
)
update tickets t set
  last_message = $14, last_message_id = $2, last_message_at = $13, last_message_from_me = true,
  last_message_ack = $9, last_message_failed = false,
  unread_messages = case when $15 then 0 else unread_messages end,
  updated_at = greatest(updated_at, $13)
from m where t.company_id = $1 and t.id = m.ticket_id
returning t.unread_messages as "unreadMessages", t.updated_at as "updatedAt"`,
};

const byClientIdStatement = {
  name: "messages.by-client-id",
  text: `
select ${messageColumns}, ${quotedColumn("true")}
from messages m ${messageJoins}
where m.company_id = $1 and m.ticket_id = $2 and m.client_id = $3`,
};
