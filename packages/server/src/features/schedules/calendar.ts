import type {
  CalendarEntry,
  CalendarState,
  ConnectionId,
  InputOf,
  ReplyOf,
} from "@balcao/contract";
import { calendarStates, limits } from "@balcao/contract";
import { differenceInCalendarDays } from "date-fns/differenceInCalendarDays";
import type { SQL } from "drizzle-orm";
import { and, eq, inArray, sql } from "drizzle-orm";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError, hasPermission } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import type { ScheduleRow } from "./schedule.ts";
import { scheduleColumns, scheduleJoins, toSchedule } from "./schedule.ts";

/** The state of a row `s` of schedules that is joined with its contact `c`. */
const stateOf = (s: string, c: string): string => `case ${s}.status
  when 'ENVIADA' then 'sent' when 'ERRO' then 'failed'
  else case when ${c}.opted_out_at is null then 'waiting' else 'optedOut' end end`;

/** The connection of the schedule's ticket, else of the contact's newest ticket, else the company's default one. */
const connectionOf = (s: string): string => `coalesce(
  (select t.connection_id from tickets t where t.company_id = ${s}.company_id and t.id = ${s}.ticket_id),
  (select t.connection_id from tickets t
    where ${s}.ticket_id is null and t.company_id = ${s}.company_id and t.contact_id = ${s}.contact_id
    order by coalesce(t.last_message_at, t.created_at) desc, t.id desc limit 1),
  (select d.id from connections d
    where d.company_id = ${s}.company_id and d.is_default and d.deleted_at is null limit 1))`;

/** For the typed queries of the list: only these states, and this connection. */
export function isListed(
  states: readonly CalendarState[] | undefined,
  connectionId: ConnectionId | undefined,
): SQL | undefined {
  const state = sql.raw(stateOf("schedules", "contacts"));
  return and(
    states && (states.length === 0 ? sql`false` : inArray(state, [...states])),
    connectionId && eq(sql.raw(connectionOf("schedules")), connectionId),
  );
}

type CountRow = { day: string; state: CalendarState; count: number };
type EntryRow = ScheduleRow & { connectionId: ConnectionId | null; connectionName: string | null };

/**
 * The calendar of a range of days, in two statements for any number of schedules: how many each day has by state, and the
 * first ones of each day. The caller's schedules, or all of them with `schedules:manage-all`. Days are the company's.
 */
export async function readCalendar(
  { db }: { db: Database },
  ctx: UserCtx,
  query: InputOf<"GET /schedules/calendar">["query"],
): Promise<ReplyOf<"GET /schedules/calendar">> {
  const { dateStart, dateEnd, states = calendarStates } = query;
  const length = differenceInCalendarDays(dateEnd, dateStart) + 1;
  if (length < 1 || length > limits.calendarDaysMax) {
    const message = `is not within ${limits.calendarDaysMax} days`;
    throw new DomainError("ERR_INVALID_REQUEST", { issues: [{ path: "query.dateEnd", message }] });
  }
  const ownerId = hasPermission(ctx, "schedules:manage-all") ? null : ctx.actor.userId;
  const range = [
    ...[ctx.companyId, dateStart, dateEnd, query.userId ?? null, ownerId],
    ...[query.contactId ?? null, query.whatsappId ?? null],
  ];
  const perDay = query.perDay ?? limits.calendarPerDayMax;
  return db.transaction(ctx, async (tx) => {
    const counted = await tx.query<CountRow>(countStatement, range);
    const rows = await tx.query<EntryRow>(firstStatement, [...range, [...states], perDay]);
    return { schedules: rows.map(toEntry), days: daysOf(counted) };
  });
}

function daysOf(counted: readonly CountRow[]): ReplyOf<"GET /schedules/calendar">["days"] {
  const none = { waiting: 0, sent: 0, failed: 0, optedOut: 0 };
  const days = new Map<string, typeof none>();
  for (const { day, state, count } of counted) {
    days.set(day, { ...(days.get(day) ?? none), [state]: count });
  }
  return [...days].map(([day, counts]) => ({ day, counts }));
}

function toEntry({ connectionId, connectionName, ...row }: EntryRow): CalendarEntry {
  const connection =
    connectionId === null || connectionName === null
      ? null
      : { id: connectionId, name: connectionName };
  return { ...toSchedule(row), connection };
}

const zone = `(select time_zone from companies where id = $1)`;

/** Midnight in the company's time zone. */
const startOf = (day: string): string => `((${day})::timestamp at time zone ${zone})`;

const chosen = `s.company_id = $1
  and ($4::int is null or s.user_id = $4) and ($5::int is null or s.user_id = $5)
  and ($6::int is null or s.contact_id = $6) and ($7::int is null or ${connectionOf("s")} = $7)`;

const countStatement = {
  name: "schedules.calendar-counts",
  text: `
select to_char(s.send_at at time zone ${zone}, 'YYYY-MM-DD') as day, ${stateOf("s", "c")} as state,
  count(*)::int as count
from schedules s
join contacts c on c.company_id = s.company_id and c.id = s.contact_id
where s.send_at >= ${startOf("$2::date")} and s.send_at < ${startOf("$3::date + 1")} and ${chosen}
group by 1, 2 order by 1`,
};

const firstStatement = {
  name: "schedules.calendar",
  // By day, so that a day with thousands costs no more than those that are shown of it.
  text: `
select ${scheduleColumns}, w.id as "connectionId", w.name as "connectionName"
from generate_series(0, $3::date - $2::date) n
cross join lateral (
  select s.* from schedules s
  join contacts c on c.company_id = s.company_id and c.id = s.contact_id
  where s.send_at >= ${startOf("$2::date + n")} and s.send_at < ${startOf("$2::date + n + 1")}
    and ${chosen} and ${stateOf("s", "c")} = any ($8::text[])
  order by s.send_at, s.id limit $9
) s ${scheduleJoins}
left join connections w on w.company_id = s.company_id and w.id = ${connectionOf("s")}
  and w.deleted_at is null
order by s.send_at, s.id`,
};
