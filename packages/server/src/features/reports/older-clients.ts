import type { InputOf, ReplyOf, TicketId, TicketStatus } from "@balcao/contract";
import { limits } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { toIso, toIsoOrNull } from "../../platform/db/records.ts";
import type { FiguresDeps, Period } from "../dashboard/index.ts";
import { readMonth, readPeriod, resolvedAt } from "../dashboard/index.ts";

// The report calls of clients of the family. Their periods are about the same moments as those of the dashboard.

const PAGE_SIZE = 20;

type OlderRow = {
  id: TicketId;
  uuid: string;
  whatsappName: string | null;
  contactName: string;
  userName: string | null;
  queueName: string | null;
  status: TicketStatus;
  lastMessage: string;
  createdAt: Date;
  closedAt: Date | null;
};

/** Attendances whose ticket still exists. Without dates those of the last ten years. */
export async function listOlderReport(
  { db, clock }: FiguresDeps,
  ctx: UserCtx,
  query: InputOf<"GET /ticket/reports">["query"],
): Promise<ReplyOf<"GET /ticket/reports">> {
  const { dateFrom, dateTo, page, pageSize = PAGE_SIZE } = query;
  const hasDates = dateFrom !== undefined || dateTo !== undefined;
  const wanted = hasDates ? { dateFrom, dateTo } : { days: limits.periodDaysMax };
  const { fromAt, untilAt } = await readPeriod(db, ctx, wanted, clock.now());
  const some = (list: readonly unknown[] | undefined) => (list?.length ? list : null);
  const values = [
    ...[ctx.companyId, fromAt, untilAt, some(query.queueIds), some(query.users)],
    ...[some(query.whatsappId), some(query.status), query.ticketId ?? null],
    ...[query.contactId ?? null, query.searchParam],
  ];
  return db.transaction(ctx, async (tx) => {
    const rows = await tx.query<OlderRow>(olderPageStatement, [
      ...values,
      ...[pageSize, (page - 1) * pageSize],
    ]);
    const [counted] = await tx.query<{ total: number }>(olderCountStatement, values);
    return {
      totalTickets: { total: counted?.total ?? 0 },
      tickets: rows.map((row) => ({
        ...row,
        createdAt: toIso(row.createdAt),
        closedAt: toIsoOrNull(row.closedAt),
      })),
    };
  });
}

const olderRows = `
from attendances a
join tickets t on t.company_id = $1 and t.id = a.ticket_id
join contacts k on k.company_id = $1 and k.id = t.contact_id
where a.company_id = $1 and a.queued_at >= $2 and a.queued_at < $3
  and ($4::int[] is null or a.queue_id = any($4::int[])) and ($5::int[] is null or a.user_id = any($5::int[]))
  and ($6::int[] is null or a.connection_id = any($6::int[])) and ($7::text[] is null or t.status = any($7::text[]))
  and ($8::int is null or t.id = $8::int) and ($9::int is null or t.contact_id = $9::int)
  and ($10::text = '' or position(f_norm($10::text) in f_norm(k.name)) > 0 or position($10::text in k.number) > 0)`;

const olderPageStatement = {
  name: "",
  text: `
select t.id, t.uuid, w.name as "whatsappName", p.contact_name as "contactName", u.name as "userName", q.name as "queueName",
  t.status, t.last_message as "lastMessage", p.created_at as "createdAt", p.closed_at as "closedAt"
from (
  select a.id, a.ticket_id, a.user_id, a.queue_id, a.connection_id, a.queued_at, a.created_at, ${resolvedAt} as closed_at,
    k.name as contact_name
  ${olderRows}
  order by a.queued_at desc, a.id desc limit $11 offset $12) p
join tickets t on t.company_id = $1 and t.id = p.ticket_id
left join users u on u.company_id = $1 and u.id = p.user_id
left join queues q on q.company_id = $1 and q.id = p.queue_id
left join connections w on w.company_id = $1 and w.id = p.connection_id
order by p.queued_at desc, p.id desc`,
};

const olderCountStatement = { name: "", text: `select count(*) as total ${olderRows}` };

type Dates = InputOf<"GET /reports/rushHour">["query"];

function olderPeriod({ db, clock }: FiguresDeps, ctx: UserCtx, query: Dates): Promise<Period> {
  const dateFrom = query.initialDate ?? query.dateFrom;
  const dateTo = query.finalDate ?? query.dateTo;
  return dateFrom === undefined && dateTo === undefined
    ? readMonth(db, ctx, clock.now())
    : readPeriod(db, ctx, { dateFrom, dateTo }, clock.now());
}

export async function countByUserAndQueue(
  deps: FiguresDeps,
  ctx: UserCtx,
  query: Dates,
): Promise<ReplyOf<"GET /reports/appointmentsAtendent">> {
  const { fromAt, untilAt } = await olderPeriod(deps, ctx, query);
  const values = [ctx.companyId, fromAt, untilAt];
  const users = await deps.db.read<{ user_name: string; total_tickets: number }>(
    ctx,
    byUserStatement,
    values,
  );
  const queues = await deps.db.read<{ name: string; total_tickets: number }>(
    ctx,
    byQueueStatement,
    values,
  );
  return { appointmentsByAttendents: users, ticketsByQueues: queues };
}

const countedBy = (table: "users" | "queues", column: string, name: string): string => `
select x.name as ${name}, coalesce(c.n, 0) as total_tickets
from ${table} x left join (
  select a.${column} as id, count(*) as n from attendances a
  where a.company_id = $1 and a.queued_at >= $2 and a.queued_at < $3 group by 1) c on c.id = x.id
where x.company_id = $1 and x.deleted_at is null
order by total_tickets, f_norm(x.name), x.id`;

const byUserStatement = {
  name: "reports.by-user",
  text: countedBy("users", "user_id", "user_name"),
};
const byQueueStatement = {
  name: "reports.by-queue",
  text: countedBy("queues", "queue_id", "name"),
};

export async function countMessagesByHour(
  deps: FiguresDeps,
  ctx: UserCtx,
  query: Dates,
): Promise<ReplyOf<"GET /reports/rushHour">> {
  const { fromAt, untilAt, timeZone } = await olderPeriod(deps, ctx, query);
  const values = [ctx.companyId, fromAt, untilAt, timeZone];
  return deps.db.read<{ message_hour: number; message_count: number }>(
    ctx,
    byHourStatement,
    values,
  );
}

// Messages have no index by company and time: those of each ticket that had one since then are counted by the index of its pages.
const byHourStatement = {
  name: "reports.messages-by-hour",
  text: `
select extract(hour from m.at)::int as message_hour, sum(m.n)::int as message_count
from tickets t
cross join lateral (
  select date_trunc('hour', c.created_at at time zone $4) as at, count(*) as n from messages c
  where c.company_id = $1 and c.ticket_id = t.id and c.created_at >= $2 and c.created_at < $3
  group by 1) m
where t.company_id = $1 and t.last_message_at >= $2
group by 1 order by 1`,
};

export async function rateQueues(
  deps: FiguresDeps,
  ctx: UserCtx,
  query: Dates,
): Promise<ReplyOf<"GET /reports/departamentRatings">> {
  const { fromAt, untilAt } = await olderPeriod(deps, ctx, query);
  const values = [ctx.companyId, fromAt, untilAt];
  return deps.db.read<{ name: string; total_rate: number }>(ctx, ratingsStatement, values);
}

const ratingsStatement = {
  name: "reports.ratings-by-queue",
  text: `
select q.name, round(avg(r.rate), 2)::float8 as total_rate
from ratings r
join attendances a on a.company_id = $1 and a.id = r.attendance_id
join queues q on q.company_id = $1 and q.id = a.queue_id
where r.company_id = $1 and r.created_at >= $2 and r.created_at < $3
group by q.id, q.name order by f_norm(q.name), q.id`,
};
