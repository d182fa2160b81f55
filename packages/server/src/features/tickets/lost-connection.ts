import type { ConnectionId, TicketId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Clock } from "../../platform/sources.ts";
import type { TicketEvents } from "./events.ts";
import { lockTicket } from "./repository.ts";
import { losesConnection } from "./ticket.ts";
import { saveTicket } from "./write-repository.ts";

export type LostConnectionDeps = { clock: Clock; events: TicketEvents };

/**
 * The tickets of a connection that is about to be deleted: open ones wait again, and whatever waits has no connection;
 * people give it another one by a transfer. Closed ones only lose their connection, with its row (behaviour 10.4).
 */
export function createLostConnections({ clock, events }: LostConnectionDeps) {
  return async (ctx: Ctx, tx: Tx, connectionId: ConnectionId): Promise<void> => {
    const rows = await tx.query<{ id: TicketId }>(livingStatement, [ctx.companyId, connectionId]);
    for (const { id } of rows) {
      const before = await lockTicket(ctx, tx, id);
      if (!before || before.connectionId !== connectionId || before.status === "closed") continue;
      const transition = losesConnection(before);
      const quietly = { clearUnread: false, isPersonsAct: false };
      const saved = { id, transition, now: clock.now(), ...quietly };
      const after = await saveTicket(ctx, tx, saved);
      events.changed(tx, before, after);
    }
  };
}

export type LostConnections = ReturnType<typeof createLostConnections>;

const livingStatement = {
  name: "tickets.living-on-connection",
  text: `
select id from tickets where company_id = $1 and connection_id = $2 and status in ('open', 'pending') order by id`,
};
