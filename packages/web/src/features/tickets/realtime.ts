import { batchPerFrame, useCompanyEvent, useRoom } from "../../realtime/index.ts";
import { writeTicketEvent } from "./list-cache.ts";

/** Joins the rooms of the lists and keeps every list and opened ticket current. */
export function useTicketEvents(options: { showsResolved: boolean }): void {
  useRoom({ kind: "notification" });
  useRoom({ kind: "tickets", status: "open" });
  useRoom({ kind: "tickets", status: "pending" });
  useRoom(options.showsResolved ? { kind: "tickets", status: "closed" } : null);

  useCompanyEvent("ticket", (event) => batchPerFrame(() => writeTicketEvent(event)));
  useCompanyEvent("queue", (event) => {
    if (event.action === "delete") return; // its tickets are told by their own events
    const { id, name, color } = event.queue;
    batchPerFrame(() => writeTicketEvent({ action: "queue", queue: { id, name, color } }));
  });
  useCompanyEvent("appMessage", (event) => {
    batchPerFrame(() => {
      if (event.action === "delete") return; // the ticket's own event tells what stands on the card now
      if (event.ticket) writeTicketEvent({ action: "update", ticket: event.ticket });
      const { message } = event;
      if (!message.fromMe) return;
      writeTicketEvent({
        action: "ack",
        ticketId: message.ticketId,
        messageAt: message.createdAt,
        ack: message.ack,
        isFailed: message.failedCode !== null,
        isUnconfirmed: message.isUnconfirmed,
      });
    });
  });
}
