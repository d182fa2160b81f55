import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { contact } from "./contacts.ts";
import { contactListItem } from "./contact-lists.ts";
import { companyId, contactImportId, contactListId, userId } from "./ids.ts";
import { limits } from "./limits.ts";
import { isoDate, messageReply, pageNumber, text } from "./primitives.ts";

/**
 * What a column of the spreadsheet is taken for. `accepts`: a no there opts the contact out, whatever the rule is. `extra`: additional
 * information. People on a list have neither tags nor additional information: there `tag` and `extra` count as `none`.
 */
export const importTargets = [
  "name",
  "number",
  "email",
  "tag",
  "accepts",
  "extra",
  "none",
] as const;
export type ImportTarget = (typeof importTargets)[number];

/** What becomes of contacts that are known: kept as they are, only what is empty is filled, or the spreadsheet's values replace theirs. */
export const importRules = ["keep", "fill", "replace"] as const;
export type ImportRule = (typeof importRules)[number];

/** Why a row is not imported. */
export const importProblems = [
  "noNumber",
  "noAreaCode",
  /** Scientific notation: the spreadsheet program has dropped digits. */
  "lostDigits",
  "notANumber",
  "repeated",
  "badEmail",
] as const;
export type ImportProblem = (typeof importProblems)[number];

/**
 * `reading`: the file is being read. `unreadable`: see `errorCode`. `draft`: columns are chosen, nothing is imported yet. `waiting`: behind another import of
 * the company. `paused`: by a person. `stopped`: by a person; what was imported stays.
 */
export const importStates = [
  "reading",
  "unreadable",
  "draft",
  "waiting",
  "running",
  "paused",
  "stopped",
  "done",
] as const;
export type ImportState = (typeof importStates)[number];

const column = z.object({
  target: z.enum(importTargets),
  /** The name of the additional information; the title of the sheet unless changed. */
  extraName: text(limits.nameMax).trim().default(""),
});

/** How a spreadsheet is read. Without a column of numbers, or with a target other than `extra` and `none` twice, it cannot start. */
export const importSettings = z.object({
  /** The row of the titles, from 1; 0 for none. Rows above it are left out. */
  titleRow: z.number().int().min(0).max(limits.importTitleRowMax),
  columns: z.array(column).min(1).max(limits.importColumnsMax),
  /** The country of numbers without a country code, ISO 3166-1 alpha-2. */
  country: z.string().regex(/^[A-Z]{2}$/),
  rule: z.enum(importRules),
});
export type ImportSettings = z.output<typeof importSettings>;

/** An import as lists and live events have it. */
export const contactImport = z.object({
  id: contactImportId,
  companyId,
  /** The people go to this list; null: to the address book. */
  contactListId: contactListId.nullable(),
  fileName: z.string(),
  fileBytes: z.number(),
  state: z.enum(importStates),
  /** Why the file is unreadable: a code, with what its text needs. `ERR_CONTACTLIST_FULL` in an import that was stopped by that. */
  errorCode: z.string().nullable(),
  errorData: z.record(z.string(), z.union([z.string(), z.number()])).nullable(),
  /** Rows with data: of the sheet, and how many are finished; `added + filled + kept + refused = done`. */
  rows: z.number(),
  done: z.number(),
  added: z.number(),
  filled: z.number(),
  kept: z.number(),
  refused: z.number(),
  /** A former user has the name "". */
  user: z.object({ id: userId.nullable(), name: z.string() }),
  createdAt: isoDate,
  startedAt: isoDate.nullable(),
  finishedAt: isoDate.nullable(),
});
export type ContactImport = z.output<typeof contactImport>;

/** What the import would do with the present settings. */
export const importTrial = z.object({
  /** Known ones are kept, filled or replaced, by the rule. */
  added: z.number(),
  known: z.number(),
  refused: z.number(),
  problems: z.array(
    z.object({
      problem: z.enum(importProblems),
      count: z.number(),
      /** The first rows with it, as the sheet numbers them. */
      lines: z.array(z.number()),
    }),
  ),
  /** Tags that do not exist yet and would be created; with more than `limits.importNewTagsMax` the import cannot start. */
  newTags: z.array(z.string()),
});
export type ImportTrial = z.output<typeof importTrial>;

/** A row of the sheet with what would be stored, or why it would not be. */
export const importRow = z.object({
  /** As the sheet numbers it, from 1. */
  line: z.number(),
  cells: z.array(z.string()),
  name: z.string(),
  /** The number cell as the sheet has it. */
  writtenNumber: z.string(),
  /** As it would be stored: digits; null where there is a problem. */
  number: z.string().nullable(),
  isOptedOut: z.boolean(),
  problem: z.enum(importProblems).nullable(),
  /** The row that has a repeated number first. */
  sameAs: z.number().nullable(),
});
export type ImportRow = z.output<typeof importRow>;

/** An import as its own page has it. While it is `reading` or `unreadable` there are neither settings nor rows. */
export const shownContactImport = contactImport.extend({
  sheetName: z.string().nullable(),
  columns: z.array(
    z.object({
      title: z.string(),
      /** The title said what it is. */
      isRecognised: z.boolean(),
    }),
  ),
  settings: importSettings.nullable(),
  /** The first rows with data. */
  preview: z.array(importRow),
  /** Null while it is being counted. */
  trial: importTrial.nullable(),
});
export type ShownContactImport = z.output<typeof shownContactImport>;

/** The codes of a file that cannot be read, as `errorCode` and as errors of the calls that import at once. */
export const sheetErrors = [
  /** `data.kind`: what it is instead, such as "exe" or "pdf"; "" if unknown. */
  "ERR_SHEET_NOT_ONE",
  "ERR_SHEET_ENCRYPTED",
  "ERR_SHEET_DAMAGED",
  /** Opened it would be larger than `data.maxBytes`. */
  "ERR_SHEET_TOO_LARGE",
  /** `data.rows` of at most `data.max`. */
  "ERR_SHEET_TOO_MANY_ROWS",
  "ERR_SHEET_EMPTY",
  "ERR_SHEET_NO_NUMBERS",
] as const;

const common = { auth: "bearer", permission: "contacts:work" } as const;
const params = z.object({ contactImportId });
const errors = ["ERR_NO_IMPORT_FOUND", "ERR_IMPORT_STATE"] as const;

/** A call that changes the state of an import. */
const step = { ...common, params, reply: contactImport, errors } as const;

/** An import into a list needs `contact-lists:manage` as well. */
export const contactImportsEndpoints = defineEndpoints({
  "GET /contact-imports": {
    ...common,
    summary:
      "One page of the company's imports, newest first; those into lists only for who may manage lists",
    query: z.object({ pageNumber, contactListId: contactListId.optional() }),
    reply: z.object({
      records: z.array(contactImport),
      count: z.number(),
      hasMore: z.boolean(),
    }),
    errors: [],
  },
  "POST /contact-imports": {
    ...common,
    summary: "Takes a spreadsheet (.xlsx, .xls, .csv); it is read in the background",
    upload: {
      field: "file",
      maxFiles: 1,
      fields: z.object({ contactListId: contactListId.optional() }),
    },
    reply: contactImport,
    status: 201,
    errors: ["ERR_NO_CONTACTLIST_FOUND", "ERR_FILE_MISSING", "ERR_FILE_TOO_LARGE"],
  },
  "GET /contact-imports/example": {
    ...common,
    summary: "A spreadsheet to begin with",
    sendsFile: true,
    reply: z.undefined(),
    errors: [],
  },
  "GET /contact-imports/:contactImportId": {
    ...common,
    summary: "One import with its columns, first rows and what it would do",
    params,
    reply: shownContactImport,
    errors: ["ERR_NO_IMPORT_FOUND"],
  },
  "PUT /contact-imports/:contactImportId": {
    ...common,
    summary:
      "Changes how the spreadsheet is read; what it would do is counted anew in the background",
    params,
    body: importSettings,
    reply: shownContactImport,
    errors,
  },
  "DELETE /contact-imports/:contactImportId": {
    ...common,
    summary: "Removes a draft, an unreadable file or a finished import from the list of imports",
    params,
    reply: messageReply,
    errors,
  },
  "GET /contact-imports/:contactImportId/rows": {
    ...common,
    summary:
      "One page of the refused rows, or of those with one problem, in the order of the sheet",
    params,
    query: z.object({ pageNumber, problem: z.enum(importProblems).optional() }),
    reply: z.object({ rows: z.array(importRow), count: z.number(), hasMore: z.boolean() }),
    errors: ["ERR_NO_IMPORT_FOUND"],
  },
  "GET /contact-imports/:contactImportId/refused": {
    ...common,
    summary: "The refused rows as a spreadsheet, with the reason in a column of its own",
    params,
    sendsFile: true,
    reply: z.undefined(),
    errors: ["ERR_NO_IMPORT_FOUND"],
  },
  "POST /contact-imports/:contactImportId/start": {
    ...common,
    summary: "Begins a draft, or waits behind another import of the company",
    params,
    reply: contactImport,
    errors: [...errors, "ERR_IMPORT_SETTINGS", "ERR_CONTACTLIST_FULL"],
  },
  "POST /contact-imports/:contactImportId/pause": {
    ...step,
    summary: "Pauses an import that waits or runs",
  },
  "POST /contact-imports/:contactImportId/resume": {
    ...step,
    summary: "Goes on with a paused import",
  },
  "POST /contact-imports/:contactImportId/stop": {
    ...step,
    summary: "Ends an import; what was imported stays",
  },
  "POST /contacts/import": {
    ...common,
    summary:
      "Imports the address book of the phone behind the caller's connection, in the background",
    /** Null: the phone has told nothing yet. */
    reply: messageReply.extend({ contactImportId: contactImportId.nullable() }),
    errors: ["ERR_NO_DEF_WAPP_FOUND"],
  },
  "POST /contacts/upload": {
    ...common,
    summary:
      "Imports a small spreadsheet at once by the titles of its columns; the reply has the new contacts",
    upload: { field: "file", maxFiles: 1, fields: z.object({}) },
    reply: z.array(contact),
    streams: true,
    errors: ["ERR_FILE_MISSING", "ERR_FILE_TOO_LARGE", ...sheetErrors],
  },
  "POST /contact-lists/:contactListId/upload": {
    auth: "bearer",
    permission: "contact-lists:manage",
    summary: "Imports a small spreadsheet into a list at once; the reply has the new people",
    params: z.object({ contactListId }),
    upload: { field: "file", maxFiles: 1, fields: z.object({}) },
    reply: z.array(contactListItem),
    streams: true,
    errors: [
      "ERR_NO_CONTACTLIST_FOUND",
      "ERR_CONTACTLIST_FULL",
      "ERR_FILE_MISSING",
      "ERR_FILE_TOO_LARGE",
      ...sheetErrors,
    ],
  },
});
