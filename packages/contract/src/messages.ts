import { z } from "zod";
import { contactRef } from "./contact-ref.ts";
import { defineEndpoints } from "./endpoint.ts";
import { companyId, contactId, messageId, queueId, ticketId, userId } from "./ids.ts";
import { limits } from "./limits.ts";
import { fileErrors, media } from "./media.ts";
import { messageDetails } from "./message-details.ts";
import { isoDate, messageReply, pageNumber, repeatable, searchParam, text } from "./primitives.ts";
import { queueRef } from "./queues.ts";
import { ticket } from "./tickets.ts";

/** One person's reaction; a second one of the same person takes its place. */
export const reaction = z.object({
  emoji: z.string(),
  /** The company's own: given in the product or on its phone. */
  fromMe: z.boolean(),
  contactId: contactId.nullable(),
  /** The name of the author, to be shown. */
  name: z.string(),
});
export type Reaction = z.output<typeof reaction>;

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
  /** The product sent it by itself: the attendant, or a text about a transfer, a closing, a call. */
  isAutomatic: z.boolean(),
  ack: z.number().int().min(0).max(5),
  /** Why it was not sent (a code), null while it may still go out or has gone. `ack` keeps its last value. */
  failedCode: z.string().nullable(),
  /**
   * It is unknown whether it was sent: `failedCode` is null, and sending it again needs `confirmed`. A late
   * acknowledgement ends it.
   */
  isUnconfirmed: z.boolean(),
  /** Why the last edit, deletion or reaction did not reach the customer; it was taken back. */
  changeFailedCode: z.string().nullable(),
  /** Until then the sender may take it back; null once it is on its way. */
  undoUntil: isoDate.nullable(),
  /** The agent who wrote it in the product. */
  user: z.object({ id: userId, name: z.string() }).nullable(),
  media: media.nullable(),
  /** The transcript of a voice note: null while there is none, "" if nobody speaks in it. */
  transcript: z.string().nullable(),
  details: messageDetails.nullable(),
  reactions: z.array(reaction),
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
  /** How long it can be taken back; it leaves after that. */
  undoSeconds: z.number().int().min(0).max(limits.undoSecondsMax).default(0),
});
export type SendMessageBody = z.output<typeof sendMessageBody>;

const oneOrMore = <T extends z.ZodType>(item: T) =>
  z
    .union([item, z.array(item).max(limits.mediasPerRequest)])
    .optional()
    .transform((value) => (Array.isArray(value) || value === undefined ? (value ?? []) : [value]));

/** Text fields beside `medias`: one for all files, or one for each in their order. `fromMe` and others are ignored. */
export const sendMediaFields = z.object({
  /** Captions. A caption that is the file's name is none. */
  body: oneOrMore(text(limits.messageBodyMax)),
  clientId: oneOrMore(z.guid()),
  quotedMsgId: repeatable(messageId).optional(),
});
export type SendMediaFields = z.output<typeof sendMediaFields>;

/** `confirmed`: a person accepts that a message which may have been sent could arrive twice. */
export const retryMessageBody = z
  .object({ confirmed: z.boolean().default(false) })
  .default({ confirmed: false });

/** Other clients name one message (`messageId`), ours several. Further fields of others, such as a quote, are ignored. */
const forwardBody = z
  .object({
    messageId: messageId.optional(),
    messageIds: z.array(messageId).max(limits.forwardMax).default([]),
    /** One for each of `messageIds`: a repeated request is the same messages. */
    clientIds: z.array(z.guid()).max(limits.forwardMax).default([]),
    contactId,
    /** Puts the caller's name above the texts. */
    signMessage: z.boolean().default(false),
  })
  .refine(({ messageId: one, messageIds }) => one !== undefined || messageIds.length > 0, {
    path: ["messageId"],
  });
export type ForwardBody = z.output<typeof forwardBody>;

const params = z.object({ ticketId });
const changeErrors = ["ERR_NO_MESSAGE_FOUND", "ERR_TICKET_FORBIDDEN"] as const;
const sendErrors = [
  "ERR_NO_TICKET_FOUND",
  "ERR_TICKET_FORBIDDEN",
  "ERR_TICKET_CLOSED",
  "ERR_CREATING_MESSAGE",
  "ERR_MESSAGE_EMPTY",
  "ERR_FETCH_WAPP_MSG",
  "ERR_WAPP_NOT_INITIALIZED",
  "ERR_WAPP_WINDOW_CLOSED",
] as const;

export const messagesEndpoints = defineEndpoints({
  "GET /messages/:ticketId": {
    summary: "One page of a ticket's messages, newest page first, ascending inside the page",
    auth: "bearer",
    permission: "tickets:work",
    params,
    query: z.object({
      pageNumber,
      /**
       * `false` keeps the side effect of other clients away: reading the page marks the ticket read. Those leave it out, and get
       * reactions as rows of type `reactionMessage` too.
       */
      markRead: z.enum(["true", "false"]).optional(),
      /** Only messages older than this one (our client pages by position, so that new messages shift nothing). */
      beforeId: messageId.optional(),
      /** Only messages newer than this one, for a client that does not stand at the end. */
      afterId: messageId.optional(),
      /** A page with this message in its middle. At most one of the three. */
      aroundId: messageId.optional(),
    }),
    reply: z.object({
      count: z.number(),
      messages: z.array(message),
      ticket,
      /** Older ones. */
      hasMore: z.boolean(),
      hasNewer: z.boolean(),
    }),
    errors: ["ERR_NO_TICKET_FOUND", "ERR_TICKET_FORBIDDEN", "ERR_NO_MESSAGE_FOUND"],
  },
  "GET /messages/:ticketId/search": {
    summary:
      "The newest messages of a ticket that contain a text, without regard to case and accents, newest first. Looks at 10,000 messages at most; `beforeId` goes on from there",
    auth: "bearer",
    permission: "tickets:work",
    params,
    query: z.object({ searchParam, beforeId: messageId.optional() }),
    reply: z.object({
      matches: z.array(z.object({ id: messageId, createdAt: isoDate })),
      /** Where the next request goes on; null: everything was looked at. */
      nextBeforeId: messageId.nullable(),
    }),
    errors: ["ERR_NO_TICKET_FOUND", "ERR_TICKET_FORBIDDEN", "ERR_NO_MESSAGE_FOUND"],
  },
  "POST /messages/:ticketId": {
    summary:
      "Sends a text, or files as multipart, through the ticket's connection; answers the last message",
    auth: "bearer",
    permission: "tickets:work",
    params,
    body: sendMessageBody,
    upload: { field: "medias", maxFiles: limits.mediasPerRequest, fields: sendMediaFields },
    reply: message,
    errors: [...sendErrors, ...fileErrors],
  },
  "POST /message/forward": {
    summary:
      "Sends messages once more, marked as forwarded, to a contact: in the ticket that waits or is served, else in one opened for the caller",
    auth: "bearer",
    permission: "tickets:work",
    body: forwardBody,
    reply: z.object({ ticketId, ticketUuid: z.guid() }),
    errors: [
      ...sendErrors,
      "ERR_NO_MESSAGE_FOUND",
      "ERR_MESSAGE_NOT_FORWARDABLE",
      "ERR_NO_CONTACT_FOUND",
      "ERR_WAPP_INVALID_CONTACT",
      "ERR_NO_DEF_WAPP_FOUND",
      "ERR_CREATING_TICKET",
    ],
  },
  "GET /messages/:ticketId/shared": {
    summary:
      "The newest messages of a ticket that have a file or a link: of the thousand newest, or the thousand before a message",
    auth: "bearer",
    permission: "tickets:work",
    params,
    query: z.object({ beforeId: messageId.optional() }),
    reply: z.object({
      /** Newest first. */
      messages: z.array(message),
      /** Where to look on; null at the beginning of the conversation. */
      olderId: messageId.nullable(),
    }),
    errors: ["ERR_NO_TICKET_FOUND", "ERR_TICKET_FORBIDDEN", "ERR_NO_MESSAGE_FOUND"],
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
    summary:
      "Sends a failed or, with `confirmed`, an unconfirmed message again, as the same message",
    auth: "bearer",
    permission: "tickets:work",
    params: z.object({ messageId }),
    body: retryMessageBody,
    reply: message,
    errors: [
      "ERR_NO_MESSAGE_FOUND",
      "ERR_TICKET_FORBIDDEN",
      "ERR_MESSAGE_NOT_FAILED",
      "ERR_MESSAGE_UNCONFIRMED",
    ],
  },
  "DELETE /messages/failed/:messageId": {
    summary: "Discards a failed message that never left",
    auth: "bearer",
    permission: "tickets:work",
    params: z.object({ messageId }),
    reply: z.object({ message: z.string() }),
    errors: ["ERR_NO_MESSAGE_FOUND", "ERR_TICKET_FORBIDDEN", "ERR_MESSAGE_NOT_FAILED"],
  },
  "DELETE /messages/undo/:messageId": {
    summary: "Takes back a message that has not left yet: it is gone, as if never written",
    auth: "bearer",
    permission: "tickets:work",
    params: z.object({ messageId }),
    reply: messageReply,
    errors: [...changeErrors, "ERR_MESSAGE_SENT"],
  },
  "POST /messages/edit/:messageId": {
    summary: "Edits an own text message, within 15 minutes of sending it",
    auth: "bearer",
    permission: "tickets:work",
    params: z.object({ messageId }),
    body: z.object({ body: text(limits.messageBodyMax) }),
    reply: message,
    errors: [...changeErrors, "ERR_MESSAGE_EMPTY", "ERR_EDITING_WAPP_MSG"],
  },
  "PUT /messages/:messageId": {
    summary: "The message; older clients confirm an edit with it",
    auth: "bearer",
    permission: "tickets:work",
    params: z.object({ messageId }),
    reply: message,
    errors: changeErrors,
  },
  "DELETE /messages/:messageId": {
    summary: "Deletes an own message for everyone",
    auth: "bearer",
    permission: "tickets:work",
    params: z.object({ messageId }),
    reply: message,
    errors: [...changeErrors, "ERR_DELETE_WAPP_MSG"],
  },
  "POST /messages/:messageId/reactions": {
    summary: "The company's reaction to a message; an empty `type` takes it back",
    auth: "bearer",
    permission: "tickets:work",
    params: z.object({ messageId }),
    body: z.object({ type: text(32) }),
    reply: message,
    errors: [...changeErrors, "ERR_REACTION_WAPP_MSG"],
  },
});
