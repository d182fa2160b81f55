import type { EndpointName, ErrorCode } from "@balcao/contract";
import { endpoints, errorStatus, isAllowed, planFlags } from "@balcao/contract";
import type { PlanFlags, Endpoint } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { startGraphStub } from "../../channels/cloud-api/testing/graph-stub.ts";
import { reachedByIntegrations } from "../../features/integrations/testing/stubs.ts";
import { startSmtpStub } from "../../features/mails/testing/smtp-stub.ts";
import { p12 } from "../../features/billing/testing/p12-samples.ts";
import { testApp } from "../app.ts";
import { sized } from "../soak.ts";
import { createSender, watchWrites } from "./http-sender.ts";
import type { IdSlot } from "./id-slots.ts";
import { findIdSlots } from "./id-slots.ts";
import type { Rows } from "./rows.ts";
import { createRows, createUnusedRows, newClientId } from "./rows.ts";
import type { Role } from "./sides.ts";
import { createSide, roles, tokenFor } from "./sides.ts";
import type { CallParts } from "./valid-requests.ts";
import { toWire, validParts } from "./valid-requests.ts";

/** The expected result of an id of another company. */
type Fate = {
  /** The row that the slot names. */
  row: (rows: Rows) => unknown;
  /** The rest of the body or query, where the valid request would hide what is tested. */
  rest?: Record<string, unknown>;
} & (
  | {
      refusal: ErrorCode;
      allowedTo?: readonly Role[];
      /** Where super users meet another one. */
      refusalOfSuper?: ErrorCode;
      /** The calls are made without this part. */
      ignoredFrom?: readonly Role[];
      /** A call of the provider, which changes any company. */
      changedBy?: readonly Role[];
    }
  /** Accepted, and without effect on what the reply shows or on the other company. */
  | {
      harmless: "finds nothing" | "is ignored" | "is the caller's own choice";
      /** The reply to an id that is not found. */
      /** What the reply says then; a text is the whole of it. */
      nothing?: Record<string, unknown> | unknown[] | string;
      /** Those who run the installation, and by this call read any company. */
      readBy?: readonly Role[];
      /** Whom the product lets use it; for others it is as if it were not there. */
      usedBy?: readonly Role[];
      /** The own row's id finds what the other's does not. */
      ownIsFound?: true;
    }
);

const noTicket = { row: ({ ticketId }: Rows) => ticketId, refusal: "ERR_NO_TICKET_FOUND" } as const;
const noConnection = {
  row: ({ connectionId }: Rows) => connectionId,
  refusal: "ERR_NO_WAPP_FOUND",
} as const;
const noPasskey = {
  row: ({ passkeyId }: Rows) => passkeyId,
  refusal: "ERR_NO_PASSKEY_FOUND",
} as const;
const noQueue = {
  row: ({ queueId }: Rows) => queueId,
  refusal: "ERR_QUEUE_NOT_FOUND",
} as const;
const noSpareQueue = { ...noQueue, row: ({ spareQueueId }: Rows) => spareQueueId };
const noOption = {
  row: ({ queueOptionId }: Rows) => queueOptionId,
  refusal: "ERR_NO_QUEUE_OPTION_FOUND",
} as const;
// Meta's ids of an account, which a connection on another channel has no use for.
const unusedAccount = { row: () => "123456789", harmless: "is ignored" } as const;
const account = { cloudApi: { phoneNumberId: "1", businessAccountId: "2" } };
const noMessage = {
  row: ({ failedMessageId }: Rows) => failedMessageId,
  refusal: "ERR_NO_MESSAGE_FOUND",
} as const;
/** A spreadsheet without rows. */
const onlyTitles =
  "\uFEFFnome;número;e-mail;etiquetas;aceita mensagens;último contato;criado em;outras informações\r\n";
const noContact = {
  row: ({ contactId }: Rows) => contactId,
  refusal: "ERR_NO_CONTACT_FOUND",
} as const;
const noIntegration = {
  row: ({ integrationId }: Rows) => integrationId,
  refusal: "ERR_NO_DIALOG_FOUND",
} as const;
const noKnowledge = {
  row: ({ knowledgeId }: Rows) => knowledgeId,
  refusal: "ERR_NO_KNOWLEDGE_FOUND",
} as const;
const noPrompt = { row: ({ promptId }: Rows) => promptId, refusal: "ERR_NO_PROMPT_FOUND" } as const;
const noWebhook = {
  row: ({ webhookId }: Rows) => webhookId,
  refusal: "ERR_NO_WEBHOOK_FOUND",
} as const;
const noTag = { row: ({ tagId }: Rows) => tagId, refusal: "ERR_NO_TAG_FOUND" } as const;
const noLane = { ...noTag, row: ({ laneTagId }: Rows) => laneTagId };
const noContactList = {
  row: ({ contactListId }: Rows) => contactListId,
  refusal: "ERR_NO_CONTACTLIST_FOUND",
} as const;
const noContactListItem = {
  row: ({ contactListItemId }: Rows) => contactListItemId,
  refusal: "ERR_NO_CONTACTLISTITEM_FOUND",
} as const;
const noImport = {
  row: ({ contactImportId }: Rows) => contactImportId,
  refusal: "ERR_NO_IMPORT_FOUND",
} as const;
const noPausedImport = { ...noImport, row: ({ pausedImportId }: Rows) => pausedImportId };
const noReason = {
  row: ({ reasonId }: Rows) => reasonId,
  refusal: "ERR_NO_REASON_FOUND",
} as const;
const noNote = {
  row: ({ noteId }: Rows) => noteId,
  refusal: "ERR_NO_TICKETNOTE_FOUND",
} as const;
const noChat = { row: ({ chatId }: Rows) => chatId, refusal: "ERR_NO_CHAT_FOUND" } as const;
const noChatMessage = {
  row: ({ chatMessageId }: Rows) => chatMessageId,
  refusal: "ERR_NO_MESSAGE_FOUND",
} as const;
const noRole = { row: ({ roleId }: Rows) => roleId, refusal: "ERR_NO_ROLE_FOUND" } as const;
const noMacro = { row: ({ macroId }: Rows) => macroId, refusal: "ERR_NO_MACRO_FOUND" } as const;
const noCampaign = {
  row: ({ campaignId }: Rows) => campaignId,
  refusal: "ERR_NO_CAMPAIGN_FOUND",
} as const;
const noRunningCampaign = {
  ...noCampaign,
  row: ({ runningCampaignId }: Rows) => runningCampaignId,
};
const noCancelledCampaign = {
  ...noCampaign,
  row: ({ cancelledCampaignId }: Rows) => cancelledCampaignId,
};
const noFileList = {
  row: ({ fileListId }: Rows) => fileListId,
  refusal: "ERR_NO_FILE_FOUND",
} as const;
const noQuickMessage = {
  row: ({ quickMessageId }: Rows) => quickMessageId,
  refusal: "ERR_NO_QUICKMESSAGE_FOUND",
} as const;
const noSchedule = {
  row: ({ scheduleId }: Rows) => scheduleId,
  refusal: "ERR_NO_SCHEDULE_FOUND",
} as const;
const noUser = { row: ({ userId }: Rows) => userId, refusal: "ERR_NO_USER_FOUND" } as const;
const noColleague = {
  row: ({ colleagueId }: Rows) => colleagueId,
  refusal: "ERR_NO_USER_FOUND",
} as const;
/** Super users list the records of another company; from others the parameter is not looked at. */
const askedCompany = {
  row: ({ companyId }: Rows) => companyId,
  harmless: "is ignored",
  readBy: ["super"],
} as const;
const noNetworkMessage = {
  row: ({ networkMessageId }: Rows) => networkMessageId,
  refusal: "ERR_NO_MESSAGE_FOUND",
} as const;
const noPairing = { ...noConnection, row: ({ pairingConnectionId }: Rows) => pairingConnectionId };

const timesOfCompany = {
  row: ({ companyId }: Rows) => companyId,
  refusal: "ERR_OTHER_COMPANY",
  allowedTo: ["super"],
  changedBy: ["super"],
} as const;
const noView = {
  row: ({ ticketViewId }: Rows) => ticketViewId,
  refusal: "ERR_NO_VIEW_FOUND",
} as const;
const viewQueue = { ...noQueue, row: ({ queueId }: Rows) => [queueId] };
const viewTag = { ...noTag, row: ({ tagId }: Rows) => [tagId] };
const viewUser = { ...noColleague, row: ({ colleagueId }: Rows) => [colleagueId] };
const viewConnection = { ...noConnection, row: ({ connectionId }: Rows) => [connectionId] };

// Announcements, help videos, brands and plans are the provider's: all companies read the same ones, and super users of any change them.
const anyAnnouncement = {
  row: ({ announcementId }: Rows) => announcementId,
  refusal: "ERR_NO_ANNOUNCEMENT_FOUND",
  allowedTo: ["super"],
} as const;
const anyPlan = {
  row: ({ planId }: Rows) => planId,
  refusal: "ERR_NO_PLAN_FOUND",
  allowedTo: ["super"],
} as const;
const noInvoice = {
  row: ({ invoiceId }: Rows) => invoiceId,
  refusal: "ERR_NO_INVOICE_FOUND",
} as const;
const chosenPlan = { ...anyPlan, row: ({ chosenPlanId }: Rows) => chosenPlanId };
const anyMail = {
  row: ({ mailId }: Rows) => mailId,
  refusal: "ERR_NO_MAIL_FOUND",
  allowedTo: ["super"],
  readBy: ["super"],
  changedBy: ["super"],
} as const;
const anyHelp = {
  row: ({ helpId }: Rows) => helpId,
  refusal: "ERR_NO_HELP_FOUND",
  allowedTo: ["super"],
} as const;

const anyBrand = {
  row: ({ brandId }: Rows) => brandId,
  refusal: "ERR_NO_BRAND_FOUND",
  allowedTo: ["super"],
  changedBy: ["super"],
} as const;

/** The places of a filter by lists of ids, below a call's name; ids of others narrow the reply to nothing. */
type FilterFates = { [place: string]: Fate };
function filterOf(
  call: EndpointName,
  rows: { [key: string]: (rows: Rows) => unknown },
  fate: Pick<Extract<Fate, { harmless: unknown }>, "rest" | "nothing" | "usedBy" | "ownIsFound">,
): FilterFates {
  return Object.fromEntries(
    Object.entries(rows).map(([key, row]): [string, Fate] => [
      `${call} query.${key}`,
      { row: (given) => JSON.stringify([row(given)]), harmless: "finds nothing", ...fate },
    ]),
  );
}
const boardFilter = {
  queueIds: ({ queueId }: Rows) => queueId,
  whatsappIds: ({ connectionId }: Rows) => connectionId,
};
const boardUsers = { users: ({ userId }: Rows) => userId };
const figuresFilter = {
  queueIds: ({ queueId }: Rows) => queueId,
  userIds: ({ userId }: Rows) => userId,
  whatsappIds: ({ connectionId }: Rows) => connectionId,
  tagIds: ({ tagId }: Rows) => tagId,
};
/** Lanes, users, hours, … none of which counts anything. */
const nothingCounted = (key: "count" | "attendances"): unknown =>
  expect.toSatisfy((list: Record<string, unknown>[]) => list.every((one) => one[key] === 0));
const ofMonth = { days: "30" };
const emptyBoard = { rest: {}, nothing: { lanes: nothingCounted("count") } } as const;
const emptyLane = {
  rest: { laneId: "0", before: "2090-01-01T12:00:00.000Z", beforeId: "1" },
  nothing: { cards: [], hasMore: false },
} as const;
const emptyCards = {
  rest: { showAll: "true" },
  nothing: { tickets: [], count: 0, hasMore: false },
} as const;
const byAdmins = { usedBy: ["admin", "super"] } as const;
const emptyReport = { rest: ofMonth, nothing: { attendances: [], next: null } } as const;
const reportedContact = ({ contactId }: Rows) => contactId;
const emptyOlderReport = {
  rest: {},
  nothing: { totalTickets: { total: 0 }, tickets: [] },
} as const;
/** Other clients send it; it is never looked at. */
const sentCompany = { row: ({ companyId }: Rows) => companyId, harmless: "is ignored" } as const;

/** Every place of a request that names a row. One that is not here fails the first test below. */
const fates: Record<IdSlot, Fate> = {
  "GET /companies/listPlan/:companyId params.companyId": {
    row: ({ companyId }) => companyId,
    refusal: "ERR_OTHER_COMPANY",
    allowedTo: ["super"],
  },
  "GET /companies/:companyId params.companyId": {
    row: ({ companyId }) => companyId,
    refusal: "ERR_OTHER_COMPANY",
    allowedTo: ["super"],
  },
  "PUT /companies/:companyId/schedules params.companyId": timesOfCompany,
  "PUT /companies/:companyId params.companyId": {
    ...{ row: ({ companyId }) => companyId, refusal: "ERR_NO_COMPANY_FOUND" },
    ...{ allowedTo: ["super"], changedBy: ["super"] },
  },
  "DELETE /companies/:companyId params.companyId": {
    ...{ row: ({ spareCompanyId }) => spareCompanyId, refusal: "ERR_NO_COMPANY_FOUND" },
    ...{ allowedTo: ["super"], changedBy: ["super"] },
  },
  "GET /companies/:companyId/exports params.companyId": {
    ...{ row: ({ companyId }) => companyId, refusal: "ERR_NO_COMPANY_FOUND" },
    ...{ allowedTo: ["super"], readBy: ["super"] },
  },
  "POST /companies/:companyId/exports params.companyId": {
    ...{ row: ({ companyId }) => companyId, refusal: "ERR_NO_COMPANY_FOUND" },
    ...{ allowedTo: ["super"], changedBy: ["super"] },
  },
  "GET /companies/:companyId/exports/:companyExportId/file params.companyId": {
    ...{ row: ({ companyId }) => companyId, refusal: "ERR_NO_FILE_FOUND" },
  },
  "GET /companies/:companyId/exports/:companyExportId/file params.companyExportId": {
    ...{ row: ({ companyExportId }) => companyExportId, refusal: "ERR_NO_FILE_FOUND" },
  },
  "POST /companies/:companyId/support params.companyId": {
    ...{ row: ({ visitedCompanyId }) => visitedCompanyId, refusal: "ERR_NO_COMPANY_FOUND" },
    ...{ allowedTo: ["super"], changedBy: ["super"] },
  },
  "PUT /companies/:companyId body.planId": chosenPlan,
  "GET /invoices/all query.companyId": { ...askedCompany, ...byAdmins },
  "POST /subscription body.invoiceId": noInvoice,
  "PUT /billing/settings body.efi.clientId": {
    ...{ row: () => "a bank's id of the provider", harmless: "is ignored" },
    rest: {
      ...{ bank: "simulated", receiver: "", city: "", pixKey: "", contact: "" },
      efi: { clientId: "x", clientSecret: "x", certificate: p12, passphrase: "segredo" },
    },
  },
  "POST /subscription/:invoiceId/said-paid params.invoiceId": noInvoice,
  "POST /billing/charges/:chargeId/pay params.chargeId": {
    ...{ row: ({ chargeId }) => chargeId, refusal: "ERR_NO_CHARGE_FOUND" },
    ...{ allowedTo: ["super"], changedBy: ["super"] },
  },
  "POST /billing/payments/:paymentId/settle params.paymentId": {
    ...{ row: ({ paymentId }) => paymentId, refusal: "ERR_NO_PAYMENT_FOUND" },
    ...{ allowedTo: ["super"], changedBy: ["super"] },
  },
  "POST /companies body.planId": chosenPlan,
  // A refusal is the row's, not the call's.
  "POST /companies/batch body.companies.planId": {
    row: ({ chosenPlanId }) => chosenPlanId,
    harmless: "is the caller's own choice",
  },
  // Ids of another installation's companies.
  "POST /operation/whaticket body.companyIds": {
    row: () => ["1"],
    harmless: "is the caller's own choice",
  },
  "POST /companies/cadastro body.planId": {
    row: ({ chosenPlanId }) => chosenPlanId,
    harmless: "is the caller's own choice",
  },
  "GET /plans/:planId params.planId": {
    row: ({ planId }) => planId,
    harmless: "is the caller's own choice",
    readBy: roles,
  },
  "PUT /plans/:planId params.planId": anyPlan,
  "DELETE /plans/:planId params.planId": anyPlan,
  "POST /mails/:mailId/send params.mailId": anyMail,
  "PUT /companies/:companyId/holidays params.companyId": timesOfCompany,

  "GET /chats/:chatUuid params.chatUuid": {
    row: ({ chatUuid }) => chatUuid,
    refusal: "ERR_NO_CHAT_FOUND",
  },
  "PUT /chats/:chatId params.chatId": noChat,
  "PUT /chats/:chatId body.users.id": noColleague,
  "POST /chats body.users.id": noColleague,
  "DELETE /chats/:chatId params.chatId": noChat,
  "POST /chats/:chatId/leave params.chatId": {
    ...noChat,
    row: ({ othersChatId }) => othersChatId,
  },
  "PUT /chats/:chatId/silence params.chatId": noChat,
  "GET /chats/:chatId/messages params.chatId": noChat,
  "GET /chats/:chatId/messages query.beforeId": noChatMessage,
  "GET /chats/:chatId/messages query.afterId": noChatMessage,
  "GET /chats/:chatId/messages query.aroundId": noChatMessage,
  "GET /chats/:chatId/search params.chatId": noChat,
  "POST /chats/:chatId/messages params.chatId": noChat,
  "POST /chats/:chatId/messages body.mentionedUserIds": noColleague,
  "POST /chats/:chatId/messages body.quotedId": noChatMessage,
  "POST /chats/:chatId/messages body.ticketUuid": {
    row: ({ ticketUuid }) => ticketUuid,
    refusal: "ERR_NO_TICKET_FOUND",
  },
  "POST /chats/:chatId/messages body.clientId": {
    row: newClientId,
    harmless: "is the caller's own choice",
  },
  "POST /chats/:chatId/read params.chatId": noChat,
  "POST /chats/:chatId/read body.userId": {
    row: ({ colleagueId }) => colleagueId,
    harmless: "is ignored",
  },
  "PUT /chats/messages/:chatMessageId params.chatMessageId": noChatMessage,
  "PUT /chats/messages/:chatMessageId body.mentionedUserIds": noColleague,
  "GET /chats/messages/:chatMessageId/ticket params.chatMessageId": noChatMessage,

  "GET /announcements/:announcementId params.announcementId": {
    row: ({ announcementId }) => announcementId,
    harmless: "is the caller's own choice",
    readBy: roles,
  },
  "PUT /announcements/:announcementId params.announcementId": anyAnnouncement,
  "DELETE /announcements/:announcementId params.announcementId": anyAnnouncement,
  "POST /announcements/:announcementId/media-upload params.announcementId": {
    ...anyAnnouncement,
    // The image is stored beside the announcement.
    changedBy: ["super"],
  },
  "DELETE /announcements/:announcementId/media-upload params.announcementId": {
    ...anyAnnouncement,
    changedBy: ["super"],
  },
  "GET /helps/:helpId params.helpId": {
    row: ({ helpId }) => helpId,
    harmless: "is the caller's own choice",
    readBy: roles,
  },
  "PUT /helps/:helpId params.helpId": anyHelp,
  "DELETE /helps/:helpId params.helpId": anyHelp,
  "PUT /brands/:brandId params.brandId": anyBrand,
  "DELETE /brands/:brandId params.brandId": anyBrand,
  "POST /brands/:brandId/images/:kind params.brandId": anyBrand,
  "DELETE /brands/:brandId/images/:kind params.brandId": anyBrand,

  ...filterOf("GET /kanban", boardFilter, { ...emptyBoard, ownIsFound: true }),
  ...filterOf("GET /kanban", boardUsers, { ...emptyBoard, ...byAdmins, ownIsFound: true }),
  ...filterOf("GET /kanban/counts", boardFilter, emptyBoard),
  ...filterOf("GET /kanban/counts", boardUsers, { ...emptyBoard, ...byAdmins }),
  ...filterOf("GET /kanban/cards", boardFilter, emptyLane),
  ...filterOf("GET /kanban/cards", boardUsers, { ...emptyLane, ...byAdmins, ownIsFound: true }),
  "GET /kanban/cards query.laneId": noLane,
  "GET /kanban/cards query.beforeId": {
    row: ({ ticketId }) => ticketId,
    harmless: "is the caller's own choice",
  },
  "PUT /kanban/cards/:ticketId params.ticketId": noTicket,
  "PUT /kanban/cards/:ticketId body.from": {
    row: ({ cardLaneId }) => cardLaneId,
    refusal: "ERR_CARD_MOVED",
  },
  "PUT /kanban/cards/:ticketId body.to": noLane,
  "PUT /kanban/lanes body.tagIds": noLane,
  ...filterOf(
    "GET /ticket/kanban",
    { ...boardFilter, tags: ({ tagId }) => tagId },
    { ...emptyCards, ownIsFound: true },
  ),
  ...filterOf("GET /ticket/kanban", boardUsers, { ...emptyCards, ...byAdmins }),
  "PUT /ticket-tags/:ticketId/:tagId params.ticketId": noTicket,
  "PUT /ticket-tags/:ticketId/:tagId params.tagId": noLane,
  "DELETE /ticket-tags/:ticketId params.ticketId": noTicket,

  ...filterOf("GET /dashboard/figures", figuresFilter, {
    rest: ofMonth,
    nothing: { measures: { attendances: 0 }, series: nothingCounted("attendances") },
  }),
  ...filterOf("GET /dashboard/by-user", figuresFilter, {
    rest: ofMonth,
    nothing: { users: nothingCounted("attendances") },
  }),
  ...filterOf("GET /dashboard/by-time", figuresFilter, {
    rest: ofMonth,
    nothing: { series: nothingCounted("attendances") },
  }),
  ...filterOf("GET /dashboard/now", figuresFilter, {
    rest: {},
    nothing: { open: { count: 0, unanswered: 0 }, hours: nothingCounted("attendances") },
  }),
  ...filterOf("GET /dashboard/export", figuresFilter, { rest: { ...ofMonth, format: "csv" } }),
  "GET /dashboard/ticketsUsers query.companyId": sentCompany,
  "GET /dashboard/ticketsDay query.companyId": sentCompany,

  ...filterOf("GET /reports/attendances", figuresFilter, emptyReport),
  "GET /reports/attendances query.contactId": {
    ...{ row: reportedContact, harmless: "finds nothing" },
    ...emptyReport,
  },
  "GET /audit query.userId": {
    ...{ row: ({ userId }) => userId, harmless: "finds nothing" },
    ...{ rest: {}, nothing: { entries: [], hasMore: false } },
  },
  "GET /audit query.before": {
    ...{ row: () => 1, harmless: "finds nothing" },
    ...{ rest: {}, nothing: { entries: [], hasMore: false } },
  },
  "GET /audit query.objectId": {
    ...{ row: ({ tagId }) => tagId, harmless: "finds nothing" },
    ...{ rest: { kind: "tag" }, nothing: { entries: [], hasMore: false } },
  },
  "GET /audit/export query.objectId": {
    ...{ row: ({ tagId }) => tagId, harmless: "finds nothing" },
    rest: { format: "csv", kind: "tag" },
  },
  "GET /audit/export query.userId": {
    ...{ row: ({ userId }) => userId, harmless: "finds nothing" },
    rest: { format: "csv" },
  },
  ...filterOf("GET /reports/export", figuresFilter, { rest: { ...ofMonth, format: "csv" } }),
  "GET /reports/export query.contactId": {
    ...{ row: reportedContact, harmless: "finds nothing" },
    rest: { ...ofMonth, format: "csv" },
  },
  ...filterOf(
    "GET /ticket/reports",
    {
      ...{ queueIds: ({ queueId }) => queueId, users: ({ userId }) => userId },
      whatsappId: ({ connectionId }) => connectionId,
    },
    emptyOlderReport,
  ),
  "GET /ticket/reports query.ticketId": {
    ...{ row: ({ ticketId }) => ticketId, harmless: "finds nothing" },
    ...emptyOlderReport,
  },
  "GET /ticket/reports query.contactId": {
    ...{ row: reportedContact, harmless: "finds nothing" },
    ...emptyOlderReport,
  },
  "GET /reports/appointmentsAtendent query.companyId": sentCompany,
  "GET /reports/rushHour query.companyId": sentCompany,
  "GET /reports/departamentRatings query.companyId": sentCompany,

  "GET /queue query.companyId": askedCompany,
  "GET /queue/:queueId params.queueId": noQueue,
  "GET /queue/:queueId/use params.queueId": noQueue,
  "POST /queue body.promptId": noPrompt,
  "POST /queue body.integrationId": noIntegration,
  "PUT /queue/:queueId params.queueId": noSpareQueue,
  "PUT /queue/:queueId body.promptId": noPrompt,
  "PUT /queue/:queueId body.integrationId": noIntegration,
  "DELETE /queue/:queueId params.queueId": noSpareQueue,
  "DELETE /queue/:queueId query.targetQueueId": noQueue,
  "POST /queue/:queueId/media-upload params.queueId": noSpareQueue,
  "DELETE /queue/:queueId/media-upload params.queueId": noSpareQueue,
  "GET /queue-options query.queueId": noSpareQueue,
  "GET /queue-options query.parentId": {
    row: ({ queueOptionId }) => queueOptionId,
    harmless: "finds nothing",
    nothing: [],
    ownIsFound: true,
  },
  "GET /queue-options/:queueOptionId params.queueOptionId": noOption,
  "GET /queue/:queueId/chatbot params.queueId": noSpareQueue,
  "PUT /queue/:queueId/chatbot params.queueId": {
    ...noSpareQueue,
    rest: { greetingMessage: "Olá" },
  },
  "POST /queue/:queueId/chatbot/publish params.queueId": noSpareQueue,
  "DELETE /queue/:queueId/chatbot params.queueId": noSpareQueue,
  "POST /queue-options body.queueId": noSpareQueue,
  "POST /queue-options body.parentId": noOption,
  "PUT /queue-options/:queueOptionId params.queueOptionId": noOption,
  "POST /queue-options/order body.queueId": noSpareQueue,
  "POST /queue-options/order body.parentId": noOption,
  "POST /queue-options/order body.ids": {
    row: ({ childOptionId }) => childOptionId,
    refusal: "ERR_NO_QUEUE_OPTION_FOUND",
  },
  "DELETE /queue-options/:queueOptionId params.queueOptionId": noOption,
  "POST /queue-options/:queueOptionId/media-upload params.queueOptionId": noOption,
  "DELETE /queue-options/:queueOptionId/media-upload params.queueOptionId": noOption,

  "POST /queue/:queueId/trial params.queueId": noSpareQueue,
  "POST /queue/:queueId/trial body.connectionId": noConnection,
  "POST /queue/:queueId/trial body.state.queueId": {
    row: ({ spareQueueId }) => spareQueueId,
    harmless: "is ignored",
  },
  "POST /queue/:queueId/trial body.state.queueOptionId": {
    row: ({ queueOptionId }) => queueOptionId,
    harmless: "is ignored",
  },

  "GET /whatsapp/:connectionId params.connectionId": noConnection,
  "POST /whatsapp body.queueIds": noQueue,
  "POST /whatsapp body.transferQueueId": noQueue,
  "POST /whatsapp body.promptId": noPrompt,
  "POST /whatsapp body.integrationId": noIntegration,
  "POST /whatsapp body.cloudApi.phoneNumberId": unusedAccount,
  "POST /whatsapp body.cloudApi.businessAccountId": unusedAccount,
  "PUT /whatsapp/:connectionId params.connectionId": noConnection,
  "PUT /whatsapp/:connectionId body.queueIds": noQueue,
  "PUT /whatsapp/:connectionId body.transferQueueId": noQueue,
  "PUT /whatsapp/:connectionId body.promptId": noPrompt,
  "PUT /whatsapp/:connectionId body.integrationId": noIntegration,
  "PUT /whatsapp/:connectionId body.cloudApi.phoneNumberId": { ...unusedAccount, rest: account },
  "PUT /whatsapp/:connectionId body.cloudApi.businessAccountId": {
    ...unusedAccount,
    rest: account,
  },
  "DELETE /whatsapp/:connectionId params.connectionId": noConnection,
  "POST /whatsappsession/:connectionId params.connectionId": noConnection,
  "PUT /whatsappsession/:connectionId params.connectionId": noConnection,
  "DELETE /whatsappsession/:connectionId params.connectionId": noConnection,

  "DELETE /api-tokens/:apiTokenId params.apiTokenId": {
    row: ({ apiTokenId }) => apiTokenId,
    refusal: "ERR_NO_API_TOKEN_FOUND",
  },
  "GET /prompt/:promptId params.promptId": noPrompt,
  "POST /prompt body.queueId": noQueue,
  "PUT /prompt/:promptId params.promptId": noPrompt,
  "PUT /prompt/:promptId body.queueId": noQueue,
  "DELETE /prompt/:promptId params.promptId": noPrompt,
  "POST /prompt/check body.promptId": noPrompt,
  "GET /knowledge/:knowledgeId params.knowledgeId": noKnowledge,
  "PUT /knowledge/:knowledgeId params.knowledgeId": noKnowledge,
  "DELETE /knowledge/:knowledgeId params.knowledgeId": noKnowledge,
  "POST /prompt/try body.promptId": noPrompt,
  // A trial hands nothing over.
  "POST /prompt/try body.prompt.queueId": { row: ({ queueId }) => queueId, harmless: "is ignored" },
  "GET /queueIntegration/:integrationId params.integrationId": noIntegration,
  "PUT /queueIntegration/:integrationId params.integrationId": noIntegration,
  "DELETE /queueIntegration/:integrationId params.integrationId": noIntegration,
  "POST /queueIntegration/testSession body.integrationId": noIntegration,
  "POST /queueIntegration/:integrationId/test params.integrationId": noIntegration,
  "POST /queueIntegration/:integrationId/resume params.integrationId": noIntegration,
  "GET /queueIntegration/:integrationId/secret params.integrationId": noIntegration,
  "POST /queueIntegration/:integrationId/secret params.integrationId": noIntegration,
  "GET /integration-deliveries query.integrationId": {
    row: ({ integrationId }) => integrationId,
    rest: {},
    ...{ harmless: "finds nothing", nothing: { deliveries: [], hasMore: false, failed: 0 } },
  },
  "GET /integration-deliveries query.ticketId": {
    row: ({ ticketId }) => ticketId,
    rest: {},
    ...{ harmless: "finds nothing", nothing: { deliveries: [], hasMore: false, failed: 0 } },
  },
  "GET /integration-deliveries query.before": {
    row: ({ deliveryId }) => deliveryId,
    harmless: "is the caller's own choice",
  },
  "GET /integration-deliveries/:deliveryId params.deliveryId": {
    row: ({ deliveryId }) => deliveryId,
    refusal: "ERR_NO_DELIVERY_FOUND",
  },
  "POST /integration-deliveries/again body.deliveryIds": {
    row: ({ deliveryId }) => deliveryId,
    ...{ harmless: "finds nothing", nothing: { again: 0 } },
  },
  "GET /api-calls query.apiTokenId": {
    row: ({ apiTokenId }) => apiTokenId,
    rest: {},
    ...{ harmless: "finds nothing", nothing: { calls: [], hasMore: false } },
  },
  "GET /api-calls query.connectionId": {
    row: ({ connectionId }) => connectionId,
    rest: {},
    ...{ harmless: "finds nothing", nothing: { calls: [], hasMore: false } },
  },
  "GET /api-calls query.before": {
    row: ({ apiCallId }) => apiCallId,
    harmless: "is the caller's own choice",
  },
  "PUT /webhooks/:webhookId params.webhookId": noWebhook,
  "DELETE /webhooks/:webhookId params.webhookId": noWebhook,
  "POST /webhooks/:webhookId/test params.webhookId": noWebhook,
  "POST /webhooks/:webhookId/resume params.webhookId": noWebhook,
  "GET /webhooks/:webhookId/secret params.webhookId": noWebhook,
  "POST /webhooks/:webhookId/secret params.webhookId": noWebhook,
  "GET /webhook-deliveries query.webhookId": {
    row: ({ webhookId }) => webhookId,
    rest: {},
    ...{ harmless: "finds nothing", nothing: { deliveries: [], hasMore: false } },
  },
  "GET /webhook-deliveries query.before": {
    row: ({ webhookDeliveryId }) => webhookDeliveryId,
    harmless: "is the caller's own choice",
  },
  "GET /webhook-deliveries/:deliveryId params.deliveryId": {
    row: ({ webhookDeliveryId }) => webhookDeliveryId,
    refusal: "ERR_NO_DELIVERY_FOUND",
  },
  "POST /webhook-deliveries/again body.deliveryIds": {
    row: ({ webhookDeliveryId }) => webhookDeliveryId,
    ...{ harmless: "finds nothing", nothing: { again: 0 } },
  },
  "POST /messages/send body.queueId": noQueue,
  "POST /messages/send body.userId": noUser,
  "POST /v1/messages body.ticketId": { ...noTicket, rest: { body: "Bom dia" } },
  "POST /v1/messages body.connectionId": noConnection,
  "POST /v1/messages body.queueId": noQueue,
  "POST /v1/messages body.userId": noUser,
  "GET /v1/messages query.ticketId": noTicket,
  "GET /v1/messages query.cursor": {
    row: ({ messageId }) => messageId,
    refusal: "ERR_NO_MESSAGE_FOUND",
  },
  "GET /v1/contacts/:contactId params.contactId": noContact,
  "PUT /v1/contacts/:contactId params.contactId": noContact,
  "GET /v1/tickets query.tagIds": {
    row: ({ tagId }) => JSON.stringify([tagId]),
    ...{ harmless: "finds nothing", nothing: { data: [], nextCursor: null } },
  },
  "GET /v1/tickets query.connectionIds": {
    row: ({ connectionId }) => JSON.stringify([connectionId]),
    ...{ harmless: "finds nothing", nothing: { data: [], nextCursor: null } },
  },
  "GET /v1/tickets query.queueIds": {
    row: ({ queueId }) => JSON.stringify([queueId]),
    ...{ harmless: "finds nothing", nothing: { data: [], nextCursor: null } },
  },
  "POST /v1/tickets/:ticketId/draft params.ticketId": noTicket,
  "GET /v1/tickets/:ticketId params.ticketId": noTicket,
  "PUT /v1/tickets/:ticketId params.ticketId": noTicket,
  "PUT /v1/tickets/:ticketId body.userId": noUser,
  "PUT /v1/tickets/:ticketId body.queueId": noQueue,
  "PUT /v1/tickets/:ticketId/tags params.ticketId": noTicket,
  "PUT /v1/tickets/:ticketId/tags body.tagIds": noTag,
  "GET /v1/templates query.connectionId": noConnection,

  "GET /tickets query.queueIds": {
    row: ({ queueId }) => JSON.stringify([queueId]),
    rest: { status: "pending", showAll: "true" },
    harmless: "finds nothing",
    nothing: { tickets: [], count: 0, hasMore: false },
    ownIsFound: true,
  },
  "GET /tickets query.tags": {
    row: ({ tagId }) => JSON.stringify([tagId]),
    rest: { status: "pending", showAll: "true" },
    harmless: "finds nothing",
    nothing: { tickets: [], count: 0, hasMore: false },
    ownIsFound: true,
  },
  "GET /tickets query.users": {
    row: ({ userId }) => JSON.stringify([userId]),
    rest: { status: "pending", showAll: "true" },
    harmless: "finds nothing",
    usedBy: ["admin", "super"],
    nothing: { tickets: [], count: 0, hasMore: false },
  },
  "GET /tickets query.whatsappIds": {
    row: ({ connectionId }) => JSON.stringify([connectionId]),
    rest: { status: "pending", showAll: "true" },
    harmless: "finds nothing",
    nothing: { tickets: [], count: 0, hasMore: false },
    ownIsFound: true,
  },
  "GET /tickets/counts query.queueIds": {
    row: ({ queueId }) => JSON.stringify([queueId]),
    rest: { showAll: "true" },
    harmless: "finds nothing",
    nothing: { open: 0, pending: 0 },
  },
  "GET /tickets/counts query.tags": {
    row: ({ tagId }) => JSON.stringify([tagId]),
    rest: { showAll: "true" },
    harmless: "finds nothing",
    nothing: { open: 0, pending: 0 },
  },
  "GET /tickets/counts query.users": {
    row: ({ userId }) => JSON.stringify([userId]),
    rest: { showAll: "true" },
    harmless: "finds nothing",
    usedBy: ["admin", "super"],
    nothing: { open: 0, pending: 0 },
  },
  "GET /tickets/counts query.whatsappIds": {
    row: ({ connectionId }) => JSON.stringify([connectionId]),
    rest: { showAll: "true" },
    harmless: "finds nothing",
    nothing: { open: 0, pending: 0 },
  },
  "GET /tickets/:ticketId params.ticketId": noTicket,
  "GET /tickets/u/:ticketUuid params.ticketUuid": {
    row: ({ ticketUuid }) => ticketUuid,
    refusal: "ERR_NO_TICKET_FOUND",
  },
  "PUT /tickets/:ticketId params.ticketId": noTicket,
  "PUT /tickets/:ticketId body.userId": {
    row: ({ userId }) => userId,
    rest: {},
    refusal: "ERR_NO_USER_FOUND",
  },
  "PUT /tickets/:ticketId body.queueId": {
    row: ({ queueId }) => queueId,
    rest: {},
    refusal: "ERR_QUEUE_NOT_FOUND",
  },
  "PUT /tickets/:ticketId body.whatsappId": {
    row: ({ connectionId }) => connectionId,
    rest: {},
    refusal: "ERR_NO_WAPP_FOUND",
  },
  "PUT /tickets/:ticketId body.promptId": { ...noPrompt, rest: {} },
  "PUT /tickets/:ticketId body.integrationId": { ...noIntegration, rest: {} },

  "PUT /tickets/:ticketId body.reasonId": { ...noReason, rest: { status: "closed" } },
  "POST /tickets/:ticketId/undo params.ticketId": {
    ...noTicket,
    row: ({ acceptedTicketId }) => acceptedTicketId,
  },
  "POST /tickets/:ticketId/undo body.undoId": {
    row: ({ undoId }) => undoId,
    refusal: "ERR_UNDO_OVER",
  },
  "POST /macros body.tagId": noTag,
  "POST /macros body.queueId": noQueue,
  "POST /macros body.reasonId": noReason,
  "PUT /macros/:macroId params.macroId": noMacro,
  "PUT /macros/:macroId body.tagId": noTag,
  "PUT /macros/:macroId body.queueId": noQueue,
  "PUT /macros/:macroId body.reasonId": noReason,
  "DELETE /macros/:macroId params.macroId": noMacro,
  "POST /macros/:macroId/run params.macroId": noMacro,
  "POST /macros/:macroId/run body.ticketId": noTicket,
  "PUT /resolve-reasons/:resolveReasonId params.resolveReasonId": noReason,
  "DELETE /resolve-reasons/:resolveReasonId params.resolveReasonId": noReason,

  "POST /tickets body.contactId": {
    row: ({ freeContactId }) => freeContactId,
    refusal: "ERR_NO_CONTACT_FOUND",
  },
  "POST /tickets body.queueId": { row: ({ queueId }) => queueId, refusal: "ERR_QUEUE_NOT_FOUND" },
  "POST /tickets body.whatsappId": {
    row: ({ connectionId }) => connectionId,
    refusal: "ERR_NO_WAPP_FOUND",
  },
  "POST /tickets body.userId": { row: ({ userId }) => userId, refusal: "ERR_NO_USER_FOUND" },
  "DELETE /tickets/:ticketId params.ticketId": noTicket,
  "POST /ticket-views body.filter.queueIds": viewQueue,
  "POST /ticket-views body.filter.tagIds": viewTag,
  "POST /ticket-views body.filter.userIds": viewUser,
  "POST /ticket-views body.filter.connectionIds": viewConnection,
  "PUT /ticket-views/:ticketViewId params.ticketViewId": noView,
  "PUT /ticket-views/:ticketViewId body.filter.queueIds": viewQueue,
  "PUT /ticket-views/:ticketViewId body.filter.tagIds": viewTag,
  "PUT /ticket-views/:ticketViewId body.filter.userIds": viewUser,
  "PUT /ticket-views/:ticketViewId body.filter.connectionIds": viewConnection,
  "DELETE /ticket-views/:ticketViewId params.ticketViewId": noView,
  "POST /ticket-views/:ticketViewId/undo params.ticketViewId": {
    row: ({ deletedViewId }) => deletedViewId,
    refusal: "ERR_UNDO_OVER",
  },
  "POST /tickets/bulk body.ticketIds": {
    row: ({ ticketId }) => ticketId,
    harmless: "finds nothing",
    nothing: { results: [{ error: "ERR_NO_TICKET_FOUND", ticket: null }] },
    ownIsFound: true,
  },
  "POST /tickets/bulk body.change.queueId": noQueue,
  "POST /tickets/bulk body.change.userId": noColleague,
  "POST /tickets/bulk body.change.reasonId": {
    ...noReason,
    rest: { ticketIds: [1], change: { action: "resolve" } },
  },
  "POST /tickets/bulk body.change.tagIds": {
    row: ({ tagId }) => [tagId],
    rest: { ticketIds: [1], change: { action: "tag" } },
    refusal: "ERR_NO_TAG_FOUND",
  },
  "POST /tickets/bulk/undo body.undos.ticketId": {
    row: ({ acceptedTicketId }) => acceptedTicketId,
    harmless: "finds nothing",
    nothing: { results: [{ error: "ERR_NO_TICKET_FOUND", ticket: null }] },
  },
  "POST /tickets/bulk/undo body.undos.undoId": {
    row: ({ undoId }) => undoId,
    harmless: "finds nothing",
    nothing: { results: [{ error: "ERR_UNDO_OVER", ticket: null }] },
  },
  "POST /tickets/closeAll body.selectedQueueIds": {
    row: ({ spareQueueId }) => spareQueueId,
    refusal: "ERR_QUEUE_NOT_FOUND",
  },
  "PUT /tickets/:ticketId/snooze params.ticketId": noTicket,
  "DELETE /tickets/:ticketId/snooze params.ticketId": noTicket,
  "PUT /tickets/:ticketId/pin params.ticketId": noTicket,
  "DELETE /tickets/:ticketId/pin params.ticketId": noTicket,
  "GET /tickets/:ticketId/attendances params.ticketId": noTicket,
  "POST /tickets/:ticketId/help params.ticketId": noTicket,
  "POST /tickets/:ticketId/help body.messageId": {
    ...noMessage,
    row: ({ helpedMessageId }) => helpedMessageId,
  },

  "GET /messages/:ticketId params.ticketId": noTicket,
  "GET /messages/:ticketId query.afterId": {
    row: ({ messageId }) => messageId,
    rest: { markRead: "false" },
    refusal: "ERR_NO_MESSAGE_FOUND",
  },
  "GET /messages/:ticketId query.aroundId": {
    row: ({ messageId }) => messageId,
    rest: { markRead: "false" },
    refusal: "ERR_NO_MESSAGE_FOUND",
  },
  "DELETE /messages/undo/:messageId params.messageId": {
    ...noMessage,
    row: ({ waitingMessageId }) => waitingMessageId,
  },
  "POST /messages/edit/:messageId params.messageId": {
    ...noMessage,
    row: ({ sentMessageId }) => sentMessageId,
    rest: { body: "Outro texto" },
  },
  "PUT /messages/:messageId params.messageId": {
    ...noMessage,
    row: ({ sentMessageId }) => sentMessageId,
  },
  "DELETE /messages/:messageId params.messageId": {
    ...noMessage,
    row: ({ sentMessageId }) => sentMessageId,
  },
  "POST /messages/:messageId/transcript params.messageId": {
    ...noMessage,
    row: ({ heardMessageId }) => heardMessageId,
  },
  "POST /messages/:messageId/reactions params.messageId": {
    ...noMessage,
    row: ({ messageId }) => messageId,
  },
  "GET /messages/:ticketId query.beforeId": {
    row: ({ messageId }) => messageId,
    rest: { markRead: "false" },
    refusal: "ERR_NO_MESSAGE_FOUND",
  },
  "GET /messages/:ticketId/search params.ticketId": noTicket,
  "GET /messages/:ticketId/search query.beforeId": noMessage,
  "GET /messages/:ticketId/shared params.ticketId": noTicket,
  "GET /messages/:ticketId/shared query.beforeId": {
    row: ({ messageId }) => messageId,
    refusal: "ERR_NO_MESSAGE_FOUND",
  },
  "POST /messages/:ticketId params.ticketId": { ...noTicket, rest: { body: "Olá" } },
  // wire-contract 10.1: a message to quote that is not there is a 400.
  "POST /messages/:ticketId body.quotedMsg.id": {
    row: ({ messageId }) => messageId,
    refusal: "ERR_FETCH_WAPP_MSG",
  },
  "POST /messages/:ticketId body.clientId": {
    row: newClientId,
    harmless: "is the caller's own choice",
  },
  "GET /whatsapp/:connectionId/templates params.connectionId": {
    row: ({ officialConnectionId }) => officialConnectionId,
    refusal: "ERR_NO_WAPP_FOUND",
  },
  "POST /messages/:ticketId/template params.ticketId": {
    row: ({ officialTicketId }) => officialTicketId,
    refusal: "ERR_NO_TICKET_FOUND",
  },
  "POST /messages/:ticketId/template body.clientId": {
    row: newClientId,
    harmless: "is the caller's own choice",
  },
  "POST /message/forward body.messageId": noMessage,
  "POST /message/forward body.messageIds": noMessage,
  "POST /message/forward body.clientIds": {
    row: newClientId,
    harmless: "is the caller's own choice",
  },
  "POST /message/forward body.contactId": noContact,
  "POST /messages/:ticketId/read params.ticketId": noTicket,
  "POST /messages/retry/:messageId params.messageId": noMessage,
  "DELETE /messages/failed/:messageId params.messageId": noMessage,

  "GET /contacts query.tags": {
    row: ({ tagId }) => JSON.stringify([tagId]),
    harmless: "finds nothing",
    nothing: { contacts: [], count: 0, hasMore: false },
    ownIsFound: true,
  },
  "GET /contacts query.whatsappIds": {
    row: ({ connectionId }) => JSON.stringify([connectionId]),
    harmless: "finds nothing",
    nothing: { contacts: [], count: 0, hasMore: false },
    ownIsFound: true,
  },
  "GET /contacts/:contactId params.contactId": noContact,
  "POST /contacts body.extraInfo.id": {
    row: ({ extraInfoId }) => extraInfoId,
    harmless: "is ignored",
  },
  "PUT /contacts/:contactId params.contactId": noContact,
  "PUT /contacts/:contactId body.extraInfo.id": {
    row: ({ extraInfoId }) => extraInfoId,
    harmless: "is ignored",
  },
  "DELETE /contacts/:contactId params.contactId": noContact,
  "POST /contacts/bulk body.selection.ids": {
    row: ({ contactId }) => [contactId],
    harmless: "finds nothing",
    nothing: { changedIds: [], refused: 0, afterId: null },
  },
  "POST /contacts/bulk body.selection.filter.tags": {
    row: ({ tagId }) => [tagId],
    rest: { action: "optOut", selection: {} },
    harmless: "finds nothing",
    nothing: { changedIds: [], refused: 0, afterId: null },
  },
  "POST /contacts/bulk body.selection.filter.whatsappIds": {
    row: ({ connectionId }) => [connectionId],
    rest: { action: "optOut", selection: {} },
    harmless: "finds nothing",
    nothing: { changedIds: [], refused: 0, afterId: null },
  },
  "POST /contacts/bulk body.selection.except": {
    row: ({ contactId }) => [contactId],
    harmless: "is ignored",
  },
  // The place in a list of ids.
  "POST /contacts/bulk body.afterId": {
    row: ({ contactId }) => contactId,
    harmless: "is the caller's own choice",
  },
  "POST /contacts/export body.selection.ids": {
    row: ({ contactId }) => [contactId],
    harmless: "finds nothing",
    nothing: onlyTitles,
    ownIsFound: true,
  },
  "POST /contacts/export body.selection.filter.tags": {
    row: ({ tagId }) => [tagId],
    rest: { format: "csv", selection: {} },
    harmless: "finds nothing",
    nothing: onlyTitles,
  },
  "POST /contacts/export body.selection.filter.whatsappIds": {
    row: ({ connectionId }) => [connectionId],
    rest: { format: "csv", selection: {} },
    harmless: "finds nothing",
    nothing: onlyTitles,
  },
  "POST /contacts/export body.selection.except": {
    row: ({ contactId }) => [contactId],
    harmless: "is ignored",
  },
  "PUT /contacts/:contactId/opt-out params.contactId": noContact,
  "DELETE /contacts/:contactId/opt-out params.contactId": noContact,
  "GET /privacy/contacts/:contactId params.contactId": noContact,
  "PUT /privacy/contacts/:contactId/hold params.contactId": noContact,
  "DELETE /privacy/contacts/:contactId/hold params.contactId": noContact,
  "GET /privacy/contacts/:contactId/consents params.contactId": noContact,
  "POST /privacy/contacts/:contactId/consents params.contactId": noContact,
  "POST /privacy/contacts/:contactId/exports params.contactId": noContact,
  "POST /privacy/erasures body.contactId": noContact,
  "GET /privacy/exports/:personExportId/file params.personExportId": {
    ...{ row: ({ personExportId }) => personExportId, refusal: "ERR_NO_FILE_FOUND" },
  },
  "GET /privacy/erasures/:erasureId/certificate params.erasureId": {
    ...{ row: ({ erasureId }) => erasureId, refusal: "ERR_NO_FILE_FOUND" },
  },
  "GET /contacts/:contactId/attendances params.contactId": noContact,
  "GET /contacts/:contactId/summary params.contactId": noContact,
  "GET /contacts/:contactId/history params.contactId": noContact,
  "GET /contacts/:contactId/notes params.contactId": noContact,
  "GET /contacts/:contactId/files params.contactId": noContact,
  "POST /contacts/:contactId/distinct params.contactId": noContact,
  "POST /contacts/:contactId/distinct body.otherId": noContact,
  "GET /contacts/:contactId/merge params.contactId": noContact,
  "GET /contacts/:contactId/merge query.otherId": noContact,
  "POST /contacts/:contactId/merge params.contactId": {
    row: ({ freeContactId }) => freeContactId,
    refusal: "ERR_NO_CONTACT_FOUND",
  },
  "POST /contacts/:contactId/merge body.otherId": {
    row: ({ twinContactId }) => twinContactId,
    refusal: "ERR_NO_CONTACT_FOUND",
  },

  "GET /tags/:tagId params.tagId": noTag,
  "PUT /tags/:tagId params.tagId": noTag,
  "DELETE /tags/:tagId params.tagId": noTag,
  "POST /tags/:tagId/undo params.tagId": {
    row: ({ deletedTagId }) => deletedTagId,
    refusal: "ERR_UNDO_OVER",
  },
  "POST /tags/sync body.ticketId": noTicket,
  "POST /tags/sync body.tags.id": noTag,

  "GET /contact-lists/:contactListId params.contactListId": noContactList,
  "PUT /contact-lists/:contactListId params.contactListId": noContactList,
  "DELETE /contact-lists/:contactListId params.contactListId": noContactList,
  "POST /contact-lists/:contactListId/contacts params.contactListId": noContactList,
  "POST /contact-lists/:contactListId/contacts body.selection.ids": {
    row: ({ contactId }) => [contactId],
    rest: { selection: { ids: [1] } },
    harmless: "finds nothing",
    nothing: { added: 0, chosen: 0 },
  },
  "POST /contact-lists/:contactListId/contacts body.selection.filter.tags": {
    row: ({ tagId }) => [tagId],
    harmless: "finds nothing",
    nothing: { added: 0, chosen: 0 },
  },
  "POST /contact-lists/:contactListId/contacts body.selection.filter.whatsappIds": {
    row: ({ connectionId }) => [connectionId],
    harmless: "finds nothing",
    nothing: { added: 0, chosen: 0 },
  },
  "POST /contact-lists/:contactListId/contacts body.selection.except": {
    row: ({ contactId }) => [contactId],
    harmless: "is ignored",
  },
  "POST /contact-lists/:contactListId/export params.contactListId": noContactList,
  "POST /contact-lists/:contactListId/refresh params.contactListId": noContactList,
  "POST /contact-lists/:contactListId/check params.contactListId": noContactList,
  "GET /contact-list-items query.contactListId": noContactList,
  "GET /contact-list-items/:contactListItemId params.contactListItemId": noContactListItem,
  "POST /contact-list-items body.contactListId": noContactList,
  "PUT /contact-list-items/:contactListItemId params.contactListItemId": noContactListItem,
  "DELETE /contact-list-items/:contactListItemId params.contactListItemId": noContactListItem,

  "GET /contact-imports query.contactListId": {
    row: ({ contactListId }) => contactListId,
    harmless: "finds nothing",
    nothing: { records: [], count: 0 },
  },
  "GET /contact-imports/:contactImportId params.contactImportId": noImport,
  "PUT /contact-imports/:contactImportId params.contactImportId": noImport,
  "DELETE /contact-imports/:contactImportId params.contactImportId": noImport,
  "GET /contact-imports/:contactImportId/rows params.contactImportId": noImport,
  "GET /contact-imports/:contactImportId/refused params.contactImportId": noImport,
  "POST /contact-imports/:contactImportId/start params.contactImportId": noImport,
  "POST /contact-imports/:contactImportId/pause params.contactImportId": {
    ...noImport,
    row: ({ waitingImportId }) => waitingImportId,
  },
  "POST /contact-imports/:contactImportId/resume params.contactImportId": noPausedImport,
  "POST /contact-imports/:contactImportId/stop params.contactImportId": noPausedImport,
  "POST /contact-lists/:contactListId/upload params.contactListId": noContactList,

  "POST /ticket-notes body.ticketId": noTicket,
  // The contact is the ticket's, whatever is sent.
  "POST /ticket-notes body.contactId": {
    row: ({ contactId }) => contactId,
    harmless: "is ignored",
  },
  "GET /ticket-notes/list query.ticketId": noTicket,
  "GET /ticket-notes/list query.contactId": {
    row: ({ contactId }) => contactId,
    harmless: "is ignored",
  },
  "POST /ticket-notes body.mentionedUserIds": noColleague,
  "POST /ticket-notes body.mentionedQueueIds": noQueue,
  "GET /ticket-notes/readers query.ticketId": noTicket,
  "POST /ticket-notes/mentions/read body.ticketId": noTicket,
  "PUT /ticket-notes/:noteId params.noteId": noNote,
  "PUT /ticket-notes/:noteId body.mentionedUserIds": noColleague,
  "PUT /ticket-notes/:noteId body.mentionedQueueIds": noQueue,
  "DELETE /ticket-notes/:noteId params.noteId": noNote,
  "POST /ticket-notes/:noteId/undo params.noteId": {
    row: ({ deletedNoteId }) => deletedNoteId,
    refusal: "ERR_UNDO_OVER",
  },

  "GET /campaigns/:campaignId params.campaignId": noCampaign,
  "PUT /campaigns/:campaignId params.campaignId": noCampaign,
  "DELETE /campaigns/:campaignId params.campaignId": noCampaign,
  "POST /campaigns/:campaignId/start params.campaignId": noCampaign,
  "POST /campaigns/:campaignId/media-upload params.campaignId": noCampaign,
  "POST /campaigns/:campaignId/duplicate params.campaignId": noCampaign,
  "POST /campaigns/:campaignId/test params.campaignId": noCampaign,
  "DELETE /campaigns/:campaignId/media-upload params.campaignId": noCampaign,
  "GET /campaigns/:campaignId/report params.campaignId": noCampaign,
  "POST /campaigns/:campaignId/cancel params.campaignId": noRunningCampaign,
  "POST /campaigns/:campaignId/restart params.campaignId": noCancelledCampaign,
  "POST /campaigns/:campaignId/resend params.campaignId": noCancelledCampaign,
  "GET /campaigns/:campaignId/recipients params.campaignId": noCancelledCampaign,
  "POST /campaigns/:campaignId/export params.campaignId": noCancelledCampaign,
  "POST /campaigns body.whatsappId": noConnection,
  "POST /campaigns body.contactListId": noContactList,
  "POST /campaigns body.tagListId": noTag,
  "POST /campaigns body.fileListId": noFileList,
  "POST /campaigns body.answerQueueId": noQueue,
  "POST /campaigns body.answerTagId": noTag,
  "PUT /campaigns/:campaignId body.whatsappId": noConnection,
  "PUT /campaigns/:campaignId body.contactListId": noContactList,
  "PUT /campaigns/:campaignId body.tagListId": noTag,
  "PUT /campaigns/:campaignId body.fileListId": noFileList,
  "PUT /campaigns/:campaignId body.answerQueueId": noQueue,
  "PUT /campaigns/:campaignId body.answerTagId": noTag,
  "POST /campaigns/estimate body.whatsappId": noConnection,
  "POST /campaigns/estimate body.contactListId": noContactList,
  "POST /campaigns/estimate body.tagListId": noTag,
  "POST /campaigns/estimate body.fileListId": noFileList,
  "POST /campaigns/preview body.contactListId": noContactList,
  "POST /campaigns/preview body.tagListId": noTag,
  "POST /campaigns/preview body.whatsappId": {
    row: ({ connectionId }) => connectionId,
    harmless: "is ignored",
  },
  "POST /campaigns/preview body.fileListId": {
    row: ({ fileListId }) => fileListId,
    harmless: "is ignored",
  },
  "POST /campaigns/preview body.answerQueueId": {
    row: ({ queueId }) => queueId,
    harmless: "is ignored",
  },
  "POST /campaigns/preview body.answerTagId": { row: ({ tagId }) => tagId, harmless: "is ignored" },
  "PUT /campaign-lines/:connectionId params.connectionId": noConnection,

  "GET /files/:fileListId params.fileListId": noFileList,
  "PUT /files/:fileListId params.fileListId": noFileList,
  "PUT /files/:fileListId body.options.id": {
    row: ({ fileListOptionId }) => fileListOptionId,
    refusal: "ERR_NO_FILE_FOUND",
  },
  "DELETE /files/:fileListId params.fileListId": { ...noFileList, refusal: "ERR_NO_RATING_FOUND" },
  "POST /files/uploadList/:fileListId params.fileListId": noFileList,

  "GET /quick-messages/:quickMessageId params.quickMessageId": noQuickMessage,
  "PUT /quick-messages/:quickMessageId params.quickMessageId": noQuickMessage,
  "POST /quick-messages/:quickMessageId/use params.quickMessageId": noQuickMessage,
  "DELETE /quick-messages/:quickMessageId params.quickMessageId": noQuickMessage,
  "POST /quick-messages/:quickMessageId/media-upload params.quickMessageId": noQuickMessage,
  "DELETE /quick-messages/:quickMessageId/media-upload params.quickMessageId": noQuickMessage,

  "GET /schedules query.contactId": {
    row: ({ contactId }) => contactId,
    rest: {},
    harmless: "finds nothing",
    nothing: { schedules: [], count: 0, hasMore: false },
    ownIsFound: true,
  },
  "GET /schedules query.userId": {
    row: ({ userId }) => userId,
    rest: {},
    harmless: "finds nothing",
    // Others than admins see their own whatever they ask for.
    usedBy: ["admin", "super"],
    nothing: { schedules: [], count: 0, hasMore: false },
  },
  "GET /schedules query.whatsappId": {
    row: ({ connectionId }) => connectionId,
    rest: {},
    harmless: "finds nothing",
    nothing: { schedules: [], count: 0, hasMore: false },
  },
  "GET /schedules/calendar query.contactId": {
    row: ({ contactId }) => contactId,
    harmless: "finds nothing",
    nothing: { schedules: [], days: [] },
  },
  "GET /schedules/calendar query.userId": {
    row: ({ userId }) => userId,
    harmless: "finds nothing",
    nothing: { schedules: [], days: [] },
  },
  "GET /schedules/calendar query.whatsappId": {
    row: ({ connectionId }) => connectionId,
    harmless: "finds nothing",
    nothing: { schedules: [], days: [] },
  },
  "GET /schedules/:scheduleId params.scheduleId": noSchedule,
  "POST /schedules body.contactId": noContact,
  "PUT /schedules/:scheduleId params.scheduleId": noSchedule,
  "PUT /schedules/:scheduleId body.contactId": noContact,
  "DELETE /schedules/:scheduleId params.scheduleId": noSchedule,
  "POST /schedules/:scheduleId/media-upload params.scheduleId": noSchedule,
  "DELETE /schedules/:scheduleId/media-upload params.scheduleId": noSchedule,

  "GET /users/list query.companyId": askedCompany,
  "GET /users/:userId params.userId": { ...noUser, allowedTo: ["super"] },
  "PUT /auth/passkeys/:passkeyId params.passkeyId": noPasskey,
  "POST /auth/passkeys/:passkeyId/remove params.passkeyId": noPasskey,
  "DELETE /auth/sessions/:sessionId params.sessionId": {
    row: ({ sessionId }) => sessionId,
    refusal: "ERR_NO_SESSION_FOUND",
  },
  "GET /users/:userId/sign-ins params.userId": noColleague,
  "DELETE /users/:userId/sessions params.userId": noColleague,
  "DELETE /users/:userId/factor params.userId": noColleague,
  "GET /users/:userId/use params.userId": { ...noColleague, allowedTo: ["super"] },
  "POST /users body.queueIds": noQueue,
  "POST /users body.whatsappId": noConnection,
  "POST /users body.roleId": noRole,
  "PUT /users/:userId body.roleId": {
    ...noRole,
    row: ({ adminRoleId }) => adminRoleId,
    ignoredFrom: ["user", "supervisor"],
  },
  "PUT /roles/:roleId params.roleId": noRole,
  "DELETE /roles/:roleId params.roleId": noRole,
  "DELETE /roles/:roleId query.toRoleId": {
    ...noRole,
    row: ({ otherRoleId }: Rows) => otherRoleId,
  },
  "POST /users body.companyId": {
    row: ({ companyId }) => companyId,
    refusal: "ERR_NO_SUPER",
    // He may, but the queue beside it is not that company's.
    refusalOfSuper: "ERR_QUEUE_NOT_FOUND",
  },
  // A super user may, but the queue beside it is not that company's.
  "PUT /users/:userId params.userId": { ...noUser, refusalOfSuper: "ERR_QUEUE_NOT_FOUND" },
  // Agents cannot change these fields of their own account; the values are ignored.
  "PUT /users/:userId body.queueIds": { ...noQueue, ignoredFrom: ["user", "supervisor"] },
  "PUT /users/:userId body.whatsappId": { ...noConnection, ignoredFrom: ["user", "supervisor"] },
  // A user's company cannot be changed.
  "PUT /users/:userId body.companyId": {
    row: ({ companyId }) => companyId,
    harmless: "is ignored",
  },
  "DELETE /users/:userId params.userId": {
    ...noColleague,
    allowedTo: ["super"],
    changedBy: ["super"],
  },

  "GET /drafts/:ticketId params.ticketId": noTicket,
  "PUT /drafts/:ticketId params.ticketId": { ...noTicket, rest: { body: "Vou verif" } },
  "PUT /drafts/:ticketId body.quotedMsgId": {
    row: ({ messageId }) => messageId,
    harmless: "is ignored",
  },
  "PUT /drafts/:ticketId body.clientId": {
    row: newClientId,
    harmless: "is the caller's own choice",
  },

  "POST /simulator/connections/:connectionId/scan params.connectionId": noPairing,
  "POST /simulator/connections/:connectionId/unlink params.connectionId": noConnection,
  "PUT /simulator/connections/:connectionId/network params.connectionId": noConnection,
  "GET /simulator/connections/:connectionId/chats params.connectionId": noConnection,
  "POST /simulator/connections/:connectionId/chats params.connectionId": noConnection,
  "GET /simulator/connections/:connectionId/chats/:phone/messages params.connectionId":
    noConnection,
  "GET /simulator/connections/:connectionId/chats/:phone/messages query.beforeId": {
    row: ({ networkMessageId }) => networkMessageId,
    harmless: "finds nothing",
    nothing: [],
  },
  "POST /simulator/connections/:connectionId/chats/:phone/messages params.connectionId":
    noConnection,
  "POST /simulator/connections/:connectionId/chats/:phone/messages body.messageId": {
    row: ({ networkMessageId }) => networkMessageId,
    harmless: "is the caller's own choice",
  },
  "POST /simulator/connections/:connectionId/chats/:phone/messages body.quotedId": noNetworkMessage,
  "PUT /simulator/connections/:connectionId/messages/:messageId params.connectionId": noConnection,
  "PUT /simulator/connections/:connectionId/messages/:messageId params.messageId": noNetworkMessage,
  "DELETE /simulator/connections/:connectionId/messages/:messageId params.connectionId":
    noConnection,
  "DELETE /simulator/connections/:connectionId/messages/:messageId params.messageId":
    noNetworkMessage,
  "POST /simulator/connections/:connectionId/messages/:messageId/reactions params.connectionId":
    noConnection,
  "POST /simulator/connections/:connectionId/messages/:messageId/reactions params.messageId":
    noNetworkMessage,
  "GET /simulator/connections/:connectionId/messages/:messageId/file params.connectionId":
    noConnection,
  "GET /simulator/connections/:connectionId/messages/:messageId/file params.messageId": {
    row: ({ networkFileId }) => networkFileId,
    refusal: "ERR_NO_MESSAGE_FOUND",
  },
  "POST /simulator/connections/:connectionId/groups params.connectionId": noConnection,
  "POST /simulator/connections/:connectionId/chats/:phone/calls params.connectionId": noConnection,
  "POST /simulator/connections/:connectionId/chats/:phone/read params.connectionId": noConnection,
  "POST /simulator/connections/:connectionId/chats/:phone/typing params.connectionId": noConnection,
};

/** Parameters that name no row of their own: a setting's name, a customer of the connection beside it, a new password. */
const plainParams = new Set(["key", "phone", "email", "token", "password", "kind"]);

test("the matrix knows every place of every call that names a row, and no other", () => {
  expect(findIdSlots().sort()).toEqual(Object.keys(fates).sort());
  const params = Object.values<Endpoint>(endpoints).flatMap((endpoint) =>
    Object.keys(endpoint.params?.shape ?? {}),
  );
  expect(params.filter((param) => !plainParams.has(param) && !/(Id|Uuid)$/.test(param))).toEqual(
    [],
  );
});

const product = await testApp({
  environment: {
    ...{ ROLES: "http", GRAPH_API_URL: (await startGraphStub()).url },
    ...(await startSmtpStub()).environment,
  },
  ...(await reachedByIntegrations()),
});
const { database } = product;
const send = createSender(product.url);
const own = await createSide(product);
const other = await createSide(product);
// An admin without a role stays in each company.
await product.given.admin({ company: own.company });
const otherRows = await createRows(product, other);
const writes = await watchWrites(database.db);
const allFlags = Object.fromEntries(planFlags.map((flag) => [flag, true])) as PlanFlags;

const unusedRows = createUnusedRows(product, own, otherRows);

const matrix = findIdSlots().flatMap((slot) => roles.map((role) => ({ slot, role })));

/** How many of the roles that may make a call also name a row of their own company; each such call needs new rows. */
const ROLES_WITH_CONTROL = sized({ test: 1, soak: roles.length });

/**
 * Whether a row of the own company is named too, to see that the call reaches its rows. `permissions.test.ts` calls
 * everything as every role.
 */
function hasControl(name: EndpointName, fate: Fate, role: Role): boolean {
  if (!isPermittedTo(name, role) || ("ownIsFound" in fate && fate.ownIsFound)) return true;
  const users = "usedBy" in fate ? fate.usedBy : undefined;
  const callers = roles.filter((one) => isPermittedTo(name, one) && users?.includes(one) !== false);
  return callers.slice(0, ROLES_WITH_CONTROL).includes(role);
}

function isPermittedTo(name: EndpointName, role: Role): boolean {
  const { permission }: Endpoint = endpoints[name];
  const profile = role === "super" ? "admin" : role;
  const holder = { profile, super: role === "super", plan: allFlags } as const;
  return permission === undefined || isAllowed(holder, permission);
}

test.for(matrix)("$slot of another company, asked by $role", async ({ slot, role }) => {
  const { name, place } = parseSlot(slot);
  const fate = fates[slot];
  if (!fate) throw new Error("the matrix does not know this place");
  const isPermitted = isPermittedTo(name, role);
  // A list shows its newest rows first: those that it must show may not be older than those of the calls before.
  const mustBeNew = "harmless" in fate && fate.ownIsFound === true;
  const used = (rows: Rows) => [validParts(name, rows), fate.row(rows)];
  const ownRows = await (mustBeNew ? unusedRows.newest(role, used) : unusedRows.of(role, used));
  await writes.take();
  const call = (named: unknown) => {
    const parts = withValue(validParts(name, ownRows), place, named, fate.rest);
    const { body, contentType, ...wire } = toWire(name, parts);
    const headers = {
      authorization: `Bearer ${tokenFor(name, own, role, ownRows)}`,
      ...(contentType === undefined ? {} : { "content-type": contentType }),
    };
    return send({ ...wire, headers, ...(body === undefined ? {} : { body }) });
  };
  const foreign = await call(fate.row(otherRows));
  const control = hasControl(name, fate, role) ? await call(fate.row(ownRows)) : undefined;
  const written = await writes.take();
  unusedRows.after(role, written);

  if (!isPermitted) {
    expect([foreign.status, foreign.body]).toMatchObject([403, { code: "ERR_NO_PERMISSION" }]);
    expect([control?.status, control?.body]).toMatchObject([403, { code: "ERR_NO_PERMISSION" }]);
  } else {
    const isRefused =
      "refusal" in fate && !fate.allowedTo?.includes(role) && !fate.ignoredFrom?.includes(role);
    if (isRefused) {
      const refusal = (role === "super" && fate.refusalOfSuper) || fate.refusal;
      expect([foreign.status, foreign.body]).toMatchObject([
        errorStatus[refusal],
        { code: refusal },
      ]);
    } else {
      expect([foreign.status, foreign.text]).toEqual([successOf(name), expect.anything()]);
    }
    // The same call with a row of the own company: it exists and does what it is for.
    if (control)
      expect([control.status, control.text]).toEqual([successOf(name), expect.anything()]);
    if ("harmless" in fate && fate.nothing && (fate.usedBy ?? roles).includes(role)) {
      if (typeof fate.nothing === "string") expect(foreign.text).toBe(fate.nothing);
      else expect(foreign.body).toMatchObject(fate.nothing);
    }
    if ("harmless" in fate && fate.ownIsFound) expect(control?.text).toContain(ownRows.mark);
  }
  if (!("readBy" in fate && fate.readBy?.includes(role))) {
    expect(foreign.text.replaceAll(otherRows.networkMessageId, "")).not.toContain(otherRows.mark);
  }
  if ("changedBy" in fate && fate.changedBy?.includes(role)) return;
  expect(written.filter(({ companyIds }) => companyIds.includes(other.company.id))).toEqual([]);
});

test("a deleted queue, user or connection is refused like another company's, wherever a call names one", async () => {
  const side = await createSide(product);
  const { company, people } = side;
  const rows = await createRows(product, side, "admin");
  const [queueId, connectionId] = [
    await product.given.queue({ company }),
    await product.given.connection({ company, linked: false }),
  ];
  const { id: userId } = await product.given.agent({ company });
  const admin = product.as(people.admin);
  for (const path of [`/queue/${queueId}`, `/whatsapp/${connectionId}`, `/users/${userId}`])
    expect((await admin.delete(path)).status).toBe(200);
  const gone = {
    ...rows,
    ...{ queueId, spareQueueId: queueId, userId, colleagueId: userId },
    ...{ connectionId, pairingConnectionId: connectionId, officialConnectionId: connectionId },
  };
  const answers = new Map<string, unknown>();
  const expected = new Map<string, unknown>();
  for (const slot of findIdSlots()) {
    const { name, place } = parseSlot(slot);
    const fate = fates[slot];
    if (!fate || !("refusal" in fate)) continue;
    const named = fate.row(gone);
    const { permission }: Endpoint = endpoints[name];
    const holder = { profile: "admin", super: false, plan: allFlags } as const;
    const isOfDeleted = JSON.stringify(named) !== JSON.stringify(fate.row(rows));
    if (!isOfDeleted || (permission !== undefined && !isAllowed(holder, permission))) continue;
    if (fate.ignoredFrom?.includes("admin")) continue;
    const parts = withValue(validParts(name, rows), place, named, fate.rest);
    const { body, contentType, ...wire } = toWire(name, parts);
    const headers = {
      authorization: `Bearer ${tokenFor(name, side, "admin", rows)}`,
      ...(contentType === undefined ? {} : { "content-type": contentType }),
    };
    const reply = await send({ ...wire, headers, ...(body === undefined ? {} : { body }) });
    answers.set(slot, [reply.status, (reply.body as { code?: string } | undefined)?.code]);
    expected.set(slot, [errorStatus[fate.refusal], fate.refusal]);
  }
  expect(expected.size).toBeGreaterThan(20);
  expect(Object.fromEntries(answers)).toEqual(Object.fromEntries(expected));
});

test("a deleted queue, user or connection is in no list: no call that reads names one", async () => {
  const side = await createSide(product);
  const { company, people } = side;
  const rows = await createRows(product, side, "admin");
  const queueId = await product.given.queue({ company, name: "Fila-que-sai" });
  const connection = { company, name: "Linha-que-sai", queueIds: [queueId], linked: false };
  const connectionId = await product.given.connection(connection);
  const person = { company, name: "Pessoa-que-sai", queueIds: [queueId] };
  const { id: userId } = await product.given.agent(person);
  const reads = (Object.keys(endpoints) as EndpointName[]).filter((name) => {
    const { permission }: Endpoint = endpoints[name];
    const holder = { profile: "admin", super: true, plan: allFlags } as const;
    return name.startsWith("GET ") && (permission === undefined || isAllowed(holder, permission));
  });
  const namedBy = async (): Promise<string[]> => {
    const named: string[] = [];
    for (const name of reads) {
      const parts = validParts(name, rows);
      // Beside other rows of the list.
      if ("searchParam" in parts.query) parts.query["searchParam"] = "que-sai";
      const { contentType: _none, body: _nothing, ...wire } = toWire(name, parts);
      const headers = { authorization: `Bearer ${tokenFor(name, side, "super", rows)}` };
      const { text } = await send({ ...wire, headers });
      for (const mark of ["Fila", "Linha", "Pessoa"]) {
        if (text.includes(`${mark}-que-sai`)) named.push(`${name}: ${mark}`);
      }
    }
    return named;
  };
  expect(await namedBy()).toEqual(
    expect.arrayContaining([
      ...["GET /queue: Fila", "GET /whatsapp: Linha", "GET /whatsapp: Fila"],
      ...["GET /users: Pessoa", "GET /users: Fila", "GET /users/list: Pessoa"],
      "GET /connections-health: Linha",
    ]),
  );
  const admin = product.as(people.admin);
  for (const path of [`/queue/${queueId}`, `/whatsapp/${connectionId}`, `/users/${userId}`])
    expect((await admin.delete(path)).status).toBe(200);
  // The audit says who existed, and who deleted them.
  expect((await namedBy()).filter((one) => !one.startsWith("GET /audit"))).toEqual([]);
});

test("the ids that were refused above are found by their own company", async () => {
  const reply = await product.as(other.people.admin).get(`/messages/${otherRows.ticketId}`);
  expect(JSON.stringify(reply.body)).toContain(otherRows.mark);
  const rows = await database.db.acrossCompanies((tx) =>
    tx.query(sql`select 1 from tickets where company_id = ${other.company.id}`),
  );
  expect(rows).toHaveLength(3);
});

function parseSlot(slot: IdSlot): { name: EndpointName; place: string } {
  const [method = "", pattern = "", place = ""] = slot.split(" ");
  // The slots are made of the registry's names.
  return { name: `${method} ${pattern}` as EndpointName, place };
}

function successOf(name: EndpointName): number {
  const endpoint: Endpoint = endpoints[name];
  return endpoint.status ?? 200;
}

/** The request with a value at `part.path`; `rest` stands for what else is in that part. */
function withValue(
  parts: CallParts,
  place: string,
  value: unknown,
  rest: Record<string, unknown> | undefined,
): CallParts {
  const [part = "", ...path] = place.split(".");
  const [first = "", ...deeper] = path;
  const nested = deeper.reduceRight((inner: unknown, key) => ({ [key]: inner }), value);
  switch (part) {
    case "params":
      return {
        ...parts,
        params: { ...parts.params, [first]: nested },
        ...(rest ? { body: rest } : {}),
      };
    case "query":
      return { ...parts, query: { ...(rest ?? parts.query), [first]: nested } };
    case "body": {
      const body = rest ?? (parts.body as Record<string, unknown>); // valid bodies are objects
      const list = body[first];
      return { ...parts, body: { ...body, [first]: beside(list, nested) } };
    }
    default:
      throw new Error(`${place} is in no part of a request`);
  }
}

/** A value in the place of what stands there: fields beside it stay, a list has it as its only entry. */
function beside(present: unknown, value: unknown): unknown {
  if (Array.isArray(present)) return [beside(present[0], value)];
  const isField = typeof value === "object" && value !== null && typeof present === "object";
  return isField ? Object.assign({}, present, value) : value;
}
