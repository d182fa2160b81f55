import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { queueId, userId } from "./ids.ts";
import { limits } from "./limits.ts";
import { isoDate, text } from "./primitives.ts";

/** Whether a user takes new tickets, as the user says; `online` is presence and something else. */
export const availabilities = ["available", "paused", "away"] as const;
export type Availability = (typeof availabilities)[number];

/** A user's availability; `pauseReason` is null unless paused. */
export const availabilityFields = {
  availability: z.enum(availabilities),
  pauseReason: z.string().nullable(),
  availabilitySince: isoDate,
};

/** A pause needs a reason; other states have none. */
export const availabilityChange = z.discriminatedUnion("availability", [
  z.object({ availability: z.enum(["available", "away"]) }),
  z.object({
    availability: z.literal("paused"),
    pauseReason: text(limits.nameMax).trim().min(limits.nameMin),
  }),
]);
export type AvailabilityChange = z.output<typeof availabilityChange>;

/** How the tickets of a queue come to its users: they accept them, in turns, or the one with the fewest open ones. */
export const assignments = ["manual", "turns", "load"] as const;
export type Assignment = (typeof assignments)[number];

/** A user with the present load. Only who is online and available is assigned tickets, up to the limit. */
export const teamMember = z.object({
  id: userId,
  name: z.string(),
  online: z.boolean(),
  ...availabilityFields,
  openTickets: z.number(),
  ticketLimit: z.number(),
  queueIds: z.array(queueId),
});
export type TeamMember = z.output<typeof teamMember>;

/** The waiting tickets of a queue, and the share of first answers that kept its target today. */
export const teamQueue = z.object({
  id: queueId,
  waiting: z.number(),
  /** The start of the longest wait. */
  oldestSince: isoDate.nullable(),
  /**
   * Percent of those who came into the queue today and were answered, or missed the target; null without a target for first
   * answers, or before the first.
   */
  withinTarget: z.number().nullable(),
});
export type TeamQueue = z.output<typeof teamQueue>;

export const teamEndpoints = defineEndpoints({
  "GET /team": {
    summary: "The users of the company with their load, and the queues with what waits in them",
    auth: "bearer",
    permission: "tickets:work",
    reply: z.object({ people: z.array(teamMember), queues: z.array(teamQueue) }),
    errors: [],
  },
});
