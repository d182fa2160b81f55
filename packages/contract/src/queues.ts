import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { companyId, queueId } from "./ids.ts";
import { isoDate } from "./primitives.ts";

/** One day of opening hours; unknown keys of other clients are kept (wire-contract 2.4). */
export const scheduleEntry = z.looseObject({
  weekday: z.string(),
  weekdayEn: z.string(),
  startTime: z.string(),
  endTime: z.string(),
});

export const queueRef = z.object({ id: queueId, name: z.string(), color: z.string() });

/** A queue of a user with the join row that clients compute filters from (wire-contract 2.1 TRAP). */
export const userQueue = queueRef.extend({
  UserQueue: z.object({ userId: z.number(), queueId: z.number() }),
});

export const queue = queueRef.extend({
  greetingMessage: z.string(),
  outOfHoursMessage: z.string(),
  orderQueue: z.number().nullable(),
  integrationId: z.number().nullable(),
  promptId: z.number().nullable(),
  schedules: z.array(scheduleEntry),
  mediaPath: z.string().nullable(),
  mediaName: z.string().nullable(),
  companyId,
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type Queue = z.output<typeof queue>;

export const queuesEndpoints = defineEndpoints({
  "GET /queue": {
    summary: "Queues of the caller's company in their order",
    auth: "bearer",
    permission: "queues:list",
    reply: z.array(queue),
    errors: [],
  },
});
