import type {
  AutomaticTextKey,
  Company,
  ResolveReason,
  Setting,
  SettingKey,
} from "@balcao/contract";
import { settingKeys } from "@balcao/contract/setting-keys";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { liveList, liveRecords } from "../../realtime/live-list.ts";

/** The settings of the company. The stored session has a copy of some; `LiveSession` follows the same event for it. */
export const settingList = liveList<Setting, string>({
  key: ["settings"],
  read: (signal) => call("GET /settings", {}, { signal }),
  identify: ({ key }) => key,
}).follow("settings", ({ setting: { key, value } }) => valueChange(key, value));

export const valueChange = (id: string, value: string) => ({
  id,
  change: (known: Setting): Setting => ({ ...known, value }),
});

/** The result of reading the settings. */
export const useSettings = () => useQuery(settingList.query);

/** One setting of the company; its default while unknown. */
export function useSetting(key: SettingKey): string {
  const { data } = useSettings();
  return valueOf(data, key);
}

/** One setting, for use outside of components: from the cache if current. */
export async function readSetting(key: SettingKey): Promise<string> {
  return valueOf(await queryClient.fetchQuery(settingList.query), key);
}

/** One of the texts that customers get by themselves, as it is now. */
export async function readAutomaticText(key: AutomaticTextKey): Promise<string> {
  const texts = await call("GET /automatic-texts", {});
  return texts.find((one) => one.key === key)?.text ?? "";
}

export function valueOf(settings: readonly Setting[] | undefined, key: SettingKey): string {
  return settings?.find((setting) => setting.key === key)?.value ?? settingKeys[key].default;
}

/** The company with its opening hours. */
export const companies = liveRecords<number, Company>({
  key: ["company"],
  read: (companyId, signal) =>
    call("GET /companies/:companyId", { params: { companyId } }, { signal }),
}).follow("company", ({ company }) => ({
  of: company.id,
  change: (known) => ({ ...known, ...company }),
}));

export const useCompany = (companyId: number, options: { enabled: boolean } = { enabled: true }) =>
  useQuery({ ...companies.query(companyId), ...options });

/** Changes the company's holidays. Shown at once and reverted if the server refuses. */
export async function changeHolidays(
  companyId: number,
  change: (known: Company["holidays"]) => Company["holidays"],
): Promise<void> {
  companies.apply(companyId, (known) => ({ ...known, holidays: change(known.holidays) }));
  const shown = queryClient.getQueryData(companies.query(companyId).queryKey);
  if (shown === undefined) return;
  try {
    const params = { companyId };
    const body = shown.holidays;
    const saved = await call("PUT /companies/:companyId/holidays", { params, body });
    companies.apply(companyId, withTimesOf(saved));
  } catch (error) {
    void companies.readAgain(companyId);
    throw error;
  }
}

/** Times of a company as they were saved. */
export const withTimesOf =
  ({ schedules, holidays }: Company) =>
  (known: Company) => ({ ...known, schedules, holidays });

/** The reasons that the company offers when a ticket is resolved, by name. */
export const reasonList = liveList<ResolveReason, number>({
  key: ["resolve-reasons"],
  read: (signal) => call("GET /resolve-reasons", {}, { signal }),
  identify: ({ id }) => id,
  order: (a, b) => a.name.localeCompare(b.name) || a.id - b.id,
}).follow("resolveReason", (event) =>
  event.action === "delete" ? { removedId: event.reasonId } : { row: event.reason },
);
