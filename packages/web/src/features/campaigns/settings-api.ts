import type { CampaignSettingRow, CampaignSettings } from "@balcao/contract";
import { usualCampaignSettings } from "@balcao/contract/campaign-choices";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { liveList } from "../../realtime/live-list.ts";

/** The stored settings of campaigns; each value is JSON text. */
const rows = liveList<CampaignSettingRow, string>({
  key: ["campaign-settings"],
  read: (signal) => call("GET /campaign-settings", {}, { signal }),
  identify: ({ key }) => key,
}).follow("campaignSettings", ({ record }) => ({ rows: () => record }));

/** The settings of campaigns, and the state of their reading. */
export function useCampaignSettings(options: { enabled: boolean } = { enabled: true }) {
  const { data, error, refetch } = useQuery({ ...rows.query, ...options, select: settingsOf });
  return { settings: data, error, retry: () => void refetch() };
}

function settingsOf(stored: readonly CampaignSettingRow[]): CampaignSettings {
  const known = stored.filter(({ key }) => Object.hasOwn(usualCampaignSettings, key));
  const values = known.map(({ key, value }): [string, unknown] => [key, JSON.parse(value)]);
  return { ...usualCampaignSettings, ...Object.fromEntries(values) };
}

/** Changes settings; those that are not sent stay. */
export async function saveCampaignSettings(settings: Partial<CampaignSettings>): Promise<void> {
  const saved = await call("POST /campaign-settings", { body: { settings } });
  rows.apply({ rows: () => saved });
}

type Variable = CampaignSettings["variables"][number];

/** Adds a variable, after reading again those that another window may have added. */
export async function createVariable(variable: Variable): Promise<void> {
  const { variables } = settingsOf(await call("GET /campaign-settings", {}));
  const others = variables.filter(({ key }) => key !== variable.key);
  await saveCampaignSettings({ variables: [...others, variable] });
}
