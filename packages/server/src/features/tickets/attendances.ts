import type { Attendance, ContactId, ReplyOf, TicketId } from "@balcao/contract";
import { pageSizes } from "@balcao/contract";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { toIso, toIsoOrNull } from "../../platform/db/row-dates.ts";
import { findSight } from "./repository.ts";
import type { Placeholder } from "./visibility.ts";
import { requireVisible, viewerOf, visibleCondition } from "./visibility.ts";

export type AttendancePage = ReplyOf<"GET /tickets/:ticketId/attendances">;

/** The cycles of tickets, as people read them (behaviour 2.13). */
export function createAttendances({ db }: { db: Database }) {
  return {
    /** Of one ticket; whoever may see the ticket sees them all. */
    ofTicket: (ctx: UserCtx, ticketId: TicketId, pageNumber: number): Promise<AttendancePage> =>
      db.transaction(ctx, async (tx) => {
        requireVisible(ctx, await findSight(ctx, tx, ticketId));
        return findPage(ctx, tx, pageNumber, (value) => `a.ticket_id = ${value(ticketId)}`);
      }),

    /**
     * Of a contact of the company, on all connections. An agent gets those of tickets that he may see, and his own and his
     * queues' ones of all others.
     */
    ofContact: (
      ctx: UserCtx,
      tx: Tx,
      contactId: ContactId,
      pageNumber: number,
    ): Promise<AttendancePage> =>
      findPage(
        ctx,
        tx,
        pageNumber,
        (value) => `t.contact_id = ${value(contactId)} and ${visibleAttendances(ctx, value)}`,
      ),
  };
}

export type Attendances = ReturnType<typeof createAttendances>;

function visibleAttendances(ctx: Ctx, value: Placeholder): string {
  const viewer = viewerOf(ctx);
  if (viewer === "everything") return "true";
  const visible = (["pending", "open", "closed"] as const).map(
    (status) => `(${visibleCondition(viewer, status, value)})`,
  );
  const own = `a.user_id = ${value(viewer.userId)} or a.queue_id = any(${value(viewer.queueIds)})`;
  return `(${visible.join(" or ")} or ${own})`;
}

type AttendanceRow = Omit<
  Attendance,
  "createdAt" | "queuedAt" | "startedAt" | "finishedAt" | "id"
> & {
  id: number | null;
  createdAt: Date;
  queuedAt: Date | null;
  startedAt: Date | null;
  finishedAt: Date | null;
  total: number;
};

async function findPage(
  ctx: Ctx,
  tx: Tx,
  pageNumber: number,
  condition: (value: Placeholder) => string,
): Promise<AttendancePage> {
  const size = pageSizes.attendances;
  const offset = (pageNumber - 1) * size;
  const values: unknown[] = [ctx.companyId, size, offset];
  const where = condition((value) => `$${values.push(value)}`);
  const rows = await tx.query<AttendanceRow>({ name: "", text: pageText(where) }, values);
  const total = rows[0]?.total ?? 0;
  const attendances = rows.flatMap(({ id, total: _total, ...row }) =>
    id === null ? [] : [{ ...row, id, ...datesOf(row) }],
  );
  return { attendances, count: total, hasMore: total > offset + attendances.length };
}

function datesOf(row: Pick<AttendanceRow, "createdAt" | "queuedAt" | "startedAt" | "finishedAt">) {
  return {
    createdAt: toIso(row.createdAt),
    queuedAt: toIsoOrNull(row.queuedAt),
    startedAt: toIsoOrNull(row.startedAt),
    finishedAt: toIsoOrNull(row.finishedAt),
  };
}

/**
 * At least one row; its id is null on an empty page. For people an attendance is over when its ticket was resolved, however
 * long the customer's rating is awaited then.
 */
const pageText = (where: string): string => `
with found as materialized (
  select a.*, t.uuid as ticket_uuid
  from attendances a
  join tickets t on t.company_id = a.company_id and t.id = a.ticket_id
  where a.company_id = $1 and ${where}
)
select n.total, p.id, p.ticket_id as "ticketId", p.ticket_uuid as "ticketUuid",
  case when w.id is not null then json_build_object('id', w.id, 'name', w.name) end as whatsapp,
  case when q.id is not null then json_build_object('id', q.id, 'name', q.name, 'color', q.color) end as queue,
  case when u.id is not null then json_build_object('id', u.id, 'name', u.name) end as "user",
  case when b.id is not null then json_build_object('id', b.id, 'name', b.name) end as "closedBy",
  p.created_at as "createdAt", p.queued_at as "queuedAt", p.started_at as "startedAt",
  coalesce(p.rating_at, p.finished_at) as "finishedAt", p.rated
from (select count(*)::int as total from found) n
left join (select * from found order by id desc limit $2 offset $3) p on true
left join connections w on w.company_id = $1 and w.id = p.connection_id
left join queues q on q.company_id = $1 and q.id = p.queue_id
left join users u on u.company_id = $1 and u.id = p.user_id
left join users b on b.company_id = $1 and b.id = p.closed_by
order by p.id desc`;
