import type { Company, CompanyId, ResultOf, GivenSchedules } from "@balcao/contract";
import { mergeSchedules, schedulesOrDefault } from "@balcao/contract";
import { eq, sql } from "drizzle-orm";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError, hasPermission } from "../../platform/context.ts";
import type { PreparedStatement, Tx } from "../../platform/db/database.ts";
import { doneBy } from "../../platform/db/database.ts";
import { readWhole, requireRow, toIso, toIsoOrNull } from "../../platform/db/records.ts";
import { companies, plans } from "../../platform/db/schema/index.ts";
import type { Routes } from "../../platform/http/routes.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import { toPlan } from "../plans/index.ts";
import { publicSettings } from "../settings/index.ts";
import type { DeletingDeps } from "./deleting.ts";
import { deleteCompanyAcrossCompanies } from "./deleting.ts";
import type { ManagingDeps } from "./managing.ts";
import {
  createCompanyAcrossCompanies,
  listManagedAcrossCompanies,
  signUpAcrossCompanies,
  updateCompanyAcrossCompanies,
} from "./managing.ts";
import {
  companySheet,
  createBatchAcrossCompanies,
  readCompanySheetAcrossCompanies,
} from "./spreadsheet.ts";

export { createCompanyExports } from "./exports.ts";
export { insertCompany } from "./managing.ts";
export { countFilesAcrossCompanies, countMessagesAcrossCompanies } from "./usage.ts";

type CompaniesDeps = ManagingDeps & DeletingDeps;

/** Companies, their plans and their opening hours (wire-contract 5.1). */
export function createCompaniesFeature(deps: CompaniesDeps) {
  return {
    register(routes: Routes): void {
      routes.handle("GET /companies/listPlan/:companyId", ({ ctx, params }) =>
        showPlan(deps, ctx, params.companyId),
      );
      routes.handle("GET /companies", ({ query }) => listManagedAcrossCompanies(deps, query));
      routes.handle("POST /companies", async ({ ctx, body }) =>
        toCompany(await createCompanyAcrossCompanies(doneBy(deps, ctx), body)),
      );
      routes.handle("POST /companies/spreadsheet", ({ ctx, upload }) =>
        readCompanySheetAcrossCompanies(deps, ctx, upload.files()),
      );
      routes.handle("POST /companies/batch", ({ ctx, body }) =>
        createBatchAcrossCompanies(doneBy(deps, ctx), body),
      );
      routes.handle("POST /companies/spreadsheet/file", async ({ body }) => companySheet(body));
      routes.handle("POST /companies/cadastro", async ({ body, request }) =>
        toCompany(await signUpAcrossCompanies(deps, body, request.ip)),
      );
      routes.handle("PUT /companies/:companyId", async ({ ctx, params, body }) =>
        toCompany(
          await updateCompanyAcrossCompanies(doneBy(deps, ctx), ctx, {
            ...body,
            id: params.companyId,
          }),
        ),
      );
      routes.handle("DELETE /companies/:companyId", async ({ ctx, params }) => {
        await deleteCompanyAcrossCompanies(deps, ctx, params.companyId);
        return undefined;
      });
      routes.handle("GET /companies/list", async () => listCompaniesAcrossCompanies(deps));
      routes.handle("GET /companies/:companyId", ({ ctx, params }) =>
        showCompany(deps, ctx, params.companyId),
      );
      routes.handle("PUT /companies/:companyId/schedules", ({ ctx, params, body }) =>
        saveSchedules(deps, ctx, params.companyId, body.schedules),
      );
      routes.handle("PUT /companies/:companyId/holidays", ({ ctx, params, body }) =>
        saveHolidays(deps, ctx, params.companyId, body),
      );
    },
  };
}

async function showPlan(
  deps: CompaniesDeps,
  ctx: UserCtx,
  id: CompanyId,
): Promise<ResultOf<"GET /companies/listPlan/:companyId">> {
  const rows = await inCompany(deps, ctx, id, (tx) =>
    tx.orm
      .select({ company: companies, plan: plans })
      .from(companies)
      .innerJoin(plans, eq(plans.id, companies.planId))
      .where(eq(companies.id, id)),
  );
  const { company, plan } = requireRow(rows, "ERR_NO_COMPANY_FOUND");
  const { name, email, phone, status, dueDate, createdAt } = company;
  return {
    ...{ id, name, email, phone, status, dueDate: toIsoOrNull(dueDate) },
    createdAt: toIso(createdAt),
    plan: toPlan(plan),
  };
}

type ListedRow = { company: typeof companies.$inferSelect; plan: typeof plans.$inferSelect } & {
  settings: { key: string; value: string }[];
};

function listCompaniesAcrossCompanies({ db }: CompaniesDeps) {
  const normal = sql`f_norm(${companies.name})`;
  const settings = sql<ListedRow["settings"]>`coalesce((
    select json_agg(json_build_object('key', s.key, 'value', s.value))
    from settings s where s.company_id = ${companies.id}), '[]')`;
  const read = (limit: number, last: ListedRow | undefined) =>
    db.acrossCompanies((tx) =>
      tx.orm
        .select({ company: companies, plan: plans, settings })
        .from(companies)
        .innerJoin(plans, eq(plans.id, companies.planId))
        .where(
          last &&
            sql`(${normal}, ${companies.id}) > (f_norm(${last.company.name}), ${last.company.id})`,
        )
        .orderBy(normal, companies.id)
        .limit(limit),
    );
  return readWhole(read, ({ company, plan, settings: stored }: ListedRow) => {
    const { id, name, value } = toPlan(plan);
    return {
      ...toCompany(company),
      createdAt: toIso(company.createdAt),
      plan: { id, name, value },
      settings: publicSettings(company.id, stored),
    };
  });
}

/** Managers also read the company's e-mail and phone (wire-contract 4.2). */
async function showCompany(deps: CompaniesDeps, ctx: UserCtx, id: CompanyId): Promise<Company> {
  const rows = await inCompany(deps, ctx, id, (tx) =>
    tx.orm.select().from(companies).where(eq(companies.id, id)),
  );
  const isManager =
    hasPermission(ctx, "companies:manage") || hasPermission(ctx, "companies:read-any");
  const company = toCompany(requireRow(rows, "ERR_NO_COMPANY_FOUND"));
  return isManager ? company : { ...company, email: "", phone: null };
}

/** Changes the company's opening hours; every user of the company is told. */
async function saveSchedules(
  deps: CompaniesDeps,
  ctx: UserCtx,
  id: CompanyId,
  given: GivenSchedules,
): Promise<Company> {
  return inCompany(deps, ctx, id, async (tx) => {
    const stored = await tx.orm
      .select({ schedules: companies.schedules })
      .from(companies)
      .where(eq(companies.id, id))
      .for("no key update");
    const before = requireRow(stored, "ERR_NO_COMPANY_FOUND");
    return saveTimes(deps, tx, id, { schedules: mergeSchedules(before.schedules, given) });
  });
}

/** Changes the company's holidays; every user of the company is told. */
async function saveHolidays(
  deps: CompaniesDeps,
  ctx: UserCtx,
  id: CompanyId,
  holidays: Company["holidays"],
): Promise<Company> {
  return inCompany(deps, ctx, id, (tx) => saveTimes(deps, tx, id, { holidays }));
}

async function saveTimes(
  { realtime }: CompaniesDeps,
  tx: Tx,
  id: CompanyId,
  values: Partial<Pick<typeof companies.$inferSelect, "schedules" | "holidays">>,
): Promise<Company> {
  const rows = await tx.orm
    .update(companies)
    .set({ ...values, updatedAt: sql`now()` })
    .where(eq(companies.id, id))
    .returning();
  const company = toCompany(requireRow(rows, "ERR_NO_COMPANY_FOUND"));
  const { schedules, holidays } = company;
  tx.onCommit(() => {
    const payload = { action: "update", company: { id, schedules, holidays } } as const;
    realtime.publish(id, "company", payload, [rooms.main(id)]);
  });
  return company;
}

/** The company of a call that may name another one: super users may, what others name is ignored. */
export function askedCompany(ctx: UserCtx, companyId: CompanyId | undefined): Scope {
  return ctx.actor.super && companyId !== undefined ? { companyId } : ctx;
}

/** In the caller's own company; in any company for users who run the installation. */
async function inCompany<T>(
  { db }: CompaniesDeps,
  ctx: UserCtx,
  companyId: CompanyId,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  if (companyId === ctx.companyId) return db.transaction(ctx, work);
  if (!hasPermission(ctx, "companies:read-any")) throw new DomainError("ERR_OTHER_COMPANY");
  return db.acrossCompanies(work, ctx);
}

function toCompany(row: typeof companies.$inferSelect): Company {
  const { id, name, email, phone, status, recurrence, planId, timeZone } = row;
  return {
    ...{ id, name, email, phone, status, recurrence, planId, timeZone },
    dueDate: toIsoOrNull(row.dueDate),
    schedules: schedulesOrDefault(row.schedules),
    holidays: row.holidays,
  };
}

/** The records whose number a plan limits. */
type PlanLimit = "users" | "connections" | "queues";

type Scope = { companyId: CompanyId };

/**
 * Serializes changes of the company's records of a kind until the transaction ends, because limits, defaults and last
 * records are checked over all of them.
 */
export async function lockPlanLimit({ companyId }: Scope, tx: Tx, of: PlanLimit): Promise<void> {
  await tx.query(lockStatement, [companyId, of]);
}

/** The company's number of records of a kind, and its plan's limit. Throws ERR_NO_COMPANY_FOUND. */
export async function countPlanLimit(
  { companyId }: Scope,
  tx: Tx,
  of: PlanLimit,
): Promise<{ count: number; max: number }> {
  const [row] = await tx.query<{ count: number; max: number }>(countStatements[of], [companyId]);
  if (!row) throw new DomainError("ERR_NO_COMPANY_FOUND");
  return row;
}

const lockStatement = {
  name: "companies.lock-plan-limit",
  text: `
select pg_advisory_xact_lock(hashtextextended($2::text || ' ' || company_id, 2712))
from (values ($1::int)) as its(company_id)`,
};

const countOf = (kind: PlanLimit): PreparedStatement => ({
  name: `companies.count-${kind}`,
  text: `
select p.${kind} as max, (select count(*)::int from ${kind} its where its.company_id = $1 and its.deleted_at is null) as count
from companies c join plans p on p.id = c.plan_id where c.id = $1`,
});

const countStatements: Record<PlanLimit, PreparedStatement> = {
  users: countOf("users"),
  connections: countOf("connections"),
  queues: countOf("queues"),
};
