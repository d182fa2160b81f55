import { z } from "zod";
import { figuresChoice, figuresPeriod, measures } from "./dashboard.ts";
import { defineEndpoints } from "./endpoint.ts";
import { askedCompanyId, connectionId, contactId, id, queueId, ticketId, userId } from "./ids.ts";
import { limits, pageSizes } from "./limits.ts";
import {
  emptyReply,
  isoDate,
  pageNumber,
  queryCount,
  queryDay,
  queryJsonList,
  searchParam,
  sheetFormats,
  sheetLanguages,
} from "./primitives.ts";
import { ticketStatuses } from "./tickets.ts";

/** Which moment of an attendance the period is about: it was queued, as in the dashboard, or resolved. */
export const reportDates = ["queued", "resolved"] as const;
export type ReportDate = (typeof reportDates)[number];

/** Attendances by how they are; each is a figure of the dashboard. */
export const reportStates = [
  "all",
  "resolved",
  "running",
  /** Begun when a user reopened a resolved ticket. */
  "reopened",
  /** The first attendance of a ticket. */
  "new",
  "rated",
] as const;
export type ReportState = (typeof reportStates)[number];

/** Only attendances that have this time: those that an average is made of. */
export const reportTimes = ["wait", "firstAnswer", "support"] as const;
export type ReportTime = (typeof reportTimes)[number];

/** A whole number from 0 to `max` in a query. */
const queryPlace = (max: number) =>
  z
    .union([z.literal(""), z.string().regex(/^\d{1,2}$/)])
    .optional()
    .transform((value) => (value === undefined || value === "" ? undefined : Number(value)))
    .pipe(z.number().int().max(max).optional());

/**
 * Narrows a report. With the dashboard's filter and the cell's own fields it has exactly the attendances that the dashboard has
 * counted there: a user's row `userIds=[7]` (without user `[null]`), a cell of the heat map `weekday=0&hour=11`, a bar
 * `dateFrom`, `dateTo` (and `hour`), a rating `rates=[1]`, an average `time=wait`.
 */
export const reportFilter = z.object({
  ...figuresPeriod,
  ...figuresChoice,
  by: z.enum(reportDates).default("queued"),
  state: z.enum(reportStates).default("all"),
  time: z.enum(reportTimes).optional(),
  /** Answers of the customers, 1 to 3. */
  rates: queryJsonList(z.number().int().min(1).max(3)).optional(),
  /** The customer waited longer than so many minutes before it was accepted. */
  waitOver: queryCount(limits.waitFilterMinutesMax),
  /** 0 is Monday; local, of the moment that `by` says. */
  weekday: queryPlace(6),
  hour: queryPlace(23),
  contactId: contactId.optional(),
  /** The number of the ticket ("Ticket nº"), or of the attendance. */
  protocol: queryCount(999_999_999),
  /** In the contact's name or number, without accents and case. */
  searchParam,
});
export type ReportFilter = z.output<typeof reportFilter>;

const named = z.object({ id, name: z.string(), isRemoved: z.boolean() });

export const reportRow = z.object({
  id,
  /** Null: the ticket was deleted since; then there is no contact either. */
  ticketId: ticketId.nullable(),
  ticketUuid: z.string().nullable(),
  contact: z
    .object({
      id: contactId,
      name: z.string(),
      number: z.string(),
      isGroup: z.boolean(),
      profilePicUrl: z.string(),
    })
    .nullable(),
  user: named.extend({ id: userId }).nullable(),
  queue: named.extend({ id: queueId, color: z.string() }).nullable(),
  whatsapp: named.extend({ id: connectionId }).nullable(),
  closedBy: named.extend({ id: userId }).nullable(),
  /** Why it was resolved, if the user said so. */
  reason: z.string().nullable(),
  createdAt: isoDate,
  queuedAt: isoDate,
  startedAt: isoDate.nullable(),
  firstAnswerAt: isoDate.nullable(),
  resolvedAt: isoDate.nullable(),
  waitSeconds: z.number().nullable(),
  firstAnswerSeconds: z.number().nullable(),
  supportSeconds: z.number().nullable(),
  rate: z.number().int().nullable(),
  isReopened: z.boolean(),
  isNew: z.boolean(),
});
export type ReportRow = z.output<typeof reportRow>;

const common = { auth: "bearer", permission: "reports:view" } as const;
const periodErrors = ["ERR_PERIOD_REQUIRED", "ERR_PERIOD_REVERSED", "ERR_PERIOD_TOO_LONG"] as const;

/** Dates of other clients; without them the month until today. */
const olderDates = z.object({
  initialDate: queryDay,
  finalDate: queryDay,
  dateFrom: queryDay,
  dateTo: queryDay,
  companyId: askedCompanyId,
});

export const reportsEndpoints = defineEndpoints({
  "GET /reports/attendances": {
    ...common,
    summary: `Attendances, newest first, ${pageSizes.reportRows} at a time; the page without \`after\` has the sums of all`,
    query: reportFilter.extend({
      /** `next` of the page before. Pages neither skip nor repeat attendances that begin meanwhile. */
      after: z
        .string()
        .regex(/^\d{1,16}_\d{1,10}$/)
        .optional(),
    }),
    reply: z.object({
      period: z.object({ from: z.iso.date(), to: z.iso.date(), timeZone: z.string() }),
      attendances: z.array(reportRow),
      /** For the next page; null on the last one. */
      next: z.string().nullable(),
      /** Figures of all pages; `measures.attendances` is the count. Null on later pages. */
      sums: measures.nullable(),
    }),
    errors: periodErrors,
  },
  "GET /reports/export": {
    ...common,
    summary: `The attendances of a report as a spreadsheet, ${limits.reportExportMax} at most; its first lines are the filter and the sums`,
    query: reportFilter.extend({
      format: z.enum(sheetFormats),
      language: z.enum(sheetLanguages).default("pt"),
    }),
    sendsFile: true,
    reply: emptyReply,
    errors: [...periodErrors, "ERR_REPORT_TOO_LONG"],
  },

  "GET /ticket/reports": {
    ...common,
    summary: "Attendances with their tickets, newest first, as other clients read them",
    query: z.object({
      searchParam,
      ticketId: ticketId.optional(),
      contactId: contactId.optional(),
      whatsappId: queryJsonList(connectionId).optional(),
      users: queryJsonList(userId).optional(),
      queueIds: queryJsonList(queueId).optional(),
      status: queryJsonList(z.enum(ticketStatuses)).optional(),
      dateFrom: queryDay,
      dateTo: queryDay,
      page: pageNumber,
      pageSize: queryCount(limits.reportPageMax),
    }),
    reply: z.object({
      totalTickets: z.object({ total: z.number().int() }),
      tickets: z.array(
        z.object({
          /** Of the ticket. */
          id: ticketId,
          uuid: z.string(),
          whatsappName: z.string().nullable(),
          contactName: z.string(),
          userName: z.string().nullable(),
          queueName: z.string().nullable(),
          status: z.enum(ticketStatuses),
          lastMessage: z.string(),
          createdAt: isoDate,
          closedAt: isoDate.nullable(),
        }),
      ),
    }),
    errors: periodErrors,
  },
  "GET /reports/appointmentsAtendent": {
    ...common,
    summary: "Attendances of a period by user and by queue, as other clients read them",
    query: olderDates,
    reply: z.object({
      appointmentsByAttendents: z.array(
        z.object({ user_name: z.string(), total_tickets: z.number().int() }),
      ),
      ticketsByQueues: z.array(z.object({ name: z.string(), total_tickets: z.number().int() })),
    }),
    errors: periodErrors,
  },
  "GET /reports/rushHour": {
    ...common,
    summary: "Messages of a period by local hour, as other clients read them",
    query: olderDates,
    reply: z.array(z.object({ message_hour: z.number().int(), message_count: z.number().int() })),
    errors: periodErrors,
  },
  "GET /reports/departamentRatings": {
    ...common,
    summary: "The average rating of each queue in a period, as other clients read them",
    query: olderDates,
    reply: z.array(z.object({ name: z.string(), total_rate: z.number() })),
    errors: periodErrors,
  },
});
