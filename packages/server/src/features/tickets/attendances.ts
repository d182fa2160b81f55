import type { ContactAttendance, ContactId, ReplyOf, TicketId } from "@balcao/contract";
import { pageSizes } from "@balcao/contract";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { isoText, readPage, toIso, toIsoOrNull } from "../../platform/db/records.ts";
import { findVisibility } from "./read-tickets.ts";
import type { Placeholder } from "./audience.ts";
import {
  readableCondition,
  readerOf,
  requireVisible,
  viewerOf,
  visibleToCaller,
} from "./audience.ts";

type AttendancePage = ReplyOf<"GET /contacts/:contactId/attendances">;

/** The attendances of one ticket (behaviour 2.13); every user who sees the ticket sees them all. */
export function listAttendances(
  { db }: { db: Database },
  ctx: UserCtx,
  ticketId: TicketId,
  pageNumber: number,
): Promise<AttendancePage> {
  return db.transaction(ctx, async (tx) => {
    requireVisible(ctx, await findVisibility(ctx, tx, ticketId));
    return readAttendances(ctx, tx, pageNumber, (value) => `a.ticket_id = ${value(ticketId)}`);
  });
}

/**
 * The attendances of a contact, on all connections. An agent gets those of visible tickets, and of other tickets the
 * agent's own and those of the agent's queues.
 */
export const listAttendancesOfContact = (
  ctx: UserCtx,
  tx: Tx,
  contactId: ContactId,
  pageNumber: number,
): Promise<AttendancePage> =>
  readAttendances(
    ctx,
    tx,
    pageNumber,
    (value) => `t.contact_id = ${value(contactId)} and ${visibleAttendances(ctx, value)}`,
  );

function visibleAttendances(ctx: Ctx, value: Placeholder): string {
  const viewer = viewerOf(ctx);
  if (viewer === "everything") return "true";
  const own = `a.user_id = ${value(viewer.userId)} or a.queue_id = any(${value(viewer.queueIds)})`;
  return `(${visibleToCaller(ctx, value)} or ${own})`;
}

type AttendanceRow = Omit<
  ContactAttendance,
  "createdAt" | "queuedAt" | "startedAt" | "finishedAt" | "snoozes"
> & {
  snoozes: ContactAttendance["snoozes"] | null;
  createdAt: Date;
  queuedAt: Date | null;
  startedAt: Date | null;
  finishedAt: Date | null;
  total: number;
};

async function readAttendances(
  ctx: Ctx,
  tx: Tx,
  pageNumber: number,
  condition: (value: Placeholder) => string,
): Promise<AttendancePage> {
  const values: unknown[] = [ctx.companyId];
  const placeholder: Placeholder = (value) => `$${values.push(value)}`;
  const where = condition(placeholder);
  const readable = readableInTicket(ctx, placeholder);
  const accessible = visibleToCaller(ctx, placeholder);
  const text = pageText({ where, readable, accessible }, values.length);
  const page = await readPage(pageNumber, pageSizes.attendances, (limit, offset) =>
    tx.query<AttendanceRow>({ name: "", text }, [...values, limit, offset]),
  );
  const attendances = page.rows.map(({ total: _total, ...row }) => ({
    ...row,
    createdAt: toIso(row.createdAt),
    queuedAt: toIsoOrNull(row.queuedAt),
    startedAt: toIsoOrNull(row.startedAt),
    finishedAt: toIsoOrNull(row.finishedAt),
    snoozes: row.snoozes ?? [],
  }));
  return { attendances, count: page.count, hasMore: page.hasMore };
}

/** What the caller may read of a message `m` of the ticket of an attendance `p`. */
function readableInTicket(ctx: Ctx, value: Placeholder): string {
  const reader = readerOf(ctx);
  if (reader === null) return "true";
  return readableCondition("m", {
    ...{ ticketUser: "p.ticket_user_id", ticketQueue: "p.ticket_queue_id" },
    ...{ queues: value(reader.queueIds), user: value(reader.userId) },
  });
}

/**
 * Limit and offset follow the `given` values. An attendance is shown as finished when its ticket was resolved, also while
 * the customer's rating is awaited.
 */
const pageText = (
  { where, readable, accessible }: Record<"where" | "readable" | "accessible", string>,
  given: number,
): string => `
select p.total, p.id, p.ticket_id as "ticketId", p.ticket_uuid as "ticketUuid",
  case when w.id is not null then json_build_object('id', w.id, 'name', w.name) end as whatsapp,
  case when q.id is not null then json_build_object('id', q.id, 'name', q.name, 'color', q.color) end as queue,
  case when u.id is not null then json_build_object('id', u.id, 'name', u.name) end as "user",
  case when b.id is not null then json_build_object('id', b.id, 'name', b.name) end as "closedBy",
  p.created_at as "createdAt", p.queued_at as "queuedAt", p.started_at as "startedAt",
  coalesce(p.rating_at, p.finished_at) as "finishedAt", p.rated,
  case when r.id is not null then json_build_object('id', r.id, 'name', r.name) end as reason,
  (select m.id from messages m
    where m.company_id = $1 and m.ticket_id = p.ticket_id and ${readable}
      -- The message that began it was sent a moment before.
      and m.created_at >= p.created_at - interval '1 minute'
    order by m.created_at nulls first, m.seq nulls first limit 1) as "firstMessageId",
  p."isAccessible",
  (select count(*)::int from messages m
    where m.company_id = $1 and m.ticket_id = p.ticket_id and ${readable}
      and m.created_at >= p.created_at - interval '1 minute'
      and m.created_at <= coalesce(p.finished_at, 'infinity')) as "messageCount",
  (select json_agg(json_build_object(
      'id', s.id, 'at', ${isoText("s.created_at")}, 'until', ${isoText("s.until")},
      'endedAt', ${isoText("s.ended_at")}, 'ended', s.ended,
      'user', case when su.id is not null then json_build_object('id', su.id, 'name', su.name) end) order by s.id)
   from (select * from ticket_snoozes z where z.company_id = $1 and z.attendance_id = p.id order by z.id desc limit 50) s
   left join users su on su.company_id = $1 and su.id = s.user_id) as snoozes
from (
  select a.*, t.uuid as ticket_uuid, t.user_id as ticket_user_id, t.queue_id as ticket_queue_id,
    ${accessible} as "isAccessible", count(*) over ()::int as total
  from attendances a
  join tickets t on t.company_id = a.company_id and t.id = a.ticket_id
  where a.company_id = $1 and ${where}
  order by a.id desc limit $${given + 1} offset $${given + 2}
) p
left join connections w on w.company_id = $1 and w.id = p.connection_id
left join queues q on q.company_id = $1 and q.id = p.queue_id
left join users u on u.company_id = $1 and u.id = p.user_id
left join users b on b.company_id = $1 and b.id = p.closed_by
left join resolve_reasons r on r.company_id = $1 and r.id = p.reason_id
order by p.id desc`;
