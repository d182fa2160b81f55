import type { Routes } from "../../platform/http/routes.ts";
import type { CompanyServiceDeps } from "./service.ts";
import { createCompanyService } from "./service.ts";

export { countPlanLimit, lockPlanLimit } from "./plan-limits.ts";

/** Companies, their plans and their opening hours (wire-contract 5.1). */
export function createCompaniesFeature(deps: CompanyServiceDeps) {
  const companies = createCompanyService(deps);
  return {
    register(routes: Routes): void {
      routes.handle("GET /companies/listPlan/:companyId", ({ ctx, params }) =>
        companies.showPlan(ctx, params.companyId),
      );
      routes.handle("GET /companies/:companyId", ({ ctx, params }) =>
        companies.show(ctx, params.companyId),
      );
      routes.handle("PUT /companies/:companyId/schedules", ({ ctx, params, body }) =>
        companies.setSchedules(ctx, params.companyId, body.schedules),
      );
    },
  };
}
