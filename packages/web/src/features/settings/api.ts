import type {
  AutomaticTextKey,
  Company,
  ResolveReason,
  Setting,
  SettingKey,
} from "@balcao/contract";
import { settingKeys } from "@balcao/contract/setting-keys";
import { useMutation, useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { updateSessionSetting } from "../../api/session-store.ts";
import { liveList, liveRecords } from "../../realtime/live-list.ts";
import type { DayEntry } from "../../ui/opening-hours/hours-rules.ts";

/** The settings of the company. The stored session has a copy of some; `LiveSession` follows the same event for it. */
const settingList = liveList<Setting, string>({
  key: ["settings"],
  read: (signal) => call("GET /settings", {}, { signal }),
  identify: ({ key }) => key,
}).follow("settings", ({ setting: { key, value } }) => valueChange(key, value));

const valueChange = (id: string, value: string) => ({
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

/** Saves a setting. The new value is shown at once and reverted if the server refuses. */
export function useSettingChange(key: SettingKey) {
  const shown = (): string => valueOf(queryClient.getQueryData(settingList.query.queryKey), key);
  return useMutation({
    // Sequential, so that the last choice stays.
    scope: { id: `setting ${key}` },
    mutationFn: (value: string) => call("PUT /settings/:key", { params: { key }, body: { value } }),
    onMutate: (value) => {
      const before = shown();
      show(key, value);
      return { before };
    },
    onError: (_error, value, context) => {
      // A later change by another user stays.
      if (context && shown() === value) show(key, context.before);
      settingList.readAgain();
    },
  });
}

function show(key: SettingKey, value: string): void {
  settingList.apply(valueChange(key, value));
  updateSessionSetting(key, value);
}

function valueOf(settings: readonly Setting[] | undefined, key: SettingKey): string {
  return settings?.find((setting) => setting.key === key)?.value ?? settingKeys[key].default;
}

/** The company with its opening hours. */
const companies = liveRecords<number, Company>({
  key: ["company"],
  read: (companyId, signal) =>
    call("GET /companies/:companyId", { params: { companyId } }, { signal }),
}).follow("company", ({ company }) => ({
  of: company.id,
  change: (known) => ({ ...known, ...company }),
}));

export const useCompany = (companyId: number, options: { enabled: boolean } = { enabled: true }) =>
  useQuery({ ...companies.query(companyId), ...options });

export async function saveHours(companyId: number, schedules: DayEntry[]): Promise<void> {
  const saved = await call("PUT /companies/:companyId/schedules", {
    params: { companyId },
    body: { schedules },
  });
  companies.apply(companyId, withTimesOf(saved));
}

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

const withTimesOf =
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
