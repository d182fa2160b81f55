import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { isoDate } from "./primitives.ts";

/** The longest list of companies that one request names. */
const COMPANIES_MAX = 5_000;

const count = z.object({
  read: z.number(),
  added: z.number(),
  merged: z.number(),
  known: z.number(),
  left: z.number(),
});

/** The kinds of rows that a problem belongs to. */
export const whaticketRowKinds = [
  ...(["company", "plan", "setting", "user", "user queue", "connection"] as const),
  ...(["connection queue", "queue", "option", "prompt", "integration", "tag"] as const),
  ...(["contact", "contact field", "contact tag", "ticket", "attendance", "rating"] as const),
  ...(["ticket tag", "message", "file", "note", "quick message", "schedule"] as const),
  ...(["contact list", "contact list item", "campaign", "campaign recipient"] as const),
  ...(["invoice", "chat", "chat member", "chat message"] as const),
] as const;
export type WhaticketRowKind = (typeof whaticketRowKinds)[number];

/** Reasons why rows were repaired, merged or left out. */
export const whaticketProblemCodes = [
  ...(["companyMissing", "nameTaken", "hoursUnreadable"] as const),
  ...(["settingUnknown", "settingValueUnknown"] as const),
  ...(["emailTaken", "superUserDropped", "passwordUnusable"] as const),
  ...(["contactsMerged", "storiesLeftOut", "numberUnreadable", "privateAddressOnly"] as const),
  ...(["nameRepeated", "colorRepeated", "parentMissing", "queueMissing"] as const),
  ...(["typeUnknown", "integrationsStopped", "channelUnknown", "tokenTaken"] as const),
  ...(["closingSwitchedOff", "movingSwitchedOff", "tagsMerged", "tagPairUnusable"] as const),
  ...(["contactMissing", "statusUnknown", "ticketsMerged", "ticketMissing"] as const),
  ...(["ratingUnusable", "ratingLowered", "ratingReplaced"] as const),
  ...(["ticketOutside", "ticketLeftOut", "timeUnreadable", "quoteMissing"] as const),
  ...(["fileMissing", "fileUnreadable", "fileNotCopied", "fileToAttach"] as const),
  ...(["scheduleNotSent", "listItemUnusable"] as const),
  ...(["plannedCampaignCancelled", "runningCampaignCancelled"] as const),
  ...(["olderInvoiceCancelled", "dueDateRepeated"] as const),
  ...(["relatedMissing", "referenceMissing", "refused"] as const),
  /** Reports of earlier versions have a sentence in place of a code. */
  "other",
] as const;
export type WhaticketProblemCode = (typeof whaticketProblemCodes)[number];

/** The values that the sentences of problems name. */
export const whaticketProblemValues = [
  ...(["name", "email", "newEmail", "type", "channel", "status"] as const),
  ...(["column", "reason", "text"] as const),
] as const;
export type WhaticketProblemValue = (typeof whaticketProblemValues)[number];

const problem = z.object({
  kind: z.enum(whaticketRowKinds),
  code: z.enum(whaticketProblemCodes),
  values: z.partialRecord(z.enum(whaticketProblemValues), z.string()).optional(),
  count: z.number(),
  /** Ids there of the first rows. */
  rows: z.array(z.string()),
});
export type WhaticketProblem = z.output<typeof problem>;

const company = z.object({
  /** The id in the other product. */
  id: z.string(),
  name: z.string(),
  newId: z.number().nullable(),
  newName: z.string(),
  state: z.enum(["imported", "known", "dry"]),
  counts: z.record(z.string(), count),
  problems: z.array(problem),
});

/** The result of a run, with the first of its problems. */
export const whaticketReport = z.object({
  seconds: z.number(),
  companies: z.array(company),
  /** Problems that belong to no company. */
  problems: z.array(problem),
  /** Tables and columns that were not read. */
  unread: z.array(
    z.object({ table: z.string(), columns: z.array(z.string()).nullable(), rows: z.number() }),
  ),
});
export type WhaticketReport = z.output<typeof whaticketReport>;
export type WhaticketCompany = z.output<typeof company>;

export const whaticketKinds = ["trial", "import"] as const;
export type WhaticketKind = (typeof whaticketKinds)[number];
export const whaticketStates = ["waiting", "running", "done", "failed", "interrupted"] as const;
export type WhaticketState = (typeof whaticketStates)[number];

const companyIds = z
  .array(z.string().regex(/^\d{1,9}$/))
  .min(1)
  .max(COMPANIES_MAX);

const wish = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("trial") }),
  z.object({ kind: z.literal("import"), companyIds }),
]);
export type WhaticketWish = z.output<typeof wish>;

const run = z.object({
  kind: z.enum(whaticketKinds),
  state: z.enum(whaticketStates),
  startedAt: isoDate,
  seenAt: isoDate,
  endedAt: isoDate.nullable(),
  /** The last line that the run said of itself. */
  progress: z.string(),
  /** The chosen companies; none in a trial, which looks at all. */
  companyIds: z.array(z.string()),
  report: whaticketReport.nullable(),
  /** A code of the system or the database; null unless it failed. */
  error: z.string().nullable(),
});
export type WhaticketRun = z.output<typeof run>;

const whaticketImport = z.object({
  /** Whether the operator named a source. Its address is never sent. */
  isConfigured: z.boolean(),
  /** Whether the operator named the folder with the files of messages. */
  hasMedia: z.boolean(),
  run: run.nullable(),
});
export type WhaticketImport = z.output<typeof whaticketImport>;

export const whaticketRunsEndpoints = defineEndpoints({
  "GET /operation/whaticket": {
    summary: "The last trial or import of a Whaticket database; super users only",
    auth: "bearer",
    permission: "companies:manage-any",
    reply: whaticketImport,
    errors: [],
  },
  "POST /operation/whaticket": {
    summary:
      "Begins a trial, or the import of the named companies; isStarted is false without a source and while one runs. Super users only",
    auth: "bearer",
    permission: "companies:manage-any",
    body: wish,
    reply: z.object({ isStarted: z.boolean() }),
    errors: [],
  },
});
