import type { CompanyId } from "@balcao/contract";
import { DomainError } from "../../platform/context.ts";
import type { PreparedStatement, Tx } from "../../platform/db/database.ts";

/** What a plan gives a company a number of. */
export type PlanLimit = "users" | "connections" | "queues";

type Scope = { companyId: CompanyId };

/**
 * Lets one change at a time happen of what the company has of a kind, until the transaction ends: limits, defaults and
 * last ones are counted over all of them.
 */
export async function lockPlanLimit({ companyId }: Scope, tx: Tx, of: PlanLimit): Promise<void> {
  await tx.query(lockStatement, [companyId, of]);
}

/** How many the company has of a kind, and how many its plan gives it. Throws ERR_NO_COMPANY_FOUND. */
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
