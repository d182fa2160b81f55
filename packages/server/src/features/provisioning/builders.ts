import type {
  ChannelKind,
  CompanyId,
  ConnectionId,
  ContactId,
  MessageId,
  PlanId,
  Profile,
  QueueId,
  SettingKey,
  TicketId,
  TicketStatus,
  UserId,
} from "@balcao/contract";
import { acks } from "@balcao/contract";
import type { SQL } from "drizzle-orm";
import { eq, sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/database.ts";
import type { companies } from "../../platform/db/schema/index.ts";
import {
  attendances,
  connectionQueues,
  connections,
  contactAddresses,
  contacts,
  messages,
  plans,
  queues,
  tickets,
  userQueues,
  users,
} from "../../platform/db/schema/index.ts";
import type { Sources } from "../../platform/sources.ts";
import { insertCompany } from "../companies/index.ts";
import { addressKey } from "../contacts/index.ts";
import type { CardFacts } from "../messages/index.ts";
import { cardOf, waitingSinceOf } from "../messages/index.ts";

/**
 * Builders of rows with sensible defaults, for the first start, the demo company and tests. They run as the owner role,
 * in the caller's transaction.
 */
type PlanValues = Partial<typeof plans.$inferInsert> & { name: string };

export async function buildPlan(tx: Tx, values: PlanValues): Promise<PlanId> {
  const [row] = await tx.orm
    .insert(plans)
    .values({ users: 10, connections: 10, queues: 10, valueCents: 0, ...values })
    .onConflictDoNothing()
    .returning({ id: plans.id });
  if (row) return row.id;
  const [existing] = await tx.orm
    .select({ id: plans.id })
    .from(plans)
    .where(eq(plans.name, values.name));
  return required(existing, "plan").id;
}

type CompanyValues = Partial<typeof companies.$inferInsert> & {
  name: string;
  planId: PlanId;
  settings?: Partial<Record<SettingKey, string>>;
};

/** A company with all settings. */
export async function buildCompany(tx: Tx, values: CompanyValues): Promise<CompanyId> {
  const { settings: chosen = {}, ...columns } = values;
  const { id } = await insertCompany(tx, { email: "", ...columns }, chosen);
  return id;
}

type UserValues = {
  companyId: CompanyId;
  name: string;
  email: string;
  passwordHash: string;
  profile?: Profile;
  super?: boolean;
  allTicket?: "enabled" | "desabled";
  queueIds?: readonly QueueId[];
};

export async function buildUser(tx: Tx, values: UserValues): Promise<UserId> {
  const { queueIds = [], email, ...columns } = values;
  const [row] = await tx.orm
    .insert(users)
    .values({ ...columns, email: email.toLowerCase() })
    .returning({ id: users.id });
  const userId = required(row, "user").id;
  if (queueIds.length > 0) {
    await tx.orm
      .insert(userQueues)
      .values(queueIds.map((queueId) => ({ companyId: values.companyId, userId, queueId })));
  }
  return userId;
}

type QueueValues = Partial<typeof queues.$inferInsert> & {
  companyId: CompanyId;
  name: string;
  color: string;
};

export async function buildQueue(tx: Tx, values: QueueValues): Promise<QueueId> {
  const [row] = await tx.orm.insert(queues).values(values).returning({ id: queues.id });
  return required(row, "queue").id;
}

type ConnectionValues = Partial<typeof connections.$inferInsert> & {
  companyId: CompanyId;
  name: string;
  channel: ChannelKind;
  queueIds?: readonly QueueId[];
};

export async function buildConnection(tx: Tx, values: ConnectionValues): Promise<ConnectionId> {
  const { queueIds = [], ...columns } = values;
  const [row] = await tx.orm.insert(connections).values(columns).returning({ id: connections.id });
  const connectionId = required(row, "connection").id;
  if (queueIds.length > 0) {
    await tx.orm
      .insert(connectionQueues)
      .values(queueIds.map((queueId) => ({ companyId: values.companyId, connectionId, queueId })));
  }
  return connectionId;
}

type ContactValues = {
  companyId: CompanyId;
  name: string;
  number: string;
  email?: string;
  createdAt?: Date;
};

/** A contact with a phone number. */
export async function buildContact(tx: Tx, values: ContactValues): Promise<ContactId> {
  return required((await buildContacts(tx, [values]))[0], "contact");
}

/** Several contacts at once; returns their ids in the same order. */
export async function buildContacts(tx: Tx, list: readonly ContactValues[]): Promise<ContactId[]> {
  const rows = await tx.orm
    .insert(contacts)
    .values([...list])
    .returning({ id: contacts.id, number: contacts.number });
  const ids = new Map(rows.map((row) => [row.number, row.id]));
  const known = list.map((values) => ({ values, id: required(ids.get(values.number), "contact") }));
  await tx.orm.insert(contactAddresses).values(
    known.map(({ values, id }) => ({
      companyId: values.companyId,
      kind: "pn" as const,
      key: addressKey({ kind: "pn", value: values.number }),
      value: values.number,
      contactId: id,
    })),
  );
  return known.map(({ id }) => id);
}

type TicketValues = {
  companyId: CompanyId;
  contactId: ContactId;
  connectionId: ConnectionId | null;
  status: TicketStatus;
  userId?: UserId | null;
  queueId?: QueueId | null;
  /** For closed tickets: the agent and queue that served it. */
  servedBy?: { userId?: UserId | null; queueId?: QueueId | null };
  at: Date;
};

/** A ticket with its current or last attendance. */
export async function buildTicket(
  tx: Tx,
  sources: Sources,
  values: TicketValues,
): Promise<TicketId> {
  const { servedBy = {}, at, ...columns } = values;
  const [ticketId] = await insertTickets(tx, sources, [{ ...columns, createdAt: at }]);
  const id = required(ticketId, "ticket");
  const closed = values.status === "closed";
  await insertAttendances(tx, [
    {
      companyId: values.companyId,
      ticketId: id,
      connectionId: values.connectionId,
      userId: closed ? (servedBy.userId ?? null) : (values.userId ?? null),
      queueId: closed ? (servedBy.queueId ?? null) : (values.queueId ?? null),
      queuedAt: at,
      startedAt: values.status === "pending" ? null : at,
      finishedAt: closed ? at : null,
      closedBy: closed ? (servedBy.userId ?? null) : null,
      createdAt: at,
    },
  ]);
  await settleTickets(tx, values.companyId, [id]);
  return id;
}

/** A message; updates the ticket's last message and unread count. */
export async function buildMessage(
  tx: Tx,
  sources: Sources,
  values: MessageValues,
): Promise<MessageId> {
  const [message] = await insertMessages(tx, sources, [values]);
  await settleTickets(tx, values.companyId, [values.ticketId]);
  return required(message, "message").id;
}

function required<T>(row: T | undefined, what: string): T {
  if (row === undefined) throw new Error(`the ${what} was not created`);
  return row;
}

/** A ticket's columns, except those that `settleTickets` derives. */
export type TicketRow = Omit<typeof tickets.$inferInsert, "uuid">;

/** Tickets without attendances and messages; returns their ids in the same order. */
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

/** Stores messages in this order; returns their ids in the same order. */
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

/** Derives the tickets' columns from their messages and attendances: the last ones, unread count, wait, time of change. */
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
      last_message_queue_id = m.queue_id,
      last_message_failed = m.failed_code is not null,
      unread_messages = (
        select count(*) from messages u
        where u.company_id = s.company_id and u.ticket_id = s.id and not u.from_me and not u.read),
      last_attendance_id = a.id,
      waiting_since = ${sql.raw(waitingSinceOf("s"))},
      queued_at = a.queued_at,
      is_answered = exists (
        select from messages p
        where p.company_id = s.company_id and p.ticket_id = s.id and p.from_me and p.created_at >= a.created_at),
      served_user_id = case when s.status = 'closed' then a.user_id end,
      served_queue_id = case when s.status = 'closed' then a.queue_id end,
      updated_at = coalesce(greatest(m.created_at, a.finished_at), s.updated_at)
    from tickets s
    left join lateral (
      select * from messages
      where company_id = s.company_id and ticket_id = s.id
      order by created_at desc, seq desc limit 1) m on true
    left join lateral (
      select id, finished_at, user_id, queue_id, queued_at, created_at from attendances
      where company_id = s.company_id and ticket_id = s.id
      order by id desc limit 1) a on true
    where s.company_id = ${companyId} and s.id in ${ticketIds}
      and t.company_id = s.company_id and t.id = s.id`);
  await settleAttendances(tx, companyId, ticketIds);
  await settleCards(tx, companyId, ticketIds);
}

/** Derives what attendances know of ratings, messages and earlier attendances, as the product keeps it. */
async function settleAttendances(
  tx: Tx,
  companyId: CompanyId,
  ticketIds: readonly TicketId[],
): Promise<void> {
  const within = (m: string): SQL =>
    sql.raw(`${m}.company_id = a.company_id and ${m}.ticket_id = a.ticket_id
      and ${m}.created_at >= a.created_at and ${m}.created_at <= coalesce(a.rating_at, a.finished_at, 'infinity')`);
  await tx.query(sql`
    update attendances t set
      rate = (select r.rate from ratings r where r.company_id = a.company_id and r.attendance_id = a.id),
      is_first = not exists (
        select from attendances b
        where b.company_id = a.company_id and b.ticket_id = a.ticket_id and b.id < a.id),
      asked_at = case when p.at is not null then c.at end,
      answered_at = p.at
    from attendances a
    left join lateral (
      select min(m.created_at) as at from messages m where ${within("m")} and not m.from_me) c on true
    left join lateral (
      select min(m.created_at) as at from messages m
      where ${within("m")} and m.from_me and not m.is_automatic and m.created_at > c.at) p on true
    where a.company_id = ${companyId} and a.ticket_id in ${ticketIds}
      and t.company_id = a.company_id and t.id = a.id`);
}

/** Derives the texts on the tickets' cards. */
async function settleCards(
  tx: Tx,
  companyId: CompanyId,
  ticketIds: readonly TicketId[],
): Promise<void> {
  const newest = await tx.query<CardFacts & { ticketId: TicketId }>(sql`
    select t.id as "ticketId", m.body, m.details, m.is_deleted as "isDeleted", m.media_type as "mediaType",
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
