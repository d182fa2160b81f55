import type { ConnectionId, ContactId, TicketId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { findVisibility } from "./read-tickets.ts";
import type { AttendanceStep, Transition } from "./ticket.ts";
import type { ShownTicketRow } from "./ticket-row.ts";
import { shownTicketColumns, ticketJoins } from "./ticket-row.ts";

/**
 * The ticket, locked until the transaction ends: concurrent changes wait here. The row is as the previous transaction
 * left it. The user and queue that served a closed ticket are read again, because the statement began before the wait.
 */
export async function lockTicket(
  ctx: Ctx,
  tx: Tx,
  id: TicketId,
): Promise<ShownTicketRow | undefined> {
  const [row] = await tx.query<ShownTicketRow>(lockStatement, [ctx.companyId, id]);
  if (row?.status !== "closed") return row;
  return { ...row, ...(await findVisibility(ctx, tx, id)) };
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
  if (step.kind === "await-rating") return [...holder, step.closedBy, step.reasonId];
  return [
    ...holder,
    step.isQueuedNow,
    step.started,
    isPersonsAct,
    ...(step.kind === "begin" ? [step.isReopened] : []),
    ...(step.kind === "finish" ? [step.closedBy, step.reasonId] : []),
  ];
}

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

/**
 * `$13` clears the unread count. The attendance part, if any, defines `cycle`. `updated_at` never decreases, so that a
 * client knows the newer of two versions. A ticket that waits again keeps from whom it came back. The user and queue that
 * served a closed ticket are in it and in its attendance. Nobody waits in a closed ticket; one that goes on has not been
 * answered in its new attendance.
 */
const saveText = (attendance: string) => `
with ${attendance === "" ? "" : `${attendance},`}
t as (
  update tickets set
    status = $4, user_id = $5, queue_id = $6, connection_id = $7, chatbot = $8, queue_option_id = $9,
    use_integration = $10, prompt_id = $11, integration_id = $12,
    unread_messages = case when $13 then 0 else unread_messages end,
    returned_by = case when $4 <> 'pending' then null when status = 'open' then user_id else returned_by end,
    waiting_since = case when $4 <> 'closed' then waiting_since end,
    queued_at = case when queue_id is distinct from $6 then $3 else queued_at end,
    is_answered = is_answered and status <> 'closed',
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

/** Whether an attendance that a statement begins is the first of the ticket: the statement sees the ticket as it was before. */
export const isFirstOf = (ticketId: string): string =>
  `exists (select from tickets f where f.company_id = $1 and f.id = ${ticketId} and f.last_attendance_id is null)`;

const openFrom = (source: string, isReopened = "false"): string => `
cycle as (
  insert into attendances
    (company_id, ticket_id, user_id, queue_id, connection_id, queued_at, started_at, attended_at, is_first, is_reopened,
     created_at)
  select $1, $2, $14, $15, $16, $3, case when $18 = 'now' then $3::timestamptz end,
    case when $19 then $3::timestamptz end, ${isFirstOf("$2")}, ${isReopened}, $3${source}
  on conflict (ticket_id) where finished_at is null do update set ${attendanceFields}
  returning id
)`;

/** Opens an attendance, or continues the unfinished one, of which there is at most one. */
const continueAttendance = openFrom("");
const beginAttendance = `${endAwaiting("$2", "$3")},${openFrom(" from ended", "$20::boolean")}`;

const awaitRatingSql = `
cycle as (
  update attendances set
    user_id = $14, queue_id = $15, connection_id = $16, rating_at = $3, closed_by = $17, reason_id = $18
  where company_id = $1 and ticket_id = $2 and finished_at is null
  returning id
)`;

const finishAttendance = `
finished as (
  update attendances set ${attendanceFields}, finished_at = $3, closed_by = $20, reason_id = $21
  where company_id = $1 and ticket_id = $2 and finished_at is null
  returning id
),
cycle as (
  insert into attendances
    (company_id, ticket_id, user_id, queue_id, connection_id, queued_at, attended_at, finished_at, closed_by, reason_id,
     is_first, created_at)
  select $1, $2, $14, $15, $16, $3, case when $19 then $3::timestamptz end, $3, $20, $21, ${isFirstOf("$2")}, $3 where not exists (select from finished)
  returning id
)`;

const saveStatements = {
  none: { name: "tickets.save", text: saveText("") },
  continue: { name: "tickets.save-continue", text: saveText(continueAttendance) },
  begin: { name: "tickets.save-begin", text: saveText(beginAttendance) },
  finish: { name: "tickets.save-finish", text: saveText(finishAttendance) },
  "await-rating": { name: "tickets.save-await-rating", text: saveText(awaitRatingSql) },
};
