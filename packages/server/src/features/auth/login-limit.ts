import type { UserId } from "@balcao/contract";
import { createHash } from "node:crypto";
import { isIPv6 } from "node:net";
import { addMilliseconds } from "date-fns/addMilliseconds";
import { differenceInSeconds } from "date-fns/differenceInSeconds";
import { subMilliseconds } from "date-fns/subMilliseconds";
import { sql } from "drizzle-orm";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { loginAttempts } from "../../platform/db/schema/companies.ts";
import type { Clock } from "../../platform/sources.ts";

/** The first `free` attempts need no wait; the wait before each further one doubles. */
export type Allowance = { free: number; firstWaitMs: number; longestWaitMs: number };

export type LoginLimits = {
  /** For one account, from browsers that never signed in to it; also for a user who confirms the password. */
  unknownBrowser: Allowance;
  /** The same, from an address with many failures: its attempts at several accounts may be one person's. */
  busyAddress: Allowance;
  /** For one account, in a browser that has signed in to it before. */
  knownBrowser: Allowance;
  /** An address with this many failures within the window is busy. */
  perAddress: number;
  addressWindowMs: number;
  /** The count of an account restarts after this time without an attempt. */
  forgetMs: number;
};

const MINUTE_MS = 60_000;

export const defaultLoginLimits: LoginLimits = {
  unknownBrowser: { free: 10, firstWaitMs: 10_000, longestWaitMs: 5 * MINUTE_MS },
  busyAddress: { free: 1, firstWaitMs: MINUTE_MS, longestWaitMs: 15 * MINUTE_MS },
  knownBrowser: { free: 10, firstWaitMs: 10_000, longestWaitMs: MINUTE_MS },
  perAddress: 50,
  addressWindowMs: 15 * MINUTE_MS,
  forgetMs: 24 * 60 * MINUTE_MS,
};

/** One account in one browser that has signed in to it; counted apart from all others. */
export function browserSubject(browserId: string, userId: UserId): string {
  return `browser:${browserId}:${userId}`;
}

/** A signed-in user's confirmation of the password. */
export function confirmSubject(userId: UserId): string {
  return `confirm:${userId}`;
}

/** An account is counted by its e-mail whether it exists or not, so the limit does not reveal which exist. */
export function accountSubject(email: string): string {
  return `account:${createHash("sha256").update(email).digest("hex")}`;
}

/** An IPv6 caller owns a whole /64 and can change addresses within it, so the /64 is counted. */
export function addressSubject(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped) return `address:${mapped[1]}`;
  return `address:${isIPv6(address) ? networkOf(address) : address}`;
}

/** The first four of the eight groups, with the zeros that `::` leaves out. */
function networkOf(address: string): string {
  const [head = "", tail] = address.split("::");
  const start = head === "" ? [] : head.split(":");
  const end = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: Math.max(0, 8 - start.length - end.length) }, () => "0");
  return [...start, ...zeros, ...end]
    .slice(0, 4)
    .map((group) => group.toLowerCase().replace(/^0+(?=.)/, ""))
    .join(":");
}

/** `windowStart` is the last attempt that was let through (accounts), or the first failure of the window (addresses). */
type Counted = Pick<typeof loginAttempts.$inferSelect, "failures" | "windowStart">;

/**
 * Counts this attempt before the password is checked, so that concurrent attempts cannot pass the limit. Null: the
 * attempt may go on. Otherwise it came too early and was not counted; returns the remaining wait.
 */
export async function takeAttempt(
  tx: Tx,
  subject: string,
  allowance: Allowance,
  { now, forgetMs }: { now: Date; forgetMs: number },
): Promise<{ retryAfterSeconds: number } | null> {
  const { free, firstWaitMs, longestWaitMs } = allowance;
  const forgotten = subMilliseconds(now, forgetMs);
  const [taken] = await tx.query(sql`
    insert into login_attempts as attempt (subject, window_start, failures)
    values (${subject}, ${now}, 1)
    on conflict (subject) do update set
      failures = case when attempt.window_start > ${forgotten} then attempt.failures + 1 else 1 end,
      window_start = excluded.window_start
    where attempt.window_start <= ${forgotten} or attempt.failures < ${free}
      or attempt.window_start <= ${now}::timestamptz - interval '1 ms'
        * least(${longestWaitMs}::float8, ${firstWaitMs} * power(2, least(attempt.failures - ${free}, 30)))
    returning 1`);
  if (taken) return null;
  const [last] = await tx.query<Counted>(sql`
    select failures, window_start as "windowStart" from login_attempts where subject = ${subject}`);
  if (!last) return null; // A concurrent success has reset the count.
  const waitMs = Math.min(longestWaitMs, firstWaitMs * 2 ** (last.failures - free));
  const end = addMilliseconds(last.windowStart, waitMs);
  const left = differenceInSeconds(end, now, { roundingMethod: "ceil" });
  return { retryAfterSeconds: Math.max(1, left) };
}

/** The password was right: resets the subject's count. */
export async function forgetFailures(tx: Tx, subject: string): Promise<void> {
  await tx.query(sql`delete from login_attempts where subject = ${subject}`);
}

export async function isBusyAddress(
  tx: Tx,
  subject: string,
  limits: LoginLimits,
  now: Date,
): Promise<boolean> {
  const [row] = await tx.query<Counted>(sql`
    select failures, window_start as "windowStart" from login_attempts
    where subject = ${subject} and window_start > ${subMilliseconds(now, limits.addressWindowMs)}`);
  return row !== undefined && row.failures >= limits.perAddress;
}

/** Counts a wrong password or an attempt that came too early. One statement, because processes share the count. */
export async function countFailure(
  tx: Tx,
  address: string,
  limits: LoginLimits,
  now: Date,
): Promise<void> {
  const oldest = subMilliseconds(now, limits.addressWindowMs);
  await tx.query(sql`
    insert into login_attempts as attempt (subject, window_start, failures)
    values (${address}, ${now}, 1)
    on conflict (subject) do update set
      failures = case when attempt.window_start > ${oldest} then attempt.failures + 1 else 1 end,
      window_start = case when attempt.window_start > ${oldest} then attempt.window_start
                          else excluded.window_start end`);
}

/** Ten sign-ups of an address at once, then one at a time; an hour without one starts the count again. */
const signUps: Allowance = { free: 10, firstWaitMs: 6 * MINUTE_MS, longestWaitMs: 60 * MINUTE_MS };

/** Counts a sign-up from this address, whether it succeeds or not. Throws ERR_TOO_MANY_REQUESTS when it comes too early. */
export async function countSignUp(
  { db, clock }: { db: Database; clock: Clock },
  address: string,
): Promise<void> {
  const times = { now: clock.now(), forgetMs: 60 * MINUTE_MS };
  const refusal = await db.acrossCompanies((tx) =>
    takeAttempt(tx, `sign-up:${addressSubject(address)}`, signUps, times),
  );
  if (refusal) throw new DomainError("ERR_TOO_MANY_REQUESTS", refusal);
}

/** Deletes expired counts. */
export async function sweepAttempts(tx: Tx, limits: LoginLimits, now: Date): Promise<void> {
  await tx.query(sql`
    delete from login_attempts where window_start <= ${subMilliseconds(now, limits.forgetMs)}`);
}
