import type { TicketId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Rate } from "./rating.ts";

/** What is said to a customer whose ticket is closed. */
export type Goodbye = {
  /** Empty where nothing is to be said. */
  completion: string;
  ratingIntroduction: string;
  /** The company asks, somebody has served him, and he was not asked before. */
  canBeRated: boolean;
  disableBot: boolean;
};

/** Of a locked ticket. */
export async function findGoodbye(ctx: Ctx, tx: Tx, ticketId: TicketId): Promise<Goodbye> {
  const [row] = await tx.query<Goodbye>(goodbyeStatement, [ctx.companyId, ticketId]);
  if (!row) throw new Error("the locked ticket is gone");
  return row;
}

/** The attendance of a closed ticket that awaits its rating, locked. */
export type AwaitedRating = { attendanceId: number };

/** Null where none is awaited that was asked for after `since` and no later than `until`. */
export async function lockAwaitedRating(
  ctx: Ctx,
  tx: Tx,
  ticketId: TicketId,
  asked: { since: Date; until: Date },
): Promise<AwaitedRating | null> {
  const [row] = await tx.query<AwaitedRating>(awaitedStatement, [
    ctx.companyId,
    ticketId,
    asked.since,
    asked.until,
  ]);
  return row ?? null;
}

/** The customer's answer; the attendance is over. */
export async function takeRating(
  ctx: Ctx,
  tx: Tx,
  { attendanceId }: AwaitedRating,
  rate: Rate,
  now: Date,
): Promise<void> {
  await tx.query(takeStatement, [ctx.companyId, attendanceId, rate, now]);
}

/** Ends waits that nobody answers any more, as many as `limit`; answers how many there were. */
export async function endOverdueAcrossCompanies(
  tx: Tx,
  overdueSince: Date,
  now: Date,
  limit: number,
): Promise<number> {
  const rows = await tx.query(overdueStatement, [overdueSince, now, limit]);
  return rows.length;
}

const goodbyeStatement = {
  name: "ratings.goodbye",
  text: `
select coalesce(w.complation_message, '') as completion, coalesce(w.rating_message, '') as "ratingIntroduction",
  c.disable_bot as "disableBot",
  coalesce(s.value = 'enabled', false) and a.user_id is not null and a.rating_at is null as "canBeRated"
from tickets t
join contacts c on c.company_id = t.company_id and c.id = t.contact_id
left join connections w on w.company_id = t.company_id and w.id = t.connection_id and w.deleted_at is null
left join settings s on s.company_id = t.company_id and s.key = 'userRating'
left join attendances a on a.company_id = t.company_id and a.ticket_id = t.id and a.finished_at is null
where t.company_id = $1 and t.id = $2`,
};

const awaitedStatement = {
  name: "ratings.lock-awaited",
  text: `
select id as "attendanceId" from attendances
where company_id = $1 and ticket_id = $2 and finished_at is null and rating_at > $3 and rating_at <= $4
for no key update`,
};

const takeStatement = {
  name: "ratings.take",
  text: `
with rated as (
  update attendances set finished_at = $4, rated = true
  where company_id = $1 and id = $2 and finished_at is null
  returning id, ticket_id, user_id
)
insert into ratings (company_id, attendance_id, ticket_id, user_id, rate, created_at)
select $1, id, ticket_id, user_id, $3, $4 from rated`,
};

export const overdueStatement = {
  name: "ratings.end-overdue",
  text: `
update attendances set finished_at = $2
where id in (
  select id from attendances
  where finished_at is null and rating_at is not null and rating_at <= $1
  order by rating_at limit $3 for no key update skip locked)
returning id`,
};
