import type { InputOf, Plan, PlanBody, PlanId } from "@balcao/contract";
import { limits, pageSizes } from "@balcao/contract";
import { eq, getTableColumns, sql } from "drizzle-orm";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { doneBy } from "../../platform/db/database.ts";
import {
  contains,
  listTotal,
  readPage,
  readWhole,
  refuseDuplicates,
  requireRow,
} from "../../platform/db/records.ts";
import { plans } from "../../platform/db/schema/index.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Clock } from "../../platform/sources.ts";

export type PlansDeps = {
  db: Database;
  clock: Clock;
  /** The price of a plan has changed. */
  reconcile(tx: Tx, concerned: { planId: PlanId }): Promise<void>;
};

/** Plans with their limits and features (wire-contract 5.2). They belong to the installation, not to a company. */
export function createPlansFeature(deps: PlansDeps) {
  return {
    register(routes: Routes): void {
      routes.handle("GET /plans/list", async () => offeredPlansAcrossCompanies(deps));
      routes.handle("GET /plans/register", async () => offeredPlansAcrossCompanies(deps));
      routes.handle("GET /plans/all", async ({ ctx }) => allPlans(deps, ctx));
      routes.handle("GET /plans", ({ query }) => listPlansAcrossCompanies(deps, query));
      routes.handle("GET /plans/:planId", ({ ctx, params }) => showPlan(deps, ctx, params.planId));
      routes.handle("POST /plans", ({ ctx, body }) =>
        createPlanAcrossCompanies(doneBy(deps, ctx), body),
      );
      routes.handle("PUT /plans/:planId", ({ ctx, params, body }) =>
        updatePlanAcrossCompanies(doneBy(deps, ctx), params.planId, body),
      );
      routes.handle("DELETE /plans/:planId", ({ ctx, params }) =>
        removePlanAcrossCompanies(doneBy(deps, ctx), params.planId),
      );
    },
  };
}

type Row = typeof plans.$inferSelect;

const normal = sql`f_norm(${plans.name})`;

function offeredPlansAcrossCompanies({ db }: PlansDeps) {
  const read = (limit: number, last: Row | undefined) =>
    db.acrossCompanies((tx) =>
      tx.orm
        .select()
        .from(plans)
        .where(
          sql`${plans.useInternal} and ${last ? sql`(${plans.valueCents}, ${plans.id}) > (${last.valueCents}, ${last.id})` : true}`,
        )
        .orderBy(plans.valueCents, plans.id)
        .limit(limit),
    );
  return readWhole(read, toPlan);
}

function allPlans({ db }: PlansDeps, ctx: UserCtx) {
  const read = (limit: number, last: Row | undefined) =>
    db.transaction(ctx, (tx) =>
      tx.orm
        .select()
        .from(plans)
        .where(last && sql`(${normal}, ${plans.id}) > (f_norm(${last.name}), ${last.id})`)
        .orderBy(normal, plans.id)
        .limit(limit),
    );
  return readWhole(read, toPlan);
}

async function listPlansAcrossCompanies(
  { db }: PlansDeps,
  { searchParam, pageNumber }: InputOf<"GET /plans">["query"],
) {
  const companies = sql<number>`(select count(*)::int from companies c where c.plan_id = ${plans}.id)`;
  const { rows, ...totals } = await db.acrossCompanies((tx) =>
    readPage(pageNumber, pageSizes.plans, (limit, offset) =>
      tx.orm
        .select({ ...getTableColumns(plans), companies, total: listTotal })
        .from(plans)
        .where(contains(plans.name, searchParam))
        .orderBy(normal, plans.id)
        .limit(limit)
        .offset(offset),
    ),
  );
  return { plans: rows.map((row) => ({ ...toPlan(row), companies: row.companies })), ...totals };
}

async function showPlan({ db }: PlansDeps, ctx: UserCtx, id: PlanId): Promise<Plan> {
  const rows = await db.transaction(ctx, (tx) =>
    tx.orm.select().from(plans).where(eq(plans.id, id)),
  );
  return toPlan(requireRow(rows, "ERR_NO_PLAN_FOUND"));
}

const taken = refuseDuplicates({ plans_name_unique: "ERR_PLAN_NAME_ALREADY_EXISTS" });

async function createPlanAcrossCompanies({ db, clock }: PlansDeps, body: PlanBody): Promise<Plan> {
  const now = clock.now();
  const values = { ...columnsOf(body), createdAt: now, updatedAt: now };
  const rows = await db
    .acrossCompanies((tx) => tx.orm.insert(plans).values(values).returning())
    .catch(taken);
  return toPlan(requireRow(rows));
}

/** Companies above a smaller limit keep what they have and get no more (behaviour 9.3). */
async function updatePlanAcrossCompanies(
  { db, clock, reconcile }: PlansDeps,
  id: PlanId,
  body: PlanBody,
): Promise<Plan> {
  const values = { ...columnsOf(body), updatedAt: clock.now() };
  const work = db.acrossCompanies(async (tx) => {
    const saved = await tx.orm.update(plans).set(values).where(eq(plans.id, id)).returning();
    await reconcile(tx, { planId: id });
    return saved;
  });
  const rows = await work.catch(taken);
  return toPlan(requireRow(rows, "ERR_NO_PLAN_FOUND"));
}

async function removePlanAcrossCompanies({ db }: PlansDeps, id: PlanId): Promise<undefined> {
  await db.acrossCompanies(async (tx) => {
    // The lock keeps a company from choosing it meanwhile.
    const locked = await tx.orm.select().from(plans).where(eq(plans.id, id)).for("update");
    requireRow(locked, "ERR_NO_PLAN_FOUND");
    const used = await tx.query(sql`select from companies where plan_id = ${id} limit 1`);
    if (used.length > 0) throw new DomainError("ERR_PLAN_IN_USE");
    await tx.orm.delete(plans).where(eq(plans.id, id));
  });
  return undefined;
}

function columnsOf({ value, ...same }: PlanBody) {
  if (same.name.length < limits.nameMin) throw new DomainError("ERR_PLAN_INVALID_NAME");
  return { ...same, valueCents: Math.round(value * 100) };
}

/** A plan on the wire. */
export function toPlan(row: Row): Plan {
  const { id, name, users, connections, queues, valueCents, useCampaigns, useKanban } = row;
  const { useOpenAi, useIntegrations, useSchedules, useInternalChat, useExternalApi } = row;
  return {
    ...{ id, name, users, connections, queues, value: valueCents / 100, useCampaigns, useKanban },
    ...{ useOpenAi, useIntegrations, useSchedules, useInternalChat, useExternalApi },
    useInternal: row.useInternal,
  };
}
