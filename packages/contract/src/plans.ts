import { z } from "zod";
import { reaisOf } from "./company-choices.ts";
import { defineEndpoints } from "./endpoint.ts";
import { planId } from "./ids.ts";
import { limits } from "./limits.ts";
import { emptyReply, pageNumber, searchParam, text } from "./primitives.ts";

const flags = {
  useCampaigns: z.boolean(),
  useKanban: z.boolean(),
  useOpenAi: z.boolean(),
  useIntegrations: z.boolean(),
  useSchedules: z.boolean(),
  useInternalChat: z.boolean(),
  useExternalApi: z.boolean(),
};

/** A plan with its limits and flags; `value` is reais per month as a number (wire-contract 2.3). */
export const plan = z.object({
  id: planId,
  name: z.string(),
  users: z.number(),
  connections: z.number(),
  queues: z.number(),
  value: z.number(),
  ...flags,
  /** Whether it is offered to who signs up. */
  useInternal: z.boolean(),
});
export type Plan = z.output<typeof plan>;

/** A plan in the list of those who run the installation, with the number of companies that have it. */
export const listedPlan = plan.extend({ companies: z.number() });
export type ListedPlan = z.output<typeof listedPlan>;

/** A number of a form, which may come as its digits. */
const count = z
  .union([
    z.number(),
    z
      .string()
      .trim()
      .regex(/^\d{1,6}$/),
  ])
  .transform(Number)
  .pipe(z.number().int().min(0).max(limits.planCountMax));

/** Reais as a number, or as a form writes them: `97,5`, `1.234`, `1.234,50` (wire-contract 5.2). */
const money = z
  .union([z.number(), z.string().trim().max(20)])
  .transform((value) => (typeof value === "number" ? value : (reaisOf(value) ?? Number.NaN)))
  .pipe(z.number().min(0).max(limits.planValueMax));

const chosen = (flag: z.ZodBoolean) => flag.default(true);

const body = z.object({
  /** Under two characters is ERR_PLAN_INVALID_NAME. */
  name: text(limits.nameMax).trim(),
  users: count.default(0),
  connections: count.default(0),
  queues: count.default(0),
  value: money.default(0),
  useCampaigns: chosen(flags.useCampaigns),
  useKanban: chosen(flags.useKanban),
  useOpenAi: chosen(flags.useOpenAi),
  useIntegrations: chosen(flags.useIntegrations),
  useSchedules: chosen(flags.useSchedules),
  useInternalChat: chosen(flags.useInternalChat),
  useExternalApi: chosen(flags.useExternalApi),
  useInternal: z.boolean().default(true),
});
export type PlanBody = z.output<typeof body>;

const manage = { auth: "bearer", permission: "plans:manage" } as const;
const params = z.object({ planId });
const refusals = ["ERR_PLAN_INVALID_NAME", "ERR_PLAN_NAME_ALREADY_EXISTS"] as const;

export const plansEndpoints = defineEndpoints({
  "GET /plans/list": {
    summary: "The plans that are offered at sign-up, the cheapest first",
    auth: "none",
    reply: z.array(plan),
    streams: true,
    errors: [],
  },
  "GET /plans/register": {
    summary: "The same under the address of other clients",
    auth: "none",
    reply: z.array(plan),
    streams: true,
    errors: [],
  },
  "GET /plans/all": {
    summary: "All plans by name",
    auth: "bearer",
    reply: z.array(plan),
    streams: true,
    errors: [],
  },
  "GET /plans": {
    ...manage,
    summary: "One page of the plans by name, with the number of their companies; super users only",
    query: z.object({ searchParam, pageNumber }),
    reply: z.object({ plans: z.array(listedPlan), count: z.number(), hasMore: z.boolean() }),
    errors: [],
  },
  "GET /plans/:planId": {
    summary: "One plan",
    auth: "bearer",
    params,
    reply: plan,
    errors: ["ERR_NO_PLAN_FOUND"],
  },
  "POST /plans": {
    ...manage,
    summary: "A new plan; super users only",
    body,
    reply: plan,
    errors: refusals,
  },
  "PUT /plans/:planId": {
    ...manage,
    summary: "Changes a plan, at once for the companies that have it; super users only",
    params,
    body,
    reply: plan,
    errors: ["ERR_NO_PLAN_FOUND", ...refusals],
  },
  "DELETE /plans/:planId": {
    ...manage,
    summary: "Removes a plan that no company has; super users only",
    params,
    reply: emptyReply,
    errors: ["ERR_NO_PLAN_FOUND", "ERR_PLAN_IN_USE"],
  },
});
