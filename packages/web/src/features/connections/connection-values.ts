import type { ChannelKind, Connection, ErrorCode } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import type { ConnectionBody } from "./live-connections.ts";

/** What stands in the form: numbers and the chosen queue as texts, because that is what fields hold. */
export type ConnectionValues = {
  name: string;
  channel: ChannelKind;
  isDefault: boolean;
  queueIds: number[];
  token: string;
  provider: string;
  phoneNumberId: string;
  businessAccountId: string;
  accessToken: string;
  appSecret: string;
  verifyToken: string;
  greetingMessage: string;
  complationMessage: string;
  outOfHoursMessage: string;
  ratingMessage: string;
  farewellMessage: string;
  expiresInactiveMessage: string;
  maxUseBotQueues: string;
  timeUseBotQueues: string;
  expiresTicket: string;
  transferQueueId: string;
  timeToTransfer: string;
};

export const BOT_SENDS_MAX = 100;
const BOT_SENDS_DEFAULT = "3";

/** The form of a known connection, or of a new one. */
export function valuesOf(connection: Connection | null): ConnectionValues {
  return {
    name: connection?.name ?? "",
    channel: connection?.channel ?? "whatsapp-web",
    isDefault: connection?.isDefault ?? false,
    queueIds: connection?.queues.map(({ id }) => id) ?? [],
    token: connection?.token ?? "",
    provider: connection?.provider === "stable" ? "stable" : "beta",
    phoneNumberId: connection?.cloudApi?.phoneNumberId ?? "",
    businessAccountId: connection?.cloudApi?.businessAccountId ?? "",
    // Secrets never come back from the server; a blank one stays as it is.
    accessToken: "",
    appSecret: "",
    verifyToken: "",
    greetingMessage: connection?.greetingMessage ?? "",
    complationMessage: connection?.complationMessage ?? "",
    outOfHoursMessage: connection?.outOfHoursMessage ?? "",
    ratingMessage: connection?.ratingMessage ?? "",
    farewellMessage: connection?.farewellMessage ?? "",
    expiresInactiveMessage: connection?.expiresInactiveMessage ?? "",
    maxUseBotQueues: String(connection?.maxUseBotQueues ?? BOT_SENDS_DEFAULT),
    timeUseBotQueues: String(connection?.timeUseBotQueues ?? 0),
    expiresTicket: String(connection?.expiresTicket ?? 0),
    transferQueueId: String(connection?.transferQueueId ?? ""),
    timeToTransfer: String(connection?.timeToTransfer ?? ""),
  };
}

/** What is sent to the server. */
export function changeOf(values: ConnectionValues): ConnectionBody {
  const { name, channel, isDefault, queueIds } = values;
  const token = values.token.trim();
  return {
    name: name.trim(),
    channel,
    isDefault,
    queueIds,
    token: token === "" ? null : token,
    provider: values.provider === "stable" ? "stable" : "beta",
    greetingMessage: values.greetingMessage,
    complationMessage: values.complationMessage,
    outOfHoursMessage: values.outOfHoursMessage,
    ratingMessage: values.ratingMessage,
    farewellMessage: values.farewellMessage,
    expiresInactiveMessage: values.expiresInactiveMessage,
    maxUseBotQueues: Number(values.maxUseBotQueues),
    timeUseBotQueues: Number(values.timeUseBotQueues),
    expiresTicket: Number(values.expiresTicket),
    transferQueueId: values.transferQueueId === "" ? null : Number(values.transferQueueId),
    timeToTransfer: values.timeToTransfer.trim() === "" ? null : Number(values.timeToTransfer),
    ...(channel === "cloud-api" ? { cloudApi: credentialsOf(values) } : {}),
  };
}

function credentialsOf(values: ConnectionValues): NonNullable<ConnectionBody["cloudApi"]> {
  const secrets = (["accessToken", "appSecret", "verifyToken"] as const)
    .map((key) => [key, values[key].trim()] as const)
    .filter(([, value]) => value !== "");
  return {
    phoneNumberId: values.phoneNumberId.trim(),
    businessAccountId: values.businessAccountId.trim(),
    ...Object.fromEntries(secrets),
  };
}

/** Whether a field holds a whole number up to `max`; a blank one does where that is allowed. */
export function isCount(value: string, max: number, blank: "allowed" | "refused"): boolean {
  const trimmed = value.trim();
  if (trimmed === "") return blank === "allowed";
  return /^\d+$/.test(trimmed) && Number(trimmed) <= max;
}

/** Times in minutes. */
export const isMinutes = (value: string, blank: "allowed" | "refused" = "refused"): boolean =>
  isCount(value, limits.connectionMinutesMax, blank);

export const formTabs = ["general", "messages", "automation"] as const;
export type FormTab = (typeof formTabs)[number];

const tabs: Partial<Record<string, FormTab>> = {
  greetingMessage: "messages",
  complationMessage: "messages",
  outOfHoursMessage: "messages",
  ratingMessage: "messages",
  farewellMessage: "messages",
  maxUseBotQueues: "automation",
  timeUseBotQueues: "automation",
  expiresTicket: "automation",
  expiresInactiveMessage: "automation",
  transferQueueId: "automation",
  timeToTransfer: "automation",
} satisfies Partial<Record<keyof ConnectionValues, FormTab>>;

/** Where a field stands. */
export function tabOf(field: string): FormTab {
  return tabs[field] ?? "general";
}

/** The fields that refusals of the server are about. */
export const fieldsOfErrors = {
  ERR_WAPP_NAME_EXISTS: "name",
  ERR_WAPP_TOKEN_EXISTS: "token",
  ERR_WAPP_GREETING_REQUIRED: "greetingMessage",
} as const satisfies Partial<Record<ErrorCode, keyof ConnectionValues>>;
