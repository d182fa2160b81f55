import { z } from "zod";
import { auditActions, auditActorKinds, auditKinds } from "./audit-choices.ts";
import { defineEndpoints } from "./endpoint.ts";
import { id, userId } from "./ids.ts";
import { limits, pageSizes } from "./limits.ts";
import {
  emptyReply,
  isoDate,
  queryDay,
  searchParam,
  sheetFormats,
  sheetLanguages,
  text,
} from "./primitives.ts";

const fields = z.record(z.string(), z.unknown());

export const auditEntry = z.object({
  id,
  at: isoDate,
  actor: z.object({
    kind: z.enum(auditActorKinds),
    /** Null for the product. */
    id: id.nullable(),
    /** As it was then. */
    name: z.string(),
    /** Somebody of the provider, from outside the company. */
    isProvider: z.boolean(),
    /** The name of the provider's person who acted as this user. */
    visitorName: z.string().nullable(),
  }),
  action: z.enum(auditActions),
  kind: z.enum(auditKinds),
  objectId: z.string(),
  label: z.string(),
  /** The changed fields; those of an added or removed thing are on one side. */
  before: fields.nullable(),
  after: fields.nullable(),
  address: z.string().nullable(),
  device: z.string().nullable(),
  requestId: z.string().nullable(),
});
export type AuditEntry = z.output<typeof auditEntry>;

const filter = z.object({
  dateFrom: queryDay,
  dateTo: queryDay,
  userId: userId.optional(),
  kind: z.enum(auditKinds).optional(),
  action: z.enum(auditActions).optional(),
  /** One thing of the kind. */
  objectId: text(100).optional(),
  /** In names and changed values, without accents and case. */
  searchParam,
});
export type AuditFilter = z.output<typeof filter>;

const common = { auth: "bearer", permission: "audit:view" } as const;

export const auditEndpoints = defineEndpoints({
  "GET /audit": {
    ...common,
    summary: `Who did what in the company, the newest first, ${pageSizes.auditEntries} at a time`,
    query: filter.extend({
      /** The id of the last entry that the client has; the page begins after it. */
      before: id.optional(),
    }),
    reply: z.object({ entries: z.array(auditEntry), hasMore: z.boolean() }),
    errors: ["ERR_PERIOD_REVERSED"],
  },
  "GET /audit/export": {
    ...common,
    summary: `The entries of a filter as a spreadsheet, the newest ${limits.auditExportMax} at most`,
    query: filter.extend({
      format: z.enum(sheetFormats),
      language: z.enum(sheetLanguages).default("pt"),
    }),
    sendsFile: true,
    reply: emptyReply,
    errors: ["ERR_PERIOD_REVERSED"],
  },
});
