import type { CompanyId, ResultOf, ScheduleEntry } from "@balcao/contract";
import type { Tx } from "../../platform/db/database.ts";

type CompanyPlan = ResultOf<"GET /companies/listPlan/:companyId">;

export type CompanyPlanRow = Omit<CompanyPlan, "dueDate" | "createdAt" | "plan"> & {
  dueDate: Date | null;
  createdAt: Date;
  plan: Omit<CompanyPlan["plan"], "value"> & { valueCents: number };
};

export type CompanyRow = {
  id: CompanyId;
  name: string;
  email: string;
  phone: string | null;
  status: boolean;
  dueDate: Date | null;
  recurrence: string;
  planId: number;
  timeZone: string;
  schedules: ScheduleEntry[];
};

export async function findCompanyPlan(tx: Tx, id: CompanyId): Promise<CompanyPlanRow | undefined> {
  const [row] = await tx.query<CompanyPlanRow>(planStatement, [id]);
  return row;
}

export async function findCompany(tx: Tx, id: CompanyId): Promise<CompanyRow | undefined> {
  const [row] = await tx.query<CompanyRow>(findStatement, [id]);
  return row;
}

/** Undefined when there is no such company. */
export async function saveSchedules(
  tx: Tx,
  id: CompanyId,
  schedules: readonly ScheduleEntry[],
): Promise<CompanyRow | undefined> {
  const [row] = await tx.query<CompanyRow>(schedulesStatement, [id, JSON.stringify(schedules)]);
  return row;
}

const planStatement = {
  name: "companies.plan",
  text: `
select c.id, c.name, c.email, c.phone, c.status, c.due_date as "dueDate", c.created_at as "createdAt",
  jsonb_build_object(
    'id', p.id, 'name', p.name, 'users', p.users, 'connections', p.connections, 'queues', p.queues,
    'valueCents', p.value_cents, 'useCampaigns', p.use_campaigns, 'useKanban', p.use_kanban,
    'useOpenAi', p.use_open_ai, 'useIntegrations', p.use_integrations,
    'useSchedules', p.use_schedules, 'useInternalChat', p.use_internal_chat,
    'useExternalApi', p.use_external_api) as plan
from companies c join plans p on p.id = c.plan_id where c.id = $1`,
};

const columns = `
  id, name, email, phone, status, due_date as "dueDate", recurrence, plan_id as "planId",
  time_zone as "timeZone", schedules`;

const findStatement = {
  name: "companies.find",
  text: `select ${columns} from companies c where c.id = $1`,
};

const schedulesStatement = {
  name: "companies.save-schedules",
  text: `
update companies c set schedules = $2::jsonb, updated_at = now() where c.id = $1 returning ${columns}`,
};
