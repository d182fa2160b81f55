import type { TicketRow } from "../tickets/index.ts";
import { LAST_MESSAGE_MAX } from "../tickets/index.ts";
import type { MessageRow } from "./message-row.ts";

/** The beginning of a message, as it stands on the ticket's card. */
export function preview(body: string): string {
  if (body.length <= LAST_MESSAGE_MAX) return body;
  // A character takes at most two units; half of one would be no text.
  const beginning = Array.from(body.slice(0, LAST_MESSAGE_MAX * 2));
  return beginning.slice(0, LAST_MESSAGE_MAX).join("");
}

/** The ticket after a message was stored that is its newest. */
export function withLastMessage(ticket: TicketRow, message: MessageRow): TicketRow {
  return {
    ...ticket,
    lastMessage: preview(message.body),
    lastMessageAt: message.sentAt,
    lastMessageFromMe: message.fromMe,
    lastMessageAck: message.ack,
    lastMessageFailed: false,
  };
}
