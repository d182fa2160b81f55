import type { InputOf, ReplyOf, UserId } from "@balcao/contract";
import { subDays } from "date-fns/subDays";
import type { UserCtx } from "../../platform/context.ts";
import { requireRow } from "../../platform/db/records.ts";
import type { FiguresDeps } from "./figures.ts";
import { readTotals } from "./figures.ts";
import { times } from "./measures.ts";
import type { Period, WantedPeriod } from "./period.ts";
import { readMonth, readPeriod } from "./period.ts";

// The calls of clients of the family (wire-contract 5.24, behaviour 2.14). Times are minutes.

type Attendant = ReplyOf<"GET /dashboard">["attendants"][number];

type CountersRow = {
  supportMs: number;
  supported: number;
  waitMs: number;
  waited: number;
  finished: number;
  open: number;
  pending: number;
  leads: number;
  attendants: (Omit<Attendant, "rating" | "avgSupportTime"> & {
    id: UserId;
    rating: number | null;
    supportMs: number;
    supported: number;
  })[];
};

const minutes = (ms: number, count: number): number | null =>
  count === 0 ? null : ms / count / 60_000;

/** `days` are the last hours here, 24 for each day, and need no calendar; dates are days of the company. */
export async function showCounters(
  { db, clock }: FiguresDeps,
  ctx: UserCtx,
  query: InputOf<"GET /dashboard">["query"],
): Promise<ReplyOf<"GET /dashboard">> {
  const now = clock.now();
  const { days, date_from: dateFrom, date_to: dateTo } = query;
  const period = (wanted: WantedPeriod) => readPeriod(db, ctx, wanted, now);
  let between: [Date | null, Date | null] = [null, null];
  if (dateFrom === undefined && dateTo === undefined) {
    between = days === undefined ? boundsOf(await period({})) : [subDays(now, days), null];
  } else if (dateFrom === undefined) {
    between = [null, (await period({ dateFrom: dateTo, dateTo })).untilAt];
  } else {
    between = boundsOf(await period({ dateFrom, dateTo }));
    if (dateTo === undefined) between[1] = null;
  }
  const values = [ctx.companyId, ...between];
  const row = requireRow(await db.read<CountersRow>(ctx, countersStatement, values));
  const totals = ctx.actor.super ? await readTotals(db) : null;
  return {
    counters: {
      avgSupportTime: minutes(row.supportMs, row.supported),
      avgWaitTime: minutes(row.waitMs, row.waited),
      supportHappening: row.open,
      supportPending: row.pending,
      supportFinished: row.finished,
      leads: row.leads,
      totalCompanies: totals?.companies ?? 0,
      totalWhatsappSessions: totals?.connections ?? 0,
    },
    attendants: row.attendants.map(({ supportMs, supported, rating, ...attendant }) => ({
      ...attendant,
      rating: rating ?? 0,
      avgSupportTime: minutes(supportMs, supported) ?? 0,
    })),
  };
}

const boundsOf = ({ fromAt, untilAt }: Period): [Date | null, Date | null] => [fromAt, untilAt];

const timeOf = (name: "wait" | "support", ms: string, count: string): string => {
  const [from, to] = times[name];
  const filter = `filter (where ${to} > ${from})`;
  return `count(*) ${filter} as ${count},
  coalesce((extract(epoch from sum(${to} - ${from}) ${filter}) * 1000)::bigint, 0) as "${ms}"`;
};

const withinBounds =
  "a.queued_at >= coalesce($2::timestamptz, '-infinity') and a.queued_at < coalesce($3::timestamptz, 'infinity')";

// By hand and unnamed: planned for its bounds, and read from the index `attendances_figures` alone.
const countersStatement = {
  name: "",
  text: `
with users_rows as materialized (
  select a.user_id, count(*) as tickets, count(a.finished_at) as finished, avg(a.rate)::float8 as rating,
    ${timeOf("support", "supportMs", "supported")}, ${timeOf("wait", "waitMs", "waited")}
  from attendances a where a.company_id = $1 and ${withinBounds}
  group by a.user_id
)
select t.*,
  (select count(*) from tickets where company_id = $1 and status = 'open') as open,
  (select count(*) from tickets where company_id = $1 and status = 'pending') as pending,
  (select count(*) from (
    select from attendances a join tickets k on k.company_id = $1 and k.id = a.ticket_id
    where a.company_id = $1 and ${withinBounds}
    group by k.contact_id having count(*) = 1) one) as leads,
  (select coalesce(json_agg(json_build_object('id', u.id, 'name', u.name, 'online', u.online,
      'tickets', coalesce(r.tickets, 0), 'rating', r.rating, 'supportMs', coalesce(r."supportMs", 0),
      'supported', coalesce(r.supported, 0)) order by f_norm(u.name), u.id), '[]')
    from users u left join users_rows r on r.user_id = u.id
    where u.company_id = $1 and u.deleted_at is null) as attendants
from (
  select coalesce(sum("supportMs"), 0)::float8 as "supportMs", coalesce(sum(supported), 0)::int as supported,
    coalesce(sum("waitMs"), 0)::float8 as "waitMs", coalesce(sum(waited), 0)::int as waited,
    coalesce(sum(finished), 0)::int as finished
  from users_rows) t`,
};

type ChartQuery = InputOf<"GET /dashboard/ticketsUsers">["query"];

/** Without dates the month until today, which is what these clients show first. */
const chartPeriod = (
  { db, clock }: FiguresDeps,
  ctx: UserCtx,
  { initialDate: dateFrom, finalDate: dateTo }: ChartQuery,
): Promise<Period> =>
  dateFrom === undefined && dateTo === undefined
    ? readMonth(db, ctx, clock.now())
    : readPeriod(db, ctx, { dateFrom, dateTo }, clock.now());

export async function countByUser(
  deps: FiguresDeps,
  ctx: UserCtx,
  query: ChartQuery,
): Promise<ReplyOf<"GET /dashboard/ticketsUsers">> {
  const { fromAt, untilAt } = await chartPeriod(deps, ctx, query);
  const data = await deps.db.read<{ nome: string; quantidade: number }>(ctx, byUserStatement, [
    ctx.companyId,
    fromAt,
    untilAt,
  ]);
  return { data, count: data.reduce((sum, { quantidade }) => sum + quantidade, 0) };
}

const byUserStatement = {
  name: "dashboard.finished-by-user",
  text: `
with finished as (
  select a.user_id, count(*) as n from attendances a
  where a.company_id = $1 and a.finished_at >= $2 and a.finished_at < $3 and a.user_id is not null
  group by a.user_id
)
select u.name as nome, coalesce(f.n, 0) as quantidade
from users u left join finished f on f.user_id = u.id
where u.company_id = $1 and u.deleted_at is null
order by f_norm(u.name), u.id`,
};

export async function countByTime(
  deps: FiguresDeps,
  ctx: UserCtx,
  query: ChartQuery,
): Promise<ReplyOf<"GET /dashboard/ticketsDay">> {
  const period = await chartPeriod(deps, ctx, query);
  const { fromAt, untilAt, timeZone, days } = period;
  const values = [ctx.companyId, fromAt, untilAt, timeZone, days === 1];
  const rows = await deps.db.read<{ day: string; hour: number; total: number }>(
    ctx,
    byTimeStatement,
    values,
  );
  const count = rows.reduce((sum, { total }) => sum + total, 0);
  return days === 1
    ? { data: rows.map(({ hour, total }) => ({ horario: hour, total })), count }
    : { data: rows.map(({ day, total }) => ({ data: day, total })), count };
}

const byTimeStatement = {
  name: "dashboard.created-by-time",
  text: `
select to_char(x.at, 'DD/MM/YYYY') as day, extract(hour from x.at)::int as hour, x.total
from (
  select date_trunc(case when $5 then 'hour' else 'day' end, a.created_at at time zone $4) as at, count(*) as total
  from attendances a
  where a.company_id = $1 and a.created_at >= $2 and a.created_at < $3
  group by 1) x
order by x.at`,
};
