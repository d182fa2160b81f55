import { isAfter } from "date-fns/isAfter";
import type { QueueFacts, TurnFacts } from "./facts.ts";
import { closedUntil } from "./hours.ts";
import type { Progress } from "./progress.ts";
import { say } from "./progress.ts";

/** A closed period: what is said of it, and when it ends. */
export type ClosedPeriod = { text: string; until: Date };

/** Null: the company is open, or its hours are not looked at. */
export function companyClosed(facts: TurnFacts): ClosedPeriod | null {
  if (facts.scheduleType !== "company") return null;
  const until = closedUntil(facts.companySchedules, facts.now, facts.timeZone);
  return until && { text: facts.connection.outOfHoursMessage, until };
}

/** Null: the queue is open, or the hours of queues are not looked at. */
export function queueClosed(facts: TurnFacts, queue: QueueFacts | null): ClosedPeriod | null {
  if (facts.scheduleType !== "queue" || queue === null) return null;
  const until = closedUntil(queue.schedules, facts.now, facts.timeZone);
  return until && { text: queue.outOfHoursMessage, until };
}

/** Says it once in the closed period; with an empty text nothing, now or later (behaviour 2.6). */
export function tellClosedOnce(turn: Progress, period: ClosedPeriod, now: Date): Progress {
  const toldUntil = turn.memory.closedToldUntil;
  if (toldUntil !== null && isAfter(toldUntil, now)) return turn;
  return tellClosed(turn, period);
}

/**
 * Says it, whatever was said before: of a queue that the customer has only just come to. What was shown before it waits for
 * no answer any more: after the period the customer sees it again.
 */
export function tellClosed(turn: Progress, { text, until }: ClosedPeriod): Progress {
  if (text === "") return turn;
  const memory = { ...turn.memory, closedToldUntil: until, lastMenuAt: null };
  return say({ ...turn, memory }, text);
}
