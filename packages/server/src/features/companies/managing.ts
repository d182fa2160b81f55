import type {
  CompanyChange,
  CompanyId,
  InputOf,
  ManagedCompany,
  NewCompany,
  PlanId,
  ResultOf,
  SettingKey,
  SheetLanguage,
  SignUp,
  UserId,
} from "@balcao/contract";
import { limits, pageSizes, passwordFault, settingKeys, settingRule } from "@balcao/contract";
import { tz } from "@date-fns/tz";
import { addDays } from "date-fns/addDays";
import { constructFrom } from "date-fns/constructFrom";
import { endOfDay } from "date-fns/endOfDay";
import { parseISO } from "date-fns/parseISO";
import { and, eq, sql } from "drizzle-orm";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, PreparedStatement, Tx } from "../../platform/db/database.ts";
import {
  isoText,
  refuseDuplicates,
  requireRow,
  toIso,
  toIsoOrNull,
} from "../../platform/db/records.ts";
import { companies, plans, settings, users } from "../../platform/db/schema/index.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import type { Clock, Random } from "../../platform/sources.ts";
import type { Billing } from "../billing/index.ts";
import { readProviderSettingAcrossCompanies, saveSetting } from "../settings/index.ts";
import { usageOf } from "./usage.ts";

export type ManagingDeps = {
  db: Database;
  clock: Clock;
  realtime: Realtime;
  /** A password as it is stored. Takes a while: not inside a transaction. */
  hashPassword(password: string): Promise<string>;
  /** Has a new user set the own password by a code that an e-mail brings. */
  invite(
    tx: Tx,
    account: { companyId: CompanyId; userId: UserId },
    language: SheetLanguage,
  ): Promise<void>;
  random: Random;
  /** Connections of a company start or stop with the transaction. */
  connectionsChanged(tx: Tx): void;
  /** Its plan, due date or standing has changed. */
  billing: Pick<Billing, "reconcile" | "companyChanged">;
  /** Throws ERR_TOO_MANY_REQUESTS when this address has signed up too often. */
  countSignUp(address: string): Promise<void>;
};

type CreatedBy = "provider" | "sign-up";

const DEFAULT_TIME_ZONE = "America/Sao_Paulo";

/** The settings of every company. */
const companyKeys = (Object.keys(settingKeys) as SettingKey[]).filter(
  (key) => !settingRule(key).provider,
);

/** A company with all settings, `chosen` ones and the others by default. */
export async function insertCompany(
  tx: Tx,
  values: typeof companies.$inferInsert,
  chosen: Partial<Record<SettingKey, string>> = {},
): Promise<typeof companies.$inferSelect> {
  const company = requireRow(await tx.orm.insert(companies).values(values).returning());
  const rows = companyKeys.map((key) => ({
    ...{ companyId: company.id, key },
    value: chosen[key] ?? settingRule(key).default,
  }));
  await tx.orm.insert(settings).values(rows);
  return company;
}

const taken = refuseDuplicates({
  companies_name_unique: "ERR_COMPANY_NAME_ALREADY_EXISTS",
  users_email_unique: "ERR_USER_EMAIL_EXISTS",
});

/** A visitor's company. The visitor chooses its plan; the provider's settings decide whether and until when it is free. */
export async function signUpAcrossCompanies(
  deps: ManagingDeps,
  { planId, ...body }: SignUp,
  address: string,
): Promise<typeof companies.$inferSelect> {
  const allowed = await readProviderSettingAcrossCompanies(deps, "allowregister");
  if (allowed !== "enabled") throw new DomainError("ERR_USER_CREATION_DISABLED");
  await deps.countSignUp(address);
  if (planId === null) throw new DomainError("ERR_NO_PLAN_FOUND");
  const trialDays = Number(await readProviderSettingAcrossCompanies(deps, "trial"));
  const lastDay = addDays(deps.clock.now(), trialDays, { in: tz(DEFAULT_TIME_ZONE) });
  const company: NewCompany = {
    ...{ ...body, planId, dueDate: lastDay.toISOString(), recurrence: "MENSAL" },
    ...{ status: true, campaignsEnabled: true, suspensionReason: "", language: "pt" },
  };
  return createCompanyAcrossCompanies(deps, company, "sign-up");
}

/**
 * A new company and its first admin, who signs in with its e-mail address; without a password the provider invites the admin. By
 * sign-up it gets only a plan that is offered, and is on trial until its due date.
 */
export async function createCompanyAcrossCompanies(
  deps: ManagingDeps,
  { password, language, ...body }: NewCompany,
  by: CreatedBy = "provider",
): Promise<typeof companies.$inferSelect> {
  const isInvited = by === "provider" && password === "";
  if (!isInvited) requirePassword(password, body);
  requireName(body);
  const passwordHash = await deps.hashPassword(password || deps.random.hex(32));
  const work = deps.db.acrossCompanies(async (tx) => {
    await holdPlan(tx, body.planId, by);
    const { campaignsEnabled, ...same } = body;
    const dueDate = endOf(body.dueDate, DEFAULT_TIME_ZONE, deps.clock.now());
    const columns = { ...same, dueDate, trialExpiration: by === "sign-up" ? dueDate : null };
    const settings = { campaignsEnabled: String(campaignsEnabled) };
    const company = await insertCompany(tx, columns, settings);
    const { id: companyId, name, email } = company;
    const inserted = await tx.orm
      .insert(users)
      .values({ companyId, name, email, passwordHash, profile: "admin", allTicket: "enabled" })
      .returning({ userId: users.id });
    if (isInvited) await deps.invite(tx, { companyId, ...requireRow(inserted) }, language);
    await deps.billing.reconcile(tx, { companyId });
    return company;
  });
  return work.catch(taken);
}

/**
 * Changes a company. With the commit a suspended company loses its sockets (a trigger tells them) and its connections, which
 * keep their link with the phone. The provider's own company cannot be suspended.
 */
export async function updateCompanyAcrossCompanies(
  deps: ManagingDeps,
  ctx: UserCtx,
  { id, campaignsEnabled, dueDate, ...same }: CompanyChange & { id: CompanyId },
): Promise<typeof companies.$inferSelect> {
  if (same.name !== undefined) requireName({ name: same.name });
  const work = deps.db.acrossCompanies(async (tx) => {
    const stored = await tx.orm
      .select()
      .from(companies)
      .where(eq(companies.id, id))
      .for("no key update");
    const before = requireRow(stored, "ERR_NO_COMPANY_FOUND");
    if (same.planId !== undefined) await holdPlan(tx, same.planId);
    const { status = before.status, suspensionReason = before.suspensionReason } = same;
    if (!status && (await isProvider(tx, id))) throw new DomainError("ERR_COMPANY_IS_PROVIDER");
    const now = deps.clock.now();
    const saved = await tx.orm
      .update(companies)
      .set({
        ...same,
        ...(dueDate === undefined ? {} : { dueDate: endOf(dueDate, before.timeZone, now) }),
        suspensionReason: status ? "" : suspensionReason,
        // Suspended or let in by a person: not for want of a payment any more.
        unpaid: before.unpaid && status === before.status && !same.suspensionReason,
        updatedAt: now,
      })
      .where(eq(companies.id, id))
      .returning();
    if (campaignsEnabled !== undefined) {
      await saveSetting(deps, tx, id, "campaignsEnabled", String(campaignsEnabled));
    }
    if (status !== before.status) deps.connectionsChanged(tx);
    const after = requireRow(saved);
    await deps.billing.companyChanged(tx, { before, after, actorName: ctx.actor.name });
    return after;
  });
  return work.catch(taken);
}

function requirePassword(
  password: string,
  { name, email }: Pick<NewCompany, "name" | "email">,
): void {
  const min = Number(settingKeys.passwordMinLength.default);
  const fault = passwordFault(password, { min, about: [name, email] });
  if (fault?.code === "ERR_PASSWORD_SHORT") throw new DomainError(fault.code, fault.data);
  if (fault) throw new DomainError(fault.code);
}

function requireName({ name }: { name: string }): void {
  if (name.length < limits.nameMin) throw new DomainError("ERR_COMPANY_INVALID_NAME");
}

/** Keeps the plan until the transaction ends. A sign-up finds offered plans only. */
async function holdPlan(tx: Tx, id: PlanId, by: CreatedBy = "provider"): Promise<void> {
  const isOffered = by === "sign-up" ? eq(plans.useInternal, true) : undefined;
  const held = await tx.orm
    .select({ id: plans.id })
    .from(plans)
    .where(and(eq(plans.id, id), isOffered))
    .for("key share");
  requireRow(held, "ERR_NO_PLAN_FOUND");
}

async function isProvider(tx: Tx, id: CompanyId): Promise<boolean> {
  const rows = await tx.query(
    sql`select from users where company_id = ${id} and super and deleted_at is null limit 1`,
  );
  return rows.length > 0;
}

/** The day on which a company is due is its last one: it ends with that day in the company's time zone. */
function endOf(day: string | null, timeZone: string, now: Date): Date | null {
  const zone = { in: tz(timeZone) };
  // A date of the kind of `now`: one in a time zone is written otherwise.
  return day === null ? null : constructFrom(now, endOfDay(parseISO(day, zone), zone));
}

type Totals = ResultOf<"GET /companies">["totals"];
type ManagedDates = "createdAt" | "dueDate" | "trialExpiration" | "lastSeenAt";
type ManagedRow = Omit<ManagedCompany, ManagedDates | "usage"> & {
  createdAt: Date;
  dueDate: Date | null;
  trialExpiration: Date | null;
  lastSeenAt: Date | null;
  messages: number;
  media: number;
  fileBytes: number;
  countedAt: Date | null;
  total: number;
};

/** One page of all companies with their use. */
export async function listManagedAcrossCompanies(
  { db, clock }: ManagingDeps,
  { searchParam, pageNumber, state, order, descending }: InputOf<"GET /companies">["query"],
): Promise<ResultOf<"GET /companies">> {
  const size = pageSizes.companies;
  const offset = (pageNumber - 1) * size;
  const digits = searchParam.replace(/\D/g, "");
  const page = [clock.now(), searchParam, digits, state ?? null, order, descending, size, offset];
  const { rows, totals } = await db.acrossCompanies(async (tx) => ({
    rows: await tx.query<ManagedRow>(pageStatement, page),
    totals: await tx.query<Totals>(totalsStatement, [clock.now()]),
  }));
  const count = rows[0]?.total ?? 0;
  return {
    ...{ companies: rows.map(toManaged), count, hasMore: count > offset + rows.length },
    totals: requireRow(totals),
  };
}

function toManaged(listed: ManagedRow): ManagedCompany {
  const { total: _total, messages, media, fileBytes, countedAt, ...row } = listed;
  return {
    ...row,
    usage: { messages, media, fileBytes, countedAt: toIsoOrNull(countedAt) },
    createdAt: toIso(row.createdAt),
    dueDate: toIsoOrNull(row.dueDate),
    trialExpiration: toIsoOrNull(row.trialExpiration),
    lastSeenAt: toIsoOrNull(row.lastSeenAt),
  };
}

/** `$1` is now. A connection that was never linked is no lost one. */
const managed = `
managed as materialized (
  select c.*, (c.due_date at time zone c.time_zone)::date - ($1::timestamptz at time zone c.time_zone)::date as days_left,
    c.status and c.trial_expiration is not null and c.trial_expiration > $1 as is_trial,
    (select count(*) from connections w where w.company_id = c.id and w.deleted_at is null and w.wanted
      and w.status <> 'CONNECTED' and w.disconnected_at is not null)::int as lost
  from companies c
)`;

const isIn = (state: string): string => `case ${state}
      when 'due' then m.days_left between 0 and 5
      when 'overdue' then m.days_left < 0
      when 'down' then m.lost > 0
      when 'trial' then m.is_trial
      when 'suspended' then not m.status
      else true end`;

/** Sums of invoices that a condition chooses. */
const openWhere = (condition: string): string => `(
    select json_build_object('count', count(*), 'value', coalesce(sum(i.value_cents), 0) / 100.0)
    from invoices i where i.status = 'open' and ${condition})`;

/** Money that came in during a month of the provider's calendar: 0 is this one. */
const revenueOf = (monthsAgo: number): string => `(
    select coalesce(sum(y.value_cents), 0)::float8 / 100 from payments y
    where y.state = 'accepted' and y.received_at >= ${monthStart(-monthsAgo)} and y.received_at < ${monthStart(1 - monthsAgo)})`;
const monthStart = (months: number): string =>
  `(date_trunc('month', $1::timestamptz at time zone '${DEFAULT_TIME_ZONE}') + interval '${months} months') at time zone '${DEFAULT_TIME_ZONE}'`;

const totalsStatement: PreparedStatement = {
  name: "companies.managed-totals",
  text: `
with ${managed}
select ${revenueOf(0)} as revenue, ${revenueOf(1)} as "revenueBefore",
  ${openWhere("i.due_date >= $1")} as open, ${openWhere("i.due_date < $1")} as late,
  count(*) as "all", ${["due", "overdue", "down", "trial", "suspended"]
    .map((state) => `count(*) filter (where ${isIn(`'${state}'`)}) as ${state}`)
    .join(", ")}, coalesce(sum(m.lost), 0)::int as "connectionsDown"
from managed m`,
};

// Filters and orders are of few rows, a company each; what a row shows is read for the page alone.
const pageStatement: PreparedStatement = {
  name: "companies.managed",
  text: `
with ${managed}, found as (
  select m.*, n.messages, n.media, n.file_bytes, n.counted_at, u.n as users, u.seen as last_seen_at, coalesce(u.has_super, false) as is_provider, count(*) over () as total,
    case $5 when 'dueDate' then extract(epoch from m.due_date) when 'users' then u.n
      when 'messages' then coalesce(n.messages, 0) when 'fileBytes' then coalesce(n.file_bytes, 0)
      when 'lastSeenAt' then extract(epoch from u.seen) end as by_number,
    case $5 when 'name' then f_norm(m.name) when 'plan' then f_norm(p.name) end as by_text
  from managed m
  join plans p on p.id = m.plan_id
  cross join lateral (
    select count(*)::int as n, max(u.last_seen_at) as seen, bool_or(u.super) as has_super
    from users u where u.company_id = m.id and u.deleted_at is null) u
  left join lateral (${usageOf("m")}) n on true
  where ${isIn("$4::text")}
    and ($2 = '' or position(f_norm($2) in f_norm(m.name)) > 0 or position(lower($2) in m.email) > 0
      or ($3 <> '' and position($3 in regexp_replace(coalesce(m.phone, ''), '\\D', '', 'g')) > 0))
), page as (
  select f.*, row_number() over (order by
    case when $6 then by_number end desc nulls last, case when not $6 then by_number end nulls last,
    case when $6 then by_text end desc, case when not $6 then by_text end, f_norm(f.name), f.id) as place
  from found f
  order by place
  limit $7 offset $8
)
select f.id, f.name, f.email, f.phone, f.status, f.recurrence, f.plan_id as "planId", f.time_zone as "timeZone",
  f.created_at as "createdAt", f.due_date as "dueDate", f.trial_expiration as "trialExpiration", f.last_seen_at as "lastSeenAt",
  f.days_left as "daysLeft", f.is_provider as "isProvider", f.users, f.total, f.suspension_reason as "suspensionReason",
  coalesce(f.messages, 0) as messages, coalesce(f.media, 0) as media, coalesce(f.file_bytes, 0)::float8 as "fileBytes",
  f.counted_at as "countedAt",
  coalesce((select s.value = 'true' from settings s where s.company_id = f.id and s.key = 'campaignsEnabled'), false) as "campaignsEnabled",
  (select count(*)::int from queues q where q.company_id = f.id and q.deleted_at is null) as queues,
  json_build_object('id', p.id, 'name', p.name, 'value', p.value_cents / 100.0, 'users', p.users, 'connections', p.connections,
    'queues', p.queues, 'useCampaigns', p.use_campaigns) as plan,
  (select coalesce(json_agg(json_build_object('id', w.id, 'name', w.name, 'isUp', w.status = 'CONNECTED',
      'disconnectedAt', case when w.wanted and w.status <> 'CONNECTED' then ${isoText("w.disconnected_at")} end) order by w.id), '[]')
    from connections w where w.company_id = f.id and w.deleted_at is null) as connections,
  (select json_build_object('id', i.id, 'value', i.value_cents / 100.0, 'dueDate', ${isoText("i.due_date")})
    from invoices i where i.company_id = f.id and i.status = 'open') as invoice
from page f join plans p on p.id = f.plan_id
order by f.place`,
};
