import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { companyId } from "./ids.ts";
import { isoDate } from "./primitives.ts";

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

export const companiesEndpoints = defineEndpoints({
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
