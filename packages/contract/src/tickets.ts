import { z } from "zod";
import { extraInfo, ticketContact } from "./contact-ref.ts";
import { defineEndpoints } from "./endpoint.ts";
import {
  companyId,
  connectionId,
  contactId,
  id,
  integrationId,
  messageId,
  promptId,
  queueId,
  resolveReasonId,
  tagId,
  ticketId,
  userId,
} from "./ids.ts";
import { limits } from "./limits.ts";
import { lastMessageKinds } from "./message-details.ts";
import {
  emptyReply,
  isoDate,
  messageReply,
  pageNumber,
  queryBoolean,
  queryChoice,
  queryCount,
  queryDay,
  queryJsonList,
  searchParam,
  text,
} from "./primitives.ts";
import { queueRef } from "./queues.ts";

export const ticketStatuses = ["pending", "open", "closed"] as const;
export type TicketStatus = (typeof ticketStatuses)[number];

export const tagRef = z.object({ id: tagId, name: z.string(), color: z.string() });

/**
 * A ticket in lists, replies and events (wire-contract 2.7): `user`, `queue`, `whatsapp` are null when unset but the
 * keys are always there, `tags` is always a list. `lastMessage…` fields after `lastMessage` are additions of ours.
 * To a reader who may not read the last message `lastMessage` is "" and `lastMessageKind` "text"; the other fields stay.
 */
export const ticket = z.object({
  id: ticketId,
  uuid: z.string(),
  status: z.enum(ticketStatuses),
  unreadMessages: z.number(),
  lastMessage: z.string(),
  lastMessageKind: z.enum(lastMessageKinds),
  lastMessageAt: isoDate.nullable(),
  lastMessageFromMe: z.boolean(),
  lastMessageAck: z.number(),
  lastMessageFailed: z.boolean(),
  /** It is unknown whether the last message was sent; `lastMessageFailed` is false then. */
  lastMessageUnconfirmed: z.boolean(),
  isGroup: z.boolean(),
  chatbot: z.boolean(),
  useIntegration: z.boolean(),
  userId: userId.nullable(),
  queueId: queueId.nullable(),
  whatsappId: connectionId.nullable(),
  promptId: z.number().nullable(),
  integrationId: z.number().nullable(),
  queueOptionId: z.number().nullable(),
  contactId,
  companyId,
  contact: ticketContact.extend({ extraInfo: z.array(extraInfo).optional() }),
  user: z.object({ id: userId, name: z.string() }).nullable(),
  queue: queueRef.nullable(),
  /** The last user and the last queue of a closed ticket; null while it waits or is served. */
  servedUser: z.object({ id: userId, name: z.string() }).nullable(),
  servedQueue: queueRef.nullable(),
  whatsapp: z.object({ id: connectionId, name: z.string() }).nullable(),
  tags: z.array(tagRef),
  /**
   * Until then anything may be written to the customer, afterwards only a template; a past moment says that the window is
   * closed. Null on channels without such a rule.
   */
  freeTextUntil: isoDate.nullable(),
  /**
   * When the first customer message arrived that no person of the company has answered; automatic replies are no answer.
   * Null when nobody waits. Meanwhile `lastMessage` and its fields are the customer's newest message; only
   * `lastMessageAt` is the time of the newest one of all.
   */
  waitingSince: isoDate.nullable(),
  /** Since when it is in its queue. */
  queuedAt: isoDate.nullable(),
  /** A person of the company has written since the ticket was opened last. */
  isAnswered: z.boolean(),
  /** Put off until then, or (null) until the customer writes; it is null for a ticket that is not put off. */
  snooze: z.object({ until: isoDate.nullable() }).nullable(),
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type Ticket = z.output<typeof ticket>;

/** Where a search found its words in a ticket: the newest message that has them. */
export const searchHit = z.object({
  messageId,
  fromMe: z.boolean(),
  createdAt: isoDate,
  /** The words as they stand there, with a few around them. */
  before: z.string(),
  match: z.string(),
  after: z.string(),
});
export type SearchHit = z.output<typeof searchHit>;

/**
 * A ticket of a list. `hit` is null without a search, and where only the contact was found. `isPinned`: the caller's own
 * pin; told only where the list puts pinned tickets first.
 */
export const listedTicket = ticket.extend({ hit: searchHit.nullable(), isPinned: z.boolean() });
export type ListedTicket = z.output<typeof listedTicket>;

export const ticketOrders = ["activity", "wait"] as const;
export type TicketOrder = (typeof ticketOrders)[number];

/** The filters that a list, its counts and a saved view share. All of them hold at once. */
const listFilters = {
  queueIds: queryJsonList(queueId).optional(),
  tags: queryJsonList(tagId).optional(),
  /** Admins only. */
  users: queryJsonList(userId).optional(),
  whatsappIds: queryJsonList(connectionId).optional(),
  withUnreadMessages: queryBoolean,
  /** The customer has waited for an answer for so many minutes at least. */
  waitMinutes: queryCount(limits.waitFilterMinutesMax),
  /** Only tickets that are put off, or only others; absent: both. */
  snoozed: queryChoice,
};

export const ticketListQuery = z.object({
  ...listFilters,
  searchParam,
  pageNumber,
  status: z
    .union([z.enum(ticketStatuses), z.literal("")])
    .optional()
    .transform((value) => (value === "" ? undefined : value)),
  showAll: queryBoolean,
  date: queryDay,
  updatedAt: queryDay,
  /** `wait`: the longest wait first, then newest activity; only for a list of open or of pending tickets. */
  order: z.enum(ticketOrders).default("activity"),
  /** The caller's pinned tickets come first; only in a list of open or of pending tickets. */
  pinnedFirst: queryBoolean,
});
export type TicketListQuery = z.output<typeof ticketListQuery>;

/** `null`, `""` and `false` clear or leave a reference as wire-contract 6.1 says; `undefined` leaves it. */
const clearable = <T extends z.ZodType>(reference: T) =>
  z
    .union([reference, z.null(), z.literal(false)])
    .optional()
    .transform((value) => (value === false ? null : value));
/** Like `clearable`, and the empty text of form inputs is "not given". */
const clearableOrBlank = <T extends z.ZodType>(reference: T) =>
  z
    .union([reference, z.null(), z.literal("")])
    .optional()
    .transform((value) => (value === "" ? undefined : value));

/** Asks to keep what is needed to undo the change for so long; 0 or none: it is final at once. */
export const undoSeconds = z.number().int().min(0).max(limits.undoSecondsMax);

export const ticketChange = z.object({
  status: z.enum(ticketStatuses).optional(),
  userId: clearableOrBlank(userId),
  queueId: clearableOrBlank(queueId),
  whatsappId: clearableOrBlank(connectionId).transform((value) => value ?? undefined),
  useIntegration: z.boolean().nullish(),
  promptId: clearable(promptId),
  integrationId: clearable(integrationId),
  chatbot: z.boolean().optional(),
  /** Why it is resolved; ignored for other changes. */
  reasonId: resolveReasonId.nullish(),
  /** Said to the colleagues who see it after a transfer or return: a note of the ticket; empty or none: nothing. */
  note: text(limits.noteMax).trim().optional(),
  /** False: the customer is not told of this transfer. Otherwise the company's setting decides. */
  tellCustomer: z.boolean().optional(),
  /** The change can be undone for so long; what the change sends to the customer waits until then. */
  undoSeconds: undoSeconds.optional(),
});
export type TicketChange = z.output<typeof ticketChange>;

/** A ticket after its change; `undo` is there if the change can be undone (`POST /tickets/:ticketId/undo`). */
export const changedTicket = ticket.extend({
  undo: z.object({ id: z.guid(), until: isoDate }).optional(),
});
export type ChangedTicket = z.output<typeof changedTicket>;

export const newTicket = z.object({
  contactId,
  queueId: clearableOrBlank(queueId).transform((value) => value ?? null),
  whatsappId: clearableOrBlank(connectionId).transform((value) => value ?? null),
  /** Admins may open it for somebody else. */
  userId: clearableOrBlank(userId).transform((value) => value ?? null),
  status: z.literal("open").optional(),
});
export type NewTicket = z.output<typeof newTicket>;

/** Whether the caller has pinned a ticket. */
export const ticketPin = z.object({ ticketId, isPinned: z.boolean() });
export type TicketPin = z.output<typeof ticketPin>;

/** Why a ticket that was put off came back; `changed`: it has another status, user or queue. */
export const snoozeEnds = ["time", "customer", "user", "changed"] as const;

/** The same change of several tickets. */
export const bulkChange = z.discriminatedUnion("action", [
  z.object({ action: z.literal("resolve"), reasonId: resolveReasonId.nullish() }),
  /** Without a user they wait in the queue. */
  z.object({ action: z.literal("transfer"), queueId, userId: userId.nullable() }),
  z.object({ action: z.literal("assign"), userId }),
  /** Adds tags to those that the tickets have. */
  z.object({ action: z.literal("tag"), tagIds: z.array(tagId).min(1).max(20) }),
]);
export type BulkChange = z.output<typeof bulkChange>;

/** The result for one ticket: the changed ticket, or the code of its refusal. */
export const bulkResult = z.object({
  ticketId,
  error: z.string().nullable(),
  ticket: ticket.nullable(),
  undo: z.object({ id: z.guid(), until: isoDate }).optional(),
});
export type BulkResult = z.output<typeof bulkResult>;

/** One cycle of a ticket: waiting, served, finished (behaviour 2.13). */
export const attendance = z.object({
  id,
  ticketId,
  ticketUuid: z.string(),
  whatsapp: z.object({ id: connectionId, name: z.string() }).nullable(),
  queue: queueRef.nullable(),
  user: z.object({ id: userId, name: z.string() }).nullable(),
  closedBy: z.object({ id: userId, name: z.string() }).nullable(),
  createdAt: isoDate,
  queuedAt: isoDate.nullable(),
  startedAt: isoDate.nullable(),
  finishedAt: isoDate.nullable(),
  rated: z.boolean(),
  /** Why it was resolved. */
  reason: z.object({ id: resolveReasonId, name: z.string() }).nullable(),
  /** Where it begins in its ticket, of what the caller may read; null without such a message. */
  firstMessageId: messageId.nullable(),
  /** When the ticket was put off, by whom and until when, and when it came back and why; the oldest first, 50 at most. */
  snoozes: z.array(
    z.object({
      id,
      at: isoDate,
      user: z.object({ id: userId, name: z.string() }).nullable(),
      until: isoDate.nullable(),
      endedAt: isoDate.nullable(),
      ended: z.enum(snoozeEnds).nullable(),
    }),
  ),
});
export type Attendance = z.output<typeof attendance>;

const params = z.object({ ticketId });

export const ticketsEndpoints = defineEndpoints({
  "GET /tickets": {
    summary: "One page of the tickets the caller may see",
    auth: "bearer",
    permission: "tickets:work",
    query: ticketListQuery,
    reply: z.object({ tickets: z.array(listedTicket), count: z.number(), hasMore: z.boolean() }),
    errors: [],
  },
  "POST /tickets": {
    summary:
      "Opens a ticket with a contact; a closed one of the same contact and connection is reopened",
    auth: "bearer",
    permission: "tickets:work",
    body: newTicket,
    reply: ticket,
    errors: [
      "ERR_NO_CONTACT_FOUND",
      "ERR_NO_USER_FOUND",
      "ERR_QUEUE_NOT_FOUND",
      "ERR_QUEUE_REQUIRED",
      "ERR_NO_WAPP_FOUND",
      "ERR_NO_DEF_WAPP_FOUND",
      "ERR_TICKET_EXISTS",
      "ERR_CREATING_TICKET",
    ],
  },
  "GET /tickets/counts": {
    summary: "How many open and pending tickets the caller's list tabs hold",
    auth: "bearer",
    permission: "tickets:work",
    query: z.object({ ...listFilters, showAll: queryBoolean }),
    reply: z.object({ open: z.number(), pending: z.number() }),
    errors: [],
  },
  "GET /tickets/:ticketId": {
    summary: "One ticket by id",
    auth: "bearer",
    permission: "tickets:work",
    params,
    reply: ticket,
    errors: ["ERR_NO_TICKET_FOUND", "ERR_TICKET_FORBIDDEN"],
  },
  "GET /tickets/u/:ticketUuid": {
    summary: "One ticket by its public uuid",
    auth: "bearer",
    permission: "tickets:work",
    params: z.object({ ticketUuid: text(64) }),
    reply: ticket,
    errors: ["ERR_NO_TICKET_FOUND", "ERR_TICKET_FORBIDDEN"],
  },
  "PUT /tickets/:ticketId": {
    summary: "Accepts, returns, resolves, reopens, transfers (wire-contract 6.1)",
    auth: "bearer",
    permission: "tickets:work",
    params,
    body: ticketChange,
    reply: changedTicket,
    errors: [
      "ERR_NO_TICKET_FOUND",
      "ERR_TICKET_FORBIDDEN",
      "ERR_OTHER_OPEN_TICKET",
      "ERR_TICKET_TRANSITION",
      "ERR_NO_USER_FOUND",
      "ERR_NO_PROMPT_FOUND",
      "ERR_NO_DIALOG_FOUND",
      "ERR_QUEUE_NOT_FOUND",
      "ERR_NO_WAPP_FOUND",
      "ERR_NO_REASON_FOUND",
      "ERR_REASON_REQUIRED",
      "ERR_TICKETNOTE_INVALID_NAME",
    ],
  },
  "POST /tickets/:ticketId/undo": {
    summary:
      "Undoes the caller's last change of the ticket within its time: ticket, attendance and unread count are as before, and the message about it is not sent. Refused once the ticket has changed again",
    auth: "bearer",
    permission: "tickets:work",
    params,
    body: z.object({ undoId: z.guid() }),
    reply: ticket,
    errors: ["ERR_NO_TICKET_FOUND", "ERR_UNDO_OVER", "ERR_UNDO_CHANGED"],
  },
  "POST /tickets/bulk": {
    summary:
      "Resolves, transfers, assigns or tags several tickets, each as the single change would, and says what became of each",
    auth: "bearer",
    permission: "tickets:work",
    body: z.object({
      ticketIds: z.array(ticketId).min(1).max(limits.bulkMax),
      change: bulkChange,
      undoSeconds: undoSeconds.optional(),
    }),
    reply: z.object({ results: z.array(bulkResult) }),
    errors: [
      "ERR_NO_USER_FOUND",
      "ERR_QUEUE_NOT_FOUND",
      "ERR_NO_REASON_FOUND",
      "ERR_NO_TAG_FOUND",
      "ERR_NO_PERMISSION",
    ],
  },
  "POST /tickets/bulk/undo": {
    summary: "Undoes the caller's last changes of several tickets, each as the single undo would",
    auth: "bearer",
    permission: "tickets:work",
    body: z.object({
      undos: z
        .array(z.object({ ticketId, undoId: z.guid() }))
        .min(1)
        .max(limits.bulkMax),
    }),
    reply: z.object({ results: z.array(bulkResult) }),
    errors: [],
  },
  "POST /tickets/closeAll": {
    summary:
      "Closes all tickets of a status, in some queues (and without queue) or in all; customers are not told",
    auth: "bearer",
    permission: "tickets:close-all",
    body: z.object({
      status: z.enum(ticketStatuses),
      selectedQueueIds: z.array(queueId).max(500).default([]),
    }),
    reply: emptyReply,
    errors: ["ERR_QUEUE_NOT_FOUND"],
  },
  "PUT /tickets/:ticketId/snooze": {
    summary:
      "Puts a ticket off: it leaves the lists of open and waiting tickets until that time, or until the customer writes if that is sooner or no time is given. Another status, user or queue ends it too",
    auth: "bearer",
    permission: "tickets:work",
    params,
    body: z.object({ until: isoDate.nullable(), undoSeconds: undoSeconds.optional() }),
    reply: changedTicket,
    errors: [
      "ERR_NO_TICKET_FOUND",
      "ERR_TICKET_FORBIDDEN",
      "ERR_TICKET_TRANSITION",
      "ERR_SNOOZE_TIME",
    ],
  },
  "DELETE /tickets/:ticketId/snooze": {
    summary: "Brings back a ticket that was put off",
    auth: "bearer",
    permission: "tickets:work",
    params,
    reply: ticket,
    errors: ["ERR_NO_TICKET_FOUND", "ERR_TICKET_FORBIDDEN"],
  },
  "PUT /tickets/:ticketId/pin": {
    summary: "Puts a ticket at the top of the caller's own lists",
    auth: "bearer",
    permission: "tickets:work",
    params,
    reply: ticketPin,
    errors: ["ERR_NO_TICKET_FOUND", "ERR_TICKET_FORBIDDEN", "ERR_PIN_LIMIT_REACHED"],
  },
  "DELETE /tickets/:ticketId/pin": {
    summary: "Removes the caller's pin",
    auth: "bearer",
    permission: "tickets:work",
    params,
    reply: ticketPin,
    errors: ["ERR_NO_TICKET_FOUND", "ERR_TICKET_FORBIDDEN"],
  },
  "DELETE /tickets/:ticketId": {
    summary: "Removes a ticket with its messages, notes and tags",
    auth: "bearer",
    permission: "tickets:delete",
    params,
    reply: messageReply,
    errors: ["ERR_NO_TICKET_FOUND"],
  },
  "GET /tickets/:ticketId/attendances": {
    summary: "The cycles of a ticket, newest first",
    auth: "bearer",
    permission: "tickets:work",
    params,
    query: z.object({ pageNumber }),
    reply: z.object({ attendances: z.array(attendance), count: z.number(), hasMore: z.boolean() }),
    errors: ["ERR_NO_TICKET_FOUND", "ERR_TICKET_FORBIDDEN"],
  },
});
