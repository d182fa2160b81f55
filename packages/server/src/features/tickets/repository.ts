import type {
  ConnectionId,
  ContactId,
  QueueId,
  Ticket,
  TicketId,
  TicketListQuery,
  TicketStatus,
  UserId,
} from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { CountsQuery } from "./list-statement.ts";
import { countsStatement, listStatement } from "./list-statement.ts";
import type { AttendanceStep, Transition } from "./ticket.ts";
import type { TicketRow } from "./ticket-row.ts";
import { ticketColumns, ticketJoins } from "./ticket-row.ts";
import type { TicketSight } from "./visibility.ts";

/** One page of a list, newest change first, and how many rows all its pages have. */
export async function listTickets(
  ctx: Ctx,
  tx: Tx,
  query: TicketListQuery,
): Promise<{ rows: TicketRow[]; total: number }> {
  const { statement, values } = listStatement(ctx, query);
  const rows = await tx.query<{ total: number } & (TicketRow | { id: null })>(statement, values);
  return { rows: rows.filter((row) => row.id !== null), total: rows[0]?.total ?? 0 };
}

export async function countTickets(
  ctx: Ctx,
  tx: Tx,
  query: CountsQuery,
): Promise<{ open: number; pending: number }> {
  const { statement, values } = countsStatement(ctx, query);
  const [row] = await tx.query<{ open: number; pending: number }>(statement, values);
  return row ?? { open: 0, pending: 0 };
}

export async function findTicket(ctx: Ctx, tx: Tx, id: TicketId): Promise<TicketRow | undefined> {
  const [row] = await tx.query<TicketRow>(findStatement, [ctx.companyId, id]);
  return row;
}

export async function findTicketByUuid(
  ctx: Ctx,
  tx: Tx,
  uuid: string,
): Promise<TicketRow | undefined> {
  const [row] = await tx.query<TicketRow>(findByUuidStatement, [ctx.companyId, uuid]);
  return row;
}

/** What decides who may see the ticket, and nothing else. */
export async function findSight(ctx: Ctx, tx: Tx, id: TicketId): Promise<TicketSight | undefined> {
  const [row] = await tx.query<TicketSight>(sightStatement, [ctx.companyId, id]);
  return row;
}

/**
 * The ticket, locked until the transaction ends: whoever changes it stands in line here. The row is as the one before
 * left it. The newest attendance is read again where it matters, because the statement began before the wait.
 */
export async function lockTicket(ctx: Ctx, tx: Tx, id: TicketId): Promise<TicketRow | undefined> {
  const [row] = await tx.query<TicketRow>(lockStatement, [ctx.companyId, id]);
  if (row?.status !== "closed") return row;
  const [sight] = await tx.query<TicketSight>(sightStatement, [ctx.companyId, id]);
  return { ...row, ...sight };
}

/** Locks the ticket of the same contact on another connection; undefined when there is none. */
export async function lockTicketOnConnection(
  ctx: Ctx,
  tx: Tx,
  contactId: ContactId,
  connectionId: ConnectionId,
): Promise<TicketRow | undefined> {
  const [found] = await tx.query<{ id: TicketId }>(onConnectionStatement, [
    ctx.companyId,
    contactId,
    connectionId,
  ]);
  return found && lockTicket(ctx, tx, found.id);
}

export type SavedTicket = {
  id: TicketId;
  transition: Transition;
  now: Date;
  /** The unread count becomes 0; the messages are told as read when somebody reads them. */
  clearUnread: boolean;
};

/** Writes a transition of a locked ticket with its attendance; answers the row as it is now. */
export async function saveTicket(ctx: Ctx, tx: Tx, saved: SavedTicket): Promise<TicketRow> {
  const { state, attendance } = saved.transition;
  const [row] = await tx.query<TicketRow>(saveStatements[attendance?.kind ?? "none"], [
    ctx.companyId,
    saved.id,
    saved.now,
    state.status,
    state.userId,
    state.queueId,
    state.connectionId,
    state.chatbot,
    state.queueOptionId,
    state.useIntegration,
    state.promptId,
    state.integrationId,
    saved.clearUnread || state.status === "closed",
    ...(attendance ? attendanceValues(attendance) : []),
  ]);
  if (!row) throw new Error("the locked ticket is gone");
  // The attendance of this very statement is not in what it reads.
  if (!attendance) return row;
  return { ...row, servedByUserId: attendance.userId, servedByQueueId: attendance.queueId };
}

/** What a change may refer to, looked up in the company; a name is null where there is no such row. */
export type References = {
  userId: UserId | null;
  queueId: QueueId | null;
  connectionId: ConnectionId | null;
};

/** Which of the given ids exist in the company. */
export async function findReferences(
  ctx: Ctx,
  tx: Tx,
  ids: References,
): Promise<{ user: boolean; queue: boolean; connection: boolean }> {
  const [row] = await tx.query<{ user: boolean; queue: boolean; connection: boolean }>(
    referencesStatement,
    [ctx.companyId, ids.userId, ids.queueId, ids.connectionId],
  );
  return row ?? { user: false, queue: false, connection: false };
}

/** The connection's queue when it has exactly one. */
export async function findOnlyQueue(
  ctx: Ctx,
  tx: Tx,
  connectionId: ConnectionId,
): Promise<Ticket["queue"]> {
  const rows = await tx.query<NonNullable<Ticket["queue"]>>(onlyQueueStatement, [
    ctx.companyId,
    connectionId,
  ]);
  const [only] = rows;
  return rows.length === 1 && only ? only : null;
}

export type NewTicket = {
  uuid: string;
  contactId: ContactId;
  connectionId: ConnectionId;
  status: TicketStatus;
  isGroup: boolean;
  now: Date;
};

/** What the database added to a new ticket. */
export type InsertedTicket = {
  id: TicketId;
  /** Null for a closed one. */
  attendanceId: number | null;
  connectionName: string;
  /** The connection's only queue. */
  queueId: QueueId | null;
  queueName: string | null;
  queueColor: string | null;
};

/**
 * The first ticket of a contact on a connection: in the connection's queue if that has exactly one (not when it is closed),
 * with its first attendance. Null when another transaction has just made the ticket, or has stored the message that it is
 * made for.
 */
export async function insertTicket(
  ctx: Ctx,
  tx: Tx,
  ticket: NewTicket,
  firstProviderId: string,
): Promise<InsertedTicket | null> {
  const [row] = await tx.query<InsertedTicket>(insertStatement, [
    ctx.companyId,
    ticket.uuid,
    ticket.contactId,
    ticket.connectionId,
    ticket.status,
    ticket.isGroup,
    ticket.now,
    firstProviderId,
  ]);
  return row ?? null;
}

function attendanceValues(step: AttendanceStep): unknown[] {
  return [
    step.userId,
    step.queueId,
    step.connectionId,
    step.isQueuedNow,
    step.started,
    ...(step.kind === "finish" ? [step.closedBy] : []),
  ];
}

const selectTicket = `select ${ticketColumns} from tickets t ${ticketJoins}`;

const findStatement = {
  name: "tickets.find",
  text: `${selectTicket} where t.company_id = $1 and t.id = $2`,
};

const findByUuidStatement = {
  name: "tickets.find-by-uuid",
  text: `${selectTicket} where t.company_id = $1 and t.uuid = $2`,
};

const sightStatement = {
  name: "tickets.sight",
  text: `
select t.status, t.user_id as "userId", t.queue_id as "queueId",
  served.user_id as "servedByUserId", served.queue_id as "servedByQueueId"
from tickets t
left join attendances served on served.company_id = t.company_id and served.id = t.last_attendance_id
where t.company_id = $1 and t.id = $2`,
};

const lockStatement = {
  name: "tickets.lock",
  // The lock comes first, in its own step: names joined to the row must belong to the version that was locked.
  text: `
with t as materialized (
  select * from tickets where company_id = $1 and id = $2 for no key update
)
select ${ticketColumns} from t ${ticketJoins}`,
};

const onConnectionStatement = {
  name: "tickets.on-connection",
  text: "select id from tickets where company_id = $1 and contact_id = $2 and connection_id = $3",
};

/**
 * `$13` clears the unread count. The attendance part, where there is one, gives `cycle`. The time of change never goes
 * back, so that a client can tell the newer of two versions.
 */
const saveText = (attendance: string) => `
with ${attendance === "" ? "" : `${attendance},`}
t as (
  update tickets set
    status = $4, user_id = $5, queue_id = $6, connection_id = $7, chatbot = $8, queue_option_id = $9,
    use_integration = $10, prompt_id = $11, integration_id = $12,
    unread_messages = case when $13 then 0 else unread_messages end,
    last_attendance_id = ${attendance === "" ? "last_attendance_id" : "coalesce((select id from cycle), last_attendance_id)"},
    updated_at = greatest(updated_at, $3)
  where company_id = $1 and id = $2
  returning *
)
select ${ticketColumns} from t ${ticketJoins}`;

const attendanceFields = `
    user_id = $14, queue_id = $15, connection_id = $16,
    queued_at = case when $17 then $3 else attendances.queued_at end,
    started_at = case $18 when 'now' then $3 when 'reset' then null else attendances.started_at end,
    rating_at = case when $18 = 'now' then null else attendances.rating_at end,
    rated = attendances.rated and $18 <> 'now'`;

/** Opens an attendance, or goes on with the unfinished one that there can only be one of. */
const openAttendance = `
cycle as (
  insert into attendances
    (company_id, ticket_id, user_id, queue_id, connection_id, queued_at, started_at, created_at)
  values ($1, $2, $14, $15, $16, $3, case when $18 = 'now' then $3::timestamptz end, $3)
  on conflict (ticket_id) where finished_at is null do update set ${attendanceFields}
  returning id
)`;

const finishAttendance = `
finished as (
  update attendances set ${attendanceFields}, finished_at = $3, closed_by = $19
  where company_id = $1 and ticket_id = $2 and finished_at is null
  returning id
),
cycle as (
  insert into attendances
    (company_id, ticket_id, user_id, queue_id, connection_id, queued_at, finished_at, closed_by, created_at)
  select $1, $2, $14, $15, $16, $3, $3, $19, $3 where not exists (select from finished)
  returning id
)`;

const saveStatements = {
  none: { name: "tickets.save", text: saveText("") },
  continue: { name: "tickets.save-continue", text: saveText(openAttendance) },
  begin: { name: "tickets.save-continue", text: saveText(openAttendance) },
  finish: { name: "tickets.save-finish", text: saveText(finishAttendance) },
};

const referencesStatement = {
  name: "tickets.references",
  text: `
select
  exists (select from users where company_id = $1 and id = $2) as "user",
  exists (select from queues where company_id = $1 and id = $3) as "queue",
  exists (select from connections where company_id = $1 and id = $4) as "connection"`,
};

const onlyQueueStatement = {
  name: "tickets.only-queue",
  text: `
select q.id, q.name, q.color
from connection_queues cq
join queues q on q.company_id = cq.company_id and q.id = cq.queue_id
where cq.company_id = $1 and cq.connection_id = $2
limit 2`,
};

const insertStatement = {
  name: "tickets.insert",
  text: `
with t as (
  insert into tickets
    (company_id, uuid, contact_id, connection_id, status, queue_id, is_group, created_at, updated_at)
  select $1, $2, $3, $4, $5, (
      select case when count(*) = 1 then min(queue_id) end from connection_queues
      where company_id = $1 and connection_id = $4 and $5 <> 'closed'
    ), $6, $7::timestamptz, $7
  where not exists (
    select from messages where company_id = $1 and connection_id = $4 and provider_id = $8)
  on conflict (company_id, contact_id, connection_id) do nothing
  returning id, queue_id
), cycle as (
  insert into attendances (company_id, ticket_id, connection_id, queue_id, queued_at, started_at, created_at)
  select $1, t.id, $4, t.queue_id, $7, case when $5 = 'open' then $7::timestamptz end, $7
  from t where $5 <> 'closed'
  returning id
)
select t.id, (select id from cycle) as "attendanceId", w.name as "connectionName",
  q.id as "queueId", q.name as "queueName", q.color as "queueColor"
from t
join connections w on w.company_id = $1 and w.id = $4
left join queues q on q.company_id = $1 and q.id = t.queue_id`,
};
