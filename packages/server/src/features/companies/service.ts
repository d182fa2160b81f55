import type { Company, CompanyId, ResultOf, ScheduleEntry } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError, hasPermission } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import { toCompanyDto, toCompanyPlanDto } from "./company.ts";
import { findCompany, findCompanyPlan, saveSchedules } from "./repository.ts";

export type CompanyServiceDeps = { db: Database; realtime: Realtime };

/** Companies and their plans (wire-contract 5.1). */
export function createCompanyService({ db, realtime }: CompanyServiceDeps) {
  /** In the caller's own company, or for whoever runs the installation in any. */
  async function inCompany<Row>(
    ctx: UserCtx,
    companyId: CompanyId,
    work: (tx: Tx) => Promise<Row | undefined>,
  ): Promise<Row> {
    const isOwn = companyId === ctx.companyId;
    if (!isOwn && !hasPermission(ctx, "companies:read-any")) {
      throw new DomainError("ERR_OTHER_COMPANY");
    }
    const row = isOwn ? await db.transaction(ctx, work) : await db.acrossCompanies(work);
    if (!row) throw new DomainError("ERR_NO_COMPANY_FOUND");
    return row;
  }

  return {
    async showPlan(
      ctx: UserCtx,
      companyId: CompanyId,
    ): Promise<ResultOf<"GET /companies/listPlan/:companyId">> {
      return toCompanyPlanDto(
        await inCompany(ctx, companyId, (tx) => findCompanyPlan(tx, companyId)),
      );
    },

    async show(ctx: UserCtx, companyId: CompanyId): Promise<Company> {
      const row = await inCompany(ctx, companyId, (tx) => findCompany(tx, companyId));
      const isManager =
        hasPermission(ctx, "companies:manage") || hasPermission(ctx, "companies:read-any");
      return toCompanyDto(row, { isManager });
    },

    async setSchedules(
      ctx: UserCtx,
      companyId: CompanyId,
      wanted: readonly ScheduleEntry[],
    ): Promise<Company> {
      const row = await inCompany(ctx, companyId, async (tx) => {
        const saved = await saveSchedules(tx, companyId, wanted);
        if (saved) tx.onCommit(() => tellSchedules(toCompanyDto(saved, { isManager: false })));
        return saved;
      });
      return toCompanyDto(row, { isManager: true });
    },
  };

  /** Whoever answers customers sees whether the company is open. */
  function tellSchedules({ id, schedules }: Company): void {
    const update = { action: "update", company: { id, schedules } } as const;
    realtime.publish(id, "company", update, [rooms.main(id)]);
  }
}
