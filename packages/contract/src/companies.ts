import { z } from "zod";
import { invoice } from "./billing.ts";
import {
  companyCellFaults,
  companyOrders,
  companySheetColumns,
  companyStates,
  recurrences,
} from "./company-choices.ts";
import { sheetErrors } from "./contact-imports.ts";
import { defineEndpoints } from "./endpoint.ts";
import { companyId, connectionId, planId } from "./ids.ts";
import { limits } from "./limits.ts";
import { holidayCalendar, scheduleEntries, scheduleEntry } from "./opening-hours.ts";
import { plan } from "./plans.ts";
import {
  emptyReply,
  isoDate,
  pageNumber,
  queryBoolean,
  searchParam,
  sheetLanguages,
  text,
} from "./primitives.ts";
import { setting } from "./settings.ts";

/** A company with its opening hours, which are never null (wire-contract 2.3). */
export const company = z.object({
  id: companyId,
  name: z.string(),
  email: z.string(),
  phone: z.string().nullable(),
  status: z.boolean(),
  dueDate: isoDate.nullable(),
  recurrence: z.string(),
  planId,
  timeZone: z.string(),
  schedules: z.array(scheduleEntry),
  /** The days on which it is closed whatever its hours, and those of its queues, say. */
  holidays: holidayCalendar,
});
export type Company = z.output<typeof company>;

/** A company in the list of those who run the installation. */
export const listedCompany = company.extend({
  createdAt: isoDate,
  plan: plan.pick({ id: true, name: true, value: true }),
  settings: z.array(setting),
});

/** A company as the provider looks after it. */
export const managedCompany = company.omit({ schedules: true, holidays: true }).extend({
  createdAt: isoDate,
  trialExpiration: isoDate.nullable(),
  /** Whole days of its calendar until it is due, 0 on that day; null without a due date. */
  daysLeft: z.number().nullable(),
  /** The company of those who run the installation. */
  isProvider: z.boolean(),
  campaignsEnabled: z.boolean(),
  plan: plan.pick({
    ...{ id: true, name: true, value: true, users: true, connections: true, queues: true },
    useCampaigns: true,
  }),
  users: z.number(),
  queues: z.number(),
  connections: z.array(
    z.object({
      id: connectionId,
      name: z.string(),
      isUp: z.boolean(),
      disconnectedAt: isoDate.nullable(),
    }),
  ),
  /** Why it is suspended, if that was said. */
  suspensionReason: z.string(),
  /** When somebody of it was last there. */
  lastSeenAt: isoDate.nullable(),
  /** In this month of its calendar, as counted last; its files are those of all months. */
  usage: z.object({
    messages: z.number(),
    /** Those of them with a file. */
    media: z.number(),
    fileBytes: z.number(),
    /** Null: not counted yet. */
    countedAt: isoDate.nullable(),
  }),
  /** Its open invoice. */
  invoice: invoice.pick({ id: true, value: true, dueDate: true }).nullable(),
});
export type ManagedCompany = z.output<typeof managedCompany>;

/** Invoices that are not paid; `value` is reais. */
const openInvoices = z.object({ count: z.number(), value: z.number() });

/** A day that a form has not chosen. */
const noDay = z.literal("").transform(() => null);

const fields = z.object({
  /** Under two characters is ERR_COMPANY_INVALID_NAME. */
  name: text(limits.nameMax).trim(),
  /** The contact address. In a new company its first admin signs in with it. */
  email: z.email().max(limits.emailMax).toLowerCase(),
  phone: text(limits.numberMax)
    .trim()
    .nullable()
    .transform((value) => (value === "" ? null : value)),
  planId,
  status: z.boolean(),
  /** The last day on which it may work, or a moment of that day; null is without end. */
  dueDate: z.union([z.iso.date(), z.iso.datetime({ offset: true }), noDay, z.null()]),
  recurrence: z.enum([...recurrences, ""]),
  campaignsEnabled: z.boolean(),
  /** Kept while the company is suspended. */
  suspensionReason: text(limits.suspensionReasonMax).trim(),
});

const newCompany = fields.extend({
  phone: fields.shape.phone.default(null),
  status: fields.shape.status.default(true),
  dueDate: fields.shape.dueDate.default(null),
  recurrence: fields.shape.recurrence.default("MENSAL"),
  campaignsEnabled: fields.shape.campaignsEnabled.default(true),
  suspensionReason: fields.shape.suspensionReason.default(""),
  /** The password of the first admin, who without one is invited by e-mail in this language. */
  password: z.union([z.literal(""), text(limits.passwordMax).min(limits.passwordMin)]).default(""),
  language: z.enum(sheetLanguages).default("pt"),
});
export type NewCompany = z.output<typeof newCompany>;

/** A company of a spreadsheet. Its first admin is invited by e-mail. */
export const companyOfSheet = newCompany.pick({
  ...{ name: true, email: true, phone: true, planId: true, dueDate: true, recurrence: true },
  campaignsEnabled: true,
});
export type CompanyOfSheet = z.output<typeof companyOfSheet>;

/** A row of a spreadsheet of companies. */
export const companySheetRow = z.object({
  /** As the sheet numbers it, from 1. */
  line: z.number(),
  /** As the sheet has them; "" for a column that it has not. */
  cells: z.record(z.enum(companySheetColumns), z.string()),
  faults: z.partialRecord(z.enum(companySheetColumns), z.enum(companyCellFaults)),
  /** The company that this row creates; null while a cell has a fault. */
  company: z
    .object({
      ...{ name: z.string(), email: z.string(), phone: z.string().nullable(), planId },
      ...{ dueDate: z.string().nullable(), recurrence: z.enum([...recurrences, ""]) },
      campaignsEnabled: z.boolean(),
    })
    .nullable(),
});
export type CompanySheetRow = z.output<typeof companySheetRow>;

/** The fields of a sign-up. Clients of the family send more; the server decides those itself. */
const signUp = fields.pick({ name: true, email: true }).extend({
  phone: text(limits.numberMax).trim().min(1),
  /** `disabled`: no plan was chosen. */
  planId: z.union([planId, z.literal("disabled").transform(() => null)]),
  /** The password of the first admin. One that is too short is ERR_PASSWORD_SHORT. */
  password: text(limits.passwordMax),
});
export type SignUp = z.output<typeof signUp>;

/** Omitted fields stay. */
const companyChange = fields.partial();
export type CompanyChange = z.output<typeof companyChange>;

export const companyArchiveStates = ["waiting", "running", "done", "failed", "expired"] as const;
export type CompanyArchiveState = (typeof companyArchiveStates)[number];

/** An export of a company: its archive can be downloaded for a day, by the super user who asked for it. */
export const companyExport = z.object({
  id: z.guid(),
  state: z.enum(companyArchiveStates),
  /** From 0 to 100. */
  progress: z.number(),
  bytes: z.number(),
  requesterName: z.string(),
  isMine: z.boolean(),
  createdAt: isoDate,
  /** Null while there is no archive. */
  expiresAt: isoDate.nullable(),
});
export type CompanyExport = z.output<typeof companyExport>;

const provide = { auth: "bearer", permission: "companies:manage-any" } as const;
const refusals = [
  ...(["ERR_COMPANY_INVALID_NAME", "ERR_COMPANY_NAME_ALREADY_EXISTS"] as const),
  "ERR_NO_PLAN_FOUND",
] as const;
const refusalsOfNew = [
  ...refusals,
  ...(["ERR_USER_EMAIL_EXISTS", "ERR_PASSWORD_SHORT", "ERR_PASSWORD_EASY"] as const),
] as const;

export const companiesEndpoints = defineEndpoints({
  "GET /companies": {
    ...provide,
    summary: "One page of the companies, the most overdue first, with their use; super users only",
    query: z.object({
      searchParam,
      pageNumber,
      state: z
        .union([z.enum(companyStates), z.literal("")])
        .optional()
        .transform((value) => (value === "" ? undefined : value)),
      order: z.enum(companyOrders).default("dueDate"),
      descending: queryBoolean,
    }),
    reply: z.object({
      companies: z.array(managedCompany),
      count: z.number(),
      hasMore: z.boolean(),
      /** Counts and sums over all companies; search and filter do not change them. */
      totals: z.object({
        all: z.number(),
        due: z.number(),
        overdue: z.number(),
        down: z.number(),
        trial: z.number(),
        suspended: z.number(),
        connectionsDown: z.number(),
        /** Reais that were received this month, and in the whole month before. */
        revenue: z.number(),
        revenueBefore: z.number(),
        /** Invoices that are due today or later, and those that are past their due date. */
        open: openInvoices,
        late: openInvoices,
      }),
    }),
    errors: [],
  },
  "POST /companies": {
    ...provide,
    summary:
      "A new company with its first admin, who without a password is invited by e-mail; super users only",
    body: newCompany,
    reply: company,
    errors: refusalsOfNew,
  },
  "POST /companies/spreadsheet": {
    ...provide,
    summary:
      "Reads a spreadsheet of companies (.xlsx, .xls, .csv) and says what is wrong in its cells; nothing is stored",
    upload: { field: "file", maxFiles: 1, fields: z.object({}) },
    reply: z.object({ rows: z.array(companySheetRow) }),
    errors: [
      ...(["ERR_FILE_MISSING", "ERR_FILE_TOO_LARGE", "ERR_TOO_MANY_REQUESTS"] as const),
      ...sheetErrors,
      ...(["ERR_SHEET_TOO_WIDE", "ERR_SHEET_NO_COMPANIES"] as const),
    ],
  },
  "POST /companies/batch": {
    ...provide,
    summary:
      "Creates companies, each by itself, and invites their admins by e-mail; says of each whether it was refused",
    body: z.object({
      companies: z.array(companyOfSheet).min(1).max(limits.companyBatchMax),
      /** The language of the invitations. */
      language: z.enum(sheetLanguages).default("pt"),
    }),
    /** In the order of the request. */
    reply: z.object({
      results: z.array(
        z.object({
          /** Null when it was refused. */
          companyId: companyId.nullable(),
          /** False also for a company of this name and e-mail that was there before: a repeated call does no harm. */
          isNew: z.boolean(),
          /** Why it was refused. */
          code: z.enum(refusalsOfNew).nullable(),
        }),
      ),
    }),
    errors: [],
  },
  "POST /companies/spreadsheet/file": {
    ...provide,
    summary: "These rows as a spreadsheet: the template, and the refused rows with their reasons",
    body: z.object({
      name: text(limits.nameMax).trim().min(1),
      rows: z
        .array(z.array(text(limits.sheetCellMax)).max(companySheetColumns.length + 1))
        .min(1)
        .max(limits.companySheetRowsMax + 1),
    }),
    sendsFile: true,
    reply: z.undefined(),
    errors: [],
  },
  "POST /companies/cadastro": {
    summary:
      "A company signs up for an offered plan; the server decides state, due date and recurrence",
    auth: "none",
    body: signUp,
    reply: company,
    errors: [...refusalsOfNew, "ERR_USER_CREATION_DISABLED", "ERR_TOO_MANY_REQUESTS"],
  },
  "PUT /companies/:companyId": {
    ...provide,
    summary: "Changes a company, or suspends it: its users are signed out and its connections stop",
    params: z.object({ companyId }),
    body: companyChange,
    reply: company,
    errors: ["ERR_NO_COMPANY_FOUND", "ERR_COMPANY_IS_PROVIDER", ...refusals],
  },
  "DELETE /companies/:companyId": {
    ...provide,
    summary:
      "Deletes a company with its users, connections, conversations and files; not the provider's own",
    params: z.object({ companyId }),
    reply: emptyReply,
    errors: ["ERR_NO_COMPANY_FOUND", "ERR_COMPANY_IS_PROVIDER"],
  },
  "GET /companies/:companyId/exports": {
    ...provide,
    summary: "The last exports of a company, the newest first, with who asked for them",
    params: z.object({ companyId }),
    reply: z.object({ exports: z.array(companyExport) }),
    errors: ["ERR_NO_COMPANY_FOUND"],
  },
  "POST /companies/:companyId/exports": {
    ...provide,
    summary:
      "Has everything of a company written to one archive; one that is still written is returned",
    params: z.object({ companyId }),
    reply: companyExport,
    errors: ["ERR_NO_COMPANY_FOUND"],
  },
  "GET /companies/:companyId/exports/:companyExportId/file": {
    ...provide,
    summary: "The archive of an export, for the super user who asked for it, for one day",
    params: z.object({ companyId, companyExportId: z.guid() }),
    sendsFile: true,
    reply: z.undefined(),
    errors: ["ERR_NO_COMPANY_FOUND", "ERR_NO_FILE_FOUND"],
  },
  "GET /companies/list": {
    summary: "All companies by name, with their plan and settings; for super users",
    auth: "bearer",
    permission: "companies:read-any",
    reply: z.array(listedCompany),
    streams: true,
    errors: [],
  },
  "GET /companies/:companyId": {
    summary:
      "A company; the own one, or any for super users. Agents read no more than its name, hours and due date",
    auth: "bearer",
    params: z.object({ companyId }),
    reply: company,
    errors: ["ERR_OTHER_COMPANY", "ERR_NO_COMPANY_FOUND"],
  },
  "PUT /companies/:companyId/schedules": {
    summary: "The opening hours of a company; its admins, or super users",
    auth: "bearer",
    permission: "companies:manage",
    params: z.object({ companyId }),
    body: z.object({ schedules: scheduleEntries }),
    reply: company,
    errors: ["ERR_OTHER_COMPANY", "ERR_NO_COMPANY_FOUND"],
  },
  "PUT /companies/:companyId/holidays": {
    summary: "The holidays of a company; its admins, or super users",
    auth: "bearer",
    permission: "companies:manage",
    params: z.object({ companyId }),
    body: holidayCalendar,
    reply: company,
    errors: ["ERR_OTHER_COMPANY", "ERR_NO_COMPANY_FOUND"],
  },
  "GET /companies/listPlan/:companyId": {
    summary: "Plan flags and limits of a company; own company, or any for super users",
    auth: "bearer",
    params: z.object({ companyId }),
    reply: z.object({
      id: companyId,
      name: z.string(),
      email: z.string(),
      phone: z.string().nullable(),
      status: z.boolean(),
      dueDate: isoDate.nullable(),
      createdAt: isoDate,
      plan,
    }),
    errors: ["ERR_OTHER_COMPANY", "ERR_NO_COMPANY_FOUND"],
  },
});
