import type { Message } from "@balcao/contract";
import { message } from "@balcao/contract";
import type { z } from "zod";

/** A valid message for tests: the n-th of ticket 1, one per minute from 10:00 UTC on. */
export function givenMessage(n: number, fields: Partial<z.input<typeof message>> = {}): Message {
  const at = new Date(Date.UTC(2026, 10, 20, 10, n)).toISOString();
  return message.parse({
    id: messageIdOf(n),
    ticketId: 1,
    companyId: 1,
    contactId: 7,
    body: `mensagem ${n}`,
    fromMe: false,
    read: false,
    isDeleted: false,
    isEdited: false,
    isForwarded: false,
    isAutomatic: false,
    ack: 0,
    failedCode: null,
    isUnconfirmed: false,
    changeFailedCode: null,
    undoUntil: null,
    user: null,
    media: null,
    details: null,
    reactions: [],
    clientId: null,
    mediaType: "conversation",
    mediaUrl: null,
    transcript: null,
    quotedMsgId: null,
    queueId: null,
    contact: null,
    queue: null,
    createdAt: at,
    updatedAt: fields.createdAt ?? at,
    quotedMsg: null,
    ...fields,
  });
}

/** Ids that sort like their numbers. */
export function messageIdOf(n: number): string {
  return `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`;
}
