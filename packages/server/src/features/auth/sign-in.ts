import type { InputOf } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { DomainError } from "../../platform/context.ts";
import type { AccountRow } from "../users/index.ts";
import { findAccountByEmailAcrossCompanies } from "../users/index.ts";
import { noteRefusal, noteSignIn } from "./history.ts";
import {
  accountSubject,
  addressSubject,
  browserSubject,
  countFailure,
  forgetFailures,
  isBusyAddress,
  takeAttempt,
} from "./login-limit.ts";
import type { OpenedSession, SignInDeps } from "./opening.ts";
import { beginSession, demandsFactor, hasPasskey, requireSubscription } from "./opening.ts";
import { hashPassword, isOldHash, renewHash } from "./passwords.ts";
import { challengeFactor, factorOf, isTrusted } from "./second-factor.ts";
import type { Visitor } from "./sessions.ts";

/**
 * Checks the password. Opens a session, or throws ERR_SECOND_FACTOR where the account has a second factor, and where the company
 * demands one that it has not ERR_FACTOR_SETUP, or ERR_PASSKEY_NEEDED for an account with passkeys.
 */
export async function signIn(
  deps: SignInDeps,
  credentials: InputOf<"POST /auth/login">["body"],
  visitor: Visitor,
): Promise<OpenedSession> {
  const account = await checkCredentials(deps, credentials, visitor);
  const owner = { companyId: account.companyId, userId: account.id };
  const { factor, hasKeys, isKnown, isDemanded } = await deps.db.acrossCompanies(async (tx) => ({
    factor: await factorOf(tx, owner),
    hasKeys: await hasPasskey(tx, owner),
    isKnown: await isTrusted(deps, tx, owner, visitor.browser),
    isDemanded: await demandsFactor(tx, owner),
  }));
  if (factor?.confirmedAt) {
    if (isKnown) return beginSession(deps, account, { method: "trusted-browser", visitor });
    throw new DomainError("ERR_SECOND_FACTOR", {
      challenge: await challengeFactor(deps, account, visitor),
    });
  }
  if (!isDemanded) return beginSession(deps, account, { method: "password", visitor });
  if (hasKeys) {
    // The password alone would make another factor beside the passkeys.
    await noteRefusal(deps, owner, { method: "password", refusal: "factor", visitor });
    throw new DomainError("ERR_PASSKEY_NEEDED");
  }
  await requireSubscription(deps, account, { method: "password", visitor });
  await noteRefusal(deps, owner, { method: "password", refusal: "set-up", visitor });
  throw new DomainError("ERR_FACTOR_SETUP", { setUpToken: await deps.tokens.signSetUp(account) });
}

/**
 * The account of these credentials; throws when they are wrong or come too early. Failures are counted apart for each
 * browser that has signed in to the account, and together for all others, so guessing from elsewhere does not lock the
 * user out. Failures from one address never delay a browser that has signed in before.
 */
async function checkCredentials(
  deps: SignInDeps,
  credentials: InputOf<"POST /auth/login">["body"],
  visitor: Visitor,
): Promise<AccountRow> {
  const { db, clock, passwords, loginLimits } = deps;
  const { address, browser } = visitor;
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
    await db.acrossCompanies(async (tx) => {
      await countFailure(tx, addressed, loginLimits, now);
      const attempt = { method: "password", refusal: "password", visitor } as const;
      // One statement for an unknown account too, so that the time does not tell which exist.
      if (!account) await tx.query(sql`select 1`);
      else
        await noteSignIn(deps, tx, { companyId: account.companyId, userId: account.id }, attempt);
    });
    throw new DomainError("ERR_INVALID_CREDENTIALS");
  }
  const renewed = isOldHash(account.passwordHash) ? await hashPassword(credentials.password) : null;
  await db.acrossCompanies(async (tx) => {
    await forgetFailures(tx, subject);
    if (renewed !== null) await renewHash(tx, account, renewed);
  });
  return renewed === null ? account : { ...account, passwordHash: renewed };
}
