import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { companyId, contactId, noteId, queueId, ticketId, userId } from "./ids.ts";
import { limits } from "./limits.ts";
import { isoDate, messageReply, text } from "./primitives.ts";
import { ticketStatuses } from "./tickets.ts";

/** A person or a queue that a note names with `@`, as it was called then: `@` and the name stand in the text. */
export const noteMention = z.object({
  kind: z.enum(["user", "queue"]),
  id: z.number(),
  name: z.string(),
});
export type NoteMention = z.output<typeof noteMention>;

/** A note of the team about a ticket; the customer never sees it (wire-contract 2.9). */
export const ticketNote = z.object({
  id: noteId,
  note: z.string(),
  companyId,
  ticketId,
  contactId,
  userId: userId.nullable(),
  /** Never null: a former user has the name "". */
  user: z.object({ id: userId.nullable(), name: z.string(), email: z.string() }),
  contact: z.object({ id: contactId, name: z.string() }),
  ticket: z.object({ id: ticketId, status: z.enum(ticketStatuses), createdAt: isoDate }),
  mentions: z.array(noteMention),
  createdAt: isoDate,
  /** Later than `createdAt` once its author has edited it. */
  updatedAt: isoDate,
});
export type TicketNote = z.output<typeof ticketNote>;

/** The notice to a user whom a note mentions, until the user has opened the ticket. */
export const mentionNotice = z.object({ note: ticketNote, ticketUuid: z.guid() });
export type MentionNotice = z.output<typeof mentionNotice>;

/** Whom a note of a ticket can mention. */
export const noteReaders = z.object({
  users: z.array(
    z.object({
      id: userId,
      name: z.string(),
      queueIds: z.array(queueId),
      /** May read the note. Others can be named, and get no notice. */
      canRead: z.boolean(),
    }),
  ),
  queues: z.array(z.object({ id: queueId, name: z.string(), color: z.string() })),
});
export type NoteReaders = z.output<typeof noteReaders>;

const written = z.object({
  /** At least 2 characters after trimming, else ERR_TICKETNOTE_INVALID_NAME. */
  note: text(limits.noteMax).trim(),
  mentionedUserIds: z.array(userId).max(limits.noteMentionsMax).default([]),
  mentionedQueueIds: z.array(queueId).max(limits.noteMentionsMax).default([]),
});
const writeErrors = [
  "ERR_TICKET_FORBIDDEN",
  "ERR_TICKETNOTE_INVALID_NAME",
  "ERR_NO_USER_FOUND",
  "ERR_QUEUE_NOT_FOUND",
] as const;

const common = { auth: "bearer", permission: "tickets:work" } as const;

export const ticketNotesEndpoints = defineEndpoints({
  "POST /ticket-notes": {
    ...common,
    summary: "Adds a note to a ticket; the mentioned users who may read it get a notice",
    body: written.extend({ ticketId, contactId: contactId.optional() }),
    reply: ticketNote,
    errors: ["ERR_NO_TICKET_FOUND", ...writeErrors],
  },
  "GET /ticket-notes/list": {
    ...common,
    summary: "The newest 500 notes of a ticket, newest first",
    query: z.object({ ticketId, contactId: contactId.optional() }),
    reply: z.array(ticketNote),
    errors: ["ERR_NO_TICKET_FOUND", "ERR_TICKET_FORBIDDEN"],
  },
  "GET /ticket-notes/readers": {
    ...common,
    summary: "Whom a note of the ticket can mention: up to 500 users and all queues",
    query: z.object({ ticketId }),
    reply: noteReaders,
    errors: ["ERR_NO_TICKET_FOUND", "ERR_TICKET_FORBIDDEN"],
  },
  "GET /ticket-notes/mentions": {
    ...common,
    summary: "The caller's newest 50 unread mentions, newest first",
    reply: z.array(mentionNotice),
    errors: [],
  },
  "POST /ticket-notes/mentions/read": {
    ...common,
    summary: "The caller has seen the notes of a ticket: its mentions are read",
    body: z.object({ ticketId }),
    reply: messageReply,
    errors: ["ERR_NO_TICKET_FOUND", "ERR_TICKET_FORBIDDEN"],
  },
  "PUT /ticket-notes/:noteId": {
    ...common,
    summary: "Edits an own note, within 15 minutes of writing it",
    params: z.object({ noteId }),
    body: written,
    reply: ticketNote,
    errors: ["ERR_NO_TICKETNOTE_FOUND", "ERR_TICKETNOTE_TOO_OLD", ...writeErrors],
  },
  "DELETE /ticket-notes/:noteId": {
    ...common,
    summary: "Removes a note: its author, or an admin, who can undo it for some seconds",
    params: z.object({ noteId }),
    reply: messageReply,
    errors: ["ERR_NO_TICKETNOTE_FOUND", "ERR_TICKET_FORBIDDEN"],
  },
  "POST /ticket-notes/:noteId/undo": {
    ...common,
    summary: "Brings back a note that the caller removed a moment ago",
    params: z.object({ noteId }),
    reply: ticketNote,
    errors: ["ERR_UNDO_OVER"],
  },
});
