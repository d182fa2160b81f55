import type { CompanyId } from "@balcao/contract";
import type { Database, PreparedStatement, Tx } from "../../platform/db/database.ts";
import type { Clock } from "../../platform/sources.ts";
import { resolvedAt, summedColumns, sums, unhappy } from "./measures.ts";
import { dayBegin } from "./period.ts";

/** Days of one statement: a second for a company of 30,000 attendances a day. */
const DAYS_AT_ONCE = 7;

/**
 * Sums the attendances of days that are over, and again those of days that have changed since. Figures are the same before,
 * while and after it runs, and it may run twice at the same time.
 */
export async function sumDaysAcrossCompanies(
  { db, clock }: { db: Database; clock: Clock },
  signal?: AbortSignal,
): Promise<void> {
  const due = await db.acrossCompanies((tx) => tx.query<DueCompany>(dueStatement, [clock.now()]));
  for (const company of due) {
    for (let isDue = true; isDue;) {
      signal?.throwIfAborted();
      isDue = await db.acrossCompanies((tx) => sumSome(tx, company, clock.now()));
    }
  }
}

type Day = { day: string };
type DueCompany = { companyId: CompanyId; timeZone: string };

/** False when nothing is left to sum. */
async function sumSome(tx: Tx, { companyId, timeZone }: DueCompany, now: Date): Promise<boolean> {
  await tx.query(lockStatement, [companyId]);
  // In this order, each with a snapshot of its own: a change that the sums do not have keeps its row.
  const changed = await tx.query<Day>(changedStatement, [companyId, timeZone]);
  const stale = changed.map(({ day }) => day);
  await tx.query(forgetStatement, [companyId, timeZone, stale]);
  for (let done = 0; done < stale.length; done += DAYS_AT_ONCE) {
    await tx.query(sumStatement, [companyId, timeZone, stale.slice(done, done + DAYS_AT_ONCE)]);
  }
  const fresh = await tx.query<Day>(freshStatement, [companyId, timeZone, now, DAYS_AT_ONCE]);
  if (fresh.length > 0) {
    await tx.query(sumStatement, [companyId, timeZone, fresh.map(({ day }) => day)]);
  }
  return fresh.length === DAYS_AT_ONCE;
}

/** Companies with changes, with a day that is over and not summed, or with another time zone than their sums. */
const dueStatement: PreparedStatement = {
  name: "dashboard.due-days",
  text: `
select c.id as "companyId", c.time_zone as "timeZone"
from companies c
left join lateral (
  select s.day, s.time_zone from summed_days s where s.company_id = c.id order by s.day desc limit 1) last on true
where exists (select from attendance_changes x where x.company_id = c.id)
  or last.time_zone <> c.time_zone
  or case when last.day is null
    then exists (select from attendances a where a.company_id = c.id and a.queued_at < $1::timestamptz - interval '1 day')
    else last.day < ($1::timestamptz at time zone c.time_zone)::date - 1 end
order by c.id`,
};

const lockStatement: PreparedStatement = {
  name: "dashboard.lock-days",
  text: `select pg_advisory_xact_lock(hashtextextended('day sums ' || $1::int, 5419))`,
};

/** Ends the changes that are known now; returns the summed days that they are of. */
const changedStatement: PreparedStatement = {
  name: "dashboard.changed-days",
  text: `
with known as (delete from attendance_changes where company_id = $1 returning queued_at)
select distinct s.day::text as day from known k
join summed_days s on s.company_id = $1 and s.time_zone = $2 and k.queued_at >= s.begins_at and k.queued_at < s.ends_at`,
};

const forgetStatement: PreparedStatement = {
  name: "dashboard.forget-days",
  text: `delete from summed_days where company_id = $1 and (time_zone <> $2 or day = any($3::date[]))`,
};

/** The first days after the summed ones that are over. Older attendances than the first summed day are never many. */
const freshStatement: PreparedStatement = {
  name: "dashboard.fresh-days",
  text: `
select d.day::date::text as day
from (
  select coalesce(
    (select max(s.day) + 1 from summed_days s where s.company_id = $1),
    (select (min(a.queued_at) at time zone $2)::date from attendances a where a.company_id = $1)) as first) f
cross join lateral generate_series(f.first::timestamp, (($3::timestamptz at time zone $2)::date - 1)::timestamp, interval '1 day') d(day)
order by d.day
limit $4`,
};

// A day that has moments with another date (its clocks go back over midnight) ends at its begin: it is not read from here.
const sumStatement: PreparedStatement = {
  name: "dashboard.sum-days",
  text: `
with days as materialized (
  select d.day, ${dayBegin("d.day", "$2")} as begins_at, ${dayBegin("d.day + 1", "$2")} as ends_at
  from unnest($3::date[]) as d(day)
), local as materialized (
  select d.day, a.*, a.queued_at at time zone $2 as local_at
  from days d
  cross join lateral (select * from attendances x
    where x.company_id = $1 and x.queued_at >= d.begins_at and x.queued_at < d.ends_at) a
), hours as (
  select a.day, extract(hour from a.local_at)::int as hour, count(*) as n, count(${resolvedAt}) as resolved
  from local a group by 1, 2
), written as (
  insert into summed_days (company_id, day, time_zone, begins_at, ends_at, queued, resolved)
  select $1, d.day, $2, d.begins_at,
    case when exists (select from local a where a.day = d.day and a.local_at::date <> d.day) then d.begins_at else d.ends_at end,
    array(select coalesce(h.n, 0) from generate_series(0, 23) x(hour)
      left join hours h on h.day = d.day and h.hour = x.hour order by x.hour),
    array(select coalesce(h.resolved, 0) from generate_series(0, 23) x(hour)
      left join hours h on h.day = d.day and h.hour = x.hour order by x.hour)
  from days d
)
insert into attendance_days (company_id, day, user_id, queue_id, connection_id, ${summedColumns}, unhappy)
select $1, a.day, a.user_id, a.queue_id, a.connection_id, ${sums}, ${unhappy}
from local a
group by a.day, a.user_id, a.queue_id, a.connection_id`,
};
