import type { InputOf, ResultOf, SheetLanguage } from "@balcao/contract";
import {
  hasPasswordParts,
  limits,
  passwordFault,
  readResetCode,
  resetCodeAlphabet,
} from "@balcao/contract";
import { verify } from "@node-rs/argon2";
import { addHours } from "date-fns/addHours";
import { addMinutes } from "date-fns/addMinutes";
import { subHours } from "date-fns/subHours";
import { sql } from "drizzle-orm";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { toIso } from "../../platform/db/records.ts";
import type { Random } from "../../platform/sources.ts";
import type { MailsFeature } from "../mails/index.ts";
import { readSetting } from "../settings/index.ts";
import type { AccountRow } from "../users/index.ts";
import { findAccountByEmailAcrossCompanies } from "../users/index.ts";
import type { Allowance } from "./login-limit.ts";
import { accountSubject, addressSubject, forgetFailures, takeAttempt } from "./login-limit.ts";
import type { SignInDeps } from "./opening.ts";
import { endSessions } from "./opening.ts";
import { hashPassword } from "./passwords.ts";

export type PasswordResetDeps = SignInDeps & CodeDeps;

/** For making codes. */
type CodeDeps = Pick<SignInDeps, "clock"> & {
  random: Random;
  mails: Pick<MailsFeature, "add">;
  /** Where browsers reach the product. Without it an e-mail has no link: an address that a caller sends cannot be trusted. */
  publicUrl?: string | undefined;
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Three codes for an e-mail within an hour, whether somebody has it or not. */
const codesPerEmail: Allowance = { free: 3, firstWaitMs: HOUR_MS, longestWaitMs: HOUR_MS };
/** So many users of a company are invited within an hour: by invitations anybody can be written to. */
const INVITATIONS_PER_HOUR = 60;
/** Thirty codes, and thirty tries of one, from an address; after that one every two minutes. */
const perAddress: Allowance = {
  free: 30,
  firstWaitMs: 2 * MINUTE_MS,
  longestWaitMs: 2 * MINUTE_MS,
};

/** Sends the user with this e-mail a code, which replaces the one before (behaviour 9.2). */
export async function sendResetCode(
  deps: PasswordResetDeps,
  { email, language }: InputOf<"POST /forgetpassword">["body"],
  address: string,
): Promise<ResultOf<"POST /forgetpassword">> {
  const { db, clock } = deps;
  const now = clock.now();
  const wanted = email.trim().toLowerCase();
  const { refusal, account } = await db.acrossCompanies(async (tx) => {
    const refusal =
      (await takeTurn(tx, `reset-codes:${addressSubject(address)}`, perAddress, now)) ??
      (await takeTurn(tx, `reset-codes:${accountSubject(wanted)}`, codesPerEmail, now));
    return { refusal, account: await findAccountByEmailAcrossCompanies(tx, wanted) };
  });
  if (refusal) throw new DomainError("ERR_TOO_MANY_REQUESTS", refusal);
  // Made for an unknown e-mail too, so that it takes about the same time.
  const made = await makeCode(deps, account ?? { email: wanted, passwordHash: "" });
  if (!account) return { status: 404, message: "Email não encontrado" };
  const until = addMinutes(now, limits.resetCodeMinutes);
  await db.acrossCompanies((tx) =>
    storeCode(deps, tx, account, { ...made, until, language, kind: "password-reset" }),
  );
  return { message: "E-mail enviado com sucesso", validUntil: toIso(until) };
}

/**
 * Invites a user, who has no password or none that anybody knows, to set one. The code holds for longer than one that was
 * asked for. Takes a while, because the code is hashed. Throws ERR_TOO_MANY_REQUESTS for a company that invites too many.
 */
export async function inviteUser(
  deps: CodeDeps,
  tx: Tx,
  account: AccountRow,
  language: SheetLanguage,
): Promise<void> {
  const now = deps.clock.now();
  const [sent] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from mails
    where company_id = ${account.companyId} and kind = 'invitation' and created_at > ${subHours(now, 1)}`);
  if (sent && sent.count >= INVITATIONS_PER_HOUR) {
    throw new DomainError("ERR_TOO_MANY_REQUESTS", { retryAfterSeconds: HOUR_MS / 1_000 });
  }
  const made = await makeCode(deps, account);
  const until = addHours(now, limits.invitationHours);
  await storeCode(deps, tx, account, { ...made, until, language, kind: "invitation" });
}

/** Sets a new password by a code. All sessions of the user end, and the code is gone. */
export async function resetPassword(
  deps: PasswordResetDeps,
  { email, token, password }: InputOf<"POST /resetpasswords">["body"],
  address: string,
): Promise<ResultOf<"POST /resetpasswords">> {
  if (!hasPasswordParts(password)) throw new DomainError("ERR_PASSWORD_WEAK");
  const { account, codeHash } = await redeemCode(deps, email.trim().toLowerCase(), token, address);
  // Only now: the refusal depends on the user's name and company.
  await requirePassword(deps, account, password);
  const { db, clock, log } = deps;
  const { companyId, id: userId } = account;
  const passwordHash = await hashPassword(password);
  await db.acrossCompanies(async (tx) => {
    const used = await tx.query(sql`
      delete from password_resets
      where company_id = ${companyId} and user_id = ${userId} and code_hash = ${codeHash} returning 1`);
    // Another request has used it at the same moment.
    if (used.length === 0) throw new DomainError("ERR_RESET_CODE_OVER");
    await tx.query(sql`
      update users set password_hash = ${passwordHash}, updated_at = ${clock.now()}
      where company_id = ${companyId} and id = ${userId}`);
    await endSessions(deps, tx, { companyId, userId }, { afterMs: 0 });
    await forgetFailures(tx, accountSubject(account.email));
  });
  log.info({ companyId, userId }, "a password was set by a code");
  return { message: "Senha redefinida com sucesso" };
}

/** Deletes codes that have expired. */
export async function sweepPasswordResets({
  db,
  clock,
}: Pick<PasswordResetDeps, "db" | "clock">): Promise<void> {
  const now = clock.now();
  await db.acrossCompanies((tx) =>
    tx.query(sql`delete from password_resets where expires_at <= ${now}`),
  );
}

/** The account of a right code. The try is counted before the code is checked, so that concurrent tries cannot pass the limit. */
async function redeemCode(
  { db, clock }: PasswordResetDeps,
  email: string,
  token: string,
  address: string,
): Promise<{ account: AccountRow; codeHash: string }> {
  const now = clock.now();
  const { refusal, account, taken } = await db.acrossCompanies(async (tx) => {
    const subject = `reset-tries:${addressSubject(address)}`;
    const refusal = await takeTurn(tx, subject, perAddress, now);
    const account = await findAccountByEmailAcrossCompanies(tx, email);
    if (refusal || !account) return { refusal };
    const [taken] = await tx.query<{ codeHash: string; tries: number }>(sql`
      update password_resets set tries = tries + 1
      where company_id = ${account.companyId} and user_id = ${account.id}
        and expires_at > ${now} and tries < ${limits.resetCodeTries}
      returning code_hash as "codeHash", tries`);
    return { refusal, account, taken };
  });
  if (refusal) throw new DomainError("ERR_TOO_MANY_REQUESTS", refusal);
  if (!account || !taken) throw new DomainError("ERR_RESET_CODE_OVER");
  const { codeHash, tries } = taken;
  if (await verify(codeHash, codeSecret(account, readResetCode(token))))
    return { account, codeHash };
  const triesLeft = limits.resetCodeTries - tries;
  if (triesLeft > 0) throw new DomainError("ERR_RESET_CODE_WRONG", { triesLeft });
  throw new DomainError("ERR_RESET_CODE_OVER");
}

/** A password that the company does not accept is no wrong code: the try is given back. */
async function requirePassword(
  { db }: PasswordResetDeps,
  account: AccountRow,
  password: string,
): Promise<void> {
  const { companyId, id: userId, name, email, companyName } = account;
  const fault = await db.acrossCompanies(async (tx) => {
    const min = Number(await readSetting(tx, account, "passwordMinLength"));
    const found = passwordFault(password, { min, about: [name, email, companyName] });
    if (found) {
      await tx.query(sql`
        update password_resets set tries = tries - 1
        where company_id = ${companyId} and user_id = ${userId} and tries > 0`);
    }
    return found;
  });
  if (fault?.code === "ERR_PASSWORD_SHORT") throw new DomainError(fault.code, fault.data);
  if (fault) throw new DomainError(fault.code);
}

type MadeCode = { code: string; codeHash: string };
type StoredCode = MadeCode & {
  until: Date;
  language: SheetLanguage;
  kind: "password-reset" | "invitation";
};

/**
 * Hashed like a password: forty bits are soon guessed from anything quicker, and a key for a quicker hash would lie in the
 * same database.
 */
async function makeCode({ random }: CodeDeps, of: CodeOwner): Promise<MadeCode> {
  const code = Array.from(
    { length: limits.resetCodeLength },
    () => resetCodeAlphabet[random.integer(0, resetCodeAlphabet.length)],
  ).join("");
  return { code, codeHash: await hashPassword(codeSecret(of, code)) };
}

type CodeOwner = Pick<AccountRow, "email" | "passwordHash">;

/** A code is void once the user has another e-mail or password. */
export const codeSecret = ({ email, passwordHash }: CodeOwner, code: string): string =>
  `${email} ${passwordHash} ${code}`;

async function storeCode(
  { mails, clock, publicUrl }: CodeDeps,
  tx: Tx,
  account: AccountRow,
  { code, codeHash, until, language, kind }: StoredCode,
): Promise<void> {
  const { companyId, id: userId, name, email, companyName, timeZone } = account;
  const now = clock.now();
  await tx.query(sql`
    insert into password_resets (company_id, user_id, code_hash, expires_at, created_at)
    values (${companyId}, ${userId}, ${codeHash}, ${until}, ${now})
    on conflict (company_id, user_id) do update set
      code_hash = excluded.code_hash, expires_at = excluded.expires_at, tries = 0, created_at = excluded.created_at`);
  const page = `/forgetpsw?email=${encodeURIComponent(email)}`;
  const url = publicUrl === undefined ? null : publicUrl + page;
  await mails.add(tx, {
    ...{ companyId, to: { name, address: email }, language, kind },
    data: { code, until, company: companyName, timeZone, url },
  });
}

const takeTurn = (tx: Tx, subject: string, allowance: Allowance, now: Date) =>
  takeAttempt(tx, subject, allowance, { now, forgetMs: HOUR_MS });
