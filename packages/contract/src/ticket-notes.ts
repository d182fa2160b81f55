import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { companyId, contactId, noteId, ticketId, userId } from "./ids.ts";
import { limits } from "./limits.ts";
import { isoDate, messageReply, text } from "./primitives.ts";
import { ticketStatuses } from "./tickets.ts";

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
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type TicketNote = z.output<typeof ticketNote>;

const common = { auth: "bearer", permission: "tickets:work" } as const;

export const ticketNotesEndpoints = defineEndpoints({
  "POST /ticket-notes": {
    ...common,
    summary: "Adds a note to a ticket",
    body: z.object({
      /** At least 2 characters after trimming, else ERR_TICKETNOTE_INVALID_NAME. */
      note: text(limits.noteMax).trim(),
      ticketId,
      contactId: contactId.optional(),
    }),
    reply: ticketNote,
    errors: ["ERR_NO_TICKET_FOUND", "ERR_TICKET_FORBIDDEN", "ERR_TICKETNOTE_INVALID_NAME"],
  },
  "GET /ticket-notes/list": {
    ...common,
    summary: "The newest 500 notes of a ticket, newest first",
    query: z.object({ ticketId, contactId: contactId.optional() }),
    reply: z.array(ticketNote),
    errors: ["ERR_NO_TICKET_FOUND", "ERR_TICKET_FORBIDDEN"],
  },
  "DELETE /ticket-notes/:noteId": {
    ...common,
    summary: "Removes a note: its author, or an admin",
    params: z.object({ noteId }),
    reply: messageReply,
    errors: ["ERR_NO_TICKETNOTE_FOUND", "ERR_TICKET_FORBIDDEN"],
  },
});
