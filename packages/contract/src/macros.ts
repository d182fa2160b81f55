import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { companyId, macroId, queueId, resolveReasonId, tagId, ticketId } from "./ids.ts";
import { limits } from "./limits.ts";
import { isoDate, messageReply, text } from "./primitives.ts";
import { changedTicket } from "./tickets.ts";

/** Steps that an agent runs with one key in a conversation: a text, a tag, a queue, and the end. */
export const macro = z.object({
  id: macroId,
  companyId,
  name: z.string(),
  /** The digit that runs it, with Alt and Shift; null: none. */
  key: z.string().nullable(),
  /** Empty: none is sent. */
  message: z.string(),
  /** Added to the tags of the ticket. */
  tagId: tagId.nullable(),
  /** The ticket goes there, or is resolved there. */
  queueId: queueId.nullable(),
  resolves: z.boolean(),
  reasonId: resolveReasonId.nullable(),
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type Macro = z.output<typeof macro>;

const body = z
  .object({
    name: text(limits.nameMax).trim().min(limits.nameMin),
    key: z
      .string()
      .regex(/^[1-9]$/)
      .nullable()
      .default(null),
    message: text(limits.messageBodyMax).default(""),
    tagId: tagId.nullable().default(null),
    queueId: queueId.nullable().default(null),
    resolves: z.boolean().default(false),
    reasonId: resolveReasonId.nullable().default(null),
  })
  .refine(
    ({ message, tagId: tag, queueId: queue, resolves }) =>
      message.trim() !== "" || tag !== null || queue !== null || resolves,
    { path: ["message"], message: "must have a step" },
  );
export type MacroBody = z.output<typeof body>;

const params = z.object({ macroId });
const manage = { auth: "bearer", permission: "quick-messages:manage-all" } as const;
const references = ["ERR_NO_TAG_FOUND", "ERR_QUEUE_NOT_FOUND", "ERR_NO_REASON_FOUND"] as const;

export const macrosEndpoints = defineEndpoints({
  "GET /macros": {
    auth: "bearer",
    permission: "tickets:work",
    summary: "The macros of the company by name",
    reply: z.array(macro),
    errors: [],
  },
  "POST /macros": {
    ...manage,
    summary: "A new macro",
    body,
    reply: macro,
    errors: ["ERR_MACRO_KEY_TAKEN", "ERR_MACRO_LIMIT_REACHED", ...references],
  },
  "PUT /macros/:macroId": {
    ...manage,
    summary: "Changes a macro",
    params,
    body,
    reply: macro,
    errors: ["ERR_NO_MACRO_FOUND", "ERR_MACRO_KEY_TAKEN", ...references],
  },
  "DELETE /macros/:macroId": {
    ...manage,
    summary: "Removes a macro",
    params,
    reply: messageReply,
    errors: ["ERR_NO_MACRO_FOUND"],
  },
  "POST /macros/:macroId/run": {
    auth: "bearer",
    permission: "tickets:work",
    summary:
      "Carries out all steps of a macro on a ticket, or none. With `undoSeconds` they can be undone like a change of the ticket, and nothing is sent before",
    params,
    body: z.object({
      ticketId,
      undoSeconds: z.number().int().min(0).max(limits.undoSecondsMax).default(0),
    }),
    reply: changedTicket,
    errors: [
      "ERR_NO_MACRO_FOUND",
      "ERR_NO_TICKET_FOUND",
      "ERR_TICKET_FORBIDDEN",
      "ERR_TICKET_CLOSED",
      "ERR_TICKET_TRANSITION",
      "ERR_REASON_REQUIRED",
      "ERR_WAPP_NOT_INITIALIZED",
      "ERR_WAPP_INVALID_CONTACT",
      "ERR_WAPP_WINDOW_CLOSED",
    ],
  },
});
