import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { companyId, resolveReasonId } from "./ids.ts";
import { limits } from "./limits.ts";
import { isoDate, messageReply, text } from "./primitives.ts";

/** A reason that a company offers when a ticket is resolved. */
export const resolveReason = z.object({
  id: resolveReasonId,
  companyId,
  name: z.string(),
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type ResolveReason = z.output<typeof resolveReason>;

const body = z.object({ name: text(limits.nameMax).trim().min(limits.nameMin) });
const params = z.object({ resolveReasonId });
const manage = { auth: "bearer", permission: "settings:write" } as const;

export const resolveReasonsEndpoints = defineEndpoints({
  "GET /resolve-reasons": {
    auth: "bearer",
    permission: "tickets:work",
    summary: "The reasons that the company offers when a ticket is resolved, by name",
    reply: z.array(resolveReason),
    errors: [],
  },
  "POST /resolve-reasons": {
    ...manage,
    summary: "A new reason",
    body,
    reply: resolveReason,
    errors: ["ERR_REASON_EXISTS", "ERR_REASON_LIMIT_REACHED"],
  },
  "PUT /resolve-reasons/:resolveReasonId": {
    ...manage,
    summary: "Renames a reason, also where it was given before",
    params,
    body,
    reply: resolveReason,
    errors: ["ERR_NO_REASON_FOUND", "ERR_REASON_EXISTS"],
  },
  "DELETE /resolve-reasons/:resolveReasonId": {
    ...manage,
    summary: "Offers a reason no longer; attendances keep it",
    params,
    reply: messageReply,
    errors: ["ERR_NO_REASON_FOUND"],
  },
});
