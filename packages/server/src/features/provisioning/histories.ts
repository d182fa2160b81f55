import type {
  CompanyId,
  ConnectionId,
  ContactId,
  MessageId,
  QueueId,
  TicketId,
  UserId,
} from "@balcao/contract";
import { acks } from "@balcao/contract";
import { sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/database.ts";
import { attendances, messages, tickets } from "../../platform/db/schema/index.ts";
import type { Sources } from "../../platform/sources.ts";
import type { CardFacts } from "../messages/index.ts";
import { cardOf } from "../messages/index.ts";

/** What a ticket's own columns say besides what `settleTickets` works out. */
export type TicketRow = Omit<typeof tickets.$inferInsert, "uuid">;

/** Tickets without attendances and messages; their ids in the same order. */
export async function insertTickets(
  tx: Tx,
  sources: Sources,
  list: readonly TicketRow[],
): Promise<TicketId[]> {
  const rows = list.map((values) => ({
    updatedAt: values.createdAt,
    ...values,
    uuid: sources.ids.uuid(),
  }));
  const inserted = await tx.orm
    .insert(tickets)
    .values(rows)
    .returning({ id: tickets.id, uuid: tickets.uuid });
  const ids = new Map(inserted.map((row) => [row.uuid, row.id]));
  return rows.map((row) => {
    const id = ids.get(row.uuid);
    if (id === undefined) throw new Error("the ticket was not created");
    return id;
  });
}

/** Attendances, the older ones of a ticket first. */
export async function insertAttendances(
  tx: Tx,
  rows: readonly (typeof attendances.$inferInsert)[],
): Promise<void> {
  await tx.orm.insert(attendances).values([...rows]);
}

export type MessageValues = {
  companyId: CompanyId;
  ticketId: TicketId;
  connectionId: ConnectionId | null;
  contactId: ContactId;
  body: string;
  fromMe: boolean;
  at: Date;
  read?: boolean;
  ack?: number;
  userId?: UserId | null;
  queueId?: QueueId | null;
  failedCode?: string;
  mediaType?: string;
  isEdited?: boolean;
  isDeleted?: boolean;
};

export type InsertedMessage = { id: MessageId; providerId: string };

/** Messages in the order in which they are stored; their ids in the same order. */
export async function insertMessages(
  tx: Tx,
  sources: Sources,
  list: readonly MessageValues[],
): Promise<InsertedMessage[]> {
  const rows = list.map((values) => messageRow(sources, values));
  await tx.orm.insert(messages).values(rows);
  return rows;
}

function messageRow(sources: Sources, values: MessageValues) {
  const { at, contactId, fromMe, failedCode = null, read = fromMe, ...columns } = values;
  return {
    ack: acks.delivered,
    mediaType: "conversation",
    ...columns,
    id: sources.ids.uuid() as MessageId, // our own new id gets its brand
    providerId: `3EB0${sources.random.hex(9).toUpperCase()}`,
    contactId: fromMe ? null : contactId,
    fromMe,
    read,
    failedCode,
    createdAt: at,
    updatedAt: at,
  };
}

/** Makes the tickets' own columns agree with their messages and attendances: last ones, unread count, time of change. */
export async function settleTickets(
  tx: Tx,
  companyId: CompanyId,
  ticketIds: readonly TicketId[],
): Promise<void> {
  if (ticketIds.length === 0) return;
  await tx.query(sql`
    update tickets t set
      last_message_id = m.id,
      last_message_at = m.created_at,
      last_message_from_me = coalesce(m.from_me, false),
      last_message_ack = coalesce(m.ack, 0),
      last_message_failed = m.failed_code is not null,
      unread_messages = (
        select count(*) from messages u
        where u.company_id = s.company_id and u.ticket_id = s.id and not u.from_me and not u.read),
      last_attendance_id = a.id,
      served_user_id = case when s.status = 'closed' then a.user_id end,
      served_queue_id = case when s.status = 'closed' then a.queue_id end,
      updated_at = coalesce(greatest(m.created_at, a.finished_at), s.updated_at)
    from tickets s
    left join lateral (
      select * from messages
      where company_id = s.company_id and ticket_id = s.id
      order by created_at desc, seq desc limit 1) m on true
    left join lateral (
      select id, finished_at, user_id, queue_id from attendances
      where company_id = s.company_id and ticket_id = s.id
      order by id desc limit 1) a on true
    where s.company_id = ${companyId} and s.id in ${ticketIds}
      and t.company_id = s.company_id and t.id = s.id`);
  await settleCards(tx, companyId, ticketIds);
}

/** What stands on the tickets' cards. */
async function settleCards(
  tx: Tx,
  companyId: CompanyId,
  ticketIds: readonly TicketId[],
): Promise<void> {
  const newest = await tx.query<CardFacts & { ticketId: TicketId }>(sql`
    select t.id as "ticketId", m.body, m.details, m.is_deleted as "isDeleted",
      case when f.message_id is not null then json_build_object('kind', f.kind, 'name', f.name) end as media
    from tickets t
    join messages m on m.company_id = t.company_id and m.id = t.last_message_id
    left join message_media f on f.company_id = m.company_id and f.message_id = m.id
    where t.company_id = ${companyId} and t.id in ${ticketIds}`);
  const cards = newest.map((message) => ({ id: message.ticketId, ...cardOf(message) }));
  await tx.query(sql`
    update tickets t set last_message = card.text, last_message_kind = card.kind
    from json_to_recordset(${JSON.stringify(cards)}) as card (id int, text text, kind text)
    where t.company_id = ${companyId} and t.id = card.id`);
}
