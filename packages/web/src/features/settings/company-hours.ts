import type { Company, CompanyEvents } from "@balcao/contract";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { createEventJournal } from "../../realtime/event-journal.ts";
import type { DayEntry } from "../../ui/opening-hours/hours-rules.ts";

type HoursEvent = CompanyEvents["company"]["company"];

/** Changes that arrive while the company is read: the reply may be older. */
const journal = createEventJournal<HoursEvent>();

const companyKey = (companyId: number) => ["company", companyId] as const;

/** The company with its opening hours, kept current. */
export function useCompany(companyId: number, options: { enabled: boolean } = { enabled: true }) {
  return useQuery({
    queryKey: companyKey(companyId),
    queryFn: async ({ signal }): Promise<Company> => {
      const request = { params: { companyId } };
      const { reply, missed } = await journal.during(() =>
        call("GET /companies/:companyId", request, { signal }),
      );
      return missed.reduce(withHours, reply);
    },
    enabled: options.enabled,
  });
}

export async function saveHours(companyId: number, schedules: DayEntry[]): Promise<void> {
  const saved = await call("PUT /companies/:companyId/schedules", {
    params: { companyId },
    body: { schedules },
  });
  apply(saved);
}

/** The event of changed hours, into the cache; twice is harmless. */
export function writeCompanyEvent({ company }: CompanyEvents["company"]): void {
  apply(company);
}

function apply({ id, schedules }: HoursEvent): void {
  journal.record({ id, schedules });
  queryClient.setQueryData<Company>(companyKey(id), (company) =>
    company ? withHours(company, { id, schedules }) : company,
  );
}

function withHours(company: Company, { id, schedules }: HoursEvent): Company {
  return company.id === id ? { ...company, schedules } : company;
}
