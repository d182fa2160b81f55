import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { pageNumber, searchParam } from "./primitives.ts";

const query = z.object({ searchParam, pageNumber });
const noRows = z.array(z.never());
const totals = { count: z.number(), hasMore: z.boolean() };
const noTotals = { count: 0, hasMore: false };

/**
 * Lists that every client reads as soon as somebody is signed in, or a dialog opens, whatever the plan is: they are
 * never refused (wire-contract 4.3 and 12, number 18). No company has rows of them yet; the feature that brings the
 * rows takes its call over from here.
 */
export const shellListsEndpoints = defineEndpoints({
  "GET /prompt": {
    summary: "The prompts of the company, a page; none yet",
    auth: "bearer",
    permission: "prompts:list",
    replyWithoutPlan: { prompts: [], ...noTotals },
    query,
    reply: z.object({ prompts: noRows, ...totals }),
    errors: [],
  },
  "GET /queueIntegration": {
    summary: "The integrations of the company, a page; none yet",
    auth: "bearer",
    permission: "integrations:list",
    replyWithoutPlan: { queueIntegrations: [], ...noTotals },
    query,
    reply: z.object({ queueIntegrations: noRows, ...totals }),
    errors: [],
  },
});
