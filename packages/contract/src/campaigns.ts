import { z } from "zod";
import { contactList, contactListItem } from "./contact-lists.ts";
import { defineEndpoints } from "./endpoint.ts";
import {
  campaignId,
  campaignRecipientId,
  companyId,
  connectionId,
  contactListId,
  fileListId,
  queueId,
  tagId,
  ticketId,
} from "./ids.ts";
import { limits } from "./limits.ts";
import { fileErrors } from "./media.ts";
import {
  emptyReply,
  isoDate,
  messageReply,
  pageNumber,
  searchParam,
  sheetWish,
  text,
} from "./primitives.ts";

/** Spec 5. A campaign that is held up stays EM_ANDAMENTO; `hold` says what holds it. */
export const campaignStatuses = [
  "INATIVA",
  "PROGRAMADA",
  "EM_ANDAMENTO",
  "CANCELADA",
  "FINALIZADA",
] as const;
export type CampaignStatus = (typeof campaignStatuses)[number];

/**
 * What keeps a campaign from sending: outside the hours or on a holiday, the day's limit of the connection is used up, the connection is
 * down or gone, the network restricts the number, the template was refused, the plan lacks campaigns.
 */
export const campaignHolds = [
  "hours",
  "holiday",
  "limit",
  "disconnected",
  "noConnection",
  "restricted",
  "template",
  "plan",
] as const;
export type CampaignHoldReason = (typeof campaignHolds)[number];

export const campaignHold = z.object({
  reason: z.enum(campaignHolds),
  /** When it goes on by itself; null: when the reason ends. */
  until: isoDate.nullable(),
  since: isoDate.nullable(),
});
export type CampaignHold = z.output<typeof campaignHold>;

/**
 * Steps of one person: `waiting`, also after the answer to a confirmation; `asked` for the confirmation; `sending`: with the
 * connection; `sent`: the network has it; `delivered` and `read` on the phone. The others end it unsent; `failed` has a code.
 */
export const recipientStatuses = [
  "waiting",
  "asked",
  "sending",
  "sent",
  "delivered",
  "read",
  "failed",
  "invalid",
  "notConfirmed",
  "optedOut",
  "removed",
] as const;
export type RecipientStatus = (typeof recipientStatuses)[number];

/** How many people stand where; those of all statuses together are `people`. */
export const campaignCounts = z.object({
  people: z.number(),
  /** `people` without those whom the chat network does not know. */
  valid: z.number(),
  waiting: z.number(),
  asked: z.number(),
  sending: z.number(),
  sent: z.number(),
  /** On the phone, read or not; `read` are some of them. */
  delivered: z.number(),
  read: z.number(),
  failed: z.number(),
  /** Those of the failed ones to whom it can be sent again. */
  retryable: z.number(),
  invalid: z.number(),
  notConfirmed: z.number(),
  optedOut: z.number(),
  removed: z.number(),
  /** Whose confirmation was asked for, and who gave it. */
  requested: z.number(),
  confirmed: z.number(),
  /** Who wrote after the message, and who asked to get no more. */
  answered: z.number(),
  left: z.number(),
});
export type CampaignCounts = z.output<typeof campaignCounts>;

const parameters = z.array(text(limits.templateParameterMax).trim()).max(limits.templateParameters);

/**
 * The approved template of a campaign on the official API. Parameters may have the variables of a text: {nome}, {numero}, {email}
 * and the company's own.
 */
export const campaignTemplate = z.object({
  name: text(512).trim().min(1),
  language: text(20).trim().min(1),
  headerParameters: parameters.default([]),
  bodyParameters: parameters.default([]),
  buttonParameters: parameters.default([]),
});
export type CampaignTemplate = z.output<typeof campaignTemplate>;

const person = z.object({ id: z.number(), name: z.string() });

/** A campaign (wire-contract 2.9), as lists and events have it. */
export const campaign = z.object({
  id: campaignId,
  name: z.string(),
  message1: z.string(),
  message2: z.string(),
  message3: z.string(),
  message4: z.string(),
  message5: z.string(),
  confirmationMessage1: z.string(),
  confirmationMessage2: z.string(),
  confirmationMessage3: z.string(),
  confirmationMessage4: z.string(),
  confirmationMessage5: z.string(),
  status: z.enum(campaignStatuses),
  confirmation: z.boolean(),
  scheduledAt: isoDate.nullable(),
  startedAt: isoDate.nullable(),
  completedAt: isoDate.nullable(),
  /** When it was cancelled last and by whom, while it is. A former user has the name "". */
  cancelledAt: isoDate.nullable(),
  cancelledBy: person.nullable(),
  createdBy: person.nullable(),
  mediaPath: z.string().nullable(),
  mediaName: z.string().nullable(),
  companyId,
  contactListId: contactListId.nullable(),
  whatsappId: connectionId.nullable(),
  fileListId: fileListId.nullable(),
  tagListId: tagId.nullable(),
  /** Where its answers go: a queue and a tag, if wished. */
  answerQueueId: queueId.nullable(),
  answerTagId: tagId.nullable(),
  template: campaignTemplate.nullable(),
  /** Official API: people who wrote within a day get the text instead of the template. */
  textInWindow: z.boolean(),
  contactList: contactList.pick({ id: true, name: true }).nullable(),
  whatsapp: z.object({ id: connectionId, name: z.string(), channel: z.string() }).nullable(),
  hold: campaignHold.nullable(),
  /** While it runs; null where that cannot be foreseen. */
  endsAt: isoDate.nullable(),
  /** Whether it can be changed: `PUT` is refused otherwise. */
  isEditable: z.boolean(),
  counts: campaignCounts,
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type Campaign = z.output<typeof campaign>;

/** A recipient as clients of the family read it (wire-contract 2.9). */
export const campaignShipping = z.object({
  id: campaignRecipientId,
  campaignId,
  /** The person on the list. */
  contactId: z.number(),
  number: z.string(),
  message: z.string(),
  confirmationMessage: z.string().nullable(),
  confirmation: z.boolean().nullable(),
  confirmationRequestedAt: isoDate.nullable(),
  confirmedAt: isoDate.nullable(),
  deliveredAt: isoDate.nullable(),
  jobId: z.string().nullable(),
  contact: contactListItem.pick({ id: true, name: true, number: true }),
});

/** With its recipients and the people of its list, each up to `campaignRowsMax`; `counts` is of all. */
export const shownCampaign = campaign.extend({
  shipping: z.array(campaignShipping),
  contactList: contactList
    .pick({ id: true, name: true })
    .extend({ contacts: z.array(contactListItem.pick({ id: true, isWhatsappValid: true })) })
    .nullable(),
});

/** One person of a campaign, as the report lists them. */
export const campaignRecipient = z.object({
  id: campaignRecipientId,
  name: z.string(),
  number: z.string(),
  /** Which of the texts, from 1. */
  textNumber: z.number(),
  status: z.enum(recipientStatuses),
  /** Of a failure. */
  errorCode: z.string().nullable(),
  /** When the status changed last. */
  at: isoDate,
  isConfirmed: z.boolean(),
  answeredAt: isoDate.nullable(),
  /** Asked to get no more. */
  leftAt: isoDate.nullable(),
  ticketId: ticketId.nullable(),
});
export type CampaignRecipient = z.output<typeof campaignRecipient>;

/** Bars of the report: steps of an hour, a day or a week by how long the campaign takes. */
export const campaignReport = z.object({
  campaign,
  chart: z.object({
    step: z.enum(["hour", "day", "week"]),
    bars: z.array(
      z.object({
        at: isoDate,
        done: z.number(),
        planned: z.number(),
        /** Why nothing is sent then. */
        closed: z.enum(["hours", "holiday"]).nullable(),
      }),
    ),
  }),
  /** When the next message goes out; null while it is held up or over. */
  nextAt: isoDate.nullable(),
  /** Of the connection today. */
  line: z
    .object({ newToday: z.number(), knownToday: z.number(), newMax: z.number().nullable() })
    .nullable(),
  /** People on the list, with those whom the campaign left out. */
  listed: z.number(),
});
export type CampaignReport = z.output<typeof campaignReport>;

/** What a campaign asks for; unknown keys of other clients are ignored, "" is none. */
const none = z.literal("").transform(() => null);
const message = text(limits.campaignTextMax)
  .nullish()
  .transform((value) => value ?? "");
const orNone = <T extends z.ZodType>(id: T) =>
  z
    .union([none, id, z.null()])
    .optional()
    .transform((value) => value ?? null);

export const campaignBody = z.object({
  /** 2 to 50 characters, else ERR_CAMPAIGN_INVALID_NAME; missing: ERR_CAMPAIGN_REQUIRED. */
  name: text(255).trim().optional(),
  message1: message,
  message2: message,
  message3: message,
  message4: message,
  message5: message,
  confirmationMessage1: message,
  confirmationMessage2: message,
  confirmationMessage3: message,
  confirmationMessage4: message,
  confirmationMessage5: message,
  confirmation: z
    .boolean()
    .nullish()
    .transform((value) => value ?? false),
  /** `YYYY-MM-DD HH:mm:ss` by the company's clock, or an instant with zone. With it the campaign is planned. */
  scheduledAt: orNone(
    z
      .string()
      .regex(/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:?\d{2})?$/),
  ),
  /** Keeps it INATIVA although it has a date. */
  isDraft: z.boolean().optional(),
  whatsappId: orNone(connectionId),
  contactListId: orNone(contactListId),
  /** A number; other clients send "Nenhuma" for none. */
  tagListId: orNone(z.union([z.literal("Nenhuma").transform(() => null), tagId])),
  fileListId: orNone(fileListId),
  answerQueueId: orNone(queueId),
  answerTagId: orNone(tagId),
  template: campaignTemplate.nullish().transform((value) => value ?? null),
  textInWindow: z.boolean().default(false),
});
export type CampaignBody = z.output<typeof campaignBody>;

/** What a campaign would do, computed without storing anything (design/ui-2.md, "Campaign editor"). */
export const campaignEstimate = z.object({
  people: z.object({
    /** On the list, then those who are left out, then who gets the campaign. */
    listed: z.number(),
    invalid: z.number(),
    optedOut: z.number(),
    repeated: z.number(),
    total: z.number(),
    /** Of `total`: have written to the company before; numbers that are still to be checked; without a name. */
    known: z.number(),
    unchecked: z.number(),
    unnamed: z.number(),
  }),
  startsAt: isoDate,
  /** Null: it would not end within a year. */
  endsAt: isoDate.nullable(),
  days: z.array(
    z.object({
      /** By the company's clock. */
      day: z.string(),
      count: z.number(),
      closed: z.enum(["hours", "holiday"]).nullable(),
    }),
  ),
  /** What takes time, the most costly first. */
  limits: z.array(
    z.object({
      kind: z.enum(["limit", "hours", "holidays", "pace"]),
      /** By which it would end sooner without it; in hours under two days. */
      costsHours: z.number(),
    }),
  ),
  /** Of the limit by day: what it is at the start, and its next step. */
  limit: z
    .object({
      perDay: z.number(),
      inUseDays: z.number().nullable(),
      next: z.object({ day: z.string(), perDay: z.number() }).nullable(),
    })
    .nullable(),
  /** Another connection on which it would end a day sooner or more. */
  faster: z.object({ id: connectionId, name: z.string(), endsAt: isoDate }).nullable(),
});
export type CampaignEstimate = z.output<typeof campaignEstimate>;

export const campaignPreview = z.object({
  /** Null without people: then the texts are of a sample person. */
  person: z.object({ name: z.string(), number: z.string(), email: z.string() }).nullable(),
  /** Of the person among `total`, from 0. */
  position: z.number(),
  total: z.number(),
  textNumber: z.number(),
  /** "" where a template is sent. */
  message: z.string(),
  confirmation: z.string().nullable(),
  /** With the person's values in its parameters. */
  template: campaignTemplate.nullable(),
});
export type CampaignPreview = z.output<typeof campaignPreview>;

/** The people whom a draft means. */
const audience = campaignBody.pick({ contactListId: true, tagListId: true });
export const estimateBody = campaignBody.pick({
  contactListId: true,
  tagListId: true,
  whatsappId: true,
  fileListId: true,
  scheduledAt: true,
  confirmation: true,
});
export const previewBody = campaignBody.omit({ scheduledAt: true, isDraft: true }).extend({
  ...audience.shape,
  position: z.number().int().min(0).max(limits.contactListMax).default(0),
});

const use = { auth: "bearer", permission: "campaigns:use" } as const;
const manage = { auth: "bearer", permission: "campaigns:manage" } as const;
const params = z.object({ campaignId });
const bodyErrors = [
  "ERR_CAMPAIGN_REQUIRED",
  "ERR_CAMPAIGN_INVALID_NAME",
  "ERR_CAMPAIGN_PAST",
  "ERR_CAMPAIGN_NO_LIST",
  "ERR_CAMPAIGN_NO_TEXT",
  "ERR_CAMPAIGN_VARIABLE",
  "ERR_CAMPAIGN_TEMPLATE",
  "ERR_NO_WAPP_FOUND",
  "ERR_NO_CONTACTLIST_FOUND",
  "ERR_NO_TAG_FOUND",
  "ERR_NO_FILE_FOUND",
  "ERR_QUEUE_NOT_FOUND",
] as const;
/** Refusals of a campaign that is about to send. */
const startErrors = [
  "ERR_NO_CAMPAIGN_FOUND",
  "ERR_CAMPAIGN_STATE",
  "ERR_CAMPAIGN_NO_LIST",
  "ERR_CAMPAIGN_NO_TEXT",
  "ERR_CAMPAIGN_VARIABLE",
  "ERR_CAMPAIGN_TEMPLATE",
] as const;
const recipientFilter = {
  searchParam,
  status: z.enum(recipientStatuses).optional(),
};

export const campaignsEndpoints = defineEndpoints({
  "GET /campaigns": {
    ...use,
    summary:
      "One page of campaigns: running ones, planned ones by date, inactive ones, the others by date",
    query: z.object({
      searchParam,
      pageNumber,
      status: z.enum(campaignStatuses).optional(),
    }),
    reply: z.object({
      records: z.array(campaign),
      count: z.number(),
      hasMore: z.boolean(),
      /** How many there are of each status, whatever is searched. */
      statusCounts: z.record(z.enum(campaignStatuses), z.number()),
    }),
    errors: [],
  },
  "GET /campaigns/:campaignId": {
    ...use,
    summary: "One campaign with its recipients, as other clients read it",
    params,
    reply: shownCampaign,
    errors: ["ERR_NO_CAMPAIGN_FOUND"],
  },
  "POST /campaigns": {
    ...manage,
    summary: "A new campaign; planned if it has a date",
    body: campaignBody,
    reply: campaign,
    errors: bodyErrors,
  },
  "PUT /campaigns/:campaignId": {
    ...manage,
    summary: "Changes a campaign that is inactive, cancelled, or planned for later than in an hour",
    params,
    body: campaignBody,
    reply: campaign,
    errors: ["ERR_NO_CAMPAIGN_FOUND", "ERR_CAMPAIGN_LOCKED", ...bodyErrors],
  },
  "DELETE /campaigns/:campaignId": {
    ...manage,
    summary: "Removes a campaign that does not run",
    params,
    reply: messageReply,
    errors: ["ERR_NO_CAMPAIGN_FOUND", "ERR_CAMPAIGN_RUNNING"],
  },
  "POST /campaigns/:campaignId/start": {
    ...manage,
    summary: "Starts an inactive or planned campaign now",
    params,
    status: 204,
    reply: emptyReply,
    errors: startErrors,
  },
  "POST /campaigns/:campaignId/cancel": {
    ...manage,
    summary: "Stops a running campaign; one that is stopped stays as it is",
    params,
    status: 204,
    reply: emptyReply,
    errors: ["ERR_NO_CAMPAIGN_FOUND", "ERR_CAMPAIGN_STATE"],
  },
  "POST /campaigns/:campaignId/restart": {
    ...manage,
    summary: "Goes on with a cancelled campaign; one that runs stays as it is",
    params,
    status: 204,
    reply: emptyReply,
    errors: startErrors,
  },
  "POST /campaigns/:campaignId/media-upload": {
    ...manage,
    summary: "Attaches a file, in place of an earlier one",
    params,
    upload: { field: "file", maxFiles: 1, fields: z.object({}) },
    reply: z.object({ mensagem: z.string() }),
    errors: ["ERR_NO_CAMPAIGN_FOUND", "ERR_CAMPAIGN_LOCKED", ...fileErrors],
  },
  "DELETE /campaigns/:campaignId/media-upload": {
    ...manage,
    summary: "Removes the attachment",
    params,
    reply: z.object({ mensagem: z.string() }),
    errors: ["ERR_NO_CAMPAIGN_FOUND", "ERR_CAMPAIGN_LOCKED"],
  },
  "POST /campaigns/:campaignId/duplicate": {
    ...manage,
    summary: "An inactive copy of a campaign, without a date",
    params,
    reply: campaign,
    errors: ["ERR_NO_CAMPAIGN_FOUND"],
  },
  "POST /campaigns/:campaignId/resend": {
    ...manage,
    summary:
      "An inactive copy for the people to whom it can be sent again, who become a list of their own",
    params,
    reply: campaign,
    errors: ["ERR_NO_CAMPAIGN_FOUND", "ERR_CAMPAIGN_NO_LIST"],
  },
  "POST /campaigns/:campaignId/test": {
    ...manage,
    summary: "Sends the campaign to one number, with the data of a person of its list",
    params,
    body: z.object({
      number: text(limits.numberMax).trim(),
      position: z.number().int().min(0).max(limits.contactListMax).default(0),
    }),
    reply: messageReply,
    errors: [
      "ERR_NO_CAMPAIGN_FOUND",
      "ERR_CAMPAIGN_NO_TEXT",
      "ERR_CAMPAIGN_TEMPLATE",
      "ERR_NUMBER_FORMAT",
      "ERR_CONTACT_OPTED_OUT",
      "ERR_NO_DEF_WAPP_FOUND",
      "ERR_WAPP_NOT_INITIALIZED",
      "ERR_WAPP_INVALID_CONTACT",
      "ERR_WAPP_CHECK_CONTACT",
      "ERR_WAPP_WINDOW_CLOSED",
      "ERR_WAPP_TEMPLATE",
      "ERR_WAPP_TEMPLATES_UNAVAILABLE",
      "ERR_CAMPAIGN_VARIABLE",
      "ERR_FILE_MISSING",
    ],
  },
  "POST /campaigns/estimate": {
    ...use,
    summary: "Who gets a campaign, how long it takes and what takes the time; stores nothing",
    body: estimateBody,
    reply: campaignEstimate,
    errors: [
      "ERR_NO_CONTACTLIST_FOUND",
      "ERR_NO_TAG_FOUND",
      "ERR_NO_WAPP_FOUND",
      "ERR_NO_FILE_FOUND",
    ],
  },
  "POST /campaigns/preview": {
    ...use,
    summary: "The texts as one person of the list gets them; stores nothing",
    body: previewBody,
    reply: campaignPreview,
    errors: ["ERR_NO_CONTACTLIST_FOUND", "ERR_NO_TAG_FOUND"],
  },
  "GET /campaigns/:campaignId/report": {
    ...use,
    summary: "Numbers of a campaign over time",
    params,
    reply: campaignReport,
    errors: ["ERR_NO_CAMPAIGN_FOUND"],
  },
  "GET /campaigns/:campaignId/recipients": {
    ...use,
    summary: "One page of a campaign's people, whose status changed last first",
    params,
    query: z.object({ pageNumber, ...recipientFilter }),
    reply: z.object({
      records: z.array(campaignRecipient),
      count: z.number(),
      hasMore: z.boolean(),
    }),
    errors: ["ERR_NO_CAMPAIGN_FOUND"],
  },
  "POST /campaigns/:campaignId/export": {
    ...use,
    summary: "A campaign's people as a spreadsheet",
    params,
    body: sheetWish.extend(recipientFilter),
    sendsFile: true,
    reply: emptyReply,
    errors: ["ERR_NO_CAMPAIGN_FOUND"],
  },
});
