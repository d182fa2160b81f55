import type { QueueId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Clock } from "../../platform/sources.ts";
import type { TicketEvents } from "./events.ts";
import type { Transition } from "./ticket.ts";
import { expires, waitsInQueue } from "./ticket.ts";
import type { TicketRow } from "./ticket-row.ts";
import { saveTicket } from "./write-repository.ts";

export type ByTimeDeps = { clock: Clock; events: TicketEvents };

/** What becomes of locked tickets without anybody's act; whether it is time says the caller. */
export function createChangesByTime({ clock, events }: ByTimeDeps) {
  async function save(ctx: Ctx, tx: Tx, before: TicketRow, transition: Transition): Promise<void> {
    const quietly = { clearUnread: false, isPersonsAct: false };
    const saved = { id: before.id, transition, now: clock.now(), ...quietly };
    events.changed(tx, before, await saveTicket(ctx, tx, saved));
  }

  return {
    /** open → closed (behaviour 2.10). */
    expire: (ctx: Ctx, tx: Tx, ticket: TicketRow): Promise<void> =>
      save(ctx, tx, ticket, expires(ticket)),

    /** A ticket that waits in no queue goes on waiting in this one (behaviour 2.11). */
    putInQueue: (ctx: Ctx, tx: Tx, ticket: TicketRow, queueId: QueueId): Promise<void> =>
      save(ctx, tx, ticket, waitsInQueue(ticket, queueId)),
  };
}

export type ChangesByTime = ReturnType<typeof createChangesByTime>;
