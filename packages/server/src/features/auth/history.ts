import type {
  InputOf,
  ResultOf,
  SignInEntry,
  SignInMethod,
  SignInRefusal,
  UserId,
} from "@balcao/contract";
import { pageSizes } from "@balcao/contract";
import { sql } from "drizzle-orm";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import type { Database, PreparedStatement, Tx } from "../../platform/db/database.ts";
import { requireRow, toIso } from "../../platform/db/records.ts";
import type { Clock } from "../../platform/sources.ts";
import type { MailsFeature } from "../mails/index.ts";
import type { AccountRow } from "../users/index.ts";
import type { Allowance } from "./login-limit.ts";
import { takeAttempt } from "./login-limit.ts";
import type { Owner, Visitor } from "./sessions.ts";
import { requireOwner } from "./sessions.ts";

type HistoryDeps = { db: Database; clock: Clock };

type Attempt = { method: SignInMethod; refusal: SignInRefusal | null; visitor: Visitor };

/** Writes down a sign-in to an account, or one that was refused. */
export async function noteSignIn(
  { clock }: Pick<HistoryDeps, "clock">,
  tx: Tx,
  { companyId, userId }: Owner,
  { method, refusal, visitor: { device, address } }: Attempt,
): Promise<void> {
  await tx.query(sql`
    insert into sign_ins (company_id, user_id, at, device, address, method, refusal)
    values (${companyId}, ${userId}, ${clock.now()}, ${device}, ${address}, ${method}, ${refusal})`);
}

/** Refusals that are written down at once; then one every thirty seconds, so that a known password fills no table. */
const refusals: Allowance = { free: 60, firstWaitMs: 30_000, longestWaitMs: 30_000 };

/** The same for a refusal, in a transaction of its own. */
export async function noteRefusal(
  deps: HistoryDeps,
  owner: Owner,
  attempt: Attempt & { refusal: SignInRefusal },
): Promise<void> {
  const times = { now: deps.clock.now(), forgetMs: 60 * 60_000 };
  await deps.db.acrossCompanies(async (tx) => {
    if (await takeAttempt(tx, `refusals:${owner.userId}`, refusals, times)) return;
    await noteSignIn(deps, tx, owner, attempt);
  });
}

export type DeviceMailDeps = Pick<HistoryDeps, "clock"> & {
  mails: Pick<MailsFeature, "add">;
  /** Whether this installation sends e-mail at all. */
  sendsMail: boolean;
  publicUrl?: string | undefined;
};

/** A program that signs in anew each time, without cookies and from changing addresses, writes to nobody all day. */
const mailsPerUser: Allowance = {
  free: 5,
  firstWaitMs: 60 * 60_000,
  longestWaitMs: 24 * 60 * 60_000,
};

/**
 * Writes to the user about a sign-in from a browser that is new to the account: its cookie does not know the account, and there was
 * no sign-in from the same device at the same address. The first sign-in of an account is not told. Called before the sign-in is
 * written down.
 */
export async function tellOfNewDevice(
  { clock, mails, sendsMail, publicUrl }: DeviceMailDeps,
  tx: Tx,
  account: AccountRow,
  { device, address, browser }: Visitor,
): Promise<void> {
  const { companyId, id: userId, name, email, companyName, timeZone } = account;
  if (!sendsMail || account.refreshedAt === null) return;
  if (browser?.userIds.includes(userId) === true) return;
  const known = await tx.query(sql`
    select 1 from sign_ins
    where company_id = ${companyId} and user_id = ${userId} and refusal is null
      and device = ${device} and address = ${address} limit 1`);
  if (known.length > 0) return;
  const now = clock.now();
  const times = { now, forgetMs: 24 * 60 * 60_000 };
  if (await takeAttempt(tx, `device-mail:${userId}`, mailsPerUser, times)) return;
  const url = publicUrl === undefined ? null : `${publicUrl}/forgetpsw`;
  await mails.add(tx, {
    // The languages of users are not known; the product's first one is taken.
    ...{ companyId, to: { name, address: email }, language: "pt", kind: "new-device" },
    data: { company: companyName, device, address, at: now, timeZone, url },
  });
}

type Row = Omit<SignInEntry, "at"> & { at: Date };
type PageRow = Row & { total: number };

const pageStatement: PreparedStatement = {
  name: "sign-ins.page",
  text: `
    select id, at, device, address, method, refusal, count(*) over ()::int as total
    from sign_ins where company_id = $1 and user_id = $2
    order by id desc limit $3 offset $4`,
};

const toEntry = ({ id, at, device, address, method, refusal }: Row): SignInEntry => ({
  ...{ id, at: toIso(at), device, address, method, refusal },
});

/** The last sign-ins to the caller's account. */
export async function listOwnSignIns({ db }: HistoryDeps, ctx: UserCtx): Promise<SignInEntry[]> {
  requireOwner(ctx);
  const values = [ctx.companyId, ctx.actor.userId, pageSizes.signIns, 0];
  return (await db.read<PageRow>(ctx, pageStatement, values)).map(toEntry);
}

type Security = { hasFactor: boolean; passkeys: number; sessions: number };

/** One page of the sign-ins of a user of the company, with the state of the account's security. */
export async function listSignIns(
  { db }: HistoryDeps,
  ctx: Ctx,
  userId: UserId,
  { pageNumber }: InputOf<"GET /users/:userId/sign-ins">["query"],
): Promise<ResultOf<"GET /users/:userId/sign-ins">> {
  const { companyId } = ctx;
  const offset = (pageNumber - 1) * pageSizes.signIns;
  return db.transaction(ctx, async (tx) => {
    const found = await tx.query<Security>(sql`
      select exists (select from user_factors f
          where f.company_id = u.company_id and f.user_id = u.id and f.confirmed_at is not null) as "hasFactor",
        (select count(*)::int from passkeys p where p.company_id = u.company_id and p.user_id = u.id) as passkeys,
        (select count(*)::int from sessions s
          where s.company_id = u.company_id and s.user_id = u.id and s.ended_at is null) as sessions
      from users u where u.company_id = ${companyId} and u.id = ${userId} and u.deleted_at is null`);
    const security = requireRow(found, "ERR_NO_USER_FOUND");
    const values = [companyId, userId, pageSizes.signIns, offset];
    const rows = await tx.query<PageRow>(pageStatement, values);
    const count = rows[0]?.total ?? 0;
    return {
      signIns: rows.map(toEntry),
      count,
      hasMore: count > offset + rows.length,
      ...security,
    };
  });
}
