import type {
  CompanyId,
  PlanFlags,
  QueueId,
  RoleId,
  RolePermission,
  SessionUser,
  UserId,
} from "@balcao/contract";
import { permissionsOfProfile, permissionsOfRole } from "@balcao/contract";
import type { PreparedStatement, Tx } from "../../platform/db/database.ts";
import { requireRow, toIso, toIsoOrNull } from "../../platform/db/records.ts";
import type { companies, users } from "../../platform/db/schema/index.ts";
import type { Realtime, Room } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";

type User = typeof users.$inferSelect;
type Company = typeof companies.$inferSelect;

/** A user with company and queues as one statement reads them. */
export type AccountRow = Pick<User, "id" | "companyId" | "name" | "email" | "profile" | "super"> &
  Pick<User, "allTicket" | "connectionId" | "passwordHash" | "tokenVersion"> &
  Pick<User, "availability" | "pauseReason" | "availabilitySince" | "ticketLimit"> &
  Pick<User, "refreshGeneration" | "refreshedAt"> &
  Pick<Company, "dueDate" | "trialExpiration" | "recurrence" | "planId" | "timeZone" | "unpaid"> & {
    queues: QueueOfUser[];
    /** Null: the permissions of the profile. */
    role: RoleOfUser | null;
    companyName: string;
    companyEmail: string;
    companyPhone: string | null;
    companyStatus: boolean;
    plan: PlanFlags;
  };
type RoleOfUser = { id: RoleId; name: string; granted: string[]; withheld: string[] };
type QueueOfUser = { id: QueueId; name: string; color: string };

/** As a column: the queues of a user, in their order. `user` is the alias of the user's row. */
export function queuesOf(user: "u" | "users"): string {
  return `coalesce((
    select jsonb_agg(jsonb_build_object('id', q.id, 'name', q.name, 'color', q.color)
                     order by q.order_queue nulls last, q.id)
    from user_queues uq
    join queues q on q.company_id = uq.company_id and q.id = uq.queue_id
    where uq.company_id = ${user}.company_id and uq.user_id = ${user}.id), '[]')`;
}

// By hand: prepared, because each sign-in and each refresh reads it.
const accountColumns = `
  u.id, u.company_id as "companyId", u.name, u.email, u.profile, u.super, u.all_ticket as "allTicket",
  u.connection_id as "connectionId", u.password_hash as "passwordHash", u.token_version as "tokenVersion",
  u.refresh_generation as "refreshGeneration", u.refreshed_at as "refreshedAt",
  u.availability, u.pause_reason as "pauseReason", u.availability_since as "availabilitySince",
  u.ticket_limit as "ticketLimit",
  ${queuesOf("u")} as queues,
  (select jsonb_build_object('id', r.id, 'name', r.name, 'granted', r.granted, 'withheld', r.withheld)
   from roles r where r.company_id = u.company_id and r.id = u.role_id) as role,
  c.name as "companyName", c.email as "companyEmail", c.phone as "companyPhone", c.status as "companyStatus", c.unpaid,
  c.due_date as "dueDate", c.trial_expiration as "trialExpiration", c.recurrence, c.plan_id as "planId",
  c.time_zone as "timeZone",
  (select jsonb_build_object(
     'useCampaigns', p.use_campaigns, 'useKanban', p.use_kanban, 'useOpenAi', p.use_open_ai,
     'useIntegrations', p.use_integrations, 'useSchedules', p.use_schedules,
     'useInternalChat', p.use_internal_chat, 'useExternalApi', p.use_external_api)
   from plans p where p.id = c.plan_id) as plan`;

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

/** The same; throws ERR_NO_USER_FOUND when the company has no such user. */
export async function requireAccount(
  { companyId }: { companyId: CompanyId },
  tx: Tx,
  id: UserId,
): Promise<AccountRow> {
  return requireRow(await tx.query<AccountRow>(byId, [companyId, id]), "ERR_NO_USER_FOUND");
}

/** The user with an e-mail (lower-case) in any company: sign-in has no company field. Service role only. */
export async function findAccountByEmailAcrossCompanies(
  tx: Tx,
  email: string,
): Promise<AccountRow | undefined> {
  const [row] = await tx.query<AccountRow>(byEmailAcrossCompanies, [email]);
  return row;
}

/** A user's queues with the join rows that clients compute filters from (wire-contract 2.1 TRAP). */
export function toUserQueues({ id, queues }: Pick<AccountRow, "id" | "queues">) {
  return queues.map((queue) => ({ ...queue, UserQueue: { userId: id, queueId: queue.id } }));
}

/** The permissions of a user by role or profile, whatever the plan is. */
export function permissionsOf({
  profile,
  role,
}: Pick<AccountRow, "profile" | "role">): RolePermission[] {
  return role === null ? permissionsOfProfile(profile) : permissionsOfRole({ profile, ...role });
}

export type SettingPair = { key: string; value: string };

/**
 * The one form in which login, refresh and the live update show a user (wire-contract 2.1): clients replace what they
 * hold by it. Settings and plan come with login and refresh only, and never secret ones.
 */
export function toSessionUser(row: AccountRow, settings?: SettingPair[]): SessionUser {
  const { id, companyId, name, email, profile, role, allTicket } = row;
  return {
    ...{ id, companyId, name, email, profile, super: row.super, allTicket },
    ...(role && { role: { id: role.id, name: role.name, permissions: permissionsOf(row) } }),
    whatsappId: row.connectionId,
    queues: toUserQueues(row),
    availability: row.availability,
    pauseReason: row.pauseReason,
    availabilitySince: toIso(row.availabilitySince),
    company: {
      id: companyId,
      name: row.companyName,
      email: row.companyEmail,
      phone: row.companyPhone,
      status: row.companyStatus,
      dueDate: toIsoOrNull(row.dueDate),
      recurrence: row.recurrence,
      planId: row.planId,
      trialExpiration: toIsoOrNull(row.trialExpiration),
      timeZone: row.timeZone,
      ...(settings ? { settings, plan: row.plan } : {}),
    },
  };
}

/**
 * Publishes a user, except to some rooms; the user's own clients replace what they hold by it (wire-contract 7.4).
 */
export function publishUser(
  realtime: Realtime,
  account: AccountRow,
  action: "create" | "update" = "update",
  except: readonly Room[] = [],
): void {
  const { companyId } = account;
  const user = toSessionUser(account);
  // As in the list of colleagues, only the user and those who may read it get the e-mail address; so it is with the role.
  const knowing = [
    rooms.holders(companyId, "users:read-emails"),
    rooms.user(companyId, account.id),
  ];
  realtime.publish(companyId, "user", { action, user }, knowing, except);
  const others = [...except, ...knowing];
  const { role: _, ...rest } = user;
  const known = { action, user: { ...rest, email: "" } };
  realtime.publish(companyId, "user", known, [rooms.main(companyId)], others);
}
