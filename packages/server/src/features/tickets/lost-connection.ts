import type { ConnectionId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Clock } from "../../platform/sources.ts";
import type { TicketEvents } from "./events.ts";
import { lockLivingTickets } from "./repository.ts";
import { losesConnection } from "./ticket.ts";
import { saveContinued } from "./write-repository.ts";

export type LostConnectionDeps = { clock: Clock; events: TicketEvents };

/**
 * The tickets of a connection that is about to be deleted: open ones wait again, and whatever waits has no connection;
 * people give it another one by a transfer. Closed ones keep it for its name only (behaviour 10.4). Some
 * hundreds at a time.
 */
export function createLostConnections({ clock, events }: LostConnectionDeps) {
  return async (ctx: Ctx, tx: Tx, connectionId: ConnectionId): Promise<void> => {
    for (;;) {
      const portion = await lockLivingTickets(ctx, tx, { connectionId });
      if (portion.length === 0) return;
      const lost = portion.map((before) => ({
        id: before.id,
        transition: losesConnection(before),
      }));
      const saved = { now: clock.now(), isPersonsAct: false };
      const after = await saveContinued(ctx, tx, lost, saved);
      for (const before of portion) events.changed(tx, before, after.get(before.id) ?? before);
    }
  };
}

export type LostConnections = ReturnType<typeof createLostConnections>;
