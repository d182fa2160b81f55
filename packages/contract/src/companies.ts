import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { companyId } from "./ids.ts";
import { holidayCalendar, scheduleEntries, scheduleEntry } from "./opening-hours.ts";
import { isoDate } from "./primitives.ts";
import { setting } from "./settings.ts";

/** A plan with its limits and flags; `value` is reais per month as a number (wire-contract 2.3). */
export const plan = z.object({
  id: z.number(),
  name: z.string(),
  users: z.number(),
  connections: z.number(),
  queues: z.number(),
  value: z.number(),
  useCampaigns: z.boolean(),
  useKanban: z.boolean(),
  useOpenAi: z.boolean(),
  useIntegrations: z.boolean(),
  useSchedules: z.boolean(),
  useInternalChat: z.boolean(),
  useExternalApi: z.boolean(),
});
export type Plan = z.output<typeof plan>;

/** A company with its opening hours, which are never null (wire-contract 2.3). */
export const company = z.object({
  id: companyId,
  name: z.string(),
  email: z.string(),
  phone: z.string().nullable(),
  status: z.boolean(),
  dueDate: isoDate.nullable(),
  recurrence: z.string(),
  planId: z.number(),
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

export const companiesEndpoints = defineEndpoints({
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
