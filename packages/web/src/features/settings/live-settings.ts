import type { CompanyEvents, Setting, SettingKey } from "@balcao/contract";
import { settingKeys } from "@balcao/contract/setting-keys";
import { queryOptions, useMutation, useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { updateSessionSetting } from "../../api/session-store.ts";
import { createEventJournal } from "../../realtime/event-journal.ts";
import { useCompanyEvent } from "../../realtime/index.ts";
import { writeCompanyEvent } from "./company-hours.ts";

type Change = Pick<Setting, "key" | "value">;

/** Changes that arrive while the settings are read: the reply may be older. */
const journal = createEventJournal<Change>();

/** The company's settings: the one place where the web keeps them. Events of colleagues change it at once. */
const settingsQuery = queryOptions({
  queryKey: ["settings"],
  queryFn: async ({ signal }): Promise<Setting[]> => {
    const { reply, missed } = await journal.during(() => call("GET /settings", {}, { signal }));
    return missed.reduce(changed, reply);
  },
});

/** Follows the settings and the opening hours of the company. Renders nothing; one for all signed-in pages. */
export function LiveSettings(): null {
  useCompanyEvent("settings", ({ setting }: CompanyEvents["settings"]) => apply(setting));
  useCompanyEvent("company", writeCompanyEvent);
  return null;
}

/** What became of reading the settings. */
export function useSettings() {
  return useQuery(settingsQuery);
}

/** One setting of the company; its default while unknown. */
export function useSetting(key: SettingKey): string {
  const { data } = useSettings();
  return valueOf(data, key);
}

/** The same outside of components: from the cache where that is current. */
export async function readSetting(key: SettingKey): Promise<string> {
  return valueOf(await queryClient.fetchQuery(settingsQuery), key);
}

/** Writes a setting; it is shown as written at once, and as it was when the server refuses. */
export function useSettingChange(key: SettingKey) {
  return useMutation({
    // One after the other, so that the last choice is what stays.
    scope: { id: `setting ${key}` },
    mutationFn: (value: string) => call("PUT /settings/:key", { params: { key }, body: { value } }),
    onMutate: (value) => {
      const before = valueOf(queryClient.getQueryData(settingsQuery.queryKey), key);
      apply({ key, value });
      return { before };
    },
    onError: (_error, value, context) => {
      const shown = valueOf(queryClient.getQueryData(settingsQuery.queryKey), key);
      // Somebody else's later change stands.
      if (context && shown === value) apply({ key, value: context.before });
      void queryClient.invalidateQueries({ queryKey: settingsQuery.queryKey });
    },
  });
}

function apply({ key, value }: Change): void {
  journal.record({ key, value });
  queryClient.setQueryData(settingsQuery.queryKey, (settings) =>
    settings ? changed(settings, { key, value }) : settings,
  );
  updateSessionSetting(key, value);
}

function changed(settings: Setting[], { key, value }: Change): Setting[] {
  return settings.map((setting) => (setting.key === key ? { ...setting, value } : setting));
}

function valueOf(settings: readonly Setting[] | undefined, key: SettingKey): string {
  return settings?.find((setting) => setting.key === key)?.value ?? settingKeys[key].default;
}
