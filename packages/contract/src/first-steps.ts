import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { holidayCalendar } from "./opening-hours.ts";
import { isoDate } from "./primitives.ts";

/** The first steps of a new company. A step that is done has the details that the list shows; the others are null. */
const steps = z.object({
  /** A connection that was linked once. */
  connection: z.object({ name: z.string(), number: z.string().nullable() }).nullable(),
  queue: z.object({ name: z.string() }).nullable(),
  /** Whether somebody has saved opening hours, of the company or, where it uses them, of a queue. */
  hours: z.enum(["company", "queue"]).nullable(),
  /** The newest user beside the caller, and how many more there are. */
  team: z.object({ name: z.string(), others: z.number() }).nullable(),
  /** A contact on the simulator whose message was answered. */
  simulator: z.object({ name: z.string() }).nullable(),
});

export const firstSteps = z.object({
  steps,
  /** For the hours that are proposed. */
  holidays: holidayCalendar,
  /** Until when the company is on trial, and what its plan costs a month; null without a trial, or once it has paid. */
  trial: z.object({ endsAt: isoDate, plan: z.string(), value: z.number() }).nullable(),
});
export type FirstSteps = z.output<typeof firstSteps>;

export const firstStepsEndpoints = defineEndpoints({
  "GET /first-steps": {
    summary: "What a new company has done of its first steps, and its trial; for admins",
    auth: "bearer",
    permission: "companies:manage",
    reply: firstSteps,
    errors: [],
  },
});
