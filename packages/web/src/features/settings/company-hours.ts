import type { Company } from "@balcao/contract";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { liveRecords } from "../../realtime/live-list.ts";
import type { DayEntry } from "../../ui/opening-hours/hours-rules.ts";

/** The company with its opening hours. */
const companies = liveRecords<number, Company>({
  key: ["company"],
  read: (companyId, signal) =>
    call("GET /companies/:companyId", { params: { companyId } }, { signal }),
}).follow("company", ({ company }) => ({ of: company.id, change: withHours(company.schedules) }));

export const useCompany = (companyId: number, options: { enabled: boolean } = { enabled: true }) =>
  useQuery({ ...companies.query(companyId), ...options });

export async function saveHours(companyId: number, schedules: DayEntry[]): Promise<void> {
  const saved = await call("PUT /companies/:companyId/schedules", {
    params: { companyId },
    body: { schedules },
  });
  companies.apply(companyId, withHours(saved.schedules));
}

const withHours = (schedules: Company["schedules"]) => (company: Company) => ({
  ...company,
  schedules,
});
