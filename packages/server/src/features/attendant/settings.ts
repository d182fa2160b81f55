import type { QuietTimes } from "../messages/index.ts";

/** Times and limits of the automatic attendant; tests shorten them. */
export type AttendantSettings = {
  quiet: QuietTimes;
  /** It looks this often even when nobody wakes it. */
  lookEveryMs: number;
  /** Between two looks at least: what comes due meanwhile is found by one. */
  betweenLooksMs: number;
  /** Tickets of all companies that this process attends to at the same time. */
  atOnce: number;
  /** Waits after a failed turn; one failure more and it is given up until the customer writes again. */
  retriesMs: readonly number[];
};

export const defaultAttendantSettings: AttendantSettings = {
  quiet: { firstMs: 1_000, answerMs: 400, longestMs: 5_000 },
  lookEveryMs: 2_000,
  betweenLooksMs: 10,
  atOnce: 6,
  retriesMs: [500, 2_000, 10_000, 60_000],
};
