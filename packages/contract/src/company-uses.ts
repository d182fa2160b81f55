import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { companyId } from "./ids.ts";

/** The use of a company in the span, in all processes. */
const companyUse = z.object({
  companyId,
  name: z.string(),
  calls: z.number(),
  /** Calls answered 429 because too much of the company's work waited. */
  refused: z.number(),
  searches: z.number(),
  databaseMs: z.number(),
  /** How long its work waited for its turn, all waits together. */
  waitedMs: z.number(),
  inbound: z.number(),
  outbound: z.number(),
  /** Size of the files that were stored. */
  mediaBytes: z.number(),
});
export type CompanyUseRow = z.output<typeof companyUse>;

const waitingCompany = z.object({
  companyId,
  name: z.string(),
  running: z.number(),
  waiting: z.number(),
  oldestMs: z.number(),
});

export const companyUsesEndpoints = defineEndpoints({
  "GET /operation/usage": {
    summary:
      "Which companies use the most of the database, and whose work waits in this process; super users only",
    auth: "bearer",
    permission: "companies:manage-any",
    query: z.object({ span: z.enum(["hour", "day"]).default("hour") }),
    reply: z.object({
      /** The companies with the most time of the database, the first one most; at most 100. */
      companies: z.array(companyUse),
      totalDatabaseMs: z.number(),
      waiting: z.array(waitingCompany),
    }),
    errors: [],
  },
});
