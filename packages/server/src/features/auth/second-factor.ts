import type { AccountSecurity, InputOf, ResultOf, SignInMethod, UserId } from "@balcao/contract";
import { limits, readResetCode, resetCodeAlphabet } from "@balcao/contract";
import { addDays } from "date-fns/addDays";
import { sql } from "drizzle-orm";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { toIsoOrNull } from "../../platform/db/records.ts";
import { note } from "../audit/index.ts";
import type { AccountRow } from "../users/index.ts";
import { findAccount } from "../users/index.ts";
import { findChallenge, newChallenge, takeChallenge } from "./challenges.ts";
import { noteRefusal } from "./history.ts";
import type { Allowance } from "./login-limit.ts";
import { addressSubject, countFailure, forgetFailures, takeAttempt } from "./login-limit.ts";
import type { OpenedSession, SignInDeps } from "./opening.ts";
import { beginSession, confirmPassword, demandsFactor, hasPasskey } from "./opening.ts";
import type { Owner, Visitor } from "./sessions.ts";
import { hashOf, requireOwner } from "./sessions.ts";
import type { KnownBrowser } from "./tokens.ts";

const TRUST_DAYS = 30;
const CODE_SECONDS = 30;
const CODE_LENGTH = 6;
/** Eighty bits: a quick hash of them cannot be guessed from. */
const RECOVERY_LENGTH = 16;

/** Wrong codes for one account, counted apart for each browser that knows it: a million codes are not guessed at this pace. */
const codes: Allowance = { free: 5, firstWaitMs: 30_000, longestWaitMs: 15 * 60_000 };

type Factor = { secret: Buffer; confirmedAt: Date | null };

/** The authenticator app of an account, also one that has not been confirmed. */
export async function factorOf(tx: Tx, { companyId, userId }: Owner): Promise<Factor | null> {
  const [factor] = await tx.query<Factor>(sql`
    select secret, confirmed_at as "confirmedAt" from user_factors
    where company_id = ${companyId} and user_id = ${userId}`);
  return factor ?? null;
}

/** Whether the user has said that this browser is not asked for a code. */
export async function isTrusted(
  { clock }: Pick<SignInDeps, "clock">,
  tx: Tx,
  { companyId, userId }: Owner,
  browser: KnownBrowser | null,
): Promise<boolean> {
  if (browser === null) return false;
  const found = await tx.query(sql`
    select 1 from trusted_browsers
    where company_id = ${companyId} and user_id = ${userId} and browser = ${hashOf(browser.id)}
      and until > ${clock.now()}`);
  return found.length > 0;
}

/** Has the browser with this id not asked for a code for thirty days. */
export async function trustBrowser(
  { db, clock }: Pick<SignInDeps, "db" | "clock">,
  { companyId, userId }: Owner,
  browserId: string,
): Promise<void> {
  const until = addDays(clock.now(), TRUST_DAYS);
  await db.acrossCompanies((tx) =>
    tx.query(sql`
      insert into trusted_browsers (company_id, user_id, browser, until)
      values (${companyId}, ${userId}, ${hashOf(browserId)}, ${until})
      on conflict (company_id, user_id, browser) do update set until = excluded.until`),
  );
}

/** An account and its password as a step remembers them: with another password the step is over. */
const accountText = ({ companyId, id, passwordHash }: AccountRow): string =>
  JSON.stringify([companyId, id, hashOf(passwordHash)]);

/** The account of a step; null when its password has changed since. */
async function accountOf(tx: Tx, text: string): Promise<AccountRow | null> {
  const [companyId, userId] = JSON.parse(text) as [AccountRow["companyId"], UserId];
  const account = await findAccount(tx, companyId, userId);
  return account && accountText(account) === text ? account : null;
}

/** Steps that an account may begin at once; then one every thirty seconds, so that a known password fills no table. */
const steps: Allowance = { free: 30, firstWaitMs: 30_000, longestWaitMs: 30_000 };

/** Asks for the second factor after the right password. The steps before of this browser are over. */
export async function challengeFactor(
  deps: SignInDeps,
  account: AccountRow,
  visitor: Visitor,
): Promise<string> {
  const step = { account: accountText(account), browserId: visitor.browser?.id ?? "" };
  await countTry(deps, `factor-step:${account.id}`, visitor, steps);
  await noteRefusal(
    deps,
    { companyId: account.companyId, userId: account.id },
    { method: "password", refusal: "factor", visitor },
  );
  await deps.db.acrossCompanies((tx) =>
    tx.query(sql`
      delete from sign_in_challenges
      where kind = 'factor' and account = ${step.account} and browser = ${hashOf(step.browserId)}`),
  );
  return newChallenge(deps, "factor", { ...step, challenge: "" });
}

/** The second step of a sign-in. The try is counted before the code is checked, so that concurrent tries cannot pass the limit. */
export async function answerFactor(
  deps: SignInDeps,
  { challenge, code, recoveryCode }: InputOf<"POST /auth/second-factor">["body"],
  visitor: Visitor,
  /** The browser's name from now on. */
  browser: KnownBrowser,
): Promise<OpenedSession> {
  const { db } = deps;
  const step = { id: challenge, browser: visitor.browser };
  const account = await db.acrossCompanies(async (tx) => {
    const found = await findChallenge(deps, tx, "factor", step);
    return found && accountOf(tx, found.account);
  });
  if (account === null) throw new DomainError("ERR_CHALLENGE_OVER");
  const owner = { companyId: account.companyId, userId: account.id };
  const isKnown = visitor.browser?.userIds.includes(account.id) === true;
  const subject = codeSubject(account.id, isKnown ? visitor.browser : null);
  await countTry(deps, subject, visitor);
  const given = recoveryCode === undefined ? { code: code ?? "" } : { recoveryCode };
  const method: SignInMethod = recoveryCode === undefined ? "code" : "recovery-code";
  const isRight = await db.acrossCompanies(async (tx) => {
    if (!(await takeCode(deps, tx, owner, given))) return false;
    // Another answer may have come first: then the code is not used up.
    await takeChallenge(deps, tx, "factor", step);
    await forgetFailures(tx, subject);
    return true;
  });
  if (!isRight) {
    await db.acrossCompanies((tx) =>
      countFailure(tx, addressSubject(visitor.address), deps.loginLimits, deps.clock.now()),
    );
    await noteRefusal(deps, owner, { method, refusal: "code", visitor });
    throw new DomainError("ERR_FACTOR_WRONG");
  }
  return beginSession(deps, account, { method, visitor: { ...visitor, browser } });
}

const codeSubject = (userId: UserId, browser: KnownBrowser | null): string =>
  browser === null ? `factor:${userId}` : `factor:${browser.id}:${userId}`;

async function countTry(
  deps: SignInDeps,
  subject: string,
  visitor: Visitor,
  allowance = codes,
): Promise<void> {
  const { db, clock, loginLimits } = deps;
  const times = { now: clock.now(), forgetMs: loginLimits.forgetMs };
  const refusal = await db.acrossCompanies(async (tx) => {
    const early = await takeAttempt(tx, subject, allowance, times);
    if (early) await countFailure(tx, addressSubject(visitor.address), loginLimits, times.now);
    return early;
  });
  if (refusal) throw new DomainError("ERR_TOO_MANY_REQUESTS", refusal);
}

type Given = { code: string } | { recoveryCode: string };

/** Uses a code up; false if it is wrong or was used before. */
async function takeCode(deps: SignInDeps, tx: Tx, owner: Owner, given: Given): Promise<boolean> {
  const { companyId, userId } = owner;
  if ("recoveryCode" in given) {
    const codeHash = hashOf(readResetCode(given.recoveryCode));
    const used = await tx.query(sql`
      update recovery_codes set used_at = ${deps.clock.now()}
      where company_id = ${companyId} and user_id = ${userId} and code_hash = ${codeHash} and used_at is null
      returning 1`);
    return used.length > 0;
  }
  const factor = await factorOf(tx, owner);
  const step = factor?.confirmedAt ? await stepOf(deps, owner, factor, given.code) : null;
  if (step === null) return false;
  const used = await tx.query(sql`
    update user_factors set last_step = ${step}
    where company_id = ${companyId} and user_id = ${userId} and last_step < ${step} returning 1`);
  return used.length > 0;
}

/** Null for what was sealed with another secret of the installation. */
function opens(seal: SignInDeps["seal"], sealed: Buffer, purpose: string): string | null {
  try {
    return seal.open(sealed, purpose).toString();
  } catch {
    return null;
  }
}

const purposeOf = ({ companyId, userId }: Owner): string =>
  `second factor of user ${userId} of company ${companyId}`;

/** The step of time of a right code, one step early or late; null for a wrong one. */
async function stepOf(
  { clock, seal, log }: Pick<SignInDeps, "clock" | "seal" | "log">,
  owner: Owner,
  { secret }: Factor,
  code: string,
): Promise<number | null> {
  const digits = code.replace(/\D/g, "");
  if (digits.length !== CODE_LENGTH) return null;
  const { Secret, TOTP } = await import("otpauth");
  const opened = opens(seal, secret, purposeOf(owner));
  if (opened === null) {
    log.warn(owner, "a second factor was sealed with another secret (docs/sign-in.md)");
    return null;
  }
  const timestamp = clock.now().getTime();
  const totp = new TOTP({ secret: Secret.fromBase32(opened) });
  const delta = totp.validate({ token: digits, window: 1, timestamp });
  return delta === null ? null : Math.floor(timestamp / 1_000 / CODE_SECONDS) + delta;
}

/** The caller's account after the password, which a sign-in that sets the factor up has just proven. */
export async function confirmedAccount(
  deps: SignInDeps,
  ctx: UserCtx,
  password: string,
): Promise<AccountRow> {
  requireOwner(ctx);
  const { companyId, actor } = ctx;
  const account = await deps.db.acrossCompanies((tx) => findAccount(tx, companyId, actor.userId));
  if (!account) throw new DomainError("ERR_SESSION_EXPIRED");
  if (!actor.setsUp) await confirmPassword(deps, account, password);
  return account;
}

const ownerOf = ({ companyId, actor }: UserCtx): Owner => ({ companyId, userId: actor.userId });

/** A sign-in sets up the first proof beside the password, and none beside a passkey, which it has not shown. */
async function requireFirst(tx: Tx, ctx: UserCtx): Promise<void> {
  if (ctx.actor.setsUp && (await hasPasskey(tx, ownerOf(ctx)))) {
    throw new DomainError("ERR_PASSKEY_NEEDED");
  }
}

/** Makes a secret for an authenticator app. It counts once its first code has come. */
export async function startFactor(
  deps: SignInDeps,
  ctx: UserCtx,
  password: string,
): Promise<ResultOf<"POST /auth/factor">> {
  const account = await confirmedAccount(deps, ctx, password);
  await deps.db.acrossCompanies((tx) => requireFirst(tx, ctx));
  const { Secret, TOTP } = await import("otpauth");
  const secret = new Secret({ size: 20 });
  const owner = ownerOf(ctx);
  const sealed = deps.seal.close(Buffer.from(secret.base32), purposeOf(owner));
  const stored = await deps.db.acrossCompanies((tx) =>
    tx.query(sql`
      insert into user_factors as factor (company_id, user_id, secret, created_at)
      values (${owner.companyId}, ${owner.userId}, ${sealed}, ${deps.clock.now()})
      on conflict (company_id, user_id) do update set secret = excluded.secret, created_at = excluded.created_at
      where factor.confirmed_at is null
      returning 1`),
  );
  if (stored.length === 0) throw new DomainError("ERR_FACTOR_ON");
  const totp = new TOTP({ issuer: account.companyName, label: account.email, secret });
  return { secret: secret.base32, uri: totp.toString() };
}

/** Switches the factor on by its first code. A sign-in that waited for it goes on. */
export async function confirmFactor(
  deps: SignInDeps,
  ctx: UserCtx,
  code: string,
  visitor: Visitor,
): Promise<{ recoveryCodes: string[]; opened: OpenedSession | null }> {
  requireOwner(ctx);
  const owner = ownerOf(ctx);
  await countTry(deps, `confirm-factor:${owner.userId}`, visitor);
  const done = await deps.db.acrossCompanies(async (tx) => {
    await requireFirst(tx, ctx);
    const factor = await factorOf(tx, owner);
    if (factor === null) throw new DomainError("ERR_FACTOR_OFF");
    if (factor.confirmedAt) throw new DomainError("ERR_FACTOR_ON");
    const step = await stepOf(deps, owner, factor, code);
    if (step === null) return null;
    const confirmed = await tx.query(sql`
      update user_factors set confirmed_at = ${deps.clock.now()}, last_step = ${step}
      where company_id = ${owner.companyId} and user_id = ${owner.userId} and secret = ${factor.secret}
        and confirmed_at is null returning 1`);
    if (confirmed.length === 0) throw new DomainError("ERR_FACTOR_ON");
    await forgetFailures(tx, `confirm-factor:${owner.userId}`);
    const recoveryCodes = await replaceCodes(deps, tx, owner);
    await noteFactor(tx, ctx, "added", "factor");
    return { recoveryCodes, account: await findAccount(tx, owner.companyId, owner.userId) };
  }, ctx);
  if (done === null) throw new DomainError("ERR_FACTOR_WRONG");
  const { recoveryCodes, account } = done;
  if (!ctx.actor.setsUp || !account) return { recoveryCodes, opened: null };
  return {
    recoveryCodes,
    opened: await beginSession(deps, account, { method: "set-up", visitor }),
  };
}

/** Stores ten new recovery codes instead of the old ones. */
async function replaceCodes(
  { random }: Pick<SignInDeps, "random">,
  tx: Tx,
  { companyId, userId }: Owner,
): Promise<string[]> {
  const made = Array.from({ length: limits.recoveryCodes }, () =>
    Array.from(
      { length: RECOVERY_LENGTH },
      () => resetCodeAlphabet[random.integer(0, resetCodeAlphabet.length)],
    ).join(""),
  );
  await tx.query(sql`
    delete from recovery_codes where company_id = ${companyId} and user_id = ${userId}`);
  await tx.query(sql`
    insert into recovery_codes (company_id, user_id, code_hash)
    select ${companyId}, ${userId}, made.hash from unnest(${sql.param(made.map(hashOf))}::text[]) as made(hash)`);
  return made.map((code) => code.replace(/(.{4})(?=.)/g, "$1-"));
}

export async function newRecoveryCodes(
  deps: SignInDeps,
  ctx: UserCtx,
  password: string,
): Promise<string[]> {
  await confirmedAccount(deps, ctx, password);
  return deps.db.acrossCompanies(async (tx) => {
    const factor = await factorOf(tx, ownerOf(ctx));
    if (!factor?.confirmedAt) throw new DomainError("ERR_FACTOR_OFF");
    await noteFactor(tx, ctx, "changed", "recoveryCodes");
    return replaceCodes(deps, tx, ownerOf(ctx));
  }, ctx);
}

/** Switches the caller's second factor off, unless the company demands one. */
export async function removeFactor(
  deps: SignInDeps,
  ctx: UserCtx,
  password: string,
): Promise<void> {
  await confirmedAccount(deps, ctx, password);
  await deps.db.acrossCompanies(async (tx) => {
    if (await demandsFactor(tx, ctx)) throw new DomainError("ERR_FACTOR_DEMANDED");
    if (!(await dropFactor(tx, ownerOf(ctx)))) throw new DomainError("ERR_FACTOR_OFF");
    await noteFactor(tx, ctx, "removed", "factor");
  }, ctx);
}

const noteFactor = (
  tx: Tx,
  ctx: UserCtx,
  action: "added" | "changed" | "removed",
  kind: "factor" | "recoveryCodes",
) => note(tx, ctx, { action, kind, id: ctx.actor.userId, label: ctx.actor.name });

/** Removes the factor with its recovery codes and the browsers that it trusts; false if there was none. */
export async function dropFactor(tx: Tx, { companyId, userId }: Owner): Promise<boolean> {
  const removed = await tx.query(sql`
    delete from user_factors where company_id = ${companyId} and user_id = ${userId} returning 1`);
  await tx.query(sql`
    delete from recovery_codes where company_id = ${companyId} and user_id = ${userId}`);
  await forgetBrowsers(tx, { companyId, userId });
  return removed.length > 0;
}

export async function forgetBrowsers(tx: Tx, { companyId, userId }: Owner): Promise<void> {
  await tx.query(sql`
    delete from trusted_browsers where company_id = ${companyId} and user_id = ${userId}`);
}

type Counts = { confirmedAt: Date | null; codesLeft: number; trustedBrowsers: number };

/** The caller's second factor. */
export async function showFactor(
  { db, clock }: Pick<SignInDeps, "db" | "clock">,
  ctx: UserCtx,
): Promise<Omit<AccountSecurity, "passkeys" | "offersPasskeys">> {
  requireOwner(ctx);
  const { companyId, userId } = ownerOf(ctx);
  return db.transaction(ctx, async (tx) => {
    const [counts] = await tx.query<Counts>(sql`
      select (select confirmed_at from user_factors
          where company_id = ${companyId} and user_id = ${userId}) as "confirmedAt",
        (select count(*)::int from recovery_codes
          where company_id = ${companyId} and user_id = ${userId} and used_at is null) as "codesLeft",
        (select count(*)::int from trusted_browsers
          where company_id = ${companyId} and user_id = ${userId} and until > ${clock.now()}) as "trustedBrowsers"`);
    const { confirmedAt = null, codesLeft = 0, trustedBrowsers = 0 } = counts ?? {};
    return {
      ...{ factorSince: toIsoOrNull(confirmedAt), codesLeft, trustedBrowsers },
      isDemanded: await demandsFactor(tx, ctx),
    };
  });
}
