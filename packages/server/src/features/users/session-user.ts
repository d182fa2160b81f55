import type {
  CompanyId,
  ConnectionId,
  Profile,
  QueueId,
  SessionUser,
  UserId,
} from "@balcao/contract";
import type { PreparedStatement, Tx } from "../../platform/db/database.ts";
import { toIsoOrNull } from "../../platform/db/row-dates.ts";

/** A user with company and queues as one statement reads them. */
export type AccountRow = {
  id: UserId;
  companyId: CompanyId;
  name: string;
  email: string;
  profile: Profile;
  super: boolean;
  allTicket: string;
  connectionId: ConnectionId | null;
  passwordHash: string;
  tokenVersion: number;
  refreshGeneration: number;
  refreshedAt: Date | null;
  queues: { id: QueueId; name: string; color: string }[];
  companyName: string;
  companyEmail: string;
  companyPhone: string | null;
  companyStatus: boolean;
  dueDate: Date | null;
  trialExpiration: Date | null;
  recurrence: string;
  planId: number;
  timeZone: string;
};

const accountColumns = `
  u.id, u.company_id as "companyId", u.name, u.email, u.profile, u.super, u.all_ticket as "allTicket",
  u.connection_id as "connectionId", u.password_hash as "passwordHash", u.token_version as "tokenVersion",
  u.refresh_generation as "refreshGeneration", u.refreshed_at as "refreshedAt",
  coalesce((
    select jsonb_agg(jsonb_build_object('id', q.id, 'name', q.name, 'color', q.color)
                     order by q.order_queue nulls last, q.id)
    from user_queues uq
    join queues q on q.company_id = uq.company_id and q.id = uq.queue_id
    where uq.company_id = u.company_id and uq.user_id = u.id), '[]') as queues,
  c.name as "companyName", c.email as "companyEmail", c.phone as "companyPhone", c.status as "companyStatus",
  c.due_date as "dueDate", c.trial_expiration as "trialExpiration", c.recurrence, c.plan_id as "planId",
  c.time_zone as "timeZone"`;

const byId: PreparedStatement = {
  name: "account-by-id",
  text: `select ${accountColumns} from users u join companies c on c.id = u.company_id
         where u.company_id = $1 and u.id = $2 and u.deleted_at is null`,
};

const byEmailAcrossCompanies: PreparedStatement = {
  name: "account-by-email",
  text: `select ${accountColumns} from users u join companies c on c.id = u.company_id
         where u.email = $1 and u.deleted_at is null`,
};

/** The user with everything a session shows; undefined when the company has no such user. */
export async function findAccount(
  tx: Tx,
  companyId: CompanyId,
  userId: UserId,
): Promise<AccountRow | undefined> {
  const [row] = await tx.query<AccountRow>(byId, [companyId, userId]);
  return row;
}

/** The user of an e-mail (lower-case), whatever his company: signing in has no company field. Owner role only. */
export async function findAccountByEmailAcrossCompanies(
  tx: Tx,
  email: string,
): Promise<AccountRow | undefined> {
  const [row] = await tx.query<AccountRow>(byEmailAcrossCompanies, [email]);
  return row;
}

export type SettingPair = { key: string; value: string };

/**
 * The one form in which login, refresh and the live update show a user (wire-contract 2.1): clients replace what they
 * hold by it. Settings come with login and refresh only, and never secret ones.
 */
export function toSessionUser(row: AccountRow, settings?: SettingPair[]): SessionUser {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    profile: row.profile,
    companyId: row.companyId,
    super: row.super,
    allTicket: row.allTicket,
    whatsappId: row.connectionId,
    queues: row.queues.map(({ id, name, color }) => ({
      id,
      name,
      color,
      UserQueue: { userId: row.id, queueId: id },
    })),
    company: {
      id: row.companyId,
      name: row.companyName,
      email: row.companyEmail,
      phone: row.companyPhone,
      status: row.companyStatus,
      dueDate: toIsoOrNull(row.dueDate),
      recurrence: row.recurrence,
      planId: row.planId,
      trialExpiration: toIsoOrNull(row.trialExpiration),
      timeZone: row.timeZone,
      ...(settings ? { settings } : {}),
    },
  };
}
