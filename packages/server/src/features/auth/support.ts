import type { CompanyId, InputOf, ResultOf, SupportVisit } from "@balcao/contract";
import { limits, pageSizes } from "@balcao/contract";
import { addMinutes } from "date-fns/addMinutes";
import { sql } from "drizzle-orm";
import type { Identity, UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, PreparedStatement, Tx } from "../../platform/db/database.ts";
import { requireRow, toIso, toIsoOrNull } from "../../platform/db/records.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { RealtimeRights } from "../../platform/realtime/hub.ts";
import type { Clock } from "../../platform/sources.ts";
import { readPublicSettings } from "../settings/index.ts";
import { findAccount, toSessionUser } from "../users/index.ts";
import type { Tokens } from "./tokens.ts";

type SupportDeps = {
  db: Database;
  clock: Clock;
  log: Logger;
  realtime: Pick<RealtimeRights, "disconnectVisit">;
  tokens: Pick<Tokens, "signVisit">;
};

type Found = {
  status: boolean;
  unpaid: boolean;
  isProvider: boolean;
  adminId: Identity["userId"] | null;
};

/**
 * Begins a visit: a session with the rights of the company's first admin, for an hour at most. It ends sooner with the visitor's
 * own session. One visitor is in one company at a time.
 */
export async function visitCompanyAcrossCompanies(
  deps: SupportDeps,
  { companyId: visitorCompanyId, actor }: UserCtx,
  companyId: CompanyId,
  reason: string,
): Promise<ResultOf<"POST /companies/:companyId/support">> {
  const { db, clock, log, tokens } = deps;
  const now = clock.now();
  const endsAt = addMinutes(now, limits.supportVisitMinutes);
  const visitor = { companyId: visitorCompanyId, userId: actor.userId };
  const opened = await db.acrossCompanies(async (tx) => {
    const adminId = await findAdmin(tx, companyId);
    await endVisitsOf(deps, tx, visitor);
    const started = await tx.query<Pick<Started, "visitId" | "tokenVersion">>(sql`
      insert into support_visits (company_id, user_id, visitor_company_id, visitor_id, visitor_token_version,
        visitor_name, reason, started_at, ends_at)
      select ${companyId}, ${adminId}, s.company_id, s.id, s.token_version, s.name, ${reason}, ${now}, ${endsAt}
      from users s where s.company_id = ${visitorCompanyId} and s.id = ${actor.userId} and s.super and s.deleted_at is null
      returning id as "visitId", visitor_token_version as "tokenVersion"`);
    const visit = requireRow(started, "ERR_NO_USER_FOUND");
    const account = await findAccount(tx, companyId, adminId);
    if (!account) throw new DomainError("ERR_NO_USER_FOUND");
    const settings = await readPublicSettings(tx, companyId);
    return { visit, account, user: toSessionUser(account, settings) };
  });
  const { visit, account, user } = opened;
  log.info(
    { companyId, visitId: visit.visitId, visitorId: actor.userId },
    "a support visit begins",
  );
  const token = await tokens.signVisit(account, visit);
  return { token, user, endsAt: toIso(endsAt) };
}

type Started = Parameters<Tokens["signVisit"]>[1];

/** The admin with the company's own address, or the first one; those whose role differs from the profile come last. A company that is suspended because it has not paid can be visited. */
async function findAdmin(tx: Tx, companyId: CompanyId): Promise<Identity["userId"]> {
  const rows = await tx.query<Found>(sql`
    select c.status, c.unpaid, exists (
        select from users s where s.company_id = c.id and s.super and s.deleted_at is null) as "isProvider",
      (select u.id from users u where u.company_id = c.id and u.profile = 'admin' and u.deleted_at is null
        order by u.role_id is null desc, u.email = lower(c.email) desc, u.id limit 1) as "adminId"
    from companies c where c.id = ${companyId}`);
  const { status, unpaid, isProvider, adminId } = requireRow(rows, "ERR_NO_COMPANY_FOUND");
  if (isProvider) throw new DomainError("ERR_COMPANY_IS_PROVIDER");
  if (!status && !unpaid) throw new DomainError("ERR_COMPANY_DISABLED");
  if (adminId === null) throw new DomainError("ERR_NO_USER_FOUND");
  return adminId;
}

/** Ends the visit of a visitor's session. */
export async function leaveCompany(
  { db, clock, realtime }: Pick<SupportDeps, "db" | "clock" | "realtime">,
  { companyId, actor: { visitId } }: UserCtx,
): Promise<void> {
  if (visitId === undefined) return;
  await db.acrossCompanies((tx) =>
    tx.query(sql`
      update support_visits set ended_at = ${clock.now()}
      where company_id = ${companyId} and id = ${visitId} and ended_at is null`),
  );
  realtime.disconnectVisit(companyId, visitId);
}

/** Ends the running visits of a super user. */
export async function endVisitsOf(
  { clock, realtime }: Pick<SupportDeps, "clock" | "realtime">,
  tx: Tx,
  { companyId, userId }: Pick<Identity, "companyId" | "userId">,
): Promise<void> {
  type Ended = { id: NonNullable<UserCtx["actor"]["visitId"]>; companyId: CompanyId };
  const now = clock.now();
  const ended = await tx.query<Ended>(sql`
    update support_visits set ended_at = ${now}
    where visitor_company_id = ${companyId} and visitor_id = ${userId} and ended_at is null and ends_at > ${now}
    returning id, company_id as "companyId"`);
  tx.onCommit(() => {
    for (const visit of ended) realtime.disconnectVisit(visit.companyId, visit.id);
  });
}

type VisitRow = Omit<SupportVisit, "startedAt" | "endsAt" | "endedAt"> & {
  startedAt: Date;
  endsAt: Date;
  endedAt: Date | null;
  total: number;
};

const visitsStatement: PreparedStatement = {
  name: "support.visits",
  text: `
select v.id, v.visitor_name as "visitorName", coalesce(u.name, '') as "adminName", v.reason, v.started_at as "startedAt",
  v.ends_at as "endsAt", v.ended_at as "endedAt", count(*) over ()::int as total
from support_visits v
left join users u on u.company_id = v.company_id and u.id = v.user_id
where v.company_id = $1
order by v.started_at desc, v.id desc
limit $2 offset $3`,
};

/** One page of the visits in the company. */
export async function listVisits(
  { db }: Pick<SupportDeps, "db">,
  ctx: UserCtx,
  { pageNumber }: InputOf<"GET /support-visits">["query"],
): Promise<ResultOf<"GET /support-visits">> {
  const size = pageSizes.supportVisits;
  const offset = (pageNumber - 1) * size;
  const rows = await db.read<VisitRow>(ctx, visitsStatement, [ctx.companyId, size, offset]);
  const count = rows[0]?.total ?? 0;
  const visits = rows.map(({ total: _total, ...row }) => ({
    ...row,
    startedAt: toIso(row.startedAt),
    endsAt: toIso(row.endsAt),
    endedAt: toIsoOrNull(row.endedAt),
  }));
  return { visits, count, hasMore: count > offset + rows.length };
}
