import type {
  ChannelKind,
  ConnectionId,
  ContactId,
  QueueId,
  TicketId,
  TicketStatus,
} from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { AttendanceStep, Transition } from "./ticket.ts";
import type { ShownTicketRow } from "./ticket-row.ts";
import { shownTicketColumns, ticketJoins } from "./ticket-row.ts";

export type SavedTicket = {
  id: TicketId;
  transition: Transition;
  now: Date;
  /** The unread count becomes 0; the messages are told as read when somebody reads them. */
  clearUnread: boolean;
  /** An agent has acted: the automatic attendant is silent for the rest of the attendance. */
  isPersonsAct: boolean;
};

/** Writes a transition of a locked ticket with its attendance; answers the row as it is now. */
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

/** What becomes of a locked ticket that goes on waiting or being served, in the attendance that it is in. */
export type ContinuedTicket = { id: TicketId; transition: Transition };

/** Writes the same of many locked tickets in one statement; answers the rows as they are now, by their ids. */
export async function saveContinued(
  ctx: Ctx,
  tx: Tx,
  saved: readonly ContinuedTicket[],
  { now, isPersonsAct }: Pick<SavedTicket, "now" | "isPersonsAct">,
): Promise<Map<TicketId, ShownTicketRow>> {
  const given = saved.map(({ id, transition: { state, attendance } }) => {
    if (attendance?.kind !== "continue") throw new Error("the attendance does not go on");
    return { ...state, id, isQueuedNow: attendance.isQueuedNow, started: attendance.started };
  });
  const values = [ctx.companyId, JSON.stringify(given), now, isPersonsAct];
  const rows = await tx.query<ShownTicketRow>(saveContinuedStatement, values);
  if (rows.length !== saved.length) throw new Error("a locked ticket is gone");
  return new Map(rows.map((row) => [row.id, row]));
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
  connectionChannel: ChannelKind;
  /** The connection's only queue. */
  queueId: QueueId | null;
  queueName: string | null;
  queueColor: string | null;
};

/**
 * The first ticket of a contact on a connection: in the connection's queue if that has exactly one (not when it is closed),
 * with its first attendance. Null when another transaction has just made the ticket, or has stored the message that it is
 * made for (`firstProviderId`, null where it is made for none).
 */
export async function insertTicket(
  ctx: Ctx,
  tx: Tx,
  ticket: NewTicket,
  firstProviderId: string | null,
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

/**
 * `$13` clears the unread count. The attendance part, where there is one, gives `cycle`. The time of change never goes
 * back, so that a client can tell the newer of two versions. Who served a closed ticket stands on it and in its attendance.
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
 * An attendance that awaits its rating is over before the next one begins: the new row is made from the count of the ended
 * ones, so that this part comes first.
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

/** Opens an attendance, or goes on with the unfinished one that there can only be one of. */
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

const saveContinuedStatement = {
  name: "tickets.save-continued",
  text: `
with s as materialized (
  select * from jsonb_to_recordset($2::jsonb) as s (
    id int, status text, "userId" int, "queueId" int, "connectionId" int, chatbot boolean, "queueOptionId" int,
    "useIntegration" boolean, "promptId" int, "integrationId" int, "isQueuedNow" boolean, started text)
), continued as (
  update attendances a set
    user_id = s."userId", queue_id = s."queueId", connection_id = s."connectionId",
    queued_at = case when s."isQueuedNow" then $3 else a.queued_at end,
    started_at = case s.started when 'now' then $3 when 'reset' then null else a.started_at end,
    rating_at = case when s.started = 'now' then null else a.rating_at end,
    rated = a.rated and s.started <> 'now',
    attended_at = case when $4 then coalesce(a.attended_at, $3) else a.attended_at end
  from s where a.company_id = $1 and a.ticket_id = s.id and a.finished_at is null
  returning a.id, a.ticket_id
), begun as (
  insert into attendances
    (company_id, ticket_id, user_id, queue_id, connection_id, queued_at, started_at, attended_at, created_at)
  select $1, s.id, s."userId", s."queueId", s."connectionId", $3, case when s.started = 'now' then $3::timestamptz end,
    case when $4 then $3::timestamptz end, $3
  from s where not exists (select from continued where ticket_id = s.id)
  returning id, ticket_id
), t as (
  update tickets k set
    status = s.status, user_id = s."userId", queue_id = s."queueId", connection_id = s."connectionId",
    chatbot = s.chatbot, queue_option_id = s."queueOptionId", use_integration = s."useIntegration",
    prompt_id = s."promptId", integration_id = s."integrationId", last_attendance_id = cycle.id,
    updated_at = greatest(k.updated_at, $3)
  from s join (select * from continued union all select * from begun) cycle on cycle.ticket_id = s.id
  where k.company_id = $1 and k.id = s.id
  returning k.*
)
select ${shownTicketColumns} from t ${ticketJoins}`,
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
select t.id, (select id from cycle) as "attendanceId", w.name as "connectionName", w.channel as "connectionChannel",
  q.id as "queueId", q.name as "queueName", q.color as "queueColor"
from t
join connections w on w.company_id = $1 and w.id = $4
left join queues q on q.company_id = $1 and q.id = t.queue_id`,
};
