import type { TicketId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Realtime, RealtimeRights } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import { changeAudience, roomsOfRemoved, ticketRooms } from "./audience.ts";
import type { TicketRow } from "./ticket-row.ts";
import { toTicketDto } from "./ticket-row.ts";

/** The part of the live channel that tickets use. */
export type TicketChannel = Realtime & Pick<RealtimeRights, "refreshTicket">;

/** The live events of tickets; each is sent once the transaction has committed. */
export function createTicketEvents(realtime: TicketChannel) {
  return {
    /** A ticket is new, or looks different without having changed hands. */
    updated(tx: Tx, ticket: TicketRow): void {
      tx.onCommit(() => {
        const update = { action: "update", ticket: toTicketDto(ticket) } as const;
        realtime.publish(ticket.companyId, "ticket", update, ticketRooms(ticket));
      });
    },

    /** A ticket changed: `delete` to the lists that lose it, then `update` to those that have it now. */
    changed(tx: Tx, before: TicketRow, after: TicketRow): void {
      const { companyId, id } = after;
      tx.onCommit(() => {
        const { lose, told, viewers } = changeAudience(before, after);
        const update = { action: "update", ticket: toTicketDto(after) } as const;
        if (lose.length > 0) {
          realtime.publish(companyId, "ticket", { action: "delete", ticketId: id }, lose);
          // Those who may no longer see it leave the ticket's own room.
          realtime.refreshTicket(companyId, id, told);
        }
        realtime.publish(companyId, "ticket", update, told);
        realtime.publish(companyId, "ticket", update, [viewers.to], viewers.except);
      });
    },

    /** A ticket is no more. */
    removed(tx: Tx, ticket: TicketRow): void {
      const gone = { action: "delete", ticketId: ticket.id } as const;
      tx.onCommit(() => {
        realtime.publish(ticket.companyId, "ticket", gone, roomsOfRemoved(ticket));
      });
    },

    /** Somebody has read the ticket: nothing but its id, to everybody (wire-contract 7.4). */
    read(tx: Tx, { companyId }: Ctx, ticketId: TicketId): void {
      tx.onCommit(() => {
        const update = { action: "updateUnread", ticketId } as const;
        realtime.publish(companyId, "ticket", update, [rooms.main(companyId)]);
      });
    },
  };
}

export type TicketEvents = ReturnType<typeof createTicketEvents>;
