import type {
  DashboardFigures,
  FiguresFilter,
  QueueFigures,
  QueueId,
  ReplyOf,
  TimePoint,
  UserFigures,
  UserId,
} from "@balcao/contract";
import { addDays } from "date-fns/addDays";
import { addWeeks } from "date-fns/addWeeks";
import { format } from "date-fns/format";
import { parseISO } from "date-fns/parseISO";
import { startOfISOWeek } from "date-fns/startOfISOWeek";
import type { UserCtx } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import { requireRow } from "../../platform/db/records.ts";
import type { Clock } from "../../platform/sources.ts";
import type { Sums } from "./measures.ts";
import {
  addedSums,
  addUp,
  chosenBy,
  chosenValues,
  resolvedAt,
  storedSums,
  sums,
  toMeasures,
  unhappy,
} from "./measures.ts";
import type { Period } from "./period.ts";
import { readPeriod, toShownPeriod, unitOf } from "./period.ts";

export type FiguresDeps = { db: Database; clock: Clock };

/** All figures of a period: the period is one statement, the figures are another one, so they are of one moment. */
export async function showFigures(
  { db, clock }: FiguresDeps,
  ctx: UserCtx,
  filter: FiguresFilter,
): Promise<DashboardFigures> {
  const period = await readPeriod(db, ctx, filter, clock.now());
  const [row, totals] = await Promise.all([
    readFigures(db, ctx, filter, period),
    ctx.actor.super ? readTotals(db) : null,
  ]);
  const now = row.groups.filter(({ isBefore }) => !isBefore);
  const before = row.groups.filter(({ isBefore }) => isBefore);
  return {
    period: toShownPeriod(period),
    before: {
      ...{ from: period.beforeFrom, to: period.beforeTo },
      measures: before.length === 0 ? null : toMeasures(addUp(before)),
    },
    measures: toMeasures(addUp(now)),
    unhappyAfterWait: now.reduce((count, group) => count + group.unhappy, 0),
    users: toUsers(row, now),
    queues: toQueues(row, now),
    series: toSeries(period, row.series),
    heatMap: toHeatMap(row.heat),
    totals,
  };
}

export async function showByUser(
  { db, clock }: FiguresDeps,
  ctx: UserCtx,
  filter: FiguresFilter,
): Promise<ReplyOf<"GET /dashboard/by-user">> {
  const period = await readPeriod(db, ctx, filter, clock.now());
  // Without the days before, of which nothing is shown.
  const row = await readFigures(db, ctx, filter, { ...period, beforeAt: period.fromAt });
  return { period: toShownPeriod(period), users: toUsers(row, row.groups) };
}

export async function showByTime(
  { db, clock }: FiguresDeps,
  ctx: UserCtx,
  filter: FiguresFilter,
): Promise<ReplyOf<"GET /dashboard/by-time">> {
  const period = await readPeriod(db, ctx, filter, clock.now());
  const row = await readFigures(db, ctx, filter, { ...period, beforeAt: period.fromAt });
  return { period: toShownPeriod(period), series: toSeries(period, row.series) };
}

/** The totals of the installation, which only super users see (F23). */
export async function readTotals(db: Database): Promise<Totals> {
  return requireRow(await db.readAcrossCompanies<Totals>(totalsStatement, []));
}

type Totals = { companies: number; connections: number };

const totalsStatement = {
  name: "dashboard.totals",
  text: `
select (select count(*) from companies) as companies,
  (select count(*) from connections where deleted_at is null and wanted) as connections`,
};

type Group = Sums & {
  userId: UserId | null;
  queueId: QueueId | null;
  isBefore: boolean;
  unhappy: number;
};

/** Number of attendances, and of the resolved ones, of a unit of the chart that begins so. */
type Bar = [begin: string, n: number, resolved: number];

type FiguresRow = {
  groups: Group[];
  series: Bar[];
  heat: [weekday: number, hour: number, n: number][];
  users: Pick<UserFigures, "id" | "name" | "isRemoved" | "online" | "openNow">[];
  queues: Pick<QueueFigures, "id" | "name" | "color" | "isRemoved">[];
};

async function readFigures(
  db: Database,
  ctx: UserCtx,
  filter: FiguresFilter,
  period: Period,
): Promise<FiguresRow> {
  const { beforeAt, fromAt, untilAt, timeZone } = period;
  const values = [ctx.companyId, beforeAt, fromAt, untilAt, timeZone, unitOf(period)];
  return requireRow(
    await db.read<FiguresRow>(ctx, figuresStatement, [...values, ...chosenValues(filter)]),
  );
}

// By hand. Days that are summed, and have not changed since, are read from their sums; what lies between them (today, days that
// have changed, all of a company whose days are not summed yet) is read from the index `attendances_figures` alone. There
// attendances become groups of user and queue, and quarters of an hour, and only those few are turned into local time, JSON and
// averages: every offset of a time zone is made of quarters. Sums do not know tags, and hours no choice at all.
// Without a name it is planned for its values each time.
const figuresStatement = {
  name: "",
  text: `
with summed as materialized (
  select s.* from summed_days s
  where s.company_id = $1 and s.time_zone = $5 and s.begins_at >= $2 and s.ends_at <= $4 and s.ends_at > s.begins_at
    and $10::int[] is null
    and not exists (select from attendance_changes c
      where c.company_id = $1 and c.queued_at >= s.begins_at and c.queued_at < s.ends_at)
), gaps as materialized (
  select from_at, until_at from (
    select lag(x.ends_at, 1, $2::timestamptz) over (order by x.begins_at) as from_at, x.begins_at as until_at
    from (select begins_at, ends_at from summed union all select $4, $4) x) y
  where from_at < until_at
), groups as materialized (
  select s."userId", s."queueId", s."isBefore", ${addedSums}, sum(s.unhappy)::bigint as unhappy
  from (
    select a.user_id as "userId", a.queue_id as "queueId", d.begins_at < $3 as "isBefore", ${storedSums}, a.unhappy
    from summed d join attendance_days a on a.company_id = $1 and a.day = d.day
    where ${chosenBy(7, "null")}
    union all
    select r.* from gaps g cross join lateral (
      select a.user_id, a.queue_id, a.queued_at < $3, ${sums}, ${unhappy}
      from attendances a
      where a.company_id = $1 and a.queued_at >= g.from_at and a.queued_at < g.until_at and ${chosenBy(7)}
      group by a.user_id, a.queue_id, a.queued_at < $3) r) s
  group by s."userId", s."queueId", s."isBefore"
), whole as (
  select coalesce($7::int[], $8::int[], $9::int[]) is null as is_whole
), quarters as materialized (
  select d.day + make_interval(hours => h.hour::int - 1) as at, h.n::bigint as n, h.resolved::bigint as resolved
  from whole join summed d on is_whole and d.begins_at >= $3
  cross join unnest(d.queued, d.resolved) with ordinality as h(n, resolved, hour)
  union all
  select r.quarter at time zone $5, r.n, r.resolved
  from (
    select greatest(g.from_at, $3) as from_at, g.until_at from whole join gaps g on is_whole and g.until_at > $3
    union all select $3, $4 from whole where not is_whole) g
  cross join lateral (
    select date_bin('15 minutes', a.queued_at, '2000-01-01Z') as quarter, count(*) as n, count(${resolvedAt}) as resolved
    from attendances a
    where a.company_id = $1 and a.queued_at >= g.from_at and a.queued_at < g.until_at and ${chosenBy(7)}
    group by 1) r
), served as (
  select t.user_id, count(*)::int as open from tickets t
  where t.company_id = $1 and t.status = 'open' and t.user_id is not null group by t.user_id
)
select
  (select coalesce(json_agg(g), '[]') from groups g) as groups,
  (select coalesce(json_agg(json_build_array(
      to_char(s.at, case when $6 = 'hour' then 'YYYY-MM-DD"T"HH24' else 'YYYY-MM-DD' end), s.n, s.resolved)), '[]')
    from (select date_trunc($6, q.at) as at, sum(q.n) as n, sum(q.resolved) as resolved from quarters q group by 1) s
  ) as series,
  (select coalesce(json_agg(json_build_array(h.weekday, h.hour, h.n)), '[]')
    from (select extract(isodow from q.at)::int - 1 as weekday, extract(hour from q.at)::int as hour, sum(q.n) as n
      from quarters q group by 1, 2) h) as heat,
  (select coalesce(json_agg(json_build_object('id', u.id, 'name', u.name, 'isRemoved', u.deleted_at is not null,
      'online', u.online and u.deleted_at is null, 'openNow', coalesce(s.open, 0))
      order by u.deleted_at is not null, f_norm(u.name), u.id), '[]')
    from users u left join served s on s.user_id = u.id
    where u.company_id = $1
      and (u.deleted_at is null or u.id in (select g."userId" from groups g where not g."isBefore"))) as users,
  (select coalesce(json_agg(json_build_object('id', q.id, 'name', q.name, 'color', q.color,
      'isRemoved', q.deleted_at is not null)
      order by q.deleted_at is not null, q.order_queue nulls last, q.id), '[]')
    from queues q
    where q.company_id = $1
      and (q.deleted_at is null or q.id in (select g."queueId" from groups g where not g."isBefore"))) as queues`,
};

const byResolved = (a: UserFigures, b: UserFigures): number =>
  Number(a.isRemoved) - Number(b.isRemoved) || b.resolved - a.resolved;

/** Rows come by name, and stay so among equals. */
function toUsers({ users }: FiguresRow, groups: readonly Group[]): UserFigures[] {
  const of = groupsBy(groups, ({ userId }) => userId);
  const rows = users.map((user) => ({ ...user, ...toMeasures(addUp(of.get(user.id) ?? [])) }));
  const nobody = of.get(null);
  return [
    ...rows.sort(byResolved),
    ...(nobody
      ? [
          {
            ...{ id: null, name: "", isRemoved: false, online: false, openNow: 0 },
            ...toMeasures(addUp(nobody)),
          },
        ]
      : []),
  ];
}

function toQueues({ queues }: FiguresRow, groups: readonly Group[]): QueueFigures[] {
  const of = groupsBy(groups, ({ queueId }) => queueId);
  const none = of.get(null);
  return [
    ...queues.map((queue) => ({ ...queue, ...toMeasures(addUp(of.get(queue.id) ?? [])) })),
    ...(none
      ? [{ ...{ id: null, name: "", color: "", isRemoved: false }, ...toMeasures(addUp(none)) }]
      : []),
  ];
}

function groupsBy<Id>(groups: readonly Group[], idOf: (group: Group) => Id): Map<Id, Group[]> {
  const found = new Map<Id, Group[]>();
  for (const group of groups) {
    const id = idOf(group);
    const list = found.get(id);
    if (list) list.push(group);
    else found.set(id, [group]);
  }
  return found;
}

const dayOf = (date: Date): string => format(date, "yyyy-MM-dd");

/** Every bar of the period, also those without attendances. Days are calendar days: no time zone is involved. */
function toSeries(period: Period, bars: readonly Bar[]): TimePoint[] {
  const found = new Map(bars.map(([begin, n, resolved]) => [begin, { attendances: n, resolved }]));
  const at = (begin: string) => found.get(begin) ?? { attendances: 0, resolved: 0 };
  const { from, to } = period;
  const unit = unitOf(period);
  if (unit === "hour") {
    return Array.from({ length: 24 }, (_, hour) => ({
      ...{ from, to, hour },
      ...at(`${from}T${String(hour).padStart(2, "0")}`),
    }));
  }
  const points: TimePoint[] = [];
  const first = parseISO(from);
  if (unit === "day") {
    for (let n = 0; n < period.days; n += 1) {
      const day = dayOf(addDays(first, n));
      points.push({ from: day, to: day, hour: null, ...at(day) });
    }
    return points;
  }
  for (let monday = startOfISOWeek(first); dayOf(monday) <= to; monday = addWeeks(monday, 1)) {
    const [begin, end] = [dayOf(monday), dayOf(addDays(monday, 6))];
    const clipped = { from: begin < from ? from : begin, to: end > to ? to : end };
    points.push({ ...clipped, hour: null, ...at(begin) });
  }
  return points;
}

function toHeatMap(cells: FiguresRow["heat"]): number[][] {
  const map = Array.from({ length: 7 }, () => Array.from({ length: 24 }, () => 0));
  for (const [weekday, hour, n] of cells) {
    const day = map[weekday];
    if (day) day[hour] = n;
  }
  return map;
}
