import { accountSecurityEndpoints } from "./account-security.ts";
import { aiServiceEndpoints } from "./ai-service.ts";
import { aiHelpEndpoints } from "./ai-help.ts";
import { announcementsEndpoints } from "./announcements.ts";
import { apiEndpoints } from "./api.ts";
import { auditEndpoints } from "./audit.ts";
import { authEndpoints } from "./auth.ts";
import { chatsEndpoints } from "./chats.ts";
import { backupsEndpoints } from "./backups.ts";
import { billingEndpoints } from "./billing.ts";
import { brandsEndpoints } from "./brands.ts";
import { companiesEndpoints } from "./companies.ts";
import { companyUsesEndpoints } from "./company-uses.ts";
import { connectionsEndpoints } from "./connections.ts";
import { contactImportsEndpoints } from "./contact-imports.ts";
import { campaignSettingsEndpoints } from "./campaign-settings.ts";
import { campaignsEndpoints } from "./campaigns.ts";
import { contactListsEndpoints } from "./contact-lists.ts";
import { contactPageEndpoints } from "./contact-page.ts";
import { contactsEndpoints } from "./contacts.ts";
import { dashboardEndpoints } from "./dashboard.ts";
import { draftsEndpoints } from "./drafts.ts";
import type {
  EndpointInput,
  EndpointReply,
  EndpointRequest,
  EndpointResult,
  EndpointUploadFields,
} from "./endpoint.ts";
import { fileListsEndpoints } from "./file-lists.ts";
import { firstStepsEndpoints } from "./first-steps.ts";
import { healthEndpoints } from "./health.ts";
import { helpsEndpoints } from "./helps.ts";
import { integrationsEndpoints } from "./integrations.ts";
import { kanbanEndpoints } from "./kanban.ts";
import { knowledgeEndpoints } from "./knowledge.ts";
import { macrosEndpoints } from "./macros.ts";
import { mailsEndpoints } from "./mails.ts";
import { mcpEndpoints } from "./mcp.ts";
import { messagesEndpoints } from "./messages.ts";
import { operationEndpoints } from "./operation.ts";
import { plansEndpoints } from "./plans.ts";
import { quickMessagesEndpoints } from "./quick-messages.ts";
import { privacyEndpoints } from "./privacy.ts";
import { promptsEndpoints } from "./prompts.ts";
import { pushEndpoints } from "./push.ts";
import { publicApiEndpoints } from "./public-api.ts";
import { queueOptionsEndpoints } from "./queue-options.ts";
import { queuesEndpoints } from "./queues.ts";
import { reportsEndpoints } from "./reports.ts";
import { resolveReasonsEndpoints } from "./resolve-reasons.ts";
import { rolesEndpoints } from "./roles.ts";
import { schedulesEndpoints } from "./schedules.ts";
import { securityCheckEndpoints } from "./security-check.ts";
import { settingsEndpoints } from "./settings.ts";
import { simulatorEndpoints } from "./simulator.ts";
import { supportEndpoints } from "./support.ts";
import { tagsEndpoints } from "./tags.ts";
import { teamEndpoints } from "./team.ts";
import { templatesEndpoints } from "./templates.ts";
import { ticketNotesEndpoints } from "./ticket-notes.ts";
import { ticketViewsEndpoints } from "./ticket-views.ts";
import { ticketsEndpoints } from "./tickets.ts";
import { usersEndpoints } from "./users.ts";
import { webhooksEndpoints } from "./webhooks.ts";
import { whaticketRunsEndpoints } from "./whaticket-runs.ts";

// In three parts, because the compiler does not write the type of all calls as one.
const accountEndpoints = {
  ...healthEndpoints,
  ...authEndpoints,
  ...accountSecurityEndpoints,
  ...billingEndpoints,
  ...companiesEndpoints,
  ...settingsEndpoints,
  ...operationEndpoints,
  ...securityCheckEndpoints,
  ...backupsEndpoints,
  ...whaticketRunsEndpoints,
  ...companyUsesEndpoints,
};

const customerEndpoints = {
  ...queuesEndpoints,
  ...queueOptionsEndpoints,
  ...connectionsEndpoints,
  ...ticketsEndpoints,
  ...ticketViewsEndpoints,
  ...messagesEndpoints,
  ...templatesEndpoints,
  ...contactsEndpoints,
  ...contactPageEndpoints,
  ...campaignSettingsEndpoints,
  ...campaignsEndpoints,
  ...contactListsEndpoints,
  ...contactImportsEndpoints,
  ...privacyEndpoints,
};

const toolEndpoints = {
  ...tagsEndpoints,
  ...kanbanEndpoints,
  ...ticketNotesEndpoints,
  ...quickMessagesEndpoints,
  ...macrosEndpoints,
  ...resolveReasonsEndpoints,
  ...schedulesEndpoints,
  ...fileListsEndpoints,
  ...firstStepsEndpoints,
  ...draftsEndpoints,
  ...pushEndpoints,
  ...chatsEndpoints,
  ...announcementsEndpoints,
  ...helpsEndpoints,
  ...brandsEndpoints,
  ...plansEndpoints,
  ...mailsEndpoints,
  ...usersEndpoints,
  ...rolesEndpoints,
  ...teamEndpoints,
  ...dashboardEndpoints,
  ...reportsEndpoints,
  ...promptsEndpoints,
  ...knowledgeEndpoints,
  ...aiServiceEndpoints,
  ...aiHelpEndpoints,
  ...integrationsEndpoints,
  ...apiEndpoints,
  ...publicApiEndpoints,
  ...mcpEndpoints,
  ...webhooksEndpoints,
  ...simulatorEndpoints,
  ...supportEndpoints,
  ...auditEndpoints,
};

/** Every call of the product. A route that is not here cannot be registered. */
export const endpoints: typeof accountEndpoints & typeof customerEndpoints & typeof toolEndpoints =
  { ...accountEndpoints, ...customerEndpoints, ...toolEndpoints };

export type Endpoints = typeof endpoints;
export type EndpointName = keyof Endpoints;

/** Parsed params, query and body as the handler of a call receives them. */
export type InputOf<K extends EndpointName> = EndpointInput<Endpoints[K]>;
/** The input of a caller. */
export type RequestOf<K extends EndpointName> = EndpointRequest<Endpoints[K]>;
/** The result of a handler. */
export type ResultOf<K extends EndpointName> = EndpointResult<Endpoints[K]>;
/** The reply that a caller gets. */
export type ReplyOf<K extends EndpointName> = EndpointReply<Endpoints[K]>;
/** The parsed text fields of a multipart request. */
export type UploadFieldsOf<K extends EndpointName> = EndpointUploadFields<Endpoints[K]>;
