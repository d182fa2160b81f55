import type { QuietTimes } from "../messages/index.ts";

/** Times and limits of the automatic attendant; tests shorten them. */
export type AttendantSettings = {
  quiet: QuietTimes;
  /** It looks for due turns at least this often. */
  lookEveryMs: number;
  /** Minimum time between two looks, so that one look finds many due turns. */
  betweenLooksMs: number;
  /** Turns that this process takes concurrently, of all companies. */
  atOnce: number;
  /** Time limit of an outside service's answer. */
  askLimitMs: number;
  /** Open questions of this process to outside services. */
  asksAtOnce: number;
  /** Waits after failed turns. One more failure, and the turn is given up until the customer writes again. */
  retriesMs: readonly number[];
};

export const defaultAttendantSettings: AttendantSettings = {
  quiet: { firstMs: 1_000, answerMs: 400, longestMs: 5_000 },
  lookEveryMs: 2_000,
  betweenLooksMs: 10,
  atOnce: 6,
  askLimitMs: 30_000,
  asksAtOnce: 50,
  retriesMs: [500, 2_000, 10_000, 60_000],
};
