type SettingRule = {
  default: string;
  /** The only values allowed; absent = free text. */
  values?: readonly string[];
  /** Shown to admins only and masked, never in events; encrypted where it is stored. */
  secret?: true;
  /** An address of the web. */
  address?: true;
  /** Written by the provider's super users only. */
  super?: true;
  /** Only the provider's company has this setting, and only its super users read and write it. */
  provider?: true;
};

const enabledOrDisabled = ["enabled", "disabled"] as const;

/** Settings of a company with their defaults (spec 9, wire-contract 4.6). A missing row means the default. */
export const settingKeys = {
  userRating: { default: "disabled", values: enabledOrDisabled },
  scheduleType: { default: "disabled", values: ["disabled", "queue", "company"] },
  CheckMsgIsGroup: { default: "enabled", values: enabledOrDisabled },
  call: { default: "disabled", values: enabledOrDisabled },
  chatBotType: { default: "text", values: ["text"] },
  sendGreetingAccepted: { default: "disabled", values: enabledOrDisabled },
  sendMsgTransfTicket: { default: "disabled", values: enabledOrDisabled },
  /** A ticket is resolved with one of the company's reasons only. */
  resolveReasonRequired: { default: "disabled", values: enabledOrDisabled },
  /** One a line, offered when a user pauses; empty: those of the product. */
  pauseReasons: { default: "" },
  /** Nobody, supervisors and admins, or everybody who sees a waiting ticket may read it without accepting it. */
  waitingPreview: { default: "supervisors", values: ["disabled", "supervisors", "enabled"] },
  sendGreetingMessageOneQueues: { default: "disabled", values: enabledOrDisabled },
  campaignsEnabled: { default: "true", values: ["true", "false"], super: true },
  ipixc: { default: "", secret: true, address: true },
  tokenixc: { default: "", secret: true },
  ipmkauth: { default: "", secret: true, address: true },
  clientidmkauth: { default: "", secret: true },
  clientsecretmkauth: { default: "", secret: true },
  asaas: { default: "", secret: true },
  /** Days for which the audit is kept. */
  auditDays: { default: "365", values: ["90", "180", "365", "730", "1825"] },
  /** Characters that a password set from now on has at least; within the specification's limits. */
  passwordMinLength: { default: "5", values: ["5", "6", "8", "10", "12", "15", "20"] },
  /** Users may be signed in on several devices at once; otherwise a sign-in ends the user's other sessions. */
  severalSessions: { default: "disabled", values: enabledOrDisabled },
  /** Every user needs a second factor besides the password. */
  secondFactor: { default: "optional", values: ["optional", "required"] },
  /** Users get an e-mail about a sign-in from a browser that is new to their account. */
  newDeviceMail: { default: "enabled", values: enabledOrDisabled },
  /** Tabs of other clients; kept for them. */
  viewclosed: { default: "disabled", values: enabledOrDisabled },
  viewgroups: { default: "disabled", values: enabledOrDisabled },
  /** Companies may sign up by themselves. */
  allowregister: { default: "enabled", values: enabledOrDisabled, provider: true },
  /** The sign-in page links to the sign-up. */
  viewregister: { default: "enabled", values: enabledOrDisabled, provider: true },
  /** The days after its sign-up in which a company pays nothing. */
  trial: { default: "3", values: ["1", "2", "3", "4", "5", "6", "7"], provider: true },
} as const satisfies Record<string, SettingRule>;

export type SettingKey = keyof typeof settingKeys;

/** Stands for a stored secret. A value with it is not written: a client sends back what it has read. */
export const secretMask = "********";

/** Rule of one key, widened so that callers can ask for `values` and `secret`. */
export function settingRule(key: SettingKey): SettingRule {
  return settingKeys[key];
}
