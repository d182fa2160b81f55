import type { CompanyId, Session, UserId } from "@balcao/contract";
import { limits } from "@balcao/contract";
import type { Options } from "@node-rs/argon2";
import { hash, verify } from "@node-rs/argon2";
import { sql } from "drizzle-orm";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Realtime, RealtimeRights } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { Clock } from "../../platform/sources.ts";
import { readPublicSettings } from "../settings/index.ts";
import type { AccountRow, SettingPair, UsersFeature } from "../users/index.ts";
import { findAccount, findAccountByEmailAcrossCompanies, toSessionUser } from "../users/index.ts";
import { dueDateText, subscriptionState } from "./authenticator.ts";
import type { LoginLimits } from "./login-limit.ts";
import {
  accountSubject,
  addressSubject,
  browserSubject,
  confirmSubject,
  countFailure,
  forgetFailures,
  isBusyAddress,
  takeAttempt,
} from "./login-limit.ts";
import { endVisitsOf } from "./support.ts";
import type { KnownBrowser, StoredSession, Tokens } from "./tokens.ts";
import { judgeRefresh } from "./tokens.ts";

/** The older client says where it was replaced and leaves by itself after a second; then its sockets close. */
const DEFAULT_REPLACED_SESSION_MS = 3_000;

export type SignInDeps = {
  db: Database;
  clock: Clock;
  log: Logger;
  realtime: Realtime & RealtimeRights;
  users: Pick<UsersFeature, "setOffline">;
  tokens: Tokens;
  passwords: PasswordCheck;
  loginLimits: LoginLimits;
  replacedSessionMs?: number;
};

type Credentials = { email: string; password: string };

/** The address and browser of a sign-in. */
type Visitor = { address: string; browser: KnownBrowser | null };

/** A session for the client, and the refresh token for its cookie. */
type OpenedSession = { session: Session; refreshToken: string };

export type Owner = { companyId: CompanyId; userId: UserId };

type Loaded = { account: AccountRow; settings: SettingPair[] };

/** Opens a new session of the account and ends its others. */
export async function signIn(
  deps: SignInDeps,
  credentials: Credentials,
  visitor: Visitor,
): Promise<OpenedSession> {
  const { db, clock, realtime, replacedSessionMs = DEFAULT_REPLACED_SESSION_MS } = deps;
  const known = await checkCredentials(deps, credentials, visitor);
  await requireSubscription(deps, known);
  const { id: userId, companyId, email } = known;
  // The older sessions are told first and ended afterwards: a client that is refused before it knows the reason would
  // only see that its session expired. The new session's socket does not exist yet, so it is not told.
  realtime.publish(
    companyId,
    "auth",
    { action: "update", user: { id: userId, email, companyId } },
    [rooms.user(companyId, userId)],
  );
  const loaded = await db.acrossCompanies(async (tx) => {
    await startSession(tx, { companyId, userId }, clock.now());
    return load(tx, { companyId, userId });
  });
  realtime.disconnectUser(companyId, userId, {
    olderThan: loaded.account.tokenVersion,
    afterMs: replacedSessionMs,
  });
  return open(deps, loaded);
}

/** Renews the session of a refresh token. Throws ERR_SESSION_EXPIRED whatever is wrong with the token. */
export async function renewSession(
  deps: SignInDeps,
  refreshToken: string | null,
): Promise<OpenedSession> {
  const { db, clock, log, realtime, tokens } = deps;
  const claims = refreshToken === null ? null : await tokens.readRefresh(refreshToken);
  if (claims === null) throw new DomainError("ERR_SESSION_EXPIRED");
  const now = clock.now();
  const result = await db.acrossCompanies(async (tx) => {
    const stored = await lockSession(tx, claims);
    if (!stored) return "ended";
    const verdict = judgeRefresh(claims, stored, now);
    if (verdict === "reuse") await endSession(tx, claims, claims.tokenVersion);
    if (verdict === "reuse" || verdict === "ended") return verdict;
    if (verdict === "rotate") await rotateSession(tx, claims, now);
    return load(tx, claims);
  });
  if (result === "reuse") {
    const { companyId, userId } = claims;
    log.warn({ companyId, userId }, "an old refresh token was used again: the session is ended");
    realtime.disconnectUser(companyId, userId);
  }
  // The session of an expired company goes on, for its checkout.
  if (
    result === "reuse" ||
    result === "ended" ||
    subscriptionState(result.account, now) === "disabled"
  ) {
    throw new DomainError("ERR_SESSION_EXPIRED");
  }
  return open(deps, result);
}

/** Ends every session of the account with the transaction; its sockets close `afterMs` after the commit. */
export async function endSessions(
  { clock, realtime }: SignInDeps,
  tx: Tx,
  owner: Owner,
  { afterMs }: { afterMs: number },
): Promise<void> {
  const olderThan = await startSession(tx, owner, clock.now());
  await endVisitsOf({ clock, realtime }, tx, owner);
  const { companyId, userId } = owner;
  tx.onCommit(() => realtime.disconnectUser(companyId, userId, { olderThan, afterMs }));
}

/** Checks a signed-in user's password. Failures delay only the next confirmation, not the sign-in. */
export async function confirmPassword(
  { db, clock, passwords, loginLimits }: SignInDeps,
  account: AccountRow,
  password: string,
): Promise<void> {
  const subject = confirmSubject(account.id);
  const { unknownBrowser, forgetMs } = loginLimits;
  const refusal = await db.acrossCompanies((tx) =>
    takeAttempt(tx, subject, unknownBrowser, { now: clock.now(), forgetMs }),
  );
  if (refusal) throw new DomainError("ERR_TOO_MANY_REQUESTS", refusal);
  if (!(await passwords.matches(password, account.passwordHash))) {
    throw new DomainError("ERR_PASSWORD_WRONG");
  }
  await db.acrossCompanies((tx) => forgetFailures(tx, subject));
}

/** Ends the sessions that the bearer and the cookie prove, if they still run. A visit ends with the visitor's own session. */
export async function signOut(
  deps: SignInDeps,
  bearer: string | null,
  refreshToken: string | null,
): Promise<void> {
  const { db, realtime, tokens, users } = deps;
  const proven = await Promise.all([
    bearer === null ? null : tokens.readAccess(bearer),
    refreshToken === null ? null : tokens.readRefresh(refreshToken),
  ]);
  for (const identity of proven) {
    if (!identity || identity.visitId !== undefined) continue;
    const { companyId, userId, tokenVersion } = identity;
    const hasEnded = await db.acrossCompanies(async (tx) => {
      if (!(await endSession(tx, identity, tokenVersion))) return false;
      await endVisitsOf(deps, tx, identity);
      return true;
    });
    if (!hasEnded) continue;
    realtime.disconnectUser(companyId, userId);
    await users.setOffline(companyId, userId);
  }
}

async function open({ tokens }: SignInDeps, { account, settings }: Loaded): Promise<OpenedSession> {
  const [token, refreshToken] = await Promise.all([
    tokens.signAccess(account),
    tokens.signRefresh(account),
  ]);
  return { session: { token, user: toSessionUser(account, settings) }, refreshToken };
}

async function load(tx: Tx, { companyId, userId }: Owner): Promise<Loaded> {
  const account = await findAccount(tx, companyId, userId);
  if (!account) throw new DomainError("ERR_SESSION_EXPIRED");
  return { account, settings: await readPublicSettings(tx, companyId) };
}

/**
 * The account of the credentials; a refusal does not reveal whether the account exists. A browser that has signed in to
 * the account before is counted separately, so wrong passwords from elsewhere do not lock out its owner.
 */
async function checkCredentials(
  { db, clock, passwords, loginLimits }: SignInDeps,
  credentials: Credentials,
  { address, browser }: Visitor,
): Promise<AccountRow> {
  const email = credentials.email.trim().toLowerCase();
  const addressed = addressSubject(address);
  const now = clock.now();
  const { account, subject, refusal } = await db.acrossCompanies(async (tx) => {
    const account = await findAccountByEmailAcrossCompanies(tx, email);
    const isKnown = account !== undefined && browser?.userIds.includes(account.id) === true;
    const subject = isKnown ? browserSubject(browser.id, account.id) : accountSubject(email);
    const isBusy = !isKnown && (await isBusyAddress(tx, addressed, loginLimits, now));
    const unknown = isBusy ? loginLimits.busyAddress : loginLimits.unknownBrowser;
    const allowance = isKnown ? loginLimits.knownBrowser : unknown;
    const times = { now, forgetMs: loginLimits.forgetMs };
    const refusal = await takeAttempt(tx, subject, allowance, times);
    if (refusal) await countFailure(tx, addressed, loginLimits, now);
    return { account, subject, refusal };
  });
  if (refusal) throw new DomainError("ERR_TOO_MANY_REQUESTS", refusal);
  const isRight = await passwords.matches(credentials.password, account?.passwordHash);
  if (!account || !isRight) {
    await db.acrossCompanies((tx) => countFailure(tx, addressed, loginLimits, now));
    throw new DomainError("ERR_INVALID_CREDENTIALS");
  }
  const renewed = isOldHash(account.passwordHash) ? await hashPassword(credentials.password) : null;
  await db.acrossCompanies(async (tx) => {
    await forgetFailures(tx, subject);
    if (renewed !== null) await renewHash(tx, account, renewed);
  });
  return renewed === null ? account : { ...account, passwordHash: renewed };
}

/** An imported account keeps its bcrypt hash until its first sign-in, unless the password was changed meanwhile. */
async function renewHash(tx: Tx, account: AccountRow, renewed: string): Promise<void> {
  await tx.query(sql`
    update users set password_hash = ${renewed}
    where company_id = ${account.companyId} and id = ${account.id} and password_hash = ${account.passwordHash}`);
}

/** The password was right, so an admin may learn how to pay. */
async function requireSubscription(
  { clock, tokens }: SignInDeps,
  account: AccountRow,
): Promise<void> {
  switch (subscriptionState(account, clock.now())) {
    case "active":
      return;
    case "disabled":
      throw new DomainError("ERR_COMPANY_DISABLED");
    case "expired": {
      const date = account.dueDate ? dueDateText(account.dueDate, account.timeZone) : "";
      const isAdmin = account.profile === "admin";
      const pay = isAdmin ? { payToken: await tokens.signPay(account) } : {};
      throw new DomainError("ERR_SUBSCRIPTION_EXPIRED", { date, ...pay });
    }
  }
}

/** Starts a new session of the account, which voids every earlier token. Returns its token version. */
async function startSession(tx: Tx, { companyId, userId }: Owner, now: Date): Promise<number> {
  const [row] = await tx.query<{ tokenVersion: number }>(sql`
    update users set token_version = token_version + 1, refresh_generation = 0, refreshed_at = ${now}
    where company_id = ${companyId} and id = ${userId} and deleted_at is null
    returning token_version as "tokenVersion"`);
  if (!row) throw new DomainError("ERR_NO_USER_FOUND");
  return row.tokenVersion;
}

/** Ends the session of this token version; false if it had already ended. */
async function endSession(
  tx: Tx,
  { companyId, userId }: Owner,
  tokenVersion: number,
): Promise<boolean> {
  const rows = await tx.query(sql`
    update users set token_version = token_version + 1
    where company_id = ${companyId} and id = ${userId} and token_version = ${tokenVersion}
    returning id`);
  return rows.length > 0;
}

/** Locks the stored session, so that concurrent refreshes are judged one after the other. */
async function lockSession(
  tx: Tx,
  { companyId, userId }: Owner,
): Promise<StoredSession | undefined> {
  const [row] = await tx.query<StoredSession>(sql`
    select token_version as "tokenVersion", refresh_generation as "refreshGeneration", refreshed_at as "refreshedAt"
    from users where company_id = ${companyId} and id = ${userId} and deleted_at is null for update`);
  return row;
}

async function rotateSession(tx: Tx, { companyId, userId }: Owner, now: Date): Promise<void> {
  await tx.query(sql`
    update users set refresh_generation = refresh_generation + 1, refreshed_at = ${now}
    where company_id = ${companyId} and id = ${userId}`);
}

/** 19 MiB, two passes, one lane: about 20 ms of one core. The kind is argon2id by default. */
const COST: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** A password as the database keeps it. Callers check its length first. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, COST);
}

/** A bcrypt hash, as other systems keep passwords. */
const isOldHash = (passwordHash: string): boolean => passwordHash.startsWith("$2");

type PasswordCheck = {
  /**
   * Whether the password belongs to the hash. Without a hash (no such account), or with a password that no account can
   * have, it is false and takes the same time, so timing does not reveal which accounts exist.
   */
  matches(password: string, passwordHash: string | undefined): Promise<boolean>;
};

/** `unguessable` is any secret text; its hash stands in for accounts that do not exist. */
export async function createPasswordCheck(unguessable: string): Promise<PasswordCheck> {
  const standIn = await hashPassword(unguessable);
  return {
    async matches(password, passwordHash) {
      const bounded = password.slice(0, limits.passwordMax);
      if (passwordHash !== undefined && isOldHash(passwordHash)) {
        // Both at once, so that an imported account answers no sooner than one that does not exist.
        const { verify: verifyOld } = await import("@node-rs/bcrypt");
        const [isRight] = await Promise.all([
          verifyOld(bounded, passwordHash),
          verify(standIn, bounded),
        ]);
        return isRight && bounded === password;
      }
      const isRight = await verify(passwordHash ?? standIn, bounded);
      return isRight && passwordHash !== undefined && bounded === password;
    },
  };
}
