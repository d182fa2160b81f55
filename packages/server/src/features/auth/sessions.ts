import type {
  CompanyId,
  OpenSession,
  SessionId,
  SettingKey,
  SignInMethod,
  UserId,
} from "@balcao/contract";
import { createHash } from "node:crypto";
import { subDays } from "date-fns/subDays";
import { subSeconds } from "date-fns/subSeconds";
import { sql } from "drizzle-orm";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { requireRow, toIso } from "../../platform/db/records.ts";
import type { Origin } from "../../platform/http/origin.ts";
import type { RealtimeRights } from "../../platform/realtime/hub.ts";
import type { Clock, IdSource } from "../../platform/sources.ts";
import { note } from "../audit/index.ts";
import { endVisitsOf } from "./support.ts";
import type { KnownBrowser, RefreshClaims, StoredSession, TokenSession } from "./tokens.ts";
import { REFRESH_TOKEN_SECONDS } from "./tokens.ts";

export type Owner = { companyId: CompanyId; userId: UserId };

/** The address, device and browser of a sign-in. */
export type Visitor = Origin & { browser: KnownBrowser | null };

export type SessionsDeps = {
  db: Database;
  clock: Clock;
  ids: IdSource;
  realtime: Pick<RealtimeRights, "disconnectSession" | "disconnectUser" | "disconnectVisit">;
};

/** Why a session ended, for the database only. */
type EndReason = "replaced" | "signed-out" | "ended" | "copied" | "account" | "factor";

/** The settings of a company about signing in. */
export const signInSettings = {
  several: "severalSessions",
  demand: "secondFactor",
  mail: "newDeviceMail",
} as const satisfies Record<string, SettingKey>;

/** A browser's id as the database keeps it: nobody who reads the database can pass for the browser. */
export const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Stores a new session. The account must be locked or of this transaction. */
export async function insertSession(
  { clock, ids }: Pick<SessionsDeps, "clock" | "ids">,
  tx: Tx,
  { companyId, userId }: Owner,
  { method, visitor }: { method: SignInMethod; visitor: Visitor },
): Promise<TokenSession> {
  const [id, now] = [ids.uuid() as SessionId, clock.now()];
  const browser = visitor.browser && hashOf(visitor.browser.id);
  await tx.query(sql`
    insert into sessions (id, company_id, user_id, device, address, browser, method, created_at, used_at)
    values (${id}, ${companyId}, ${userId}, ${visitor.device}, ${visitor.address}, ${browser}, ${method}, ${now}, ${now})`);
  return { id, generation: 0 };
}

/** Voids every token of the account, whose sessions have ended. Returns the new token version. */
export async function endAll(
  deps: Omit<SessionsDeps, "db" | "ids">,
  tx: Tx,
  owner: Owner,
  reason: EndReason,
): Promise<number> {
  const { companyId, userId } = owner;
  const now = deps.clock.now();
  const raised = await tx.query<{ tokenVersion: number }>(sql`
    update users set token_version = token_version + 1, refresh_generation = 0, refreshed_at = ${now}
    where company_id = ${companyId} and id = ${userId} and deleted_at is null
    returning token_version as "tokenVersion"`);
  const { tokenVersion } = requireRow(raised, "ERR_NO_USER_FOUND");
  await tx.query(sql`
    update sessions set ended_at = ${now}, end_reason = ${reason}
    where company_id = ${companyId} and user_id = ${userId} and ended_at is null`);
  await endVisitsOf(deps, tx, owner);
  return tokenVersion;
}

/** Ends one session with its sockets; false if it had already ended. A visit of the account ends as well. */
export async function endOne(
  deps: Omit<SessionsDeps, "db" | "ids">,
  tx: Tx,
  owner: Owner & { sessionId: SessionId },
  reason: EndReason,
): Promise<boolean> {
  const { companyId, userId, sessionId } = owner;
  const ended = await tx.query<{ browser: string | null }>(sql`
    update sessions set ended_at = ${deps.clock.now()}, end_reason = ${reason}
    where company_id = ${companyId} and user_id = ${userId} and id = ${sessionId} and ended_at is null
    returning browser`);
  const [session] = ended;
  if (session === undefined) return false;
  if (reason === "ended" && session.browser !== null) {
    // A lost device is not trusted either.
    await tx.query(sql`
      delete from trusted_browsers
      where company_id = ${companyId} and user_id = ${userId} and browser = ${session.browser}`);
  }
  await endVisitsOf(deps, tx, owner);
  tx.onCommit(() => deps.realtime.disconnectSession(companyId, sessionId));
  return true;
}

/** Sessions that an account has open at once; a program that signs in each minute ends its own. */
const SESSIONS_MAX = 100;

/** Ends the sessions beyond the newest ones. */
export async function endOldest(
  { clock, realtime }: Omit<SessionsDeps, "db" | "ids">,
  tx: Tx,
  { companyId, userId }: Owner,
): Promise<void> {
  const ended = await tx.query<{ id: SessionId }>(sql`
    update sessions set ended_at = ${clock.now()}, end_reason = 'replaced'
    where company_id = ${companyId} and id in (
      select id from sessions where company_id = ${companyId} and user_id = ${userId} and ended_at is null
      order by used_at desc, id desc offset ${SESSIONS_MAX})
    returning id`);
  tx.onCommit(() => {
    for (const { id } of ended) realtime.disconnectSession(companyId, id);
  });
}

/** Ends the account's session of a token that is older than sessions; false if it had already ended. */
export async function endOldToken(
  deps: Omit<SessionsDeps, "db" | "ids">,
  tx: Tx,
  owner: Owner & { tokenVersion: number },
): Promise<boolean> {
  const { companyId, userId, tokenVersion } = owner;
  const rows = await tx.query(sql`
    select 1 from users
    where company_id = ${companyId} and id = ${userId} and token_version = ${tokenVersion} and deleted_at is null
    for no key update`);
  if (rows.length === 0) return false;
  await endAll(deps, tx, owner, "signed-out");
  tx.onCommit(() => deps.realtime.disconnectUser(companyId, userId));
  return true;
}

/** Locks what a refresh token is judged by, so that concurrent renewals are judged one after the other. */
export async function lockSession(tx: Tx, claims: RefreshClaims): Promise<StoredSession | null> {
  const { companyId, userId, sessionId } = claims;
  if (sessionId === undefined) {
    const [old] = await tx.query<Omit<StoredSession, "isEnded">>(sql`
      select token_version as "tokenVersion", refresh_generation as generation, refreshed_at as "renewedAt"
      from users where company_id = ${companyId} and id = ${userId} and deleted_at is null for update`);
    return old ? { ...old, isEnded: false } : null;
  }
  const [row] = await tx.query<StoredSession>(sql`
    select u.token_version as "tokenVersion", s.generation, s.renewed_at as "renewedAt",
      s.ended_at is not null as "isEnded"
    from sessions s
    join users u on u.company_id = s.company_id and u.id = s.user_id and u.deleted_at is null
    where s.company_id = ${companyId} and s.user_id = ${userId} and s.id = ${sessionId} for update of s`);
  return row ?? null;
}

/**
 * Counts a renewal, and returns the session as its new tokens name it. A token that is older than sessions gets one; a second tab
 * that renews with it at the same moment gets the same.
 */
export async function renewed(
  deps: Pick<SessionsDeps, "clock" | "ids">,
  tx: Tx,
  claims: RefreshClaims,
  { visitor, isRepeat }: { visitor: Visitor; isRepeat: boolean },
): Promise<TokenSession> {
  const { companyId, userId, sessionId } = claims;
  const now = deps.clock.now();
  if (sessionId !== undefined && isRepeat) {
    const same = await tx.query<TokenSession>(sql`
      select id, generation from sessions where company_id = ${companyId} and id = ${sessionId}`);
    return requireRow(same, "ERR_SESSION_EXPIRED");
  }
  if (sessionId !== undefined) {
    const next = await tx.query<TokenSession>(sql`
      update sessions set generation = generation + 1, renewed_at = ${now}, used_at = ${now},
        device = ${visitor.device}, address = ${visitor.address}
      where company_id = ${companyId} and id = ${sessionId} returning id, generation`);
    return requireRow(next, "ERR_SESSION_EXPIRED");
  }
  if (isRepeat) {
    const [given] = await tx.query<TokenSession>(sql`
      select id, generation from sessions
      where company_id = ${companyId} and user_id = ${userId} and ended_at is null order by created_at desc limit 1`);
    if (given) return given;
  } else {
    await tx.query(sql`
      update users set refresh_generation = refresh_generation + 1, refreshed_at = ${now}
      where company_id = ${companyId} and id = ${userId}`);
  }
  return insertSession(deps, tx, claims, { method: "password", visitor });
}

type SessionRow = Omit<OpenSession, "createdAt" | "usedAt" | "isOwn"> & {
  createdAt: Date;
  usedAt: Date;
};

/** Sessions that were not renewed for so long cannot be renewed any more. */
export const oldestUse = (now: Date): Date => subSeconds(now, REFRESH_TOKEN_SECONDS);

export async function listSessions(
  { db, clock }: Pick<SessionsDeps, "db" | "clock">,
  ctx: UserCtx,
): Promise<OpenSession[]> {
  requireOwner(ctx);
  const { companyId, actor } = ctx;
  const rows = await db.transaction(ctx, (tx) =>
    tx.query<SessionRow>(sql`
      select id, device, address, method, created_at as "createdAt", used_at as "usedAt"
      from sessions
      where company_id = ${companyId} and user_id = ${actor.userId} and ended_at is null
        and used_at > ${oldestUse(clock.now())}
      order by used_at desc, id desc limit 100`),
  );
  return rows.map(({ createdAt, usedAt, ...row }) => ({
    ...{ ...row, createdAt: toIso(createdAt), usedAt: toIso(usedAt) },
    isOwn: row.id === actor.sessionId,
  }));
}

/** Ends a session of the caller. */
export async function endSession(
  deps: SessionsDeps,
  ctx: UserCtx,
  sessionId: SessionId,
): Promise<void> {
  requireOwner(ctx);
  const owner = { companyId: ctx.companyId, userId: ctx.actor.userId, sessionId };
  await deps.db.acrossCompanies(async (tx) => {
    if (!(await endOne(deps, tx, owner, "ended"))) throw new DomainError("ERR_NO_SESSION_FOUND");
    await noteEnd(tx, ctx);
  }, ctx);
}

/** Ends the caller's sessions but the one that asks, and the trust in their browsers. Returns how many. */
export async function endOtherSessions(deps: SessionsDeps, ctx: UserCtx): Promise<number> {
  requireOwner(ctx);
  const { companyId, actor } = ctx;
  const own = actor.sessionId ?? null;
  return deps.db.acrossCompanies(async (tx) => {
    // A refresh token that is older than sessions is void too; an access token of then for an hour at most.
    await tx.query(sql`
      update users set refresh_generation = -1 where company_id = ${companyId} and id = ${actor.userId}`);
    const now = deps.clock.now();
    const others = await tx.query<{ id: SessionId }>(sql`
      with ended as (
        update sessions set ended_at = ${now}, end_reason = 'ended'
        where company_id = ${companyId} and user_id = ${actor.userId} and ended_at is null
          and id is distinct from ${own}
        returning id, browser),
      distrusted as (
        delete from trusted_browsers
        where company_id = ${companyId} and user_id = ${actor.userId} and browser in (select browser from ended))
      select id from ended`);
    if (others.length > 0) await endVisitsOf(deps, tx, { companyId, userId: actor.userId });
    tx.onCommit(() => {
      for (const { id } of others) deps.realtime.disconnectSession(companyId, id);
    });
    if (others.length > 0) await noteEnd(tx, ctx);
    return others.length;
  }, ctx);
}

const noteEnd = (tx: Tx, ctx: UserCtx) =>
  note(tx, ctx, {
    ...({ action: "ended", kind: "session", id: ctx.actor.userId } as const),
    label: ctx.actor.name,
  });

/** Whether the account has a session that can be renewed. */
export async function hasOpenSession(
  { db, clock }: Pick<SessionsDeps, "db" | "clock">,
  { companyId, userId }: Owner,
): Promise<boolean> {
  const rows = await db.acrossCompanies((tx) =>
    tx.query(sql`
      select 1 from sessions
      where company_id = ${companyId} and user_id = ${userId} and ended_at is null
        and used_at > ${oldestUse(clock.now())} limit 1`),
  );
  return rows.length > 0;
}

/** Throws for a visitor of the provider: the account is somebody else's. */
export function requireOwner({ actor }: UserCtx): void {
  if (actor.isVisitor) throw new DomainError("ERR_NO_PERMISSION");
}

const HISTORY_DAYS = 180;

/** Deletes what is over: sessions a month after their last use, the history of sign-ins, trust and steps that have expired. */
export async function sweepSessions({ db, clock }: Pick<SessionsDeps, "db" | "clock">) {
  const now = clock.now();
  await db.acrossCompanies(async (tx) => {
    await tx.query(sql`delete from sessions where used_at <= ${subDays(now, 30)}`);
    await tx.query(sql`delete from sign_ins where at <= ${subDays(now, HISTORY_DAYS)}`);
    await tx.query(sql`delete from trusted_browsers where until <= ${now}`);
    await tx.query(sql`delete from sign_in_challenges where expires_at <= ${now}`);
  });
}
