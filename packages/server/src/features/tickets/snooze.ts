import type {
  ChangedTicket,
  CompanyId,
  InputOf,
  snoozeEnds,
  Ticket,
  TicketId,
} from "@balcao/contract";
import { limits } from "@balcao/contract";
import { addDays } from "date-fns/addDays";
import { differenceInMilliseconds } from "date-fns/differenceInMilliseconds";
import { parseISO } from "date-fns/parseISO";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError, systemCtx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Found } from "../../platform/jobs/due-worker.ts";
import { DueWorker } from "../../platform/jobs/due-worker.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import { readerOf, requireVisible } from "./audience.ts";
import { lockTicket } from "./save-ticket.ts";
import type { TicketDeps } from "./deps.ts";
import type { ShownTicketRow } from "./ticket-row.ts";
import { shownTicketColumns, ticketJoins } from "./ticket-row.ts";
import { beginUndo, completeUndo } from "./undo.ts";

// A ticket that is put off ("adiado") leaves the lists of open and waiting tickets for everybody. It comes back at its time,
// by a user, or by a trigger of the database: when its customer writes, or when it gets another status, user or queue.

/**
 * Puts a ticket off until a time, or until its customer writes (null). Putting it off again replaces the time. Throws
 * ERR_TICKET_TRANSITION for a closed one, and ERR_SNOOZE_TIME for a time that is over or too far.
 */
export async function snoozeTicket(
  deps: TicketDeps,
  ctx: UserCtx,
  id: TicketId,
  { until: asked, undoSeconds = 0 }: InputOf<"PUT /tickets/:ticketId/snooze">["body"],
): Promise<ChangedTicket> {
  const now = deps.sources.clock.now();
  const until = asked === null ? null : parseISO(asked);
  if (until !== null && (until <= now || until > addDays(now, limits.snoozeDaysMax))) {
    throw new DomainError("ERR_SNOOZE_TIME");
  }
  const { after, undo } = await deps.db.transaction(ctx, async (tx) => {
    const before = requireVisible(ctx, await lockTicket(ctx, tx, id));
    if (before.status === "closed") throw new DomainError("ERR_TICKET_TRANSITION");
    const begun = undoSeconds > 0 ? await beginUndo(deps, ctx, tx, id, undoSeconds) : null;
    const values = [ctx.companyId, id, ctx.actor.userId, until, now];
    const rows = await tx.query<ShownTicketRow>(snoozeStatement, values);
    const row = await publishSaved(deps, ctx, tx, rows);
    if (begun) await completeUndo(ctx, tx, id, { messageId: null, tagId: null });
    return { after: row, undo: begun };
  });
  return { ...deps.dto.shown(after, readerOf(ctx)), ...(undo && { undo }) };
}

/** Brings a ticket back; one that is not put off stays as it is. */
export async function unsnoozeTicket(
  deps: TicketDeps,
  ctx: UserCtx,
  id: TicketId,
): Promise<Ticket> {
  const row = await deps.db.transaction(ctx, async (tx) => {
    const before = requireVisible(ctx, await lockTicket(ctx, tx, id));
    return before.snoozeId === null ? before : bringBack(deps, ctx, tx, id, "user");
  });
  return deps.dto.shown(row, readerOf(ctx));
}

type BackDeps = Pick<TicketDeps, "sources" | "domainEvents">;

async function bringBack(
  deps: BackDeps,
  ctx: Ctx,
  tx: Tx,
  id: TicketId,
  ended: (typeof snoozeEnds)[number],
): Promise<ShownTicketRow> {
  const values = [ctx.companyId, id, deps.sources.clock.now(), ended];
  return publishSaved(deps, ctx, tx, await tx.query<ShownTicketRow>(endStatement, values));
}

async function publishSaved(
  { domainEvents }: BackDeps,
  ctx: Ctx,
  tx: Tx,
  [ticket]: readonly ShownTicketRow[],
): Promise<ShownTicketRow> {
  if (!ticket) throw new Error("the locked ticket is gone");
  await domainEvents.publish(tx, ctx, "ticket.updated", { ticket });
  return ticket;
}

type WorkerDeps = Pick<TicketDeps, "db" | "sources" | "domainEvents"> & { log: Logger };
/** A ticket whose time seems to be over; it is read without lock. */
type DueTicket = { companyId: CompanyId; ticketId: TicketId };

const AT_ONCE = 4;
const HELD = 50;

/** Brings back the tickets whose time is over, in any number of processes: the first that locks a ticket does. */
export function createSnoozeWorker(deps: WorkerDeps, lookEveryMs: number): DueWorker<DueTicket> {
  return new DueWorker<DueTicket>({
    name: "snoozes",
    log: deps.log,
    lookEveryMs,
    look: (limit, held) => findDueAcrossCompanies(deps, limit + held),
    work: {
      atOnce: AT_ONCE,
      batch: HELD,
      idOf: ({ ticketId }) => ticketId,
      companyOf: ({ companyId }) => companyId,
      run: (due) => comeBack(deps, due),
    },
  });
}

async function findDueAcrossCompanies(
  { db, sources }: WorkerDeps,
  limit: number,
): Promise<Found<DueTicket>> {
  const now = sources.clock.now();
  const next = await db.acrossCompanies((tx) =>
    tx.query<DueTicket & { snoozedUntil: Date }>(nextStatement, [limit + 1]),
  );
  const due = next.filter(({ snoozedUntil }) => snoozedUntil <= now).slice(0, limit);
  const later = next[due.length];
  return { due, nextInMs: later ? differenceInMilliseconds(later.snoozedUntil, now) : null };
}

async function comeBack(deps: WorkerDeps, { companyId, ticketId }: DueTicket): Promise<void> {
  const { db, sources } = deps;
  const ctx = systemCtx(companyId, "snoozes", sources.ids.uuid());
  await db.transaction(ctx, async (tx) => {
    const ticket = await lockTicket(ctx, tx, ticketId);
    const until = ticket?.snoozedUntil ?? null;
    // It may have come back, or been put off again, meanwhile.
    if (until === null || until > sources.clock.now()) return;
    await bringBack(deps, ctx, tx, ticketId, "time");
  });
}

const snoozeStatement = {
  name: "tickets.snooze",
  text: `
with made as (
  insert into ticket_snoozes (company_id, attendance_id, user_id, until, created_at)
  select $1, last_attendance_id, $3, $4, $5 from tickets where company_id = $1 and id = $2
  returning id
), t as (
  update tickets k set snooze_id = made.id, snoozed_until = $4, updated_at = greatest(k.updated_at, $5)
  from made where k.company_id = $1 and k.id = $2
  returning k.*
)
select ${shownTicketColumns} from t ${ticketJoins}`,
};

const endStatement = {
  name: "tickets.end-snooze",
  text: `
with ended as (
  update ticket_snoozes s set ended_at = $3, ended = $4 from tickets k
  where k.company_id = $1 and k.id = $2 and s.company_id = $1 and s.id = k.snooze_id
), t as (
  update tickets set snooze_id = null, snoozed_until = null, updated_at = greatest(updated_at, $3)
  where company_id = $1 and id = $2
  returning *
)
select ${shownTicketColumns} from t ${ticketJoins}`,
};

/** From the index of those that come back at a time, over all companies. */
const nextStatement = {
  name: "tickets.next-snoozes",
  text: `
select company_id as "companyId", id as "ticketId", snoozed_until as "snoozedUntil"
from tickets where snoozed_until is not null order by snoozed_until limit $1`,
};
