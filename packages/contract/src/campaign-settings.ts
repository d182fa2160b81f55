import { z } from "zod";
import { usualCampaignSettings } from "./campaign-choices.ts";
import { campaignHold } from "./campaigns.ts";
import { defineEndpoints } from "./endpoint.ts";
import { companyId, connectionId } from "./ids.ts";
import { limits } from "./limits.ts";
import { text } from "./primitives.ts";

export { carefulCampaignSettings, greaterIntervals, messageIntervals } from "./campaign-choices.ts";

const seconds = z.coerce.number().int().min(0).max(3_600);
const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/);

/** {key} in a text stands for the value. */
const variable = z.object({
  key: z.string().regex(/^[A-Za-z0-9_]{1,30}$/),
  value: text(limits.campaignVariableMax),
});

/**
 * The settings of a company's campaigns. The first four are of the specification; the others are ours, and off until somebody
 * switches them on, except the words with which people leave.
 */
export const campaignSettings = z.object({
  messageInterval: seconds,
  longerIntervalAfter: z.coerce.number().int().min(0).max(10_000),
  greaterInterval: seconds,
  /** Each shortcut once, and none of {nome}, {numero}, {email}: else ERR_CAMPAIGN_VARIABLE. */
  variables: z.array(variable).max(limits.campaignVariablesMax),
  /** Intervals vary from 0.7 to 1.5 times. */
  varies: z.boolean(),
  /** When it may send; 0 is Sunday. Null: at any time. */
  hours: z
    .object({
      weekdays: z.array(z.number().int().min(0).max(6)).min(1).max(7),
      from: time,
      to: time,
    })
    .nullable(),
  /** Not on the company's holidays. */
  pausesOnHolidays: z.boolean(),
  /** The limit by day for people who never wrote to the company: see `campaignLine`. */
  limitsByDay: z.boolean(),
  /** Somebody decided about what is ours: it is not offered again. */
  isDecided: z.boolean(),
  optOutWords: z.array(text(20).trim().min(2)).min(1).max(limits.optOutWordsMax),
  /** Sent once to who leaves; "" sends nothing. */
  optOutReply: text(limits.campaignTextMax),
});
export type CampaignSettings = z.output<typeof campaignSettings>;

export const defaultCampaignSettings: CampaignSettings = usualCampaignSettings;

/** A stored setting: `value` is JSON text (wire-contract 5.15). */
export const campaignSettingRow = z.object({
  id: z.number(),
  key: z.string(),
  value: z.string(),
  companyId,
});
export type CampaignSettingRow = z.output<typeof campaignSettingRow>;

/** A connection as campaigns use it. */
export const campaignLine = z.object({
  connection: z.object({
    id: connectionId,
    name: z.string(),
    channel: z.string(),
    status: z.string(),
    disconnectedAt: z.string().nullable(),
  }),
  /** The official API: its limit is Meta's, shared by all numbers of the account. */
  isOfficial: z.boolean(),
  /** The day since when the number is in use, by which its limit grows; null for the official API. */
  inUseSince: z.string().nullable(),
  /** A limit by day that somebody has set in place of the growing one; of the official API: Meta's. */
  fixedLimit: z.number().nullable(),
  /** People written to today: new ones, and those who wrote before. For the official API: within 24 hours. */
  newToday: z.number(),
  knownToday: z.number(),
  /** Null: no limit is known or switched on. */
  newMax: z.number().nullable(),
  knownMax: z.number().nullable(),
  /** "low" while Meta refuses its messages for complaints; null where nothing is known. */
  quality: z.enum(["high", "medium", "low"]).nullable(),
  hold: campaignHold.nullable(),
  running: z.number(),
  planned: z.number(),
});
export type CampaignLine = z.output<typeof campaignLine>;

const use = { auth: "bearer", permission: "campaigns:use" } as const;
const manage = { auth: "bearer", permission: "campaigns:manage" } as const;

export const campaignSettingsEndpoints = defineEndpoints({
  "GET /campaign-settings": {
    ...use,
    summary: "The settings of campaigns; what is missing has its default",
    reply: z.array(campaignSettingRow),
    errors: [],
  },
  "POST /campaign-settings": {
    ...manage,
    summary: "Changes settings of campaigns; those that are not sent stay",
    body: z.object({ settings: campaignSettings.partial() }),
    reply: z.array(campaignSettingRow),
    errors: ["ERR_CAMPAIGN_VARIABLE"],
  },
  "GET /campaign-lines": {
    ...use,
    summary: "The connections as campaigns use them, most used first",
    reply: z.array(campaignLine),
    errors: [],
  },
  "PUT /campaign-lines/:connectionId": {
    ...manage,
    summary:
      "Says since when a number is in use, sets a limit by day (null takes it off), or has a restricted number go on",
    params: z.object({ connectionId }),
    body: z.object({
      inUseSince: z.iso.date().optional(),
      fixedLimit: z.number().int().min(1).max(100_000).nullable().optional(),
      /** What the chat network restricted is over, or is to be tried again. */
      isRestrictionOver: z.literal(true).optional(),
    }),
    reply: campaignLine,
    errors: ["ERR_NO_WAPP_FOUND", "ERR_CAMPAIGN_IN_USE_SINCE"],
  },
});
