import type { Company, ResultOf } from "@balcao/contract";
import { schedulesOrDefault } from "@balcao/contract";
import { toIso, toIsoOrNull } from "../../platform/db/row-dates.ts";
import type { CompanyPlanRow, CompanyRow } from "./repository.ts";

/** `isManager`: who runs the company also reads how it is reached (wire-contract 4.2). */
export function toCompanyDto(row: CompanyRow, { isManager }: { isManager: boolean }): Company {
  return {
    id: row.id,
    name: row.name,
    email: isManager ? row.email : "",
    phone: isManager ? row.phone : null,
    status: row.status,
    dueDate: toIsoOrNull(row.dueDate),
    recurrence: row.recurrence,
    planId: row.planId,
    timeZone: row.timeZone,
    schedules: schedulesOrDefault(row.schedules),
  };
}

export function toCompanyPlanDto(
  row: CompanyPlanRow,
): ResultOf<"GET /companies/listPlan/:companyId"> {
  return {
    ...row,
    dueDate: toIsoOrNull(row.dueDate),
    createdAt: toIso(row.createdAt),
    plan: { ...row.plan, value: row.plan.valueCents / 100 },
  };
}
