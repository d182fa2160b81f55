import { z } from "zod";
import { session } from "./auth.ts";
import { defineEndpoints } from "./endpoint.ts";
import { companyId, supportVisitId } from "./ids.ts";
import { limits } from "./limits.ts";
import { emptyReply, isoDate, pageNumber, text } from "./primitives.ts";

/** A visit of the provider's people in a company, with the rights of one of its admins. */
export const supportVisit = z.object({
  id: supportVisitId,
  /** The super user's name. */
  visitorName: z.string(),
  /** The admin whose rights the visitor had; what the visitor did stands under this name. */
  adminName: z.string(),
  reason: z.string(),
  startedAt: isoDate,
  endsAt: isoDate,
  /** When the visitor left before. */
  endedAt: isoDate.nullable(),
});
export type SupportVisit = z.output<typeof supportVisit>;

export const supportEndpoints = defineEndpoints({
  "POST /companies/:companyId/support": {
    summary:
      "A session of an hour with the rights of an admin of the company, which can read the reason; super users only",
    auth: "bearer",
    permission: "companies:manage-any",
    params: z.object({ companyId }),
    body: z.object({ reason: text(limits.supportReasonMax).trim().min(limits.supportReasonMin) }),
    reply: session.extend({ endsAt: isoDate }),
    errors: [
      ...(["ERR_NO_COMPANY_FOUND", "ERR_COMPANY_DISABLED"] as const),
      ...(["ERR_COMPANY_IS_PROVIDER", "ERR_NO_USER_FOUND"] as const),
    ],
  },
  "DELETE /support": {
    summary: "Ends the visit of this session; in another session nothing happens",
    auth: "bearer",
    openToExpired: true,
    reply: emptyReply,
    errors: [],
  },
  "GET /support-visits": {
    summary: "One page of the visits of the provider's people in the company, the newest first",
    auth: "bearer",
    permission: "settings:write",
    query: z.object({ pageNumber }),
    reply: z.object({ visits: z.array(supportVisit), count: z.number(), hasMore: z.boolean() }),
    errors: [],
  },
});
