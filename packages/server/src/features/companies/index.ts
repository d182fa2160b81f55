import type { CompanyId, ResultOf } from "@balcao/contract";
import { sql } from "drizzle-orm";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError, hasPermission } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { toIso, toIsoOrNull } from "../../platform/db/row-dates.ts";
import type { Routes } from "../../platform/http/routes.ts";

type CompanyPlan = ResultOf<"GET /companies/listPlan/:companyId">;

/** Companies and their plans (wire-contract 5.1). */
export function createCompaniesFeature({ db }: { db: Database }) {
  async function showPlan(ctx: UserCtx, companyId: CompanyId): Promise<CompanyPlan> {
    const isOwn = companyId === ctx.companyId;
    if (!isOwn && !hasPermission(ctx, "companies:read-any"))
      throw new DomainError("ERR_OTHER_COMPANY");
    const row = isOwn
      ? await db.transaction(ctx, (tx) => findCompanyPlan(tx, companyId))
      : await db.acrossCompanies((tx) => findCompanyPlan(tx, companyId));
    if (!row) throw new DomainError("ERR_NO_COMPANY_FOUND");
    return toCompanyPlan(row);
  }

  return {
    register(routes: Routes): void {
      routes.handle("GET /companies/listPlan/:companyId", ({ ctx, params }) =>
        showPlan(ctx, params.companyId),
      );
    },
  };
}

type CompanyPlanRow = Omit<CompanyPlan, "dueDate" | "createdAt" | "plan"> & {
  dueDate: Date | null;
  createdAt: Date;
  plan: Omit<CompanyPlan["plan"], "value"> & { valueCents: number };
};

async function findCompanyPlan(tx: Tx, companyId: CompanyId): Promise<CompanyPlanRow | undefined> {
  const [row] = await tx.query<CompanyPlanRow>(sql`
    select c.id, c.name, c.email, c.phone, c.status, c.due_date as "dueDate", c.created_at as "createdAt",
           jsonb_build_object(
             'id', p.id, 'name', p.name, 'users', p.users, 'connections', p.connections, 'queues', p.queues,
             'valueCents', p.value_cents, 'useCampaigns', p.use_campaigns, 'useKanban', p.use_kanban,
             'useOpenAi', p.use_open_ai, 'useIntegrations', p.use_integrations,
             'useSchedules', p.use_schedules, 'useInternalChat', p.use_internal_chat,
             'useExternalApi', p.use_external_api) as plan
    from companies c join plans p on p.id = c.plan_id where c.id = ${companyId}`);
  return row;
}

function toCompanyPlan(row: CompanyPlanRow): CompanyPlan {
  return {
    ...row,
    dueDate: toIsoOrNull(row.dueDate),
    createdAt: toIso(row.createdAt),
    plan: { ...row.plan, value: row.plan.valueCents / 100 },
  };
}
