import type { Session } from "@balcao/contract";
import type { Identity } from "../../platform/authenticator.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Realtime, RealtimeRights } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { Clock } from "../../platform/sources.ts";
import { readPublicSettings } from "../settings/index.ts";
import type { AccountRow, SettingPair, UsersFeature } from "../users/index.ts";
import { findAccount, findAccountByEmailAcrossCompanies, toSessionUser } from "../users/index.ts";
import type { Allowance, LoginLimits } from "./login-limit.ts";
import {
  accountSubject,
  addressSubject,
  browserSubject,
  confirmSubject,
  countFailure,
  forgetFailures,
  isBusyAddress,
  sweepAttempts,
  takeAttempt,
} from "./login-limit.ts";
import type { PasswordCheck } from "./passwords.ts";
import { judgeRefresh } from "./refresh-rule.ts";
import { endSession, lockSession, rotateSession, startSession } from "./repository.ts";
import { dueDateText, subscriptionState } from "./subscription.ts";
import type { KnownBrowser, RefreshClaims, Tokens } from "./tokens.ts";

/** The older client says where it was replaced and leaves by itself after a second; then its sockets go. */
const DEFAULT_REPLACED_SESSION_MS = 3_000;

export type AuthServiceDeps = {
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

/** Where somebody signs in from. */
export type Visitor = { address: string; browser: KnownBrowser | null };

/** A session for the client, and the refresh token for its cookie. */
export type OpenedSession = { session: Session; refreshToken: string };

type Loaded = { account: AccountRow; settings: SettingPair[] };

/** Signing in and out, and renewing (wire-contract 3). */
export function createAuthService(deps: AuthServiceDeps) {
  const { db, clock, log, realtime, users, tokens, passwords, loginLimits } = deps;
  const { replacedSessionMs = DEFAULT_REPLACED_SESSION_MS } = deps;

  async function open({ account, settings }: Loaded): Promise<OpenedSession> {
    const [token, refreshToken] = await Promise.all([
      tokens.signAccess(account),
      tokens.signRefresh(account),
    ]);
    return { session: { token, user: toSessionUser(account, settings) }, refreshToken };
  }

  async function load(tx: Tx, owner: Pick<Identity, "companyId" | "userId">): Promise<Loaded> {
    const account = await findAccount(tx, owner.companyId, owner.userId);
    if (!account) throw new DomainError("ERR_SESSION_EXPIRED");
    return { account, settings: await readPublicSettings(tx, owner.companyId) };
  }

  /**
   * The account the credentials belong to; refusals tell nothing about whether it exists. A browser that signed in to
   * it before has a count of its own, so nobody's wrong passwords elsewhere keep its owner out.
   */
  async function checkCredentials(
    credentials: { email: string; password: string },
    { address, browser }: Visitor,
  ): Promise<AccountRow> {
    const email = credentials.email.trim().toLowerCase();
    const addressed = addressSubject(address);
    const now = clock.now();
    const { account, subject, refusal } = await db.acrossCompanies(async (tx) => {
      const account = await findAccountByEmailAcrossCompanies(tx, email);
      const isKnown = account !== undefined && browser?.userIds.includes(account.id) === true;
      const subject = isKnown ? browserSubject(browser.id, account.id) : accountSubject(email);
      const refusal = await takeAttempt(
        tx,
        subject,
        isKnown ? loginLimits.knownBrowser : await allowanceAt(tx, addressed, now),
        { now, forgetMs: loginLimits.forgetMs },
      );
      if (refusal) await countFailure(tx, addressed, loginLimits, now);
      return { account, subject, refusal };
    });
    if (refusal) throw new DomainError("ERR_TOO_MANY_REQUESTS", refusal);
    const isRight = await passwords.matches(credentials.password, account?.passwordHash);
    if (!account || !isRight) {
      await db.acrossCompanies((tx) => countFailure(tx, addressed, loginLimits, now));
      throw new DomainError("ERR_INVALID_CREDENTIALS");
    }
    await db.acrossCompanies((tx) => forgetFailures(tx, subject));
    return account;
  }

  async function allowanceAt(tx: Tx, address: string, now: Date): Promise<Allowance> {
    const isBusy = await isBusyAddress(tx, address, loginLimits, now);
    return isBusy ? loginLimits.busyAddress : loginLimits.unknownBrowser;
  }

  function requireSubscription(account: AccountRow): void {
    switch (subscriptionState({ ...account, isSuper: account.super }, clock.now())) {
      case "active":
        return;
      case "disabled":
        throw new DomainError("ERR_COMPANY_DISABLED");
      case "expired": {
        const date = account.dueDate ? dueDateText(account.dueDate, account.timeZone) : "";
        throw new DomainError("ERR_SUBSCRIPTION_EXPIRED", { date });
      }
    }
  }

  return {
    async login(
      credentials: { email: string; password: string },
      visitor: Visitor,
    ): Promise<OpenedSession> {
      const known = await checkCredentials(credentials, visitor);
      requireSubscription(known);
      const { id: userId, companyId, email } = known;
      // First the word to the older sessions, then their end: a client that is refused before it hears why would only
      // see that its session expired. The new session's socket does not exist yet, so it does not hear it.
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
      return open(loaded);
    },

    /** Throws ERR_SESSION_EXPIRED whatever is wrong with the token. */
    async refresh(refreshToken: string | null): Promise<OpenedSession> {
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
      if (result === "reuse") endCopiedSession(claims);
      if (result === "reuse" || result === "ended") throw new DomainError("ERR_SESSION_EXPIRED");
      const { account } = result;
      if (subscriptionState({ ...account, isSuper: account.super }, now) !== "active") {
        throw new DomainError("ERR_SESSION_EXPIRED");
      }
      return open(result);
    },

    /** Ends every session of the account with the transaction; its sockets `afterMs` after that. */
    async endSessions(
      tx: Tx,
      owner: Pick<Identity, "companyId" | "userId">,
      { afterMs }: { afterMs: number },
    ): Promise<void> {
      const olderThan = await startSession(tx, owner, clock.now());
      const { companyId, userId } = owner;
      tx.onCommit(() => realtime.disconnectUser(companyId, userId, { olderThan, afterMs }));
    },

    /** A signed-in user proves to be the owner; wrong passwords delay only this. */
    async confirmPassword(account: AccountRow, password: string): Promise<void> {
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
    },

    /** The refresh token of the session that the account has now. */
    goOn: (account: AccountRow): Promise<string> => tokens.signRefresh(account),

    /** Ends the sessions that the bearer and the cookie prove, if they still run. */
    async logout(bearer: string | null, refreshToken: string | null): Promise<void> {
      const proven = await Promise.all([
        bearer === null ? null : tokens.readAccess(bearer),
        refreshToken === null ? null : tokens.readRefresh(refreshToken),
      ]);
      for (const identity of proven) {
        if (!identity) continue;
        const { companyId, userId, tokenVersion } = identity;
        const hasEnded = await db.acrossCompanies((tx) => endSession(tx, identity, tokenVersion));
        if (!hasEnded) continue;
        realtime.disconnectUser(companyId, userId);
        await users.setOffline(companyId, userId);
      }
    },

    /** For the job runner. */
    async sweepLoginAttempts(): Promise<void> {
      await db.acrossCompanies((tx) => sweepAttempts(tx, loginLimits, clock.now()));
    },
  };

  function endCopiedSession({ companyId, userId }: RefreshClaims): void {
    log.warn({ companyId, userId }, "an old refresh token was used again: the session is ended");
    realtime.disconnectUser(companyId, userId);
  }
}
