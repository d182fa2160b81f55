import type { HolidayCalendar } from "./holidays.ts";
import type { DayHours } from "./hours-at.ts";
import { openMsBetween } from "./hours-at.ts";

/** A queue's targets in minutes of its opening hours; null for none. */
export type QueueTargets = {
  firstAnswerMinutes: number | null;
  nextAnswerMinutes: number | null;
};

export const targetKinds = ["first", "next"] as const;
export type TargetKind = (typeof targetKinds)[number];

/** The answer that a customer waits for: it should be there within `minutes` of opening hours from `startedAt` on. */
export type AnswerTarget = { kind: TargetKind; minutes: number; startedAt: Date };

/** The fields of a ticket in its queue that decide. */
type WaitingTicket = {
  waitingSince: Date | null;
  queuedAt: Date | null;
  isAnswered: boolean;
  isGroup: boolean;
  chatbot: boolean;
};

/**
 * The target that counts for a ticket; null where nobody waits, the chatbot holds the ticket, or the queue has none. It
 * counts from the customer's message, but not from before the ticket came into the queue.
 */
export function targetOf(ticket: WaitingTicket, queue: QueueTargets): AnswerTarget | null {
  const { waitingSince, queuedAt, isAnswered } = ticket;
  if (waitingSince === null || ticket.chatbot || ticket.isGroup) return null;
  const minutes = isAnswered ? queue.nextAnswerMinutes : queue.firstAnswerMinutes;
  if (minutes === null) return null;
  const startedAt = queuedAt !== null && queuedAt > waitingSince ? queuedAt : waitingSince;
  return { kind: isAnswered ? "next" : "first", minutes, startedAt };
}

const MINUTE_MS = 60_000;

/** The opening hours that count; without days every hour does. */
export type CountedHours = {
  days: readonly DayHours[] | null;
  timeZone: string;
  holidays: HolidayCalendar | null;
};

/** How much of the target is left at a moment, in ms of opening hours; below 0 it was missed so long ago. */
export function targetLeftMs(
  { minutes, startedAt }: AnswerTarget,
  at: Date,
  { days, timeZone, holidays }: CountedHours,
): number {
  const usedMs =
    days === null
      ? Math.max(0, at.getTime() - startedAt.getTime())
      : openMsBetween(days, startedAt, at, timeZone, holidays);
  return minutes * MINUTE_MS - usedMs;
}
