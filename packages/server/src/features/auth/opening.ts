import type { Session, SettingKey, SignInMethod } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Realtime, RealtimeRights } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { Seal } from "../../platform/secrets/seal.ts";
import type { Random } from "../../platform/sources.ts";
import { readPublicSettings, readSetting } from "../settings/index.ts";
import type { AccountRow, SettingPair, UsersFeature } from "../users/index.ts";
import { findAccount, permissionsOf, toSessionUser } from "../users/index.ts";
import { dueDateText, subscriptionState } from "./authenticator.ts";
import type { DeviceMailDeps } from "./history.ts";
import { noteRefusal, noteSignIn, tellOfNewDevice } from "./history.ts";
import type { LoginLimits } from "./login-limit.ts";
import { confirmSubject, forgetFailures, takeAttempt } from "./login-limit.ts";
import type { PasswordCheck } from "./passwords.ts";
import type { Owner, SessionsDeps, Visitor } from "./sessions.ts";
import {
  endAll,
  endOldest,
  endOldToken,
  endOne,
  hasOpenSession,
  insertSession,
  lockSession,
  renewed,
  signInSettings,
} from "./sessions.ts";
import type { Tokens, TokenSession } from "./tokens.ts";
import { judgeRefresh } from "./tokens.ts";

/** The older client says where it was replaced and leaves by itself after a second; then its sockets close. */
const DEFAULT_REPLACED_SESSION_MS = 3_000;

export type SignInDeps = SessionsDeps &
  DeviceMailDeps & {
    log: Logger;
    realtime: Realtime & RealtimeRights;
    random: Random;
    seal: Seal;
    users: Pick<UsersFeature, "setOffline">;
    tokens: Tokens;
    passwords: PasswordCheck;
    loginLimits: LoginLimits;
    replacedSessionMs?: number;
  };

/** A session for the client, and the refresh token for its cookie. */
export type OpenedSession = { session: Session; refreshToken: string };

type Loaded = { account: AccountRow; settings: SettingPair[]; named: TokenSession };

/**
 * Opens a session for an account that has proven everything that is asked for, and ends its others unless the company allows
 * several. Throws when the account was changed since it was read.
 */
export async function beginSession(
  deps: SignInDeps,
  account: AccountRow,
  { method, visitor }: { method: SignInMethod; visitor: Visitor },
): Promise<OpenedSession> {
  const { db, clock, realtime, replacedSessionMs = DEFAULT_REPLACED_SESSION_MS } = deps;
  await requireSubscription(deps, account, { method, visitor });
  const { id: userId, companyId, email } = account;
  const owner = { companyId, userId };
  const several = await db.acrossCompanies((tx) => isSet(tx, owner, signInSettings.several));
  // The older sessions are told first and ended afterwards: a client that is refused before it knows the reason would
  // only see that its session expired. The new session's socket does not exist yet, so it is not told.
  if (!several) {
    realtime.publish(
      companyId,
      "auth",
      { action: "update", user: { id: userId, email, companyId } },
      [rooms.user(companyId, userId)],
    );
  }
  const loaded = await db.acrossCompanies(async (tx) => {
    await lockUnchanged(tx, account, clock.now());
    if (await isSet(tx, owner, signInSettings.mail)) {
      await tellOfNewDevice(deps, tx, account, visitor);
    }
    if (!several) await endAll(deps, tx, owner, "replaced");
    const named = await insertSession(deps, tx, owner, { method, visitor });
    if (several) await endOldest(deps, tx, owner);
    await noteSignIn(deps, tx, owner, { method, refusal: null, visitor });
    return load(tx, owner, named);
  });
  if (!several) {
    const limit = { olderThan: loaded.account.tokenVersion, afterMs: replacedSessionMs };
    realtime.disconnectUser(companyId, userId, limit);
  }
  return open(deps, loaded);
}

const isSet = async (tx: Tx, owner: Owner, key: SettingKey): Promise<boolean> =>
  (await readSetting(tx, owner, key)) === "enabled";

/** Whether the company demands a second factor. */
export const demandsFactor = async (tx: Tx, owner: Pick<Owner, "companyId">): Promise<boolean> =>
  (await readSetting(tx, owner, signInSettings.demand)) === "required";

/** A password that was changed between the steps of a sign-in ends it. */
async function lockUnchanged(tx: Tx, account: AccountRow, now: Date): Promise<void> {
  const same = await tx.query(sql`
    update users set refreshed_at = ${now}
    where company_id = ${account.companyId} and id = ${account.id} and password_hash = ${account.passwordHash}
      and deleted_at is null
    returning 1`);
  if (same.length === 0) throw new DomainError("ERR_INVALID_CREDENTIALS");
}

/** Renews the session of a refresh token. Throws ERR_SESSION_EXPIRED whatever is wrong with the token. */
export async function renewSession(
  deps: SignInDeps,
  refreshToken: string | null,
  visitor: Visitor,
): Promise<OpenedSession> {
  const { db, clock, log, realtime, tokens } = deps;
  const claims = refreshToken === null ? null : await tokens.readRefresh(refreshToken);
  if (claims === null) throw new DomainError("ERR_SESSION_EXPIRED");
  const { companyId, userId, sessionId } = claims;
  const now = clock.now();
  const result = await db.acrossCompanies(async (tx) => {
    const stored = await lockSession(tx, claims);
    if (!stored) return "ended";
    const verdict = judgeRefresh(claims, stored, now);
    if (verdict === "ended") return verdict;
    if (verdict === "reuse") {
      if (sessionId === undefined) await endOldToken(deps, tx, claims);
      else await endOne(deps, tx, { companyId, userId, sessionId }, "copied");
      await noteSignIn(deps, tx, claims, { method: "password", refusal: "copied", visitor });
      return verdict;
    }
    if (sessionId !== undefined && (await lacksFactor(tx, claims))) {
      await endOne(deps, tx, { companyId, userId, sessionId }, "factor");
      return "ended";
    }
    const isRepeat = verdict === "repeat";
    return load(tx, claims, await renewed(deps, tx, claims, { visitor, isRepeat }));
  });
  if (result === "reuse") {
    log.warn({ companyId, userId }, "an old refresh token was used again: the session is ended");
    if (sessionId === undefined) realtime.disconnectUser(companyId, userId);
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

/** Whether the company demands a second factor that the user has not set up: sessions of before go on until their renewal. */
async function lacksFactor(tx: Tx, { companyId, userId }: Owner): Promise<boolean> {
  if (!(await demandsFactor(tx, { companyId }))) return false;
  const found = await tx.query(sql`
    select 1 from user_factors
    where company_id = ${companyId} and user_id = ${userId} and confirmed_at is not null`);
  return found.length === 0 && !(await hasPasskey(tx, { companyId, userId }));
}

export async function hasPasskey(tx: Tx, { companyId, userId }: Owner): Promise<boolean> {
  const found = await tx.query(sql`
    select 1 from passkeys where company_id = ${companyId} and user_id = ${userId} limit 1`);
  return found.length > 0;
}

/** Ends every session of the account with the transaction; its sockets close `afterMs` after the commit. */
export async function endSessions(
  deps: Pick<SessionsDeps, "clock" | "realtime">,
  tx: Tx,
  owner: Owner,
  { afterMs }: { afterMs: number },
): Promise<void> {
  const { companyId, userId } = owner;
  const olderThan = await endAll(deps, tx, owner, "account");
  await tx.query(sql`
    delete from trusted_browsers where company_id = ${companyId} and user_id = ${userId}`);
  tx.onCommit(() => deps.realtime.disconnectUser(companyId, userId, { olderThan, afterMs }));
}

/** The refresh token of a new session for callers who have ended their own. */
export async function goOn(
  deps: SignInDeps,
  account: AccountRow,
  visitor: Visitor,
): Promise<string> {
  const owner = { companyId: account.companyId, userId: account.id };
  const named = await deps.db.acrossCompanies((tx) =>
    insertSession(deps, tx, owner, { method: "password", visitor }),
  );
  return deps.tokens.signRefresh(account, named);
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
  const { db, tokens, users } = deps;
  const proven = await Promise.all([
    bearer === null ? null : tokens.readAccess(bearer),
    refreshToken === null ? null : tokens.readRefresh(refreshToken),
  ]);
  for (const identity of proven) {
    if (!identity || identity.visitId !== undefined || identity.setsUp) continue;
    const { companyId, userId, sessionId } = identity;
    const hasEnded = await db.acrossCompanies((tx) =>
      sessionId === undefined
        ? endOldToken(deps, tx, identity)
        : endOne(deps, tx, { companyId, userId, sessionId }, "signed-out"),
    );
    // A user who is there on another device stays online.
    if (!hasEnded || (await hasOpenSession(deps, identity))) continue;
    await users.setOffline(companyId, userId);
  }
}

async function open(
  { tokens }: SignInDeps,
  { account, settings, named }: Loaded,
): Promise<OpenedSession> {
  const [token, refreshToken] = await Promise.all([
    tokens.signAccess(account, named),
    tokens.signRefresh(account, named),
  ]);
  return { session: { token, user: toSessionUser(account, settings) }, refreshToken };
}

async function load(tx: Tx, owner: Owner, named: TokenSession): Promise<Loaded> {
  const account = await findAccount(tx, owner.companyId, owner.userId);
  if (!account) throw new DomainError("ERR_SESSION_EXPIRED");
  return { account, settings: await readPublicSettings(tx, owner.companyId), named };
}

/** Everything else was right, so users who pay the invoices may learn how. */
export async function requireSubscription(
  deps: SignInDeps,
  account: AccountRow,
  attempt: { method: SignInMethod; visitor: Visitor },
): Promise<void> {
  const { clock, tokens } = deps;
  const owner = { companyId: account.companyId, userId: account.id };
  switch (subscriptionState(account, clock.now())) {
    case "active":
      return;
    case "disabled":
      await noteRefusal(deps, owner, { ...attempt, refusal: "disabled" });
      throw new DomainError("ERR_COMPANY_DISABLED");
    case "expired": {
      await noteRefusal(deps, owner, { ...attempt, refusal: "subscription" });
      const date = account.dueDate ? dueDateText(account.dueDate, account.timeZone) : "";
      const mayPay = permissionsOf(account).includes("invoices:pay");
      const pay = mayPay ? { payToken: await tokens.signPay(account) } : {};
      throw new DomainError("ERR_SUBSCRIPTION_EXPIRED", { date, ...pay });
    }
  }
}
