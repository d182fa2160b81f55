import type { CompanyId, TicketId } from "@balcao/contract";
import { addMilliseconds } from "date-fns/addMilliseconds";
import type { Ctx } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";

/** A ticket at which the attendant is to look. */
export type DueTicket = { companyId: CompanyId; ticketId: TicketId };

export type DueTickets = {
  /** The longest due first, in turns by company. */
  due: DueTicket[];
  /** When the next one after these comes due; null: there is none. */
  nextAt: Date | null;
};

/** Which tickets are due at the moment, whichever process will attend to them. */
export async function findDueAcrossCompanies(
  db: Database,
  now: Date,
  limit: number,
): Promise<DueTickets> {
  type Row = { nextAt: Date | null } & (DueTicket | { ticketId: null });
  const rows = await db.readAcrossCompanies<Row>(dueStatement, [now, limit]);
  const due = rows.flatMap((row) => (row.ticketId === null ? [] : [row]));
  return { due, nextAt: rows[0]?.nextAt ?? null };
}

/** Whether any ticket is due, or will be. */
export async function isAnyoneWaitingAcrossCompanies(db: Database): Promise<boolean> {
  const [row] = await db.readAcrossCompanies<{ isAny: boolean }>(anyStatement, []);
  return row?.isAny ?? false;
}

/** Notes that a turn failed: it is due again after a wait, or given up. Answers what was noted; null: it is over already. */
export async function noteFailure(
  ctx: Ctx,
  tx: Tx,
  ticketId: TicketId,
  { now, retriesMs }: { now: Date; retriesMs: readonly number[] },
): Promise<{ attempts: number; isGivenUp: boolean } | null> {
  const [row] = await tx.query<{ attempts: number }>(failureStatement, [ctx.companyId, ticketId]);
  if (!row) return null;
  const waitMs = retriesMs[row.attempts - 1];
  const dueAt = waitMs === undefined ? null : addMilliseconds(now, waitMs);
  await tx.query(waitStatement, [ctx.companyId, ticketId, dueAt]);
  return { attempts: row.attempts, isGivenUp: dueAt === null };
}

const dueStatement = {
  name: "attendant.due",
  text: `
select next.at as "nextAt", due.company_id as "companyId", due.ticket_id as "ticketId"
from (select min(due_at) as at from attendant_turns where due_at > $1) next
left join (
  select company_id, ticket_id, due_at, row_number() over (partition by company_id order by due_at) as place
  from attendant_turns where due_at <= $1
  order by place, due_at limit $2
) due on true
order by due.place, due.due_at`,
};

const anyStatement = {
  name: "attendant.any-waiting",
  text: `select exists (select from attendant_turns where due_at is not null) as "isAny"`,
};

const failureStatement = {
  name: "attendant.count-failure",
  text: `
update attendant_turns set attempts = attempts + 1
where company_id = $1 and ticket_id = $2 and due_at is not null
returning attempts`,
};

const waitStatement = {
  name: "attendant.wait",
  text: `
update attendant_turns set due_at = $3::timestamptz,
  waiting_since = case when $3::timestamptz is null then null else waiting_since end
where company_id = $1 and ticket_id = $2`,
};
