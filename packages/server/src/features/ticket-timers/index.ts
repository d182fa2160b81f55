import type { Ctx } from "../../platform/context.ts";
import { systemCtx } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { isUnavailable } from "../../platform/db/unavailable.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Sources } from "../../platform/sources.ts";
import type { SendAutomatically } from "../messages/index.ts";
import type { TicketRow, TicketsFeature } from "../tickets/index.ts";
import { lockTicket } from "../tickets/index.ts";
import type { Batch, DueTicket } from "./repository.ts";
import {
  findInactiveAcrossCompanies,
  findInactiveMessage,
  findTransferQueue,
  findUnqueuedAcrossCompanies,
} from "./repository.ts";

/** Tickets that one look finds. */
const TICKETS_AT_ONCE = 200;
/** Looks of one run: what is left then has its turn in the next minute. */
const LOOKS = 20;

export type TicketTimersDeps = {
  db: Database;
  sources: Pick<Sources, "clock" | "ids">;
  log: Logger;
  tickets: Pick<TicketsFeature, "byTime">;
  sendAutomatically: SendAutomatically;
};

export type TicketTimers = {
  closeInactive(): Promise<void>;
  transferWaiting(): Promise<void>;
};

/** What becomes of tickets by the passing of time; nobody acts. Any process may run it at any time. */
export function createTicketTimers(deps: TicketTimersDeps): TicketTimers {
  const { db, log, tickets, sendAutomatically } = deps;
  const { clock, ids } = deps.sources;

  /** Each ticket in a transaction of its own, under its lock: what was found may have changed since. */
  async function forEachDue(
    find: (tx: Tx, batch: Batch) => Promise<DueTicket[]>,
    act: (ctx: Ctx, tx: Tx, ticket: TicketRow) => Promise<void>,
  ): Promise<void> {
    let after = 0;
    for (let look = 1; look <= LOOKS; look += 1) {
      const batch = { now: clock.now(), after, limit: TICKETS_AT_ONCE };
      const due = await db.acrossCompanies((tx) => find(tx, batch));
      for (const one of due) await actOn(one, act);
      const last = due.at(-1);
      if (last === undefined || due.length < TICKETS_AT_ONCE) return;
      after = last.ticketId;
    }
  }

  async function actOn(
    { companyId, ticketId }: DueTicket,
    act: (ctx: Ctx, tx: Tx, ticket: TicketRow) => Promise<void>,
  ): Promise<void> {
    const ctx = systemCtx(companyId, "ticket-timers", ids.uuid());
    try {
      await db.transaction(ctx, async (tx) => {
        const ticket = await lockTicket(ctx, tx, ticketId);
        if (ticket) await act(ctx, tx, ticket);
      });
    } catch (error) {
      if (isUnavailable(error)) throw error;
      // It is found again in the next run; the others do not wait for it.
      log.error(
        { err: error, companyId, ticketId },
        "a ticket's time was over and nothing was done",
      );
    }
  }

  return {
    /** The customer has not answered: the ticket is closed, with a text, if there is one (behaviour 2.10). */
    closeInactive: () =>
      forEachDue(findInactiveAcrossCompanies, async (ctx, tx, ticket) => {
        const message = await findInactiveMessage(ctx, tx, ticket.id, clock.now());
        if (message === null) return;
        await sendAutomatically(ctx, tx, ticket, message);
        await tickets.byTime.expire(ctx, tx, ticket);
      }),

    /** Nobody has chosen a queue: the connection's own one gets the ticket (behaviour 2.11). */
    transferWaiting: () =>
      forEachDue(findUnqueuedAcrossCompanies, async (ctx, tx, ticket) => {
        const queueId = await findTransferQueue(ctx, tx, ticket.id, clock.now());
        if (queueId !== null) await tickets.byTime.putInQueue(ctx, tx, ticket, queueId);
      }),
  };
}
