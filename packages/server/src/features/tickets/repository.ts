import type { ConnectionId, ContactId, Ticket, TicketId } from "@balcao/contract";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { AttendanceStep, Transition } from "./ticket.ts";
import type { ShownTicketRow, TicketRow } from "./ticket-row.ts";
import { shownTicketColumns, ticketColumns, ticketJoins } from "./ticket-row.ts";
import type { TicketSight } from "./audience.ts";
import { canSee, sightColumns } from "./audience.ts";

export async function findTicket(
  ctx: Ctx,
  tx: Tx,
  id: TicketId,
): Promise<ShownTicketRow | undefined> {
  const [row] = await tx.query<ShownTicketRow>(findStatement, [ctx.companyId, id]);
  return row;
}

export async function findTicketByUuid(
  ctx: Ctx,
  tx: Tx,
  uuid: string,
): Promise<ShownTicketRow | undefined> {
  const [row] = await tx.query<ShownTicketRow>(findByUuidStatement, [ctx.companyId, uuid]);
  return row;
}

/** Only the columns that decide who may see the ticket. */
export async function findSight(ctx: Ctx, tx: Tx, id: TicketId): Promise<TicketSight | undefined> {
  const [row] = await tx.query<TicketSight>(sightStatement, [ctx.companyId, id]);
  return row;
}

/**
 * The ticket, locked until the transaction ends: concurrent changes wait here. The row is as the previous transaction left
 * it. Of a closed ticket, who served it is read again, because the statement began before the wait.
 */
export async function lockTicket(
  ctx: Ctx,
  tx: Tx,
  id: TicketId,
): Promise<ShownTicketRow | undefined> {
  const [row] = await tx.query<ShownTicketRow>(lockStatement, [ctx.companyId, id]);
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
): Promise<ShownTicketRow | undefined> {
  const [found] = await tx.query<{ id: TicketId }>(onConnectionStatement, [
    ctx.companyId,
    contactId,
    connectionId,
  ]);
  return found && lockTicket(ctx, tx, found.id);
}

/** The contact's tickets that wait or are served, on all connections, newest first. */
export async function findLivingTickets(
  ctx: Ctx,
  tx: Tx,
  contactId: ContactId,
): Promise<ShownTicketRow[]> {
  return tx.query<ShownTicketRow>(livingStatement, [ctx.companyId, contactId]);
}

/**
 * Throws ERR_CONTACT_NUMBER_FORBIDDEN unless the user may see every ticket of the contact that waits or is served:
 * another number redirects these conversations.
 */
export async function requireAllLivingVisible(
  ctx: UserCtx,
  tx: Tx,
  contactId: ContactId,
): Promise<void> {
  const living = await findLivingTickets(ctx, tx, contactId);
  if (!living.every((ticket) => canSee(ctx, ticket))) {
    throw new DomainError("ERR_CONTACT_NUMBER_FORBIDDEN");
  }
}

/** Locks all tickets of the contact, in the order of their ids. */
export async function lockTicketsOfContact(ctx: Ctx, tx: Tx, contactId: ContactId): Promise<void> {
  await tx.query(lockOfContactStatement, [ctx.companyId, contactId]);
}

/** All tickets of the contact, in the order of their ids. */
export async function findTicketsOfContact(
  ctx: Ctx,
  tx: Tx,
  contactId: ContactId,
): Promise<TicketRow[]> {
  return tx.query<TicketRow>(ofContactStatement, [ctx.companyId, contactId]);
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

type SavedTicket = {
  id: TicketId;
  transition: Transition;
  now: Date;
  /** Sets the unread count to 0; the customer's app learns of it when an agent reads the messages. */
  clearUnread: boolean;
  /** An agent has acted: the automatic attendant is silent for the rest of the attendance. */
  isPersonsAct: boolean;
};

/** Writes a transition of a locked ticket with its attendance; returns the new row. */
export async function saveTicket(ctx: Ctx, tx: Tx, saved: SavedTicket): Promise<ShownTicketRow> {
  const { state, attendance } = saved.transition;
  const [row] = await tx.query<ShownTicketRow>(saveStatements[attendance?.kind ?? "none"], [
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
    ...(attendance ? attendanceValues(attendance, saved.isPersonsAct) : []),
  ]);
  if (!row) throw new Error("the locked ticket is gone");
  return row;
}

function attendanceValues(step: AttendanceStep, isPersonsAct: boolean): unknown[] {
  const holder = [step.userId, step.queueId, step.connectionId];
  if (step.kind === "await-rating") return [...holder, step.closedBy];
  return [
    ...holder,
    step.isQueuedNow,
    step.started,
    isPersonsAct,
    ...(step.kind === "finish" ? [step.closedBy] : []),
  ];
}

const selectTicket = `select ${shownTicketColumns} from tickets t ${ticketJoins}`;

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
select ${sightColumns} from tickets t where t.company_id = $1 and t.id = $2`,
};

const lockStatement = {
  name: "tickets.lock",
  // The lock comes first, in its own step: names joined to the row must belong to the version that was locked.
  text: `
with t as materialized (
  select * from tickets where company_id = $1 and id = $2 for no key update
)
select ${shownTicketColumns} from t ${ticketJoins}`,
};

const onConnectionStatement = {
  name: "tickets.on-connection",
  text: "select id from tickets where company_id = $1 and contact_id = $2 and connection_id = $3",
};

const livingStatement = {
  name: "tickets.living",
  text: `${selectTicket}
where t.company_id = $1 and t.contact_id = $2 and t.status in ('open', 'pending')
order by t.id desc`,
};

const lockOfContactStatement = {
  name: "tickets.lock-of-contact",
  text: `
select id from tickets where company_id = $1 and contact_id = $2 order by id for no key update`,
};

const ofContactStatement = {
  name: "tickets.all-of-contact",
  text: `
select ${ticketColumns} from tickets t ${ticketJoins}
where t.company_id = $1 and t.contact_id = $2 order by t.id`,
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

/**
 * `$13` clears the unread count. The attendance part, if any, defines `cycle`. `updated_at` never decreases, so that a
 * client knows the newer of two versions. The user and queue that served a closed ticket are in it and in its attendance.
 */
const saveText = (attendance: string) => `
with ${attendance === "" ? "" : `${attendance},`}
t as (
  update tickets set
    status = $4, user_id = $5, queue_id = $6, connection_id = $7, chatbot = $8, queue_option_id = $9,
    use_integration = $10, prompt_id = $11, integration_id = $12,
    unread_messages = case when $13 then 0 else unread_messages end,
    last_attendance_id = ${attendance === "" ? "last_attendance_id" : "coalesce((select id from cycle), last_attendance_id)"},
    served_user_id = case when $4 = 'closed' then ${attendance === "" ? "served_user_id" : "$14::int"} end,
    served_queue_id = case when $4 = 'closed' then ${attendance === "" ? "served_queue_id" : "$15::int"} end,
    updated_at = greatest(updated_at, $3)
  where company_id = $1 and id = $2
  returning *
)
select ${shownTicketColumns} from t ${ticketJoins}`;

const attendanceFields = `
    user_id = $14, queue_id = $15, connection_id = $16,
    queued_at = case when $17 then $3 else attendances.queued_at end,
    started_at = case $18 when 'now' then $3 when 'reset' then null else attendances.started_at end,
    rating_at = case when $18 = 'now' then null else attendances.rating_at end,
    rated = attendances.rated and $18 <> 'now',
    attended_at = case when $19 then coalesce(attendances.attended_at, $3) else attendances.attended_at end`;

/**
 * Finishes an attendance that awaits its rating before the next one begins: the new row selects from the count of the
 * finished ones, so that this part runs first.
 */
export const endAwaiting = (ticketId: string, now: string): string => `
unrated as (
  update attendances set finished_at = ${now}
  where company_id = $1 and ticket_id = ${ticketId} and finished_at is null and rating_at is not null
  returning id
),
ended as (
  select count(*) from unrated
)`;

const openFrom = (source: string): string => `
cycle as (
  insert into attendances
    (company_id, ticket_id, user_id, queue_id, connection_id, queued_at, started_at, attended_at, created_at)
  select $1, $2, $14, $15, $16, $3, case when $18 = 'now' then $3::timestamptz end,
    case when $19 then $3::timestamptz end, $3${source}
  on conflict (ticket_id) where finished_at is null do update set ${attendanceFields}
  returning id
)`;

/** Opens an attendance, or continues the unfinished one, of which there is at most one. */
const continueAttendance = openFrom("");
const beginAttendance = `${endAwaiting("$2", "$3")},${openFrom(" from ended")}`;

const awaitRating = `
cycle as (
  update attendances set
    user_id = $14, queue_id = $15, connection_id = $16, rating_at = $3, closed_by = $17
  where company_id = $1 and ticket_id = $2 and finished_at is null
  returning id
)`;

const finishAttendance = `
finished as (
  update attendances set ${attendanceFields}, finished_at = $3, closed_by = $20
  where company_id = $1 and ticket_id = $2 and finished_at is null
  returning id
),
cycle as (
  insert into attendances
    (company_id, ticket_id, user_id, queue_id, connection_id, queued_at, attended_at, finished_at, closed_by, created_at)
  select $1, $2, $14, $15, $16, $3, case when $19 then $3::timestamptz end, $3, $20, $3 where not exists (select from finished)
  returning id
)`;

const saveStatements = {
  none: { name: "tickets.save", text: saveText("") },
  continue: { name: "tickets.save-continue", text: saveText(continueAttendance) },
  begin: { name: "tickets.save-begin", text: saveText(beginAttendance) },
  finish: { name: "tickets.save-finish", text: saveText(finishAttendance) },
  "await-rating": { name: "tickets.save-await-rating", text: saveText(awaitRating) },
};
