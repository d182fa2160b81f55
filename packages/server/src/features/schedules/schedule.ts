import type { ErrorCode, Schedule } from "@balcao/contract";
import { limits } from "@balcao/contract";
import { addMinutes } from "date-fns/addMinutes";
import { differenceInHours } from "date-fns/differenceInHours";
import { isAfter } from "date-fns/isAfter";
import { isEqual } from "date-fns/isEqual";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import type { Ctx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import {
  columnsOf,
  hasId,
  requireRow,
  toIso,
  toIsoOrNull,
  wireDates,
} from "../../platform/db/records.ts";
import { schedules } from "../../platform/db/schema/index.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { Clock } from "../../platform/sources.ts";

/** A scheduled message with the names of its ids. */
export type ScheduleRow = typeof schedules.$inferSelect & {
  contactName: string;
  contactNumber: string | null;
  /** The contact gets no scheduled messages. */
  isOptedOut: boolean;
  userName: string | null;
};

/** Select list of `ScheduleRow` for a row `s` of schedules joined by `scheduleJoins`. */
export const scheduleColumns = `${columnsOf(schedules, "s")}, c.name as "contactName", c.number as "contactNumber",
  c.opted_out_at is not null as "isOptedOut", u.name as "userName"`;

export const scheduleJoins = `
  join contacts c on c.company_id = s.company_id and c.id = s.contact_id
  left join users u on u.company_id = s.company_id and u.id = s.user_id`;

/** The schedules of a statement that updates them, as `ScheduleRow`; `before` is a query that the statement uses. */
export const changedSchedules = (change: string, before = ""): string => `
with ${before} s as (${change} returning schedules.*)
select ${scheduleColumns} from s ${scheduleJoins}`;

/** Throws ERR_SCHEDULE_BODY_SHORT. */
export function requireBody(body: string): void {
  if (body.trim().length < limits.scheduleBodyMin) throw new DomainError("ERR_SCHEDULE_BODY_SHORT");
}

/** Throws ERR_SCHEDULE_PAST. */
export function requireAhead(sendAt: Date, now: Date): void {
  if (!isAfter(sendAt, now)) throw new DomainError("ERR_SCHEDULE_PAST");
}

/** A schedule with the columns that decide whether it can still be changed. */
export type SeenSchedule = ScheduleRow & {
  /** The network refused its message, and no user has sent it again. */
  isMessageFailed: boolean;
};

/**
 * A changed schedule waits for its time. Throws ERR_SCHEDULE_SENT if its message was sent or is being sent, because the
 * customer must not get both texts. A schedule that was given up needs a new time; one that only waits for a connection
 * keeps its time.
 */
export function changeSchedule(
  schedule: SeenSchedule,
  sendAt: Date,
  now: Date,
): Pick<ScheduleRow, "dueAt" | "attempts" | "errorCode"> {
  requireUnsent(schedule);
  const isMoved = !isEqual(schedule.sendAt, sendAt);
  const isGivenUp = schedule.status === "ERRO";
  if (isMoved || isGivenUp) {
    requireAhead(sendAt, now);
    return { dueAt: sendAt, attempts: 0, errorCode: null };
  }
  const { dueAt, attempts, errorCode } = schedule;
  return { dueAt, attempts, errorCode };
}

/** Throws ERR_SCHEDULE_SENT. */
export function requireUnsent(schedule: SeenSchedule): void {
  if (!isUnsent(schedule)) throw new DomainError("ERR_SCHEDULE_SENT");
}

/** Its message was not sent and is not being sent. */
export function isUnsent({ status, sentAt, messageId, isMessageFailed }: SeenSchedule): boolean {
  const isGivenUp = status === "ERRO" && isMessageFailed;
  return sentAt === null && status !== "ENVIADA" && (messageId === null || isGivenUp);
}

/** Error codes of a schedule without a connected session. */
const waitingCodes: ReadonlySet<string> = new Set<ErrorCode>([
  "ERR_NO_DEF_WAPP_FOUND",
  "ERR_WAPP_NOT_INITIALIZED",
]);

/** Error codes that another try does not change. */
const finalCodes: ReadonlySet<string> = new Set<ErrorCode>(["ERR_CONTACT_OPTED_OUT"]);

/** The state of a schedule after a failed try. */
export type AfterFailure = Pick<ScheduleRow, "status" | "dueAt" | "attempts" | "errorCode">;

const LONGEST_WAIT_MINUTES = 15;
const LATE_HOURS_MAX = 24;
/** Half an hour of waits: after a long outage, sessions have time to connect before late schedules are given up. */
const WAITS_MIN = 5;
const TRIES = 3;

/**
 * Without a connected session it waits 1, 2, 4, 8, then 15 minutes at a time until it is a day late; for any other reason
 * it is tried three times (behaviour 4), and not again for a contact that opted out.
 */
export function afterFailure(
  schedule: Pick<ScheduleRow, "sendAt" | "attempts" | "errorCode">,
  code: ErrorCode,
  now: Date,
): AfterFailure {
  const isWaiting = waitingCodes.has(code);
  const wasWaiting = schedule.errorCode !== null && waitingCodes.has(schedule.errorCode);
  const attempts = isWaiting === wasWaiting ? schedule.attempts + 1 : 1;
  const isTooLate = differenceInHours(now, schedule.sendAt) >= LATE_HOURS_MAX;
  const isFinal = finalCodes.has(code) || attempts >= TRIES || isTooLate;
  const isGivenUp = isWaiting ? isTooLate && attempts > WAITS_MIN : isFinal;
  const waitMinutes = Math.min(2 ** (attempts - 1), LONGEST_WAIT_MINUTES);
  return {
    status: isGivenUp ? "ERRO" : "PENDENTE",
    dueAt: isGivenUp ? now : addMinutes(now, waitMinutes),
    attempts,
    errorCode: code,
  };
}

export function toSchedule(row: ScheduleRow): Schedule {
  const { id, companyId, contactId, ticketId, userId, body, status, errorCode } = row;
  return {
    ...{ id, companyId, contactId, ticketId, userId, body, status, errorCode },
    sendAt: toIso(row.sendAt),
    sentAt: toIsoOrNull(row.sentAt),
    mediaPath: row.fileKey,
    mediaName: row.fileName,
    contact: {
      ...{ id: contactId, name: row.contactName, number: row.contactNumber ?? "" },
      optedOut: row.isOptedOut,
    },
    user: { id: userId, name: row.userName ?? "" },
    series: row.seriesId && row.repeat ? { id: row.seriesId, repeat: row.repeat } : null,
    ...wireDates(row),
  };
}

/** Changes a locked schedule and publishes it; `before` has its joined names. */
export async function saveSchedule(
  { sources, realtime }: { sources: { clock: Clock }; realtime: Realtime },
  ctx: Ctx,
  tx: Tx,
  before: ScheduleRow,
  values: PgUpdateSetSource<typeof schedules>,
): Promise<ScheduleRow> {
  const rows = await tx.orm
    .update(schedules)
    .set({ ...values, updatedAt: sources.clock.now() })
    .where(hasId(ctx, schedules, before.id))
    .returning();
  const saved = { ...before, ...requireRow(rows) };
  tellSaved(realtime, tx, saved);
  return saved;
}

/** Publishes a schedule to its readers: its owner and admins. */
export function tellSaved(
  realtime: Realtime,
  tx: Tx,
  row: ScheduleRow,
  action: "create" | "update" = "update",
): Schedule {
  const schedule = toSchedule(row);
  tx.onCommit(() =>
    realtime.publish(row.companyId, "schedule", { action, schedule }, readersOf(row)),
  );
  return schedule;
}

export function readersOf({ companyId, userId }: ScheduleRow) {
  const managers = rooms.holders(companyId, "schedules:manage-all");
  return userId === null ? [managers] : [managers, rooms.user(companyId, userId)];
}
