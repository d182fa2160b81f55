import type { PlanFlags, Profile, QueueId, SessionId } from "@balcao/contract";
import { permissionsOfRole, seesTicketsWithoutQueue } from "@balcao/contract";
import { tz } from "@date-fns/tz";
import { format } from "date-fns/format";
import type { Authenticator, Identity, UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, PreparedStatement } from "../../platform/db/database.ts";
import type { Clock } from "../../platform/sources.ts";
import type { TokenSecrets } from "./tokens.ts";
import { browserTokenOf, createTokens } from "./tokens.ts";

type AuthenticatorDeps = { db: Database; clock: Clock; secrets: TokenSecrets };

type Owner = Pick<Identity, "companyId" | "userId">;
type InSession = Owner & { sessionId?: SessionId | null };

type RightsRow = PlanFlags & {
  name: string;
  profile: Profile;
  super: boolean;
  allTicket: string;
  tokenVersion: number;
  companyStatus: boolean;
  unpaid: boolean;
  dueDate: Date | null;
  sessionRuns: boolean;
  queueIds: QueueId[];
  ownerlessQueueIds: QueueId[];
} & RoleColumns;

/** How the user's role differs from the profile; null without one. */
type RoleColumns = { granted: string[] | null; withheld: string[] | null };

/** The queues of a row `u` of users, with those that they follow; and deleted queues without successor, which all may read. */
export const userQueueColumns = `
  array(select queue_id from user_queues uq
        where uq.company_id = u.company_id and uq.user_id = u.id
        union
        select q.id from user_queues uq
        join queues q on q.company_id = uq.company_id and q.successor_id = uq.queue_id and q.deleted_at is not null
        where uq.company_id = u.company_id and uq.user_id = u.id order by 1) as "queueIds",
  array(select q.id from queues q
        where q.company_id = u.company_id and q.successor_id is null and q.deleted_at is not null
        order by 1) as "ownerlessQueueIds"`;

/** The features of a row `p` of plans, as `PlanFlags`. */
export const planFlagColumns = `
  p.use_campaigns as "useCampaigns", p.use_kanban as "useKanban", p.use_open_ai as "useOpenAi",
  p.use_integrations as "useIntegrations", p.use_schedules as "useSchedules",
  p.use_internal_chat as "useInternalChat", p.use_external_api as "useExternalApi"`;

/** Runs once per request, so it is one prepared statement. */
const rightsStatement: PreparedStatement = {
  name: "rights",
  text: `
    select u.name, u.profile, r.granted, r.withheld, u.super, u.all_ticket as "allTicket", u.token_version as "tokenVersion", s.id is not null as "sessionRuns",
           c.status as "companyStatus", c.unpaid, c.due_date as "dueDate",
           ${planFlagColumns},
           ${userQueueColumns}
    from users u
    join companies c on c.id = u.company_id
    join plans p on p.id = c.plan_id
    left join roles r on r.company_id = u.company_id and r.id = u.role_id
    left join sessions s on s.id = $3 and s.company_id = u.company_id and s.user_id = u.id and s.ended_at is null
    where u.company_id = $1 and u.id = $2 and u.deleted_at is null`,
};

/** A visit that still runs, of a super user whose own session still runs. */
const visitStatement: PreparedStatement = {
  name: "rights-of-visitor",
  text: `
    select v.ends_at as "endsAt"
    from support_visits v
    join users s on s.company_id = v.visitor_company_id and s.id = v.visitor_id
    where v.company_id = $1 and v.user_id = $2 and v.id = $3 and v.ended_at is null and v.ends_at > $5
      and v.visitor_token_version = $4 and s.token_version = $4 and s.super and s.deleted_at is null`,
};

/**
 * Verifies tokens and reads rights. It has no cache: a demotion, a removed queue or a disabled company takes effect at
 * the next request, in every process.
 */
export function createAuthenticator({ db, clock, secrets }: AuthenticatorDeps): Authenticator {
  const tokens = createTokens({ secrets, clock });

  async function readRights({
    companyId,
    userId,
    sessionId = null,
  }: InSession): Promise<RightsRow | undefined> {
    const values = [companyId, userId, sessionId];
    const [row] = await db.readAcrossCompanies<RightsRow>(rightsStatement, values);
    return row;
  }

  /** When the visit of a visitor's token ends; null for any other token. Throws ERR_TOKEN_EXPIRED once it is over. */
  async function endOfVisit({ visitId, ...rest }: Identity): Promise<Date | null> {
    if (visitId === undefined) return null;
    const values = [rest.companyId, rest.userId, visitId, rest.tokenVersion, clock.now()];
    const [visit] = await db.readAcrossCompanies<{ endsAt: Date }>(visitStatement, values);
    if (!visit) throw new DomainError("ERR_TOKEN_EXPIRED");
    return visit.endsAt;
  }

  return {
    identify: (accessToken) => tokens.readAccess(accessToken),

    knownBrowser(cookies) {
      const token = browserTokenOf(cookies);
      return token === null ? null : (tokens.readBrowser(token)?.id ?? null);
    },

    async authorise(identity, call, requestId) {
      const [row, visitEndsAt] = await Promise.all([readRights(identity), endOfVisit(identity)]);
      if (!row) throw new DomainError("ERR_SESSION_EXPIRED");
      if (visitEndsAt) {
        if (subscriptionState(row, clock.now()) === "disabled") {
          throw new DomainError("ERR_TOKEN_EXPIRED");
        }
        return toVisitor(toCtx(identity, row, requestId), identity.visitId, visitEndsAt);
      }
      if (identity.pays && !call?.openToExpired) throw new DomainError("ERR_NO_PERMISSION");
      if (identity.setsUp && !call?.openToSetUp) throw new DomainError("ERR_NO_PERMISSION");
      const isEnded = identity.sessionId !== undefined && !row.sessionRuns;
      if (isEnded || row.tokenVersion !== identity.tokenVersion) {
        throw new DomainError("ERR_TOKEN_EXPIRED");
      }
      const state = subscriptionState(row, clock.now());
      if (state === "disabled") throw new DomainError("ERR_SESSION_EXPIRED");
      if (state === "expired" && !call?.openToExpired) {
        // A 401 would end the browser's session, which can still pay.
        throw new DomainError(call === null ? "ERR_SESSION_EXPIRED" : "ERR_NO_PERMISSION");
      }
      return ofToken(toCtx(identity, row, requestId), identity);
    },

    async reload(companyId, userId, requestId) {
      const row = await readRights({ companyId, userId });
      return row && subscriptionState(row, clock.now()) === "active"
        ? toCtx({ companyId, userId }, row, requestId)
        : null;
    },
  };
}

/** Names the session of a token, or says that it is for setting up a second factor alone. */
function ofToken(ctx: UserCtx, { sessionId, setsUp }: Identity): UserCtx {
  const kind = {
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(setsUp === undefined ? {} : { setsUp }),
  };
  return { ...ctx, actor: { ...ctx.actor, ...kind } };
}

/** A visitor's rights do not end with the company's subscription, which is often the reason for the visit. */
function toVisitor(ctx: UserCtx, visitId: Identity["visitId"], endsAt: Date): UserCtx {
  const visit = { ...(visitId === undefined ? {} : { visitId }), isVisitor: true };
  return { ...ctx, actor: { ...ctx.actor, ...visit, super: false, worksUntil: endsAt } };
}

/** The permissions of a user's role, as fields of a holder; none without a role. */
export function rolePermissionsOf({
  profile,
  granted,
  withheld,
}: { profile: Profile } & RoleColumns) {
  if (granted === null || withheld === null) return {};
  return { permissions: permissionsOfRole({ profile, granted, withheld }) };
}

function toCtx({ companyId, userId }: Owner, row: RightsRow, requestId: string): UserCtx {
  return {
    companyId,
    requestId,
    actor: {
      kind: "user",
      userId,
      name: row.name,
      profile: row.profile,
      super: row.super,
      ...rolePermissionsOf(row),
      worksUntil: row.super ? null : row.dueDate,
      seesNoQueue: seesTicketsWithoutQueue(row.allTicket),
      queueIds: row.queueIds,
      ownerlessQueueIds: row.ownerlessQueueIds,
      plan: {
        useCampaigns: row.useCampaigns,
        useKanban: row.useKanban,
        useOpenAi: row.useOpenAi,
        useIntegrations: row.useIntegrations,
        useSchedules: row.useSchedules,
        useInternalChat: row.useInternalChat,
        useExternalApi: row.useExternalApi,
      },
    },
  };
}

type Subscription = Pick<RightsRow, "super" | "companyStatus" | "unpaid" | "dueDate">;

/**
 * Whether the company may work, or the reason why not: `expired` can be paid, `disabled` is the provider's word. Super users keep their access: they run the
 * installation (wire-contract 3.5).
 */
export function subscriptionState(
  { super: isSuper, companyStatus, unpaid, dueDate }: Subscription,
  now: Date,
): "active" | "disabled" | "expired" {
  if (isSuper) return "active";
  if (unpaid) return "expired";
  if (!companyStatus) return "disabled";
  return dueDate !== null && dueDate.getTime() <= now.getTime() ? "expired" : "active";
}

/** The due date in the refusal, in the company's time zone: DD/MM/YYYY. */
export function dueDateText(dueDate: Date, timeZone: string): string {
  return format(dueDate, "dd/MM/yyyy", { in: tz(timeZone) });
}
