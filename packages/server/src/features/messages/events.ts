import type { Tx } from "../../platform/db/database.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { TicketRow } from "../tickets/index.ts";
import { ticketRooms, toTicketDto } from "../tickets/index.ts";
import type { ChangedMessage } from "./message-repository.ts";
import type { MessageRow } from "./message-row.ts";
import { toMessageDto } from "./message-row.ts";

/** The live events of messages; each is sent once the transaction has committed. */
export function createMessageEvents(realtime: Realtime) {
  function changed(tx: Tx, { message, ticket }: ChangedMessage, action: "update" | "delete"): void {
    tx.onCommit(() => {
      // Those who hear of the ticket may read messages of its present queue; an older one of another queue is for admins.
      const isOfItsQueue =
        message.messageQueueId === null || message.messageQueueId === queueOf(ticket);
      const to = isOfItsQueue ? ticketRooms(ticket) : [rooms.admins(ticket.companyId)];
      realtime.publish(
        ticket.companyId,
        "appMessage",
        { action, message: toMessageDto(message) },
        to,
      );
    });
  }

  return {
    /** A new message, with its ticket as it is now. History is for those who have the ticket open only. */
    created(tx: Tx, created: { message: MessageRow; ticket: TicketRow; isHistory: boolean }): void {
      tx.onCommit(() => {
        const { message, isHistory } = created;
        const { companyId, id } = created.ticket;
        const ticket = toTicketDto(created.ticket);
        const payload = {
          action: "create",
          message: toMessageDto(message),
          ticket,
          contact: ticket.contact,
        } as const;
        const to = isHistory ? [rooms.ticket(companyId, id)] : ticketRooms(created.ticket);
        realtime.publish(companyId, "appMessage", payload, to);
      });
    },

    /** An acknowledgement, a failure, a new attempt. */
    updated: (tx: Tx, message: ChangedMessage): void => changed(tx, message, "update"),
    /** A message that never left was discarded. */
    deleted: (tx: Tx, message: ChangedMessage): void => changed(tx, message, "delete"),
  };
}

export type MessageEvents = ReturnType<typeof createMessageEvents>;

/** A closed ticket is in the queue that served it last. */
function queueOf({ status, queueId, servedByQueueId }: ChangedMessage["ticket"]) {
  return status === "closed" ? servedByQueueId : queueId;
}
