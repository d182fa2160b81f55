import type { DashboardNow, NowFilter } from "@balcao/contract";
import { limits } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { isoText, requireRow, toIso } from "../../platform/db/records.ts";
import type { FiguresDeps } from "./figures.ts";
import { chosenBy, chosenValues, resolvedAt, times } from "./measures.ts";
import { dayBegin } from "./period.ts";

type Today = {
  timeZone: string;
  today: string;
  hour: number;
  beginsAt: Date;
  endsAt: Date;
  /** The same weekday a week ago: its day, its begin, and the moment with the present local time. */
  beforeDay: string;
  beforeAt: Date;
  beforeUntil: Date;
  /** Begin and end of the last four same weekdays. */
  usualFrom: Date[];
  usualUntil: Date[];
};

type NowRow = Omit<
  DashboardNow,
  "at" | "timeZone" | "today" | "hour" | "resolvedToday" | "hours"
> & {
  resolvedToday: { count: number; before: number };
  hours: [hour: number, n: number][];
  usual: [hour: number, n: number][];
};

/** What waits and is served now, and today's figures: for the dashboard's first strip and for the wall. */
export async function showNow(
  { db, clock }: FiguresDeps,
  ctx: UserCtx,
  filter: NowFilter,
): Promise<DashboardNow> {
  const now = clock.now();
  const today = requireRow(await db.read<Today>(ctx, todayStatement, [ctx.companyId, now]));
  const { beginsAt, endsAt, beforeAt, beforeUntil, usualFrom, usualUntil, timeZone } = today;
  const moments = [now, beginsAt, endsAt, beforeAt, beforeUntil, usualFrom, usualUntil, timeZone];
  const values = [ctx.companyId, ...moments, limits.teamMax, ...chosenValues(filter)];
  const row = requireRow(await db.read<NowRow>(ctx, nowStatement, values));
  const [hours, usual] = [new Map(row.hours), new Map(row.usual)];
  return {
    ...row,
    ...{ at: toIso(now), timeZone, today: today.today, hour: today.hour },
    resolvedToday: { ...row.resolvedToday, beforeDay: today.beforeDay },
    hours: Array.from({ length: 24 }, (_, hour) => ({
      hour,
      attendances: hours.get(hour) ?? 0,
      usual: (usual.get(hour) ?? 0) / USUAL_WEEKS,
    })),
  };
}

const USUAL_WEEKS = 4;

const todayStatement = {
  name: "dashboard.today",
  text: `
select c.time_zone as "timeZone", to_char(d.day, 'YYYY-MM-DD') as today, extract(hour from d.local)::int as hour,
  ${dayBegin("d.day", "c.time_zone")} as "beginsAt", ${dayBegin("d.day + 1", "c.time_zone")} as "endsAt",
  to_char(d.day - 7, 'YYYY-MM-DD') as "beforeDay", ${dayBegin("d.day - 7", "c.time_zone")} as "beforeAt",
  (d.local - interval '7 days') at time zone c.time_zone as "beforeUntil",
  array(select ${dayBegin("d.day - 7 * n", "c.time_zone")} from generate_series(1, ${USUAL_WEEKS}) n order by n) as "usualFrom",
  array(select ${dayBegin("d.day - 7 * n + 1", "c.time_zone")} from generate_series(1, ${USUAL_WEEKS}) n order by n) as "usualUntil"
from companies c
cross join lateral (select $2::timestamptz at time zone c.time_zone as local) l
cross join lateral (select l.local, l.local::date as day) d
where c.id = $1`,
};

const CHOSEN = 11;
const chosen = chosenBy(CHOSEN);
/** Nobody serves a waiting ticket, so a choice of users does not narrow what waits. */
const chosenTickets = (withUser: boolean): string => chosenBy(CHOSEN, "a.id", withUser);

const [waitFrom, waitTo] = times.wait;

const queuesChosen = `($${CHOSEN}::int[] is null or q.id = any($${CHOSEN}::int[]))`;
const usersChosen = `($${CHOSEN + 1}::int[] is null or u.id = any($${CHOSEN + 1}::int[]))
    and ($${CHOSEN}::int[] is null or exists (
      select from user_queues uq where uq.company_id = $1 and uq.user_id = u.id and uq.queue_id = any($${CHOSEN}::int[])))`;

const longest = (since: string, order: string): string => `(
    select json_build_object('ticketId', w.id, 'ticketUuid', w.uuid, 'contactName', k.name,
      'queueName', wq.name, 'since', ${isoText("w.since")})
    from waiting w
    join contacts k on k.company_id = $1 and k.id = w.contact_id
    left join queues wq on wq.company_id = $1 and wq.id = w.queue_id
    where w.since is not null and ${since}
    order by ${order} limit 1)`;

const averages = (ms: string, count: string): string =>
  `json_build_object('seconds', case when ${count} > 0 then ${ms} / ${count} / 1000.0 end, 'count', ${count})`;

// By hand: one statement, so that all figures are of one moment. Tickets are read by the indexes of what waits and is served,
// today's attendances and those of four days by `attendances_figures`, the resolved ones by `attendances_resolved`.
const nowStatement = {
  name: "",
  text: `
with waiting as materialized (
  select a.id, a.uuid, a.contact_id, a.queue_id, coalesce(a.waiting_since, a.queued_at) as since
  from tickets a
  where a.company_id = $1 and a.status = 'pending' and not a.chatbot and a.snooze_id is null and ${chosenTickets(false)}
), menus as (
  select count(*) as all, count(*) filter (where k.closed_told_until > $2) as closed
  from tickets a
  left join attendant_turns k on k.company_id = $1 and k.ticket_id = a.id
  where a.company_id = $1 and a.status = 'pending' and a.chatbot and ${chosenTickets(false)}
), served as materialized (
  select a.user_id, a.waiting_since from tickets a
  where a.company_id = $1 and a.status = 'open' and ${chosenTickets(true)}
), served_by as (
  select s.user_id, count(*) as open, min(s.waiting_since) as oldest from served s group by s.user_id
), team as (
  select u.* from users u
  where u.company_id = $1 and u.deleted_at is null and ${usersChosen}
  order by u.online desc, f_norm(u.name), u.id limit $10
), came as (
  select a.queued_at, ${waitTo} - ${waitFrom} as wait from attendances a
  where a.company_id = $1 and a.queued_at >= $3 and a.queued_at < $4 and ${chosen}
), waited as (
  select count(*) as n, extract(epoch from sum(wait)) * 1000 as ms from came where wait > interval '0'
), gone as (
  select a.rate from attendances a
  where a.company_id = $1 and ${resolvedAt} >= $3 and ${resolvedAt} < $4 and ${chosen}
), left_since as (
  select count(*) as n from attendances a
  where a.company_id = $1 and (a.finished_at is null or a.finished_at > $2::timestamptz - interval '1 hour')
    and a.queued_at <= $2::timestamptz - interval '1 hour'
    and coalesce(a.started_at, ${resolvedAt}) > $2::timestamptz - interval '1 hour' and ${chosenBy(CHOSEN, "a.ticket_id", false)}
), waiting_by as (
  select w.queue_id, count(*) as n from waiting w group by w.queue_id
), shown as (
  select q.id, q.name, q.color, q.first_answer_minutes as target, q.order_queue as place, coalesce(w.n, 0) as waiting
  from queues q left join waiting_by w on w.queue_id = q.id
  where q.company_id = $1 and q.deleted_at is null and ${queuesChosen}
  union all
  select null, '', '', null, null, w.n from waiting_by w where w.queue_id is null
)
select
  json_build_object('count', (select count(*) from waiting),
    'hourAgo', (select count(*) from waiting where since <= $2::timestamptz - interval '1 hour') + (select n from left_since),
    'longest', ${longest("true", "w.since, w.id")}) as waiting,
  (select json_build_object('count', count(*), 'unanswered', count(waiting_since)) from served) as open,
  (select json_build_object('count', m.all, 'inMenu', m.all - m.closed, 'outOfHours', m.closed) from menus m) as "withChatbot",
  (select json_build_object('online', count(*) filter (where online), 'total', count(*)) from team) as people,
  json_build_object('count', (select count(*) from gone), 'before', (
    select count(*) from attendances a
    where a.company_id = $1 and ${resolvedAt} >= $5 and ${resolvedAt} < $6 and ${chosen})) as "resolvedToday",
  (select ${averages("ms", "n")} from waited) as "waitToday",
  (select json_build_object('average', avg(rate)::float8, 'count', count(rate)) from gone) as "ratingsToday",
  (select min(target) from shown) as "targetMinutes",
  (select coalesce(json_agg(json_build_object('id', q.id, 'name', q.name, 'color', q.color, 'waiting', q.waiting,
      'targetMinutes', q.target, 'people', n.people, 'online', n.online,
      'longest', ${longest("w.queue_id is not distinct from q.id", "w.since, w.id")})
      order by q.id is null, q.place nulls last, q.id), '[]')
    from shown q cross join lateral (
      select count(*) as people, count(*) filter (where u.online) as online
      from user_queues uq join users u on u.company_id = $1 and u.id = uq.user_id and u.deleted_at is null
      where uq.company_id = $1 and uq.queue_id = q.id) n) as queues,
  (select coalesce(json_agg(json_build_object('id', u.id, 'name', u.name, 'online', u.online,
      'lastSeenAt', ${isoText("u.last_seen_at")}, 'availability', u.availability, 'pauseReason', u.pause_reason,
      'availabilitySince', ${isoText("u.availability_since")}, 'open', coalesce(s.open, 0),
      'oldestSince', ${isoText("s.oldest")},
      'queueIds', (select coalesce(json_agg(uq.queue_id order by uq.queue_id), '[]') from user_queues uq
        where uq.company_id = $1 and uq.user_id = u.id))
      order by u.online desc, coalesce(s.open, 0) desc, f_norm(u.name), u.id), '[]')
    from team u left join served_by s on s.user_id = u.id) as team,
  (select coalesce(json_agg(json_build_array(h.hour, h.n)), '[]')
    from (select extract(hour from queued_at at time zone $9)::int as hour, count(*) as n from came group by 1) h) as hours,
  (select coalesce(json_agg(json_build_array(h.hour, h.n)), '[]')
    from (select extract(hour from a.queued_at at time zone $9)::int as hour, count(*) as n
      from unnest($7::timestamptz[], $8::timestamptz[]) as d (begins, ends)
      join attendances a on a.company_id = $1 and a.queued_at >= d.begins and a.queued_at < d.ends and ${chosen}
      group by 1) h) as usual`,
};
