import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { companyId, connectionId, contactId, scheduleId, ticketId, userId } from "./ids.ts";
import { limits } from "./limits.ts";
import { fileErrors } from "./media.ts";
import {
  isoDate,
  messageReply,
  pageNumber,
  queryCount,
  queryDay,
  queryJsonList,
  searchParam,
  text,
} from "./primitives.ts";
import type { ScheduleRepeat } from "./schedule-repeat.ts";

/** PENDENTE waits, AGENDADA is being sent, ENVIADA was sent, ERRO was given up (behaviour 4). */
export const scheduleStatuses = ["PENDENTE", "AGENDADA", "ENVIADA", "ERRO"] as const;
export type ScheduleStatus = (typeof scheduleStatuses)[number];

/**
 * States as the calendar counts them: `waiting` also while it is being sent, `optedOut` waits but does not go out, because
 * the contact opted out.
 */
export const calendarStates = ["waiting", "sent", "failed", "optedOut"] as const;
export type CalendarState = (typeof calendarStates)[number];

/** At most a year and `repeatSendsMax` messages, else ERR_SCHEDULE_REPEAT. */
const scheduleRepeat: z.ZodType<ScheduleRepeat, ScheduleRepeat> = z.discriminatedUnion("every", [
  z.object({ every: z.literal("day"), until: z.iso.date() }),
  z.object({
    every: z.literal("week"),
    weekdays: z.array(z.number().int().min(0).max(6)).min(1).max(7),
    until: z.iso.date(),
  }),
  z.object({
    every: z.literal("month"),
    day: z.number().int().min(1).max(31),
    until: z.iso.date(),
  }),
]);

/** A message to be sent later (wire-contract 2.9). `contact` and `user` are never null. */
export const schedule = z.object({
  id: scheduleId,
  body: z.string(),
  sendAt: isoDate,
  sentAt: isoDate.nullable(),
  status: z.enum(scheduleStatuses),
  /** Why it was not sent: a code. */
  errorCode: z.string().nullable(),
  contactId,
  ticketId: ticketId.nullable(),
  userId: userId.nullable(),
  companyId,
  mediaPath: z.string().nullable(),
  mediaName: z.string().nullable(),
  /** One that opted out does not get it. */
  /** `number` is "" when only a private address is known. */
  contact: z.object({
    id: contactId,
    name: z.string(),
    number: z.string(),
    optedOut: z.boolean(),
  }),
  /** A former user has the name "". */
  user: z.object({ id: userId.nullable(), name: z.string() }),
  /** Null for a message that does not repeat. Each message of a series is a schedule of its own. */
  series: z.object({ id: z.guid(), repeat: scheduleRepeat }).nullable(),
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type Schedule = z.output<typeof schedule>;

/** With the connection that it was or would be sent on now; null when the company has none. */
const calendarEntry = schedule.extend({
  connection: z.object({ id: connectionId, name: z.string() }).nullable(),
});
export type CalendarEntry = z.output<typeof calendarEntry>;

/**
 * `YYYY-MM-DDTHH:mm` (also with a space, or seconds) in the company's time zone, or an instant with zone. Which instant
 * a local time is, the server decides.
 */
const localOrInstant = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:?\d{2})?$/);

const body = z.object({
  /** At least 5 characters after trimming, else ERR_SCHEDULE_BODY_SHORT. */
  body: text(limits.messageBodyMax),
  contactId,
  sendAt: localOrInstant,
  /**
   * Repeats it from `sendAt` on, on the days that fit, at the same local time. Null ends the series with this message. For
   * a message of a series it needs `scope=following`; without it the days stay, and move with `sendAt`.
   */
  repeat: scheduleRepeat.nullable().optional(),
});
export type ScheduleBody = z.output<typeof body>;

const common = { auth: "bearer", permission: "schedules:use" } as const;
const params = z.object({ scheduleId });
/** Of a series: this message alone, or also all later ones that were not sent. */
const scope = z.object({ scope: z.enum(["one", "following"]).default("one") });
export type ScheduleScope = z.output<typeof scope>["scope"];
const states = queryJsonList(z.enum(calendarStates)).optional();
const attached = z.object({ mensagem: z.string() });
const bodyErrors = [
  "ERR_NO_CONTACT_FOUND",
  "ERR_CONTACT_OPTED_OUT",
  "ERR_SCHEDULE_BODY_SHORT",
  "ERR_SCHEDULE_PAST",
  "ERR_SCHEDULE_REPEAT",
] as const;

export const schedulesEndpoints = defineEndpoints({
  "GET /schedules": {
    ...common,
    summary:
      "One page of scheduled messages: the caller's, for admins all. With a range of days by `sendAt`",
    query: z.object({
      searchParam,
      pageNumber,
      contactId: contactId.optional(),
      userId: userId.optional(),
      dateStart: queryDay,
      dateEnd: queryDay,
      /** Only those that still wait or failed, the next one first. */
      unsent: z.literal("true").optional(),
      whatsappId: connectionId.optional(),
      states,
      /** By `sendAt`, the latest first. */
      latestFirst: z.literal("true").optional(),
    }),
    reply: z.object({ schedules: z.array(schedule), count: z.number(), hasMore: z.boolean() }),
    errors: [],
  },
  "GET /schedules/calendar": {
    ...common,
    summary:
      "The scheduled messages of a range of days: the first of each day, and how many there are by day and state",
    query: z.object({
      /** At most `calendarDaysMax` days, both included. */
      dateStart: z.iso.date(),
      dateEnd: z.iso.date(),
      contactId: contactId.optional(),
      userId: userId.optional(),
      whatsappId: connectionId.optional(),
      /** Which ones are listed; counted are all. */
      states,
      /** How many of a day are listed at most. */
      perDay: queryCount(limits.calendarPerDayMax),
    }),
    reply: z.object({
      schedules: z.array(calendarEntry),
      /** Days with messages, in their order. */
      days: z.array(
        z.object({ day: z.string(), counts: z.record(z.enum(calendarStates), z.number()) }),
      ),
    }),
    errors: [],
  },
  "GET /schedules/:scheduleId": {
    ...common,
    summary: "One scheduled message",
    params,
    reply: schedule,
    errors: ["ERR_NO_SCHEDULE_FOUND"],
  },
  "POST /schedules": {
    ...common,
    summary: "Schedules a message to a contact",
    body,
    reply: schedule,
    errors: bodyErrors,
  },
  "PUT /schedules/:scheduleId": {
    ...common,
    summary: "Changes a message that was not sent yet",
    params,
    query: scope,
    body,
    reply: schedule,
    errors: ["ERR_NO_SCHEDULE_FOUND", "ERR_SCHEDULE_SENT", ...bodyErrors],
  },
  "DELETE /schedules/:scheduleId": {
    ...common,
    summary: "Removes a scheduled message",
    params,
    query: scope,
    reply: messageReply,
    errors: ["ERR_NO_SCHEDULE_FOUND"],
  },
  "POST /schedules/:scheduleId/media-upload": {
    ...common,
    summary: "Attaches an image (png, jpg), in place of an earlier one",
    params,
    query: scope,
    upload: { field: "file", maxFiles: 1, fields: z.object({}) },
    reply: attached,
    errors: ["ERR_NO_SCHEDULE_FOUND", "ERR_SCHEDULE_SENT", ...fileErrors],
  },
  "DELETE /schedules/:scheduleId/media-upload": {
    ...common,
    summary: "Removes the attachment",
    params,
    query: scope,
    reply: attached,
    errors: ["ERR_NO_SCHEDULE_FOUND", "ERR_SCHEDULE_SENT"],
  },
});
