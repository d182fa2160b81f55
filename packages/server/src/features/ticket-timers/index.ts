import type { CompanyId, QueueId, TicketId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import { systemCtx } from "../../platform/context.ts";
import type { Database, PreparedStatement, Tx } from "../../platform/db/database.ts";
import { isUnavailable } from "../../platform/db/database.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Sources } from "../../platform/sources.ts";
import type { SendAutomatically } from "../messages/index.ts";
import { storedText } from "../settings/index.ts";
import type { TicketRow, TicketsFeature } from "../tickets/index.ts";
import { lockTicket } from "../tickets/index.ts";

export { createAnswerTargets } from "./answer-targets.ts";

/** Tickets that one query returns. */
const TICKETS_AT_ONCE = 200;
/** Queries per run: the remaining tickets follow in the next minute. */
const LOOKS = 20;

export type TicketTimersDeps = {
  db: Database;
  sources: Pick<Sources, "clock" | "ids">;
  log: Logger;
  tickets: Pick<TicketsFeature, "expire" | "putInQueue">;
  sendAutomatically: SendAutomatically;
};

export type TicketTimers = {
  closeInactive(signal?: AbortSignal): Promise<void>;
  transferWaiting(signal?: AbortSignal): Promise<void>;
};

/** Changes of tickets by timeouts, without a user. Any process may run them at any time. */
export const createTicketTimers = (deps: TicketTimersDeps): TicketTimers => ({
  closeInactive: (signal) => forEachDue(deps, inactiveStatement, closeInactiveTicket, signal),
  transferWaiting: (signal) => forEachDue(deps, unqueuedStatement, transferWaitingTicket, signal),
});

/** A ticket whose time seems to be over; it is read without lock. */
type DueTicket = { companyId: CompanyId; ticketId: TicketId };
type Act = (deps: TicketTimersDeps, ctx: Ctx, tx: Tx, ticket: TicketRow) => Promise<void>;

async function forEachDue(
  deps: TicketTimersDeps,
  statement: PreparedStatement,
  act: Act,
  signal?: AbortSignal,
): Promise<void> {
  let after = 0;
  for (let look = 1; look <= LOOKS; look += 1) {
    const values = [deps.sources.clock.now(), after, TICKETS_AT_ONCE];
    const due = await deps.db.acrossCompanies((tx) => tx.query<DueTicket>(statement, values));
    for (const one of due) {
      signal?.throwIfAborted();
      await actOn(deps, one, act);
    }
    const last = due.at(-1);
    if (last === undefined || due.length < TICKETS_AT_ONCE) return;
    after = last.ticketId;
  }
}

/** Changes each ticket in its own transaction, under its lock, because it may have changed since the query. */
async function actOn(
  deps: TicketTimersDeps,
  { companyId, ticketId }: DueTicket,
  act: Act,
): Promise<void> {
  const ctx = systemCtx(companyId, "ticket-timers", deps.sources.ids.uuid());
  try {
    await deps.db.transaction(ctx, async (tx) => {
      const ticket = await lockTicket(ctx, tx, ticketId);
      if (ticket) await act(deps, ctx, tx, ticket);
    });
  } catch (error) {
    if (isUnavailable(error)) throw error;
    // The next run finds it again; the other tickets go on.
    deps.log.error(
      { err: error, companyId, ticketId },
      "a ticket's time was over and nothing was done",
    );
  }
}

/** Closes a ticket whose customer has not answered, with the connection's or the company's text if there is one (behaviour 2.10). */
const closeInactiveTicket: Act = async (
  { sources, tickets, sendAutomatically },
  ctx,
  tx,
  ticket,
) => {
  const values = [sources.clock.now(), ctx.companyId, ticket.id];
  const [due] = await tx.query<{ message: string }>(inactiveMessageStatement, values);
  if (!due) return;
  await sendAutomatically(ctx, tx, ticket, due.message);
  await tickets.expire(ctx, tx, ticket);
};

/** Moves a ticket whose customer has chosen no queue to the connection's default queue (behaviour 2.11). */
const transferWaitingTicket: Act = async ({ sources, tickets }, ctx, tx, ticket) => {
  const values = [sources.clock.now(), ctx.companyId, ticket.id];
  const [due] = await tx.query<{ queueId: QueueId }>(transferQueueStatement, values);
  if (due) await tickets.putInQueue(ctx, tx, ticket, due.queueId);
};

// By hand: the conditions match the partial indexes of connections and tickets. `$1` is now.
const inactive = `
from connections w
join tickets t on t.company_id = w.company_id and t.connection_id = w.id
where w.deleted_at is null and w.expires_ticket_minutes > 0
  and t.status = 'open' and t.last_message_from_me and not t.is_group
  and t.last_message_at <= $1::timestamptz - make_interval(mins => w.expires_ticket_minutes)`;

/** An AI agent or integration that answers has as long as it needs. */
const noHelper =
  "not (t.use_integration and (t.prompt_id is not null or t.integration_id is not null))";

const unqueued = `
from connections w
join tickets t on t.company_id = w.company_id and t.connection_id = w.id
join attendances a on a.ticket_id = t.id and a.finished_at is null
where w.deleted_at is null and w.time_to_transfer_minutes > 0 and w.transfer_queue_id is not null
  and t.status = 'pending' and t.queue_id is null and ${noHelper} and a.company_id = t.company_id
  and a.queued_at <= $1::timestamptz - make_interval(mins => w.time_to_transfer_minutes)`;

const inBatch = "and t.id > $2 order by t.id limit $3";
const ofTicket = "and t.company_id = $2 and t.id = $3";

export const inactiveStatement = {
  name: "ticket-timers.inactive",
  text: `select t.company_id as "companyId", t.id as "ticketId" ${inactive} ${inBatch}`,
};

export const unqueuedStatement = {
  name: "ticket-timers.unqueued",
  text: `select t.company_id as "companyId", t.id as "ticketId" ${unqueued} ${inBatch}`,
};

const inactiveMessageStatement = {
  name: "ticket-timers.inactive-message",
  text: `
select coalesce(nullif(w.expires_inactive_message, ''), ${storedText("$2", "inactive")}) as message ${inactive} ${ofTicket}`,
};

const transferQueueStatement = {
  name: "ticket-timers.transfer-queue",
  text: `select w.transfer_queue_id as "queueId" ${unqueued} ${ofTicket}`,
};
