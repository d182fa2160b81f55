import type { CompanyId, ContactId, MessageId, ScheduleId, TicketId } from "@balcao/contract";
import { acks } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { changedSchedules, scheduleColumns, scheduleJoins } from "./repository.ts";
import type { AfterFailure } from "./retry.ts";
import type { ScheduleRow } from "./schedule.ts";

/** What one process has taken to hand over; `lockedAt` is how it knows its own claim again. */
export type Claim = {
  companyId: CompanyId;
  id: ScheduleId;
  lockedAt: Date;
  fileKey: string | null;
  fileName: string | null;
};

/**
 * Takes schedules that are due, the longest waiting ones of each company first: a company with very many does not hold
 * up the others. Of several processes each gets other rows.
 */
export async function claimDueAcrossCompanies(
  tx: Tx,
  now: Date,
  { perCompany, limit }: { perCompany: number; limit: number },
): Promise<ScheduleRow[]> {
  return tx.query<ScheduleRow>(claimStatement, [now, perCompany, limit]);
}

/** Gives back what a process took and never handed over: it died in between. */
export async function returnLostAcrossCompanies(
  tx: Tx,
  now: Date,
  lostSince: Date,
): Promise<ScheduleRow[]> {
  return tx.query<ScheduleRow>(returnStatement, [now, lostSince]);
}

/** Gives back what this process took and has not begun to hand over. */
export async function returnClaimsAcrossCompanies(
  tx: Tx,
  claims: readonly Claim[],
  now: Date,
): Promise<ScheduleRow[]> {
  const ids = claims.map(({ id }) => id);
  const times = claims.map(({ lockedAt }) => lockedAt);
  return tx.query<ScheduleRow>(giveBackStatement, [now, ids, times]);
}

/** The claim, locked, unless people have changed or removed the schedule since. */
export async function lockClaim(ctx: Ctx, tx: Tx, claim: Claim): Promise<ScheduleRow | undefined> {
  const values = [ctx.companyId, claim.id, claim.lockedAt];
  const [row] = await tx.query<ScheduleRow>(lockClaimStatement, values);
  return row;
}

/** The contact's newest ticket, if its connection is connected. */
export async function findConnectedTicket(
  ctx: Ctx,
  tx: Tx,
  contactId: ContactId,
): Promise<TicketId | null> {
  const [row] = await tx.query<{ id: TicketId; isConnected: boolean }>(newestTicketStatement, [
    ctx.companyId,
    contactId,
  ]);
  return row?.isConnected ? row.id : null;
}

/** From here on the schedule is this message. */
export async function noteHandedOver(
  ctx: Ctx,
  tx: Tx,
  id: ScheduleId,
  message: { messageId: MessageId; ticketId: TicketId; now: Date },
): Promise<ScheduleRow | undefined> {
  const [row] = await tx.query<ScheduleRow>(handedOverStatement, [
    ctx.companyId,
    id,
    message.messageId,
    message.ticketId,
    message.now,
  ]);
  return row;
}

export async function noteFailure(
  ctx: Ctx,
  tx: Tx,
  id: ScheduleId,
  { status, dueAt, attempts, errorCode }: AfterFailure,
  now: Date,
): Promise<ScheduleRow | undefined> {
  const [row] = await tx.query<ScheduleRow>(failureStatement, [
    ctx.companyId,
    id,
    status,
    dueAt,
    attempts,
    errorCode,
    now,
  ]);
  return row;
}

/**
 * Ends the schedules whose message has come to an end: the network has it, has refused it, or people have taken it out of
 * the ticket. A message that is written but not acknowledged counts as sent after `patienceSince`.
 */
export async function settleAcrossCompanies(
  tx: Tx,
  now: Date,
  patienceSince: Date,
): Promise<ScheduleRow[]> {
  return tx.query<ScheduleRow>(settleStatement, [now, patienceSince]);
}

const claimStatement = {
  name: "schedules.claim",
  text: changedSchedules(
    `
update schedules set status = 'AGENDADA', locked_at = $1, updated_at = $1
from due where schedules.id = due.id`,
    `
due as materialized (
  select picked.id from (
    select distinct company_id from schedules where status = 'PENDENTE' and due_at <= $1
  ) company
  cross join lateral (
    select id from schedules waiting
    where waiting.company_id = company.company_id and waiting.status = 'PENDENTE' and waiting.due_at <= $1
    order by waiting.due_at, waiting.id limit $2
    for update skip locked
  ) picked
  limit $3
),`,
  ),
};

const returnStatement = {
  name: "schedules.return-lost",
  text: changedSchedules(`
update schedules set status = 'PENDENTE', locked_at = null, updated_at = $1
where status = 'AGENDADA' and due_at <= $1 and message_id is null and locked_at < $2`),
};

const giveBackStatement = {
  name: "schedules.give-back",
  text: changedSchedules(`
update schedules set status = 'PENDENTE', locked_at = null, updated_at = $1
from unnest($2::int[], $3::timestamptz[]) as claim (claimed_id, claimed_at)
where schedules.id = claimed_id and schedules.status = 'AGENDADA' and message_id is null
  and locked_at = claimed_at`),
};

const lockClaimStatement = {
  name: "schedules.lock-claim",
  text: `
with s as materialized (
  select * from schedules
  where company_id = $1 and id = $2 and status = 'AGENDADA' and locked_at = $3 and message_id is null
  for update
)
select ${scheduleColumns} from s ${scheduleJoins}`,
};

const newestTicketStatement = {
  name: "schedules.newest-ticket",
  text: `
select t.id, w.status = 'CONNECTED' as "isConnected"
from tickets t
left join connections w on w.company_id = t.company_id and w.id = t.connection_id
  and w.deleted_at is null
where t.company_id = $1 and t.contact_id = $2
order by coalesce(t.last_message_at, t.created_at) desc, t.id desc
limit 1`,
};

const handedOverStatement = {
  name: "schedules.handed-over",
  text: changedSchedules(`
update schedules set
  message_id = $3, ticket_id = $4, locked_at = null, error_code = null, attempts = 0, updated_at = $5
where company_id = $1 and id = $2`),
};

const failureStatement = {
  name: "schedules.failure",
  text: changedSchedules(`
update schedules set
  status = $3, due_at = $4, attempts = $5, error_code = $6, locked_at = null, updated_at = $7
where company_id = $1 and id = $2`),
};

const settleStatement = {
  name: "schedules.settle",
  // Those that nobody is busy with: a claim has its lock. The due time bounds what the index reads.
  text: changedSchedules(`
update schedules set
  status = case when ended.code is null then 'ENVIADA' else 'ERRO' end,
  sent_at = case when ended.code is null then $1::timestamptz end,
  error_code = ended.code, updated_at = $1
from (
  select o.id, case
      when m.id is null then 'ERR_NO_MESSAGE_FOUND'
      when m.ack < ${acks.server} then m.failed_code
    end as code
  from schedules o
  left join messages m on m.company_id = o.company_id and m.id = o.message_id
  where o.status = 'AGENDADA' and o.due_at <= $1 and o.locked_at is null and (
    m.id is null or m.failed_code is not null or m.ack >= ${acks.server}
    or (m.ack >= ${acks.written} and o.updated_at < $2))
) ended
where schedules.id = ended.id and schedules.status = 'AGENDADA' and schedules.locked_at is null`),
};
