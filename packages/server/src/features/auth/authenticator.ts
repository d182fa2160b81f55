import type { EndpointName, PlanFlags, Profile, QueueId } from "@balcao/contract";
import { seesTicketsWithoutQueue } from "@balcao/contract";
import type { Authenticator, Identity } from "../../platform/authenticator.ts";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, PreparedStatement } from "../../platform/db/database.ts";
import type { Clock } from "../../platform/sources.ts";
import { browserTokenOf } from "./session-cookie.ts";
import { subscriptionState } from "./subscription.ts";
import type { TokenSecrets } from "./tokens.ts";
import { createTokens } from "./tokens.ts";

export type AuthenticatorDeps = { db: Database; clock: Clock; secrets: TokenSecrets };

type RightsRow = PlanFlags & {
  name: string;
  profile: Profile;
  super: boolean;
  allTicket: string;
  tokenVersion: number;
  companyStatus: boolean;
  dueDate: Date | null;
  queueIds: QueueId[];
  ownerlessQueueIds: QueueId[];
};

/** Runs once per request, so it is one prepared statement. */
const rightsStatement: PreparedStatement = {
  name: "rights",
  text: `
    select u.name, u.profile, u.super, u.all_ticket as "allTicket", u.token_version as "tokenVersion",
           c.status as "companyStatus", c.due_date as "dueDate",
           p.use_campaigns as "useCampaigns", p.use_kanban as "useKanban", p.use_open_ai as "useOpenAi",
           p.use_integrations as "useIntegrations", p.use_schedules as "useSchedules",
           p.use_internal_chat as "useInternalChat", p.use_external_api as "useExternalApi",
           array(select queue_id from user_queues uq
                 where uq.company_id = u.company_id and uq.user_id = u.id
                 union
                 select q.id from user_queues uq
                 join queues q on q.company_id = uq.company_id and q.successor_id = uq.queue_id and q.deleted_at is not null
                 where uq.company_id = u.company_id and uq.user_id = u.id order by 1) as "queueIds",
           array(select q.id from queues q
                 where q.company_id = u.company_id and q.successor_id is null and q.deleted_at is not null
                 order by 1) as "ownerlessQueueIds"
    from users u
    join companies c on c.id = u.company_id
    join plans p on p.id = c.plan_id
    where u.company_id = $1 and u.id = $2 and u.deleted_at is null`,
};

/**
 * Proves tokens and reads rights. Nothing is cached: a demotion, a removed queue or a disabled company counts from the
 * next request on, in every process.
 */
export function createAuthenticator({ db, clock, secrets }: AuthenticatorDeps): Authenticator {
  const tokens = createTokens({ secrets, clock });

  async function readRights({
    companyId,
    userId,
  }: Omit<Identity, "tokenVersion">): Promise<RightsRow | undefined> {
    const [row] = await db.readAcrossCompanies<RightsRow>(rightsStatement, [companyId, userId]);
    return row;
  }

  const mayWork = (row: RightsRow): boolean =>
    subscriptionState({ ...row, isSuper: row.super }, clock.now()) === "active";

  return {
    identify: (accessToken) => tokens.readAccess(accessToken),

    knownBrowser(cookies) {
      const token = browserTokenOf(cookies);
      return token === null ? null : (tokens.readBrowser(token)?.id ?? null);
    },

    async authorise(identity, call, requestId) {
      const row = await readRights(identity);
      if (!row) throw new DomainError("ERR_SESSION_EXPIRED");
      if (row.tokenVersion !== identity.tokenVersion) throw new DomainError("ERR_TOKEN_EXPIRED");
      if (!mayWork(row) && !isOpenToExpired(call)) throw new DomainError("ERR_SESSION_EXPIRED");
      return toCtx(identity, row, requestId);
    },

    async reload(companyId, userId, requestId) {
      const row = await readRights({ companyId, userId });
      return row && mayWork(row) ? toCtx({ companyId, userId }, row, requestId) : null;
    },
  };
}

/** What an expired company's open session may still reach: its account, and later its invoices. */
function isOpenToExpired(call: EndpointName | null): boolean {
  return call !== null && call.split(" ")[1]?.startsWith("/auth/") === true;
}

function toCtx(
  { companyId, userId }: Omit<Identity, "tokenVersion">,
  row: RightsRow,
  requestId: string,
): UserCtx {
  return {
    companyId,
    requestId,
    actor: {
      kind: "user",
      userId,
      name: row.name,
      profile: row.profile,
      super: row.super,
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
