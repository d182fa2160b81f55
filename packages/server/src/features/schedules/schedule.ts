import type {
  CompanyId,
  ContactId,
  ErrorCode,
  MessageId,
  Schedule,
  ScheduleId,
  ScheduleStatus,
  TicketId,
  UserId,
} from "@balcao/contract";
import { limits } from "@balcao/contract";
import { isAfter } from "date-fns/isAfter";
import { isEqual } from "date-fns/isEqual";
import { DomainError } from "../../platform/context.ts";
import { toIso, toIsoOrNull } from "../../platform/db/row-dates.ts";

/** A scheduled message with the names that stand beside its ids. */
export type ScheduleRow = {
  id: ScheduleId;
  companyId: CompanyId;
  contactId: ContactId;
  contactName: string;
  /** The ticket in which its message was stored. */
  ticketId: TicketId | null;
  userId: UserId | null;
  userName: string | null;
  body: string;
  sendAt: Date;
  sentAt: Date | null;
  status: ScheduleStatus;
  errorCode: string | null;
  /** When it is tried next. */
  dueAt: Date;
  /** Tries in a row that failed for the same kind of reason. */
  attempts: number;
  /** Since when a process is busy handing it over. */
  lockedAt: Date | null;
  messageId: MessageId | null;
  fileKey: string | null;
  fileName: string | null;
  createdAt: Date;
  updatedAt: Date;
};

/** What people choose of it. */
export type ScheduleValues = Pick<ScheduleRow, "body" | "contactId" | "sendAt">;

/** Throws ERR_SCHEDULE_BODY_SHORT. */
export function requireBody(body: string): void {
  if (body.trim().length < limits.scheduleBodyMin) throw new DomainError("ERR_SCHEDULE_BODY_SHORT");
}

/** Throws ERR_SCHEDULE_PAST. */
export function requireAhead(sendAt: Date, now: Date): void {
  if (!isAfter(sendAt, now)) throw new DomainError("ERR_SCHEDULE_PAST");
}

/** A schedule as far as a change of it asks. */
export type Changeable = Pick<
  ScheduleRow,
  "status" | "sentAt" | "messageId" | "sendAt" | "dueAt" | "attempts" | "errorCode"
> & {
  /** Its message was refused by the network, and nobody has sent it again since. */
  isMessageFailed: boolean;
};

/** What becomes of a schedule when people change it: it waits for its time. */
export type Waiting = Pick<ScheduleRow, "dueAt" | "attempts" | "errorCode">;

/**
 * Throws ERR_SCHEDULE_SENT once its message has left or is about to: the customer must not get both texts. One that was
 * given up needs a new time; one that only waits for a connection keeps its old one.
 */
export function changeSchedule(schedule: Changeable, sendAt: Date, now: Date): Waiting {
  requireUnsent(schedule);
  const isMoved = !isEqual(schedule.sendAt, sendAt);
  if (isMoved || schedule.status === "ERRO") requireAhead(sendAt, now);
  if (isMoved) return { dueAt: sendAt, attempts: 0, errorCode: null };
  const { dueAt, attempts, errorCode } = schedule;
  return schedule.status === "ERRO"
    ? { dueAt: sendAt, attempts: 0, errorCode: null }
    : { dueAt, attempts, errorCode };
}

/** Throws ERR_SCHEDULE_SENT. */
export function requireUnsent(schedule: Changeable): void {
  const { status, sentAt, messageId, isMessageFailed } = schedule;
  const isGivenUp = status === "ERRO" && isMessageFailed;
  if (sentAt !== null || status === "ENVIADA" || (messageId !== null && !isGivenUp)) {
    throw new DomainError("ERR_SCHEDULE_SENT");
  }
}

export function toScheduleDto(row: ScheduleRow): Schedule {
  return {
    id: row.id,
    body: row.body,
    sendAt: toIso(row.sendAt),
    sentAt: toIsoOrNull(row.sentAt),
    status: row.status,
    errorCode: row.errorCode,
    contactId: row.contactId,
    ticketId: row.ticketId,
    userId: row.userId,
    companyId: row.companyId,
    mediaPath: row.fileKey,
    mediaName: row.fileName,
    contact: { id: row.contactId, name: row.contactName },
    user: { id: row.userId, name: row.userName ?? "" },
    createdAt: toIso(row.createdAt),
    updatedAt: toIso(row.updatedAt),
  };
}

/** Codes that say that no session was there to send with. */
export const waitingCodes: ReadonlySet<string> = new Set<ErrorCode>([
  "ERR_NO_DEF_WAPP_FOUND",
  "ERR_WAPP_NOT_INITIALIZED",
]);
