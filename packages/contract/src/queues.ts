import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { askedCompanyId, companyId, integrationId, promptId, queueId } from "./ids.ts";
import { limits } from "./limits.ts";
import { fileErrors } from "./media.ts";
import { scheduleEntries, scheduleEntry } from "./opening-hours.ts";
import { isoDate, orNone, text } from "./primitives.ts";
import { assignments } from "./team.ts";

export const queueRef = z.object({ id: queueId, name: z.string(), color: z.string() });

/** A queue of a user with the join row that clients compute filters from (wire-contract 2.1 TRAP). */
export const userQueue = queueRef.extend({
  UserQueue: z.object({ userId: z.number(), queueId: z.number() }),
});

/** `mediaPath` is a signed address, renewed by every read. */
export const queue = queueRef.extend({
  greetingMessage: z.string(),
  outOfHoursMessage: z.string(),
  orderQueue: z.number().nullable(),
  /** Who answers customers that enter: one of the two at most. */
  integrationId: integrationId.nullable(),
  promptId: promptId.nullable(),
  assignment: z.enum(assignments),
  /** Within how many minutes of opening hours a customer gets the first and each further answer; null for no target. */
  firstAnswerMinutes: z.number().nullable(),
  nextAnswerMinutes: z.number().nullable(),
  schedules: z.array(scheduleEntry),
  mediaPath: z.string().nullable(),
  mediaName: z.string().nullable(),
  /** By the content; null without a file. */
  mediaMime: z.string().nullable(),
  /** Its chatbot has changes that are not published. */
  hasChatbotDraft: z.boolean(),
  companyId,
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type Queue = z.output<typeof queue>;

const orderQueue = z
  .union([z.literal(""), z.null(), z.coerce.number().int().nonnegative().max(9_999)])
  .transform((value) => (value === "" ? null : value));

const targetMinutes = z
  .union([z.literal(""), z.null(), z.coerce.number().int().min(1).max(limits.targetMinutesMax)])
  .transform((value) => (value === "" ? null : value));

const fields = z.object({
  /** 2 to 50 characters, else ERR_QUEUE_INVALID_NAME. */
  name: text(1_000).trim(),
  /** 3 to 9 characters: `#rgb` to `#rrggbbaa` or a name, else ERR_QUEUE_INVALID_COLOR; compared without case. */
  color: text(100).trim(),
  greetingMessage: text(limits.messageBodyMax),
  outOfHoursMessage: text(limits.messageBodyMax),
  orderQueue,
  /** A new one takes the place of the other kind; of both the prompt counts. */
  promptId: orNone(promptId),
  integrationId: orNone(integrationId),
  assignment: z.enum(assignments),
  firstAnswerMinutes: targetMinutes,
  nextAnswerMinutes: targetMinutes,
  /** Null, as none: the default. */
  schedules: scheduleEntries.nullable().transform((days) => days ?? []),
});

/** Other fields of the family's clients are ignored (wire-contract 5.18). */
export const newQueue = fields.partial().required({ name: true, color: true });
export type NewQueue = z.output<typeof newQueue>;

/** Omitted fields stay as they are. */
export const queueChange = fields.partial();
export type QueueChange = z.output<typeof queueChange>;

const params = z.object({ queueId });
const common = { auth: "bearer", permission: "queues:manage" } as const;
const attached = z.object({ mensagem: z.string() });
const changeErrors = [
  "ERR_QUEUE_INVALID_NAME",
  "ERR_QUEUE_NAME_ALREADY_EXISTS",
  "ERR_QUEUE_INVALID_COLOR",
  "ERR_QUEUE_COLOR_ALREADY_EXISTS",
  "ERR_NO_PROMPT_FOUND",
  "ERR_NO_DIALOG_FOUND",
] as const;

export const queuesEndpoints = defineEndpoints({
  "GET /queue": {
    summary: "Queues of the caller's company in their order; super users may name another company",
    auth: "bearer",
    permission: "queues:list",
    query: z.object({ companyId: askedCompanyId }),
    reply: z.array(queue),
    errors: [],
  },
  "GET /queue/:queueId": {
    summary: "One queue",
    auth: "bearer",
    permission: "queues:list",
    params,
    reply: queue,
    errors: ["ERR_QUEUE_NOT_FOUND"],
  },
  "POST /queue": {
    ...common,
    summary: "A new queue",
    body: newQueue,
    reply: queue,
    errors: [...changeErrors, "ERR_QUEUE_LIMIT_REACHED"],
  },
  "PUT /queue/:queueId": {
    ...common,
    summary: "Changes a queue",
    params,
    body: queueChange,
    reply: queue,
    status: 201,
    errors: [...changeErrors, "ERR_QUEUE_NOT_FOUND"],
  },
  "GET /queue/:queueId/use": {
    ...common,
    summary: "What hangs on a queue: said before it is deleted",
    params,
    reply: z.object({
      /** Waiting and open ones. */
      tickets: z.number(),
      users: z.number(),
      connections: z.array(z.object({ name: z.string() })),
      options: z.number(),
    }),
    errors: ["ERR_QUEUE_NOT_FOUND"],
  },
  "DELETE /queue/:queueId": {
    ...common,
    summary: "Removes a queue; its waiting and open tickets go to another one, or to none",
    params,
    query: z.object({ targetQueueId: queueId.optional() }),
    reply: z.undefined(),
    errors: ["ERR_QUEUE_NOT_FOUND"],
  },
  "POST /queue/:queueId/media-upload": {
    ...common,
    summary: "The file that follows the queue's greeting, in place of an earlier one",
    params,
    upload: { field: "file", maxFiles: 1, fields: z.object({}) },
    reply: attached,
    errors: ["ERR_QUEUE_NOT_FOUND", ...fileErrors],
  },
  "DELETE /queue/:queueId/media-upload": {
    ...common,
    summary: "Removes the file",
    params,
    reply: attached,
    errors: ["ERR_QUEUE_NOT_FOUND"],
  },
});
