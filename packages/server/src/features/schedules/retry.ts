import type { ErrorCode } from "@balcao/contract";
import { addMinutes } from "date-fns/addMinutes";
import { differenceInHours } from "date-fns/differenceInHours";
import type { ScheduleRow } from "./schedule.ts";
import { waitingCodes } from "./schedule.ts";

/** What becomes of a scheduled message that could not be handed over. */
export type AfterFailure = Pick<ScheduleRow, "status" | "dueAt" | "attempts" | "errorCode">;

const LONGEST_WAIT_MINUTES = 15;
const LATE_HOURS_MAX = 24;
/**
 * Half an hour of waiting: a server that was off for days finds its sessions closed when it starts, and gives them time to
 * open before it gives up what is late.
 */
const WAITS_MIN = 5;
const TRIES = 3;

/**
 * Without a connected session it waits 1, 2, 4, 8, then 15 minutes at a time until it is a day late; for any other reason
 * it is tried three times (behaviour 4).
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
  const isGivenUp = isWaiting ? isTooLate && attempts > WAITS_MIN : attempts >= TRIES || isTooLate;
  const waitMinutes = Math.min(2 ** (attempts - 1), LONGEST_WAIT_MINUTES);
  return {
    status: isGivenUp ? "ERRO" : "PENDENTE",
    dueAt: isGivenUp ? now : addMinutes(now, waitMinutes),
    attempts,
    errorCode: code,
  };
}
