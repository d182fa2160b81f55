import type { ConnectionId, MessageId, TicketId } from "@balcao/contract";
import type { Address } from "../../../channels/port.ts";
import type { Ctx } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/db/database.ts";
import { cardOf } from "../last-message.ts";
import type { MessageRow, QuotedRow } from "../message-row.ts";
import { messageColumns, messageJoins, quotedColumn } from "../message-row.ts";

/** What a message to a ticket's contact needs besides the ticket. */
export type Sending = {
  /** Where to send; null when the contact has no address. */
  to: Address | null;
  timeZone: string;
  /** The quoted message of the same ticket; null when it is not there. */
  quoted: QuotedRow | null;
  /** The same as the network knows it. */
  quote: StoredQuote | null;
};

/** A message on the network; its author is named in groups only. */
export type StoredQuote = { id: string; fromMe: boolean; author: Address | null };

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

/** What changing a message on the network needs; null where it has no address there any more. */
export type MessageOnNetwork = {
  connectionId: ConnectionId;
  to: Address;
  target: StoredQuote;
};

export async function findOnNetwork(
  ctx: Ctx,
  tx: Tx,
  messageId: MessageId,
): Promise<MessageOnNetwork | null> {
  const [row] = await tx.query<
    | MessageOnNetwork
    | { connectionId: ConnectionId | null; to: Address | null; target: StoredQuote }
  >(onNetworkStatement, [ctx.companyId, messageId]);
  if (!row || row.connectionId === null || row.to === null) return null;
  return { connectionId: row.connectionId, to: row.to, target: row.target };
}

export type StoredOutgoing = {
  row: MessageRow;
  connectionId: ConnectionId;
  providerId: string;
  /** The sender serves the ticket: it counts as read. */
  clearUnread: boolean;
  /** Somebody of the company writes at this moment: an attendance that waits has been attended to. */
  isPersonsAct: boolean;
};

/**
 * Stores a message of the company and puts it on the ticket's card. Null when a message with its client id exists: the
 * request is a repetition.
 */
export async function insertOutgoing(
  ctx: Ctx,
  tx: Tx,
  message: StoredOutgoing,
): Promise<{ unreadMessages: number; updatedAt: Date } | null> {
  const { row } = message;
  const card = cardOf(row);
  const [ticket] = await tx.query<{ unreadMessages: number; updatedAt: Date }>(insertStatement, [
    ctx.companyId,
    row.messageId,
    row.ticketId,
    message.connectionId,
    message.providerId,
    row.writerId,
    row.clientId,
    row.body,
    row.ack,
    row.mediaType,
    row.quotedId,
    row.messageQueueId,
    row.sentAt,
    card.text,
    message.clearUnread,
    card.kind,
    row.undoUntil,
    message.isPersonsAct,
  ]);
  return ticket ?? null;
}

/** The messages that earlier requests with these client ids made, in their order of storage. */
export async function findByClientIds(
  ctx: Ctx,
  tx: Tx,
  clientIds: readonly string[],
): Promise<MessageRow[]> {
  return tx.query<MessageRow>(byClientIdsStatement, [ctx.companyId, clientIds]);
}

/**
 * An address of a contact by which it is written to; null when it has none. Of several phones it is the one that people
 * see, whose last eight digits are the same with and without the ninth digit.
 */
const addressOf = (company: string, contact: string): string => `(
    select json_build_object('kind', a.kind, 'value', a.value) from contact_addresses a
    join contacts ac on ac.company_id = a.company_id and ac.id = a.contact_id
    where a.company_id = ${company} and a.contact_id = ${contact}
    order by array_position(array['group', 'pn', 'lid', 'bsuid'], a.kind), a.value is distinct from ac.number,
      right(a.value, 8) is distinct from right(ac.number, 8), a.key limit 1)`;

/** Where the contact of a row `t` of tickets is written to; a contact without addresses by its number. */
export const contactAddress = (
  t: string,
): string => `coalesce(${addressOf(`${t}.company_id`, `${t}.contact_id`)}, (
    select json_build_object('kind', case when ${t}.is_group then 'group' else 'pn' end, 'value', n.number)
    from contacts n where n.company_id = ${t}.company_id and n.id = ${t}.contact_id and n.number is not null
  ))`;

/** A row `o` of messages in a ticket `t` as the network knows it. */
const wireMessage = (o: string, t: string): string => `json_build_object(
    'id', ${o}.provider_id, 'fromMe', ${o}.from_me,
    'author', case when ${t}.is_group and not ${o}.from_me
      then ${addressOf(`${o}.company_id`, `${o}.contact_id`)} end)`;

const sendingStatement = {
  name: "messages.sending",
  text: `
select ${contactAddress("t")} as "to",
  (select time_zone from companies where id = $1) as "timeZone",
  ${quotedColumn("o.ticket_id = m.ticket_id")},
  (select ${wireMessage("o", "t")} from messages o
    where o.company_id = $1 and o.id = $3 and o.ticket_id = t.id) as quote
from tickets t
cross join lateral (
  select t.company_id, t.id as ticket_id, $3::uuid as quoted_message_id) m
where t.company_id = $1 and t.id = $2`,
};

const onNetworkStatement = {
  name: "messages.on-network",
  // What the product sent is where it was sent to, whatever number the contact has now.
  text: `
select m.connection_id as "connectionId",
  coalesce((
    select json_build_object('kind', o.to_kind, 'value', o.to_value) from outbound o
    where o.company_id = m.company_id and o.message_id = m.id and o.command = 'message'
  ), ${contactAddress("t")}) as "to", ${wireMessage("m", "t")} as target
from messages m join tickets t on t.company_id = m.company_id and t.id = m.ticket_id
where m.company_id = $1 and m.id = $2`,
};

const insertStatement = {
  name: "messages.send",
  text: `
with m as (
  insert into messages
    (company_id, id, ticket_id, connection_id, provider_id, user_id, client_id, body, from_me, read, ack,
     media_type, quoted_message_id, queue_id, created_at, updated_at, undo_until)
  values ($1, $2, $3, $4, $5, $6, $7, $8, true, true, $9, $10, $11, $12, $13, $13, $17)
  on conflict (company_id, client_id) where client_id is not null do nothing
  returning ticket_id
), attended as (
  update attendances a set attended_at = $13 from m
  where $18 and a.company_id = $1 and a.ticket_id = m.ticket_id and a.finished_at is null and a.attended_at is null
)
update tickets t set
  last_message = $14, last_message_kind = $16, last_message_id = $2, last_message_at = $13, last_message_from_me = true,
  last_message_ack = $9, last_message_failed = false,
  unread_messages = case when $15 then 0 else unread_messages end,
  updated_at = greatest(updated_at, $13)
from m where t.company_id = $1 and t.id = m.ticket_id
returning t.unread_messages as "unreadMessages", t.updated_at as "updatedAt"`,
};

const byClientIdsStatement = {
  name: "messages.by-client-ids",
  text: `
select ${messageColumns}, ${quotedColumn("true")}
from messages m ${messageJoins}
where m.company_id = $1 and m.client_id = any($2::uuid[])
order by m.seq`,
};
