import type { SettingKey } from "@balcao/contract";
import { settingKeys } from "@balcao/contract/setting-keys";

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
