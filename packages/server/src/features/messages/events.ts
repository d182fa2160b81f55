import type { Tx } from "../../platform/db/database.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { TicketRow } from "../tickets/index.ts";
import { ticketRooms, toTicketDto } from "../tickets/index.ts";
import type { ChangedMessage } from "./message-repository.ts";
import type { ToMessageDto } from "./message-dto.ts";
import type { MessageRow } from "./message-row.ts";

/** The live events of messages; each is sent once the transaction has committed. */
export function createMessageEvents(realtime: Realtime, toMessageDto: ToMessageDto) {
  function changed(tx: Tx, { message, ticket }: ChangedMessage, action: "update" | "delete"): void {
    tx.onCommit(() => {
      const { companyId } = ticket;
      const { messageQueueId } = message;
      const payload = { action, message: toMessageDto(message) };
      // Those who hear of the ticket may read messages of its present queue.
      if (messageQueueId === null || messageQueueId === queueOf(ticket)) {
        realtime.publish(companyId, "appMessage", payload, ticketRooms(ticket));
        return;
      }
      // An older one of another queue is for admins, and for that queue's agents who have the ticket open.
      const readers = [
        rooms.admins(companyId),
        rooms.ticketForQueue(companyId, ticket.id, messageQueueId),
      ];
      realtime.publish(companyId, "appMessage", payload, readers);
      if (action === "delete" || !message.fromMe) return;
      // The card tells everybody how far the last message came.
      const acked = {
        action: "ack",
        ticketId: ticket.id,
        messageAt: payload.message.createdAt,
        ack: message.ack,
        isFailed: message.failedCode !== null,
        isUnconfirmed: payload.message.isUnconfirmed,
      } as const;
      realtime.publish(companyId, "ticket", acked, ticketRooms(ticket), readers);
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

    /** Whatever changes of a message that is there. */
    updated: (tx: Tx, message: ChangedMessage): void => changed(tx, message, "update"),
    /** A message that never left is gone. */
    deleted: (tx: Tx, message: ChangedMessage): void => changed(tx, message, "delete"),
  };
}

export type MessageEvents = ReturnType<typeof createMessageEvents>;

/** A closed ticket is in the queue that served it last. */
function queueOf({ status, queueId, servedByQueueId }: ChangedMessage["ticket"]) {
  return status === "closed" ? servedByQueueId : queueId;
}
