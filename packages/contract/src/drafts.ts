import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { messageId, ticketId } from "./ids.ts";
import { limits } from "./limits.ts";
import { isoDate, text } from "./primitives.ts";

/** The text that a user has begun to write in a ticket; "" is none. It is the same on all computers of the user. */
export const draft = z.object({
  ticketId,
  body: z.string(),
  quotedMsgId: messageId.nullable(),
  updatedAt: isoDate.nullable(),
});
export type Draft = z.output<typeof draft>;

const common = { auth: "bearer", permission: "tickets:work" } as const;
const params = z.object({ ticketId });
const errors = ["ERR_NO_TICKET_FOUND", "ERR_TICKET_FORBIDDEN"] as const;

export const draftsEndpoints = defineEndpoints({
  "GET /drafts": {
    ...common,
    summary: "The tickets in which the caller has a draft (the newest 200)",
    reply: z.array(draft),
    errors: [],
  },
  "GET /drafts/:ticketId": {
    ...common,
    summary: "The caller's draft in a ticket",
    params,
    reply: draft,
    errors,
  },
  "PUT /drafts/:ticketId": {
    ...common,
    summary: "Keeps the caller's draft; an empty one is removed",
    params,
    body: z.object({
      body: text(limits.draftMax),
      quotedMsgId: messageId.nullish(),
      /** Told back to the caller's other clients, so that the one that wrote can leave it. */
      clientId: z.guid().optional(),
    }),
    reply: draft,
    errors,
  },
});
