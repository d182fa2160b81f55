import { z } from "zod";
import { contactRef } from "./contacts.ts";
import { defineEndpoints } from "./endpoint.ts";
import { companyId, contactId, messageId, queueId, ticketId } from "./ids.ts";
import { limits } from "./limits.ts";
import { isoDate, pageNumber, text } from "./primitives.ts";
import { queueRef } from "./queues.ts";
import { ticket } from "./tickets.ts";

const messageFields = z.object({
  id: messageId,
  ticketId,
  companyId,
  contactId: contactId.nullable(),
  body: z.string(),
  fromMe: z.boolean(),
  read: z.boolean(),
  isDeleted: z.boolean(),
  isEdited: z.boolean(),
  isForwarded: z.boolean(),
  ack: z.number().int().min(0).max(5),
  /** Why it was not sent (a code), null while it may still go out or has gone. `ack` keeps its last value. */
  failedCode: z.string().nullable(),
  /** The id its author's client chose, for optimistic display; null for all others. */
  clientId: z.string().nullable(),
  mediaType: z.string().nullable(),
  mediaUrl: z.string().nullable(),
  quotedMsgId: messageId.nullable(),
  queueId: queueId.nullable(),
  contact: contactRef.nullable(),
  queue: queueRef.nullable(),
  createdAt: isoDate,
  updatedAt: isoDate,
});

/** A message in pages and events (wire-contract 2.8); the quoted one is one level deep. */
export const message = messageFields.extend({ quotedMsg: messageFields.nullable() });
export type Message = z.output<typeof message>;

export const sendMessageBody = z.object({
  body: text(limits.messageBodyMax),
  quotedMsg: z
    .object({ id: messageId })
    .nullish()
    .transform((value) => value?.id ?? null),
  /** Chosen by the sender; a repeated request with the same one is the same message (architecture 3). */
  clientId: z.guid().optional(),
});
export type SendMessageBody = z.output<typeof sendMessageBody>;

const params = z.object({ ticketId });
const sendErrors = [
  "ERR_NO_TICKET_FOUND",
  "ERR_TICKET_FORBIDDEN",
  "ERR_MESSAGE_EMPTY",
  "ERR_FETCH_WAPP_MSG",
  "ERR_WAPP_NOT_INITIALIZED",
] as const;

export const messagesEndpoints = defineEndpoints({
  "GET /messages/:ticketId": {
    summary: "One page of a ticket's messages, newest page first, ascending inside the page",
    auth: "bearer",
    permission: "tickets:work",
    params,
    query: z.object({
      pageNumber,
      /** `false` keeps the side effect of older clients away: reading the page marks the ticket read. */
      markRead: z.enum(["true", "false"]).default("true"),
      /** Only messages older than this one (our client pages by position, so that new messages shift nothing). */
      beforeId: messageId.optional(),
    }),
    reply: z.object({
      count: z.number(),
      messages: z.array(message),
      ticket,
      hasMore: z.boolean(),
    }),
    errors: ["ERR_NO_TICKET_FOUND", "ERR_TICKET_FORBIDDEN"],
  },
  "POST /messages/:ticketId": {
    summary: "Sends a text through the ticket's connection",
    auth: "bearer",
    permission: "tickets:work",
    params,
    body: sendMessageBody,
    reply: message,
    errors: sendErrors,
  },
  "POST /messages/:ticketId/read": {
    summary: "Marks the ticket read when the caller is its assignee; otherwise without effect",
    auth: "bearer",
    permission: "tickets:work",
    params,
    reply: z.object({ unreadMessages: z.number() }),
    errors: ["ERR_NO_TICKET_FOUND", "ERR_TICKET_FORBIDDEN"],
  },
  "POST /messages/retry/:messageId": {
    summary: "Sends a failed message again, as the same message",
    auth: "bearer",
    permission: "tickets:work",
    params: z.object({ messageId }),
    reply: message,
    errors: ["ERR_NO_MESSAGE_FOUND", "ERR_TICKET_FORBIDDEN", "ERR_MESSAGE_NOT_FAILED"],
  },
  "DELETE /messages/failed/:messageId": {
    summary: "Discards a failed message that never left",
    auth: "bearer",
    permission: "tickets:work",
    params: z.object({ messageId }),
    reply: z.object({ message: z.string() }),
    errors: ["ERR_NO_MESSAGE_FOUND", "ERR_TICKET_FORBIDDEN", "ERR_MESSAGE_NOT_FAILED"],
  },
});
