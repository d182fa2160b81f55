import type { Setting, SettingKey } from "@balcao/contract";
import { settingKeys } from "@balcao/contract/setting-keys";
import { useMutation, useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { updateSessionSetting } from "../../api/session-store.ts";
import { liveList } from "../../realtime/live-list.ts";

/** The company's settings. The stored session has a copy of some: `LiveSession` follows the same event for it. */
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

/** The same outside of components: from the cache if that is current. */
export async function readSetting(key: SettingKey): Promise<string> {
  return valueOf(await queryClient.fetchQuery(settingList.query), key);
}

/** Writes a setting. The new value is shown at once, and the old one again if the server refuses. */
export function useSettingChange(key: SettingKey) {
  const shown = (): string => valueOf(queryClient.getQueryData(settingList.query.queryKey), key);
  return useMutation({
    // One after the other, so that the last choice stays.
    scope: { id: `setting ${key}` },
    mutationFn: (value: string) => call("PUT /settings/:key", { params: { key }, body: { value } }),
    onMutate: (value) => {
      const before = shown();
      show(key, value);
      return { before };
    },
    onError: (_error, value, context) => {
      // A later change by somebody else stays.
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

/** A setting as the page shows it; its texts have its key. */
export type Option =
  | { key: SwitchKey; kind: "switch" }
  | { key: "scheduleType"; kind: "choice"; values: readonly ["disabled", "company", "queue"] }
  | { key: "chatBotType"; kind: "choice"; values: readonly ["text"] }
  | { key: "passwordMinLength"; kind: "choice"; values: readonly string[] };

type SwitchKey = Extract<
  SettingKey,
  | "userRating"
  | "CheckMsgIsGroup"
  | "call"
  | "sendGreetingAccepted"
  | "sendMsgTransfTicket"
  | "sendGreetingMessageOneQueues"
>;

export type OptionGroup = {
  name: "service" | "chatbot" | "incoming" | "security";
  options: readonly Option[];
};

/** Every setting of spec 9 that has an effect, by subject. Keys of look-ups that do not exist yet are not offered. */
export const optionGroups: readonly OptionGroup[] = [
  {
    name: "service",
    options: [
      { key: "sendGreetingAccepted", kind: "switch" },
      { key: "sendMsgTransfTicket", kind: "switch" },
      { key: "userRating", kind: "switch" },
    ],
  },
  {
    name: "chatbot",
    options: [
      { key: "scheduleType", kind: "choice", values: ["disabled", "company", "queue"] },
      { key: "sendGreetingMessageOneQueues", kind: "switch" },
      { key: "chatBotType", kind: "choice", values: ["text"] },
    ],
  },
  {
    name: "incoming",
    options: [
      { key: "CheckMsgIsGroup", kind: "switch" },
      { key: "call", kind: "switch" },
    ],
  },
  {
    name: "security",
    options: [
      {
        key: "passwordMinLength",
        kind: "choice",
        values: settingKeys.passwordMinLength.values,
      },
    ],
  },
];
