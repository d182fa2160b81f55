import type { InputOf, Passkey, PasskeyId, ResultOf } from "@balcao/contract";
import { limits } from "@balcao/contract";
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { isIP } from "node:net";
import { sql } from "drizzle-orm";
import type { FastifyRequest } from "fastify";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { requireRow, toIso, toIsoOrNull } from "../../platform/db/records.ts";
import type { AccountRow } from "../users/index.ts";
import { findAccount } from "../users/index.ts";
import { note } from "../audit/index.ts";
import { newChallenge, takeChallenge } from "./challenges.ts";
import { noteRefusal } from "./history.ts";
import type { Allowance } from "./login-limit.ts";
import { addressSubject, countFailure, takeAttempt } from "./login-limit.ts";
import type { OpenedSession, SignInDeps } from "./opening.ts";
import { beginSession } from "./opening.ts";
import { confirmedAccount } from "./second-factor.ts";
import type { Visitor } from "./sessions.ts";
import { requireOwner } from "./sessions.ts";
import type { KnownBrowser } from "./tokens.ts";

/** The host that passkeys belong to, and the address that its pages have. */
type PasskeySite = { host: string; origin: string };

/**
 * The site of a request: the configured address, or the host that the browser names. A forged host gains nothing, because the
 * browser signs the origin of the page itself, and a passkey of another host is refused. Null where browsers make no passkeys: at
 * IP addresses, and without https.
 */
export function siteOf(
  { host }: FastifyRequest,
  publicUrl: string | undefined,
): PasskeySite | null {
  const url = publicUrl ?? `https://${host}`;
  if (!URL.canParse(url)) return null;
  const { hostname, protocol, origin } = new URL(url);
  if (hostname === "localhost") return { host: hostname, origin: `http://${new URL(url).host}` };
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, "")) !== 0;
  return isAddress || protocol !== "https:" ? null : { host: hostname, origin };
}

function requireSite(site: PasskeySite | null): PasskeySite {
  if (site === null) throw new DomainError("ERR_PASSKEYS_NOT_OFFERED");
  return site;
}

/** EdDSA, ES256, RS256: every authenticator has one of them. */
const ALGORITHMS = [-8, -7, -257];

/** The library is loaded when somebody uses a passkey. */
const webAuthn = () => import("@simplewebauthn/server");

type Row = { id: PasskeyId; name: string; createdAt: Date; usedAt: Date | null };

const toPasskey = ({ id, name, createdAt, usedAt }: Row): Passkey => ({
  ...{ id, name, createdAt: toIso(createdAt), usedAt: toIsoOrNull(usedAt) },
});

export async function listPasskeys({ db }: Pick<SignInDeps, "db">, ctx: UserCtx) {
  const { companyId, actor } = ctx;
  const rows = await db.transaction(ctx, (tx) =>
    tx.query<Row>(sql`
      select id, name, created_at as "createdAt", used_at as "usedAt" from passkeys
      where company_id = ${companyId} and user_id = ${actor.userId} order by id`),
  );
  return rows.map(toPasskey);
}

/** Options with which the browser makes a passkey for the caller. */
export async function passkeyOptions(
  deps: SignInDeps,
  ctx: UserCtx,
  password: string,
  from: { site: PasskeySite | null; browserId: string },
): Promise<ResultOf<"POST /auth/passkeys/options">> {
  const site = requireSite(from.site);
  const account = await confirmedAccount(deps, ctx, password);
  const known = await deps.db.acrossCompanies((tx) =>
    tx.query<{ id: string }>(sql`
      select credential_id as id from passkeys
      where company_id = ${ctx.companyId} and user_id = ${account.id}`),
  );
  requireRoom(known.length);
  const { generateRegistrationOptions } = await webAuthn();
  const options = await generateRegistrationOptions({
    rpName: account.companyName,
    rpID: site.host,
    userName: account.email,
    userDisplayName: account.name,
    // The authenticator shows it to nobody, and gives it back at a sign-in.
    userID: Buffer.from(`${ctx.companyId}:${account.id}`),
    attestationType: "none",
    excludeCredentials: known,
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    supportedAlgorithmIDs: ALGORITHMS,
  });
  const step = { account: ownerText(ctx), browserId: from.browserId, challenge: options.challenge };
  return { step: await newChallenge(deps, "new-passkey", step), options: { ...options } };
}

const ownerText = ({ companyId, actor }: UserCtx): string => `${companyId}:${actor.userId}`;

function requireRoom(count: number): void {
  const max = limits.passkeysPerUser;
  if (count >= max) throw new DomainError("ERR_PASSKEY_LIMIT", { max });
}

/** Stores the passkey that the browser made. */
export async function addPasskey(
  deps: SignInDeps,
  ctx: UserCtx,
  { step: id, name, credential }: InputOf<"POST /auth/passkeys">["body"],
  from: { site: PasskeySite | null; browser: KnownBrowser | null },
): Promise<Passkey> {
  requireOwner(ctx);
  const site = requireSite(from.site);
  const step = await deps.db.acrossCompanies((tx) =>
    takeChallenge(deps, tx, "new-passkey", { id, browser: from.browser }),
  );
  if (step.account !== ownerText(ctx)) throw new DomainError("ERR_CHALLENGE_OVER");
  const { verifyRegistrationResponse } = await webAuthn();
  const verified = await verifyRegistrationResponse({
    // The library checks the parts of an answer itself.
    response: credential as unknown as RegistrationResponseJSON,
    expectedChallenge: step.challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.host,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(refused);
  if (!verified.verified) throw new DomainError("ERR_PASSKEY_REFUSED");
  const {
    id: credentialId,
    publicKey,
    counter,
    transports = [],
  } = verified.registrationInfo.credential;
  const { companyId, actor } = ctx;
  const now = deps.clock.now();
  return deps.db.acrossCompanies(async (tx) => {
    const [held] = await tx.query<{ count: number }>(sql`
      select count(*)::int as count from passkeys where company_id = ${companyId} and user_id = ${actor.userId}`);
    requireRoom(held?.count ?? 0);
    const rows = await tx.query<Row>(sql`
      insert into passkeys (company_id, user_id, credential_id, public_bytes, counter, transports, host, name, created_at)
      values (${companyId}, ${actor.userId}, ${credentialId}, ${Buffer.from(publicKey)}, ${counter},
        ${sql.param(transports)}::text[], ${site.host}, ${name}, ${now})
      on conflict (credential_id) do nothing
      returning id, name, created_at as "createdAt", used_at as "usedAt"`);
    const row = requireRow(rows, "ERR_PASSKEY_REFUSED");
    await note(tx, ctx, { action: "added", kind: "passkey", id: row.id, label: name });
    return toPasskey(row);
  }, ctx);
}

/** An answer that the library does not accept, for whatever reason. */
function refused(): { verified: false } {
  return { verified: false };
}

export async function renamePasskey(
  { db }: Pick<SignInDeps, "db">,
  ctx: UserCtx,
  id: PasskeyId,
  name: string,
): Promise<Passkey> {
  requireOwner(ctx);
  return db.acrossCompanies(async (tx) => {
    const rows = await tx.query<Row>(sql`
      update passkeys set name = ${name}
      where company_id = ${ctx.companyId} and user_id = ${ctx.actor.userId} and id = ${id}
      returning id, name, created_at as "createdAt", used_at as "usedAt"`);
    const row = requireRow(rows, "ERR_NO_PASSKEY_FOUND");
    await note(tx, ctx, { action: "changed", kind: "passkey", id, label: name });
    return toPasskey(row);
  }, ctx);
}

export async function removePasskey(
  deps: SignInDeps,
  ctx: UserCtx,
  id: PasskeyId,
  password: string,
): Promise<void> {
  await confirmedAccount(deps, ctx, password);
  await deps.db.acrossCompanies(async (tx) => {
    const removed = await tx.query<{ name: string }>(sql`
      delete from passkeys
      where company_id = ${ctx.companyId} and user_id = ${ctx.actor.userId} and id = ${id} returning name`);
    const { name } = requireRow(removed, "ERR_NO_PASSKEY_FOUND");
    await note(tx, ctx, { action: "removed", kind: "passkey", id, label: name });
  }, ctx);
}

/** Removes all passkeys of an account. */
export async function dropPasskeys(
  tx: Tx,
  { companyId, userId }: Pick<Stored, "companyId" | "userId">,
): Promise<void> {
  await tx.query(sql`delete from passkeys where company_id = ${companyId} and user_id = ${userId}`);
}

/** Sign-ins that an address may begin at once, then one every ten seconds. */
const beginnings: Allowance = { free: 30, firstWaitMs: 10_000, longestWaitMs: 10_000 };

/** Options with which the browser signs in by a passkey of any account. */
export async function passkeySignInOptions(
  deps: SignInDeps,
  visitor: Visitor,
  siteOrNull: PasskeySite | null,
): Promise<ResultOf<"POST /auth/passkey/options">> {
  const site = requireSite(siteOrNull);
  const subject = `passkey:${addressSubject(visitor.address)}`;
  const times = { now: deps.clock.now(), forgetMs: 60_000 };
  const refusal = await deps.db.acrossCompanies((tx) =>
    takeAttempt(tx, subject, beginnings, times),
  );
  if (refusal) throw new DomainError("ERR_TOO_MANY_REQUESTS", refusal);
  const { generateAuthenticationOptions } = await webAuthn();
  const options = await generateAuthenticationOptions({
    rpID: site.host,
    userVerification: "required",
  });
  const step = { account: "", browserId: visitor.browser?.id ?? "", challenge: options.challenge };
  return { step: await newChallenge(deps, "passkey", step), options: { ...options } };
}

type Stored = {
  id: PasskeyId;
  companyId: UserCtx["companyId"];
  userId: UserCtx["actor"]["userId"];
  credentialId: string;
  publicBytes: Buffer;
  counter: number;
  host: string;
};

/** Signs in with a passkey. The authenticator has checked the user, so it stands for the password and the second factor. */
export async function signInByPasskey(
  deps: SignInDeps,
  { step: id, credential }: InputOf<"POST /auth/passkey">["body"],
  visitor: Visitor,
  siteOrNull: PasskeySite | null,
): Promise<OpenedSession> {
  const site = requireSite(siteOrNull);
  const { db } = deps;
  const { step, stored, account } = await db.acrossCompanies(async (tx) => {
    const step = await takeChallenge(deps, tx, "passkey", { id, browser: visitor.browser });
    return { step, ...(await findStored(tx, idOf(credential))) };
  });
  const isRight =
    stored !== undefined && account !== undefined && stored.host === site.host
      ? await verifies(stored, { credential, challenge: step.challenge, site })
      : false;
  const counter = isRight ? isRight.counter : null;
  if (counter === null || !stored || !account || !(await countUse(deps, stored, counter))) {
    const failed = addressSubject(visitor.address);
    await db.acrossCompanies((tx) => countFailure(tx, failed, deps.loginLimits, deps.clock.now()));
    if (account) {
      const owner = { companyId: account.companyId, userId: account.id };
      await noteRefusal(deps, owner, { method: "passkey", refusal: "passkey", visitor });
    }
    throw new DomainError("ERR_PASSKEY_REFUSED");
  }
  return beginSession(deps, account, { method: "passkey", visitor });
}

/** The name of the passkey in an answer; "" in one that has none. */
function idOf({ id }: Answer["credential"]): string {
  return typeof id === "string" ? id : "";
}

async function findStored(
  tx: Tx,
  credentialId: string,
): Promise<{ stored: Stored | undefined; account: AccountRow | undefined }> {
  const [stored] = await tx.query<Stored>(sql`
    select id, company_id as "companyId", user_id as "userId", credential_id as "credentialId",
      public_bytes as "publicBytes", counter::float8 as counter, host
    from passkeys where credential_id = ${credentialId}`);
  const account = stored && (await findAccount(tx, stored.companyId, stored.userId));
  return { stored, account };
}

type Answer = {
  credential: InputOf<"POST /auth/passkey">["body"]["credential"];
  challenge: string;
  site: PasskeySite;
};

/** The authenticator's new count, if it has signed this challenge for this site; else false. */
async function verifies(
  { credentialId, publicBytes, counter }: Stored,
  { credential, challenge, site }: Answer,
): Promise<{ counter: number } | false> {
  const { verifyAuthenticationResponse } = await webAuthn();
  const verified = await verifyAuthenticationResponse({
    response: credential as unknown as AuthenticationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.host,
    requireUserVerification: true,
    credential: { id: credentialId, publicKey: new Uint8Array(publicBytes), counter },
  }).catch(() => null);
  return verified?.verified === true && { counter: verified.authenticationInfo.newCounter };
}

/** Stores the count; false where another sign-in has stored the same or a later one, unless the authenticator does not count. */
async function countUse(
  { db, clock }: Pick<SignInDeps, "db" | "clock">,
  { id, companyId }: Stored,
  counter: number,
): Promise<boolean> {
  const used = await db.acrossCompanies((tx) =>
    tx.query(sql`
      update passkeys set counter = ${counter}, used_at = ${clock.now()}
      where company_id = ${companyId} and id = ${id} and (counter < ${counter} or (counter = 0 and ${counter} = 0))
      returning 1`),
  );
  return used.length > 0;
}
