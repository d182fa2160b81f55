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

const problem = z.object({
  kind: z.string(),
  what: z.string(),
  count: z.number(),
  /** Ids there of the first rows. */
  rows: z.array(z.string()),
});

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
