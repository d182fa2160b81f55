import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { companyId, contactId, scheduleId, ticketId, userId } from "./ids.ts";
import { limits } from "./limits.ts";
import { fileErrors } from "./media.ts";
import { isoDate, messageReply, pageNumber, queryDay, searchParam, text } from "./primitives.ts";

/** PENDENTE waits, AGENDADA is being sent, ENVIADA was sent, ERRO was given up (behaviour 4). */
export const scheduleStatuses = ["PENDENTE", "AGENDADA", "ENVIADA", "ERRO"] as const;
export type ScheduleStatus = (typeof scheduleStatuses)[number];

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
  contact: z.object({ id: contactId, name: z.string(), optedOut: z.boolean() }),
  /** A former user has the name "". */
  user: z.object({ id: userId.nullable(), name: z.string() }),
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type Schedule = z.output<typeof schedule>;

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
});
export type ScheduleBody = z.output<typeof body>;

const common = { auth: "bearer", permission: "schedules:use" } as const;
const params = z.object({ scheduleId });
const attached = z.object({ mensagem: z.string() });
const bodyErrors = [
  "ERR_NO_CONTACT_FOUND",
  "ERR_CONTACT_OPTED_OUT",
  "ERR_SCHEDULE_BODY_SHORT",
  "ERR_SCHEDULE_PAST",
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
    }),
    reply: z.object({ schedules: z.array(schedule), count: z.number(), hasMore: z.boolean() }),
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
    body,
    reply: schedule,
    errors: ["ERR_NO_SCHEDULE_FOUND", "ERR_SCHEDULE_SENT", ...bodyErrors],
  },
  "DELETE /schedules/:scheduleId": {
    ...common,
    summary: "Removes a scheduled message",
    params,
    reply: messageReply,
    errors: ["ERR_NO_SCHEDULE_FOUND"],
  },
  "POST /schedules/:scheduleId/media-upload": {
    ...common,
    summary: "Attaches an image (png, jpg), in place of an earlier one",
    params,
    upload: { field: "file", maxFiles: 1, fields: z.object({}) },
    reply: attached,
    errors: ["ERR_NO_SCHEDULE_FOUND", "ERR_SCHEDULE_SENT", ...fileErrors],
  },
  "DELETE /schedules/:scheduleId/media-upload": {
    ...common,
    summary: "Removes the attachment",
    params,
    reply: attached,
    errors: ["ERR_NO_SCHEDULE_FOUND", "ERR_SCHEDULE_SENT"],
  },
});
