import { createHash } from "node:crypto";
import { isIPv6 } from "node:net";
import { addMilliseconds } from "date-fns/addMilliseconds";
import { differenceInSeconds } from "date-fns/differenceInSeconds";
import { subMilliseconds } from "date-fns/subMilliseconds";
import { sql } from "drizzle-orm";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";

/** Failures allowed within one window; the next attempt is refused until the window ends. */
export type LoginLimits = { perAccount: number; perAddress: number; windowMs: number };

export const defaultLoginLimits: LoginLimits = {
  perAccount: 10,
  perAddress: 50,
  windowMs: 15 * 60_000,
};

/** An account is counted by its e-mail whether it exists or not, so the limit tells nobody which exist. */
export function accountSubject(email: string): string {
  return `account:${createHash("sha256").update(email).digest("hex")}`;
}

/** An IPv6 caller owns a whole /64 and could come from another address each time, so that is what is counted. */
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

type Window = { failures: number; windowStart: Date };

/**
 * Counts this attempt against the account before the password is looked at, so that attempts side by side cannot slip
 * through; throws ERR_TOO_MANY_REQUESTS when account or address have used up their window. A success gives it back.
 * The address is only looked at here: an office of many people signs in from one.
 */
export async function takeAttempt(
  tx: Tx,
  subjects: { account: string; address: string },
  limits: LoginLimits,
  now: Date,
): Promise<void> {
  const [address] = await tx.query<Window>(sql`
    select failures, window_start as "windowStart" from login_attempts
    where subject = ${subjects.address} and window_start > ${subMilliseconds(now, limits.windowMs)}`);
  if (address && address.failures >= limits.perAddress) refuse(address, limits, now);
  const account = await count(tx, subjects.account, limits, now);
  if (account.failures > limits.perAccount) refuse(account, limits, now);
}

/** A wrong password: the account is counted already, now the address is too. */
export async function countFailure(
  tx: Tx,
  address: string,
  limits: LoginLimits,
  now: Date,
): Promise<void> {
  await count(tx, address, limits, now);
}

/** The password was right: the account starts afresh. */
export async function forgetFailures(tx: Tx, account: string): Promise<void> {
  await tx.query(sql`delete from login_attempts where subject = ${account}`);
}

/** Windows that ended mean nothing any more. */
export async function sweepAttempts(tx: Tx, limits: LoginLimits, now: Date): Promise<void> {
  await tx.query(sql`
    delete from login_attempts where window_start <= ${subMilliseconds(now, limits.windowMs)}`);
}

/** Adds one in the running window or opens a new one, in one statement: processes count together. */
async function count(tx: Tx, subject: string, limits: LoginLimits, now: Date): Promise<Window> {
  const oldest = subMilliseconds(now, limits.windowMs);
  const [row] = await tx.query<Window>(sql`
    insert into login_attempts as attempt (subject, window_start, failures)
    values (${subject}, ${now}, 1)
    on conflict (subject) do update set
      failures = case when attempt.window_start > ${oldest} then attempt.failures + 1 else 1 end,
      window_start = case when attempt.window_start > ${oldest} then attempt.window_start
                          else excluded.window_start end
    returning failures, window_start as "windowStart"`);
  if (!row) throw new Error("the attempt was not counted");
  return row;
}

function refuse(window: Window, limits: LoginLimits, now: Date): never {
  const end = addMilliseconds(window.windowStart, limits.windowMs);
  throw new DomainError("ERR_TOO_MANY_REQUESTS", {
    retryAfterSeconds: Math.max(1, differenceInSeconds(end, now, { roundingMethod: "ceil" })),
  });
}
