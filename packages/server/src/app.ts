import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { companyId } from "@balcao/contract";
import { createAppJobs } from "./app-jobs.ts";
import {
  attendantMetrics,
  channelMetrics,
  connectionMetrics,
  shareMetrics,
  storageMetrics,
} from "./app-metrics.ts";
import type { CloudApiSettings } from "./channels/cloud-api/index.ts";
import { createCloudApi } from "./channels/cloud-api/index.ts";
import * as cloudApiSchema from "./channels/cloud-api/schema.ts";
import type { ChannelDeps, ChannelSettings } from "./channels/runtime/index.ts";
import {
  connectionsChanged,
  createDirectory,
  createOutbox,
  freeAllLeases,
  retryConnection,
  startChannels,
  tellTyping,
} from "./channels/runtime/index.ts";
import type { SimulatorSettings } from "./channels/simulator/index.ts";
import { createSimulator, seedSimulator } from "./channels/simulator/index.ts";
import * as simulatorSchema from "./channels/simulator/schema.ts";
import { createWhatsAppWeb } from "./channels/whatsapp-web/index.ts";
import * as whatsAppWebSchema from "./channels/whatsapp-web/schema.ts";
import {
  createApiFeature,
  createCallLog,
  createTokenReaders,
  createWebhooks,
} from "./features/api/index.ts";
import { createAiHelpFeature } from "./features/ai-help/index.ts";
import { createAnnouncementsFeature } from "./features/announcements/index.ts";
import { createAuditFeature, noteFiles } from "./features/audit/index.ts";
import type { Asker, Attendant, AttendantSettings } from "./features/attendant/index.ts";
import {
  createAttendant,
  defaultAttendantSettings,
  createTrialFeature,
  skipTurn,
} from "./features/attendant/index.ts";
import {
  countSignUp,
  createAuthenticator,
  createAuthFeature,
  hashPassword,
} from "./features/auth/index.ts";
import type { LookupSettings } from "./features/billing-lookups/index.ts";
import { createBillingLookups } from "./features/billing-lookups/index.ts";
import type { BankSettings } from "./features/billing/index.ts";
import { createBanks, createBillingFeature } from "./features/billing/index.ts";
import { createBrandsFeature, createLooks, IMAGES_PATH } from "./features/brands/index.ts";
import { createCampaignsFeature, createCampaignWork } from "./features/campaigns/index.ts";
import { createChatsFeature } from "./features/chats/index.ts";
import { createCompaniesFeature, createCompanyExports } from "./features/companies/index.ts";
import { countTraffic, createCompanyUsesFeature } from "./features/company-uses/index.ts";
import { createAlarms, createConnectionsFeature } from "./features/connections/index.ts";
import { createContactImportsFeature } from "./features/contact-imports/index.ts";
import { createContactListsFeature } from "./features/contact-lists/index.ts";
import {
  createContactPictures,
  createContactService,
  createContactsFeature,
  optOutOf,
} from "./features/contacts/index.ts";
import { createDashboardFeature } from "./features/dashboard/index.ts";
import { createDraftsFeature } from "./features/drafts/index.ts";
import { createFileListsFeature } from "./features/file-lists/index.ts";
import { createFirstStepsFeature } from "./features/first-steps/index.ts";
import { createHealthFeature } from "./features/health/index.ts";
import { createHelpsFeature } from "./features/helps/index.ts";
import type { DeliverySettings, GoogleAddresses } from "./features/integrations/index.ts";
import { createIntegrationsFeature } from "./features/integrations/index.ts";
import { createKanbanFeature } from "./features/kanban/index.ts";
import { createKnowledgeFeature } from "./features/knowledge/index.ts";
import { createMacrosFeature } from "./features/macros/index.ts";
import { createMailsFeature, createSmtpServer, mailStops } from "./features/mails/index.ts";
import { createMediaFeature } from "./features/media/index.ts";
import { createMessagesFeature, createTyping } from "./features/messages/index.ts";
import type { ProviderSettings } from "./features/prompts/index.ts";
import { createPrivacyFeature } from "./features/privacy/index.ts";
import { createPromptsFeature } from "./features/prompts/index.ts";
import type { FirstStartReport } from "./features/provisioning/index.ts";
import { createPlansFeature } from "./features/plans/index.ts";
import { createProvisioning } from "./features/provisioning/index.ts";
import type { NoticeSettings } from "./features/push/index.ts";
import { createPushFeature } from "./features/push/index.ts";
import { backupMetrics, createBackupsFeature } from "./features/backups/index.ts";
import { createOperationFeature } from "./features/operation/index.ts";
import { createQueuesFeature } from "./features/queues/index.ts";
import { createQuickMessagesFeature } from "./features/quick-messages/index.ts";
import { createRatingsFeature, findGivenRating } from "./features/ratings/index.ts";
import { createReportsFeature } from "./features/reports/index.ts";
import { createResolveReasonsFeature } from "./features/resolve-reasons/index.ts";
import { createRolesFeature } from "./features/roles/index.ts";
import { createSchedulesFeature } from "./features/schedules/index.ts";
import { createSettingsFeature } from "./features/settings/index.ts";
import { createTagsFeature } from "./features/tags/index.ts";
import { createTeamFeature } from "./features/team/index.ts";
import { createTemplatesFeature } from "./features/templates/index.ts";
import { createTicketNotesFeature } from "./features/ticket-notes/index.ts";
import { createTicketViewsFeature } from "./features/ticket-views/index.ts";
import { createAnswerTargets, createTicketTimers } from "./features/ticket-timers/index.ts";
import {
  countOpenTickets,
  createTicketsFeature,
  joinTickets,
  pickConnection,
} from "./features/tickets/index.ts";
import { createUsersFeature } from "./features/users/index.ts";
import { createWhaticketRunsFeature, importBy } from "./features/whaticket-runs/index.ts";
import { erasureKeeper, erasureKey } from "./operations/backup/erasures.ts";
import { writeCompanyArchive } from "./operations/company/export.ts";
import { lowerPriority, scriptBeside } from "./platform/child-processes.ts";
import type { Config } from "./platform/config/config.ts";
import type { Database } from "./platform/db/database.ts";
import { openDatabase } from "./platform/db/database.ts";
import { tablesOf } from "./platform/db/references.ts";
import type { Installation } from "./platform/db/installation.ts";
import { addressFor, rolesOf } from "./platform/db/installation.ts";
import { startWake } from "./platform/db/wake.ts";
import { createDomainEvents } from "./platform/events.ts";
import { createGuardedFetch } from "./platform/http/guarded-fetch.ts";
import { createHttpServer } from "./platform/http/server.ts";
import type { Logger } from "./platform/logging/logger.ts";
import { createFfmpeg } from "./platform/media/ffmpeg.ts";
import { openMediaStores } from "./platform/media/object-storage.ts";
import { createCompanyShares } from "./platform/jobs/company-shares.ts";
import { createMetrics } from "./platform/metrics/metrics.ts";
import { createIncidents, noteErrors } from "./platform/observing/incidents.ts";
import { createProcessReport } from "./platform/observing/process-report.ts";
import { createStatementWatch } from "./platform/observing/statements.ts";
import { startTracing } from "./platform/observing/tracing.ts";
import { createRealtimeServer } from "./platform/realtime/server.ts";
import { createSeal } from "./platform/secrets/seal.ts";
import type { Sources } from "./platform/sources.ts";

export type AppDeps = {
  config: Config;
  installation: Installation;
  sources: Sources;
  log: Logger;
  /** Other processes work on the same database. */
  distributed: boolean;
  /** Between two reports of this process to the others. */
  reportEveryMs?: number;
  /** Told every statement (budgets in tests). */
  onStatement?: (text: string) => void;
  /** Compares each live event with the contract (tests, development). */
  checkPayloads?: boolean;
  channelSettings?: Partial<ChannelSettings>;
  simulatorSettings?: Partial<SimulatorSettings>;
  cloudApiSettings?: Partial<CloudApiSettings>;
  bankSettings?: Partial<BankSettings>;
  /** Between two looks for scheduled messages and e-mails that are due, and for tickets that come back. */
  scheduleLookMs?: number;
  /** Between two questions to a chat network about the numbers of contact lists. */
  numberCheckGapMs?: number;
  /** Rows that one transaction of an import of contacts writes. */
  importBatchRows?: number;
  /** Between two looks for waiting tickets that can be assigned. */
  assignmentLookMs?: number;
  attendantSettings?: Partial<AttendantSettings>;
  /** More `host:port` pairs that companies may name as receivers (`BALCAO_OUTSIDE_HOSTS`). */
  outsideHosts?: readonly string[];
  promptSettings?: Partial<ProviderSettings>;
  /** Google's addresses for Dialogflow, where they are stubs. */
  googleAddresses?: GoogleAddresses;
  deliverySettings?: Partial<DeliverySettings>;
  pushSettings?: Partial<NoticeSettings>;
  billingLookupSettings?: Partial<LookupSettings>;
  /** External services that the automatic attendant asks before it shows the menu. */
  askers?: readonly Asker[];
  /** False keeps the automatic attendant from working here, whatever the roles are. */
  attends?: boolean;
  /** How long a connection must be lost before people are told. */
  alarmAfterMs?: number;
  /** Take the place of the product's own adapters (load measurements). */
  adapters?: ChannelDeps["adapters"];
};

export type App = {
  db: Database;
  /** Fills an empty installation; null on all later starts. */
  firstStart(): Promise<FirstStartReport | null>;
  /** Starts what this process's roles are; answers its address, or null without the web role. */
  listen(): Promise<string | null>;
  /** Resolves when channels and automatic attendant of this process have nothing left to do. */
  idle(): Promise<void>;
  /** Takes the turns of the automatic attendant that are due, whether this process attends or not. */
  runDueTurns: Attendant["runDue"];
  /** Takes the steps of campaigns that are due, whether this process sends campaigns or not. */
  runDueCampaigns: () => Promise<number>;
  /** From now on a balancer is told to send new requests elsewhere. */
  leave(): void;
  /** Takes nothing new, finishes what runs, gives back its connections. */
  close(): Promise<void>;
};

/** A topic of the database's own (`tell_company_rights`), then the company. */
const COMPANY_RIGHTS = "company-rights:";

/** The tables of the channels; a deleted connection is removed from them. */
export const channelTables = [cloudApiSchema, simulatorSchema, whatsAppWebSchema].flatMap(tablesOf);

const packageRoot = new URL("..", import.meta.url).pathname;
const webRoot = new URL("../../web/dist/app", import.meta.url).pathname;
const clientRoot = new URL("../../client", import.meta.url).pathname;

/** Puts the product together: the only place that knows every feature and every channel adapter. */
export async function createApp(deps: AppDeps): Promise<App> {
  const { config, installation, sources } = deps;
  const { clock, ids, random } = sources;
  const { secrets, serviceUrl, appUrl } = installation;
  const version = readVersion();
  let isLeaving = false;
  const processId = ids.uuid();
  const incidents = createIncidents(() => new Date());
  const log = noteErrors(deps.log, incidents);
  const logOf = (subsystem: string) => log.child({ subsystem });
  const metrics = createMetrics();
  const tracing = config.tracing && (await startTracing(config.tracing, { version, processId }));
  const statements = createStatementWatch({
    ...{ slowMs: config.slowStatementMs, log: logOf("db"), metrics, incidents },
  });
  const seal = createSeal(config.sealSecret ?? secrets.seal);
  const shares = createCompanyShares({
    ...{ connections: config.databasePoolSize, ...config.companyShares },
    ...shareMetrics(metrics),
  });
  // A pooler hands over neither notifications nor locks of a session: those who need them ask the server itself.
  const pooledUrl = config.databaseDirectUrl === undefined ? undefined : config.databaseUrl;
  const pooled = (url: string) =>
    pooledUrl === undefined ? url : addressFor(pooledUrl, new URL(url));
  const db = openDatabase({
    serviceUrl: pooled(serviceUrl),
    appUrl: pooled(appUrl),
    pooler: pooledUrl === undefined ? null : { keepsStatements: config.databasePrepared },
    poolSize: config.databasePoolSize,
    log: logOf("db"),
    watch: statements.watch,
    inTurn: shares.inTransaction,
    // The own server's processes are of this machine, where they may run later than others.
    ...(config.databaseUrl === undefined ? { lowerPriority } : {}),
    ...(deps.onStatement ? { onStatement: deps.onStatement } : {}),
  });
  const report = createProcessReport({
    ...{ db, log: logOf("process"), metrics, incidents },
    process: { id: processId, version, roles: config.roles, dataDir: config.dataDir },
    oldestTransactionSeconds: statements.oldestTransactionSeconds,
    ...(deps.reportEveryMs === undefined ? {} : { everyMs: deps.reportEveryMs }),
  });
  const domainEvents = createDomainEvents();
  const wake = startWake({ url: serviceUrl, log: logOf("wake") });
  const stores = await openMediaStores(config, storageMetrics(metrics));

  const authenticator = createAuthenticator({ db, clock, secrets });
  const calls = createCallLog({ db, clock, log: logOf("api") });
  const http = await createHttpServer({
    options: {
      frontendOrigins: config.frontendOrigins,
      trustProxy: config.trustProxy,
      metricsToken: config.metricsToken ?? null,
      requestLimits: {
        perMinute: config.requestsPerMinute,
        authPerMinute: config.authRequestsPerMinute,
        programPerMinute: config.apiRequestsPerMinute,
      },
      webRoot: existsSync(webRoot) ? webRoot : null,
      clientRoot,
      version,
      maxEventLoopDelayMs: config.maxEventLoopDelayMs,
    },
    log: logOf("http"),
    metrics,
    authenticator,
    programs: { readers: createTokenReaders({ db, clock, authenticator }), onCall: calls.note },
    companies: shares,
    noteFile: noteFiles({ db }),
  });
  const realtime = await createRealtimeServer({
    options: {
      distributed: deps.distributed,
      serviceUrl,
      checkPayloads: deps.checkPayloads ?? false,
    },
    server: http.server,
    log: logOf("realtime"),
    clock,
    ids,
    metrics,
    authenticator,
    canSeeTicket: (ctx, ticketId) => tickets.canSeeTicket(ctx, ticketId),
    onViewing: (ctx, viewing) => tellTypingOf(ctx, viewing),
  });
  // The database says so itself, whoever changed the company.
  wake.on(COMPANY_RIGHTS, (topic) =>
    realtime.refreshCompany(companyId.parse(Number(topic.slice(COMPANY_RIGHTS.length)))),
  );

  /** Dependencies that most features share; each takes those that its `Deps` names. */
  const base = { db, wake, sources, clock, ids, random, realtime, domainEvents };

  const users = createUsersFeature({
    ...base,
    log,
    sessions: {
      hashPassword,
      confirmPassword: (account, password) => auth.sessions.confirmPassword(account, password),
      end: (tx, account, limit) => auth.sessions.end(tx, account, limit),
      goOn: (request, reply, account) => auth.sessions.goOn(request, reply, account),
    },
    invite: (tx, account, language) => auth.invite(tx, account, language),
    countOpenTickets,
  });
  const looks = createLooks({ ...base, log: logOf("brands") });
  http.dressPages(looks.lookOf, looks.findImage);
  http.serveHashedFiles(IMAGES_PATH, looks.findImage);
  const mails = createMailsFeature({
    ...{ ...base, log: logOf("mails"), brand: config.mailFrom.name, brandOf: looks.mailBrand },
    server: config.smtp && createSmtpServer(config.smtp, config.mailFrom),
    ...(deps.scheduleLookMs === undefined ? {} : { lookEveryMs: deps.scheduleLookMs }),
  });
  mailStops({ domainEvents, mails, publicUrl: config.publicUrl ?? null });
  const auth = await createAuthFeature({
    ...{ ...base, log: logOf("auth"), users, secrets, mails, seal },
    sendsMail: config.smtp !== null,
    cookie: { frontendOrigins: config.frontendOrigins, publicUrl: config.publicUrl },
  });
  const media = createMediaFeature({
    ...{ ...base, log: logOf("media"), store: stores.media },
    ffmpeg: createFfmpeg(config.ffmpegPath),
    secret: secrets.accessToken,
    publicUrl: config.publicUrl,
  });
  http.serveFiles(media.findPublicFile);
  const guardedFetch = createGuardedFetch({
    allowedHosts: [...config.outsideHosts, ...(deps.outsideHosts ?? [])],
  });
  const outbox = createOutbox(wake);
  const directory = createDirectory({ db, wake, sources });
  const tickets = createTicketsFeature({
    ...{ ...base, log: logOf("tickets"), files: media },
    ...(deps.scheduleLookMs === undefined ? {} : { lookEveryMs: deps.scheduleLookMs }),
    sendClosingMessage: (...args) => ratings.sendClosingMessage(...args),
    withdrawMessage: (...args) => messages.withdrawMessage(...args),
  });
  const attendantSettings = { ...defaultAttendantSettings, ...deps.attendantSettings };
  const messages = createMessagesFeature({
    ...{ ...base, tickets, outbox, media, findGivenRating },
    quiet: attendantSettings.quiet,
  });
  const { outgoing, sendAutomatically } = messages;
  const knowledge = createKnowledgeFeature(base);
  const prompts = createPromptsFeature({
    ...{ ...base, log: logOf("prompts"), seal, media, messages, fetch: guardedFetch },
    ...{ settings: deps.promptSettings, findKnowledge: knowledge.find },
    ...(deps.scheduleLookMs === undefined ? {} : { lookEveryMs: deps.scheduleLookMs }),
  });
  const integrations = createIntegrationsFeature({
    ...{ ...base, log: logOf("integrations"), seal, media, fetch: guardedFetch },
    ...{ google: deps.googleAddresses, deliverySettings: deps.deliverySettings },
  });
  const billingLookups = createBillingLookups({
    ...{ ...base, log: logOf("billing-lookups"), seal, media, fetch: guardedFetch },
    settings: { asaasUrl: config.banks.asaasUrl, ...deps.billingLookupSettings },
  });
  const push = createPushFeature({
    ...{ ...base, log: logOf("push"), seal, authenticator, fetch: guardedFetch },
    ...{ hosts: config.pushHosts, publicUrl: config.publicUrl, settings: deps.pushSettings },
  });
  const drafts = createDraftsFeature(base);
  const webhooks = createWebhooks({
    ...{ ...base, log: logOf("api"), seal, messages, tickets },
    deliveries: integrations.deliveries,
  });
  const attendant = createAttendant({
    ...{ ...base, log: logOf("attendant"), media, outgoing, settings: attendantSettings },
    tickets,
    sendClosingMessage: (...args) => ratings.sendClosingMessage(...args),
    onTurn: attendantMetrics(metrics),
    askers: [...(deps.askers ?? []), prompts.asker, billingLookups.asker, ...integrations.askers],
  });
  const ratings = createRatingsFeature({ ...base, sendAutomatically });
  const team = createTeamFeature({
    ...{ ...base, log: logOf("team"), tickets },
    ...(deps.assignmentLookMs === undefined ? {} : { lookEveryMs: deps.assignmentLookMs }),
  });
  const dashboard = createDashboardFeature(base);
  const ticketTimers = createTicketTimers({
    ...{ ...base, log: logOf("ticket-timers"), tickets, sendAutomatically },
  });
  const answerTargets = createAnswerTargets({ ...base, log: logOf("ticket-timers") });
  const tellTypingOf = createTyping({
    ...{ db, log: logOf("channels") },
    tell: (typing) => tellTyping(wake, typing),
  });
  const schedules = createSchedulesFeature({
    ...{ ...base, log: logOf("schedules"), media, tickets, outgoing },
    ...(deps.scheduleLookMs === undefined ? {} : { lookEveryMs: deps.scheduleLookMs }),
  });
  const cloudApi = createCloudApi({
    ...{ ...base, log: logOf("cloud-api"), seal },
    publicUrl: config.publicUrl,
    settings: { ...config.graphApi, ...deps.cloudApiSettings },
  });
  cloudApi.registerRoutes(http);
  const connections = createConnectionsFeature({
    ...{ ...base, accounts: cloudApi.accounts, channelTables },
  });
  const whatsAppWeb = createWhatsAppWeb({
    ...{ ...base, log: logOf("whatsapp-web"), seal },
    settings: config.whatsAppWeb,
  });
  const simulator = createSimulator({
    ...{ ...base, log: logOf("simulator") },
    files: stores.simulator,
    retryConnection: (tx, connectionId) => retryConnection(wake, tx, connectionId),
  });
  const contactLists = createContactListsFeature({
    ...{ ...base, log: logOf("contact-lists"), pickConnection },
    checkNumbers: directory.checkNumbers,
    ...(deps.numberCheckGapMs === undefined ? {} : { gapMs: deps.numberCheckGapMs }),
  });
  const companyExports = createCompanyExports({
    ...{ ...base, log: logOf("companies"), archives: stores.archives },
    writeArchive: (id, options) =>
      writeCompanyArchive({ appUrl, channelTables, store: stores.media, version }, id, options),
  });
  const campaignWork = createCampaignWork({
    ...{ ...base, log: logOf("campaigns"), media, tickets, messages, outgoing, sendAutomatically },
    ...{ skipTurn, templates: cloudApi.templates },
    checkNumbers: directory.checkNumbers,
    contacts: createContactService({
      ...{ clock, realtime, domainEvents, sign: media.signedPath },
      joinTickets: (ctx, tx, joined) => joinTickets(ctx, tx, domainEvents, joined, clock.now()),
    }),
    optOut: optOutOf({ clock, realtime, files: media, domainEvents }),
    ...(deps.scheduleLookMs === undefined ? {} : { lookEveryMs: deps.scheduleLookMs }),
  });
  const contactImports = createContactImportsFeature({
    ...{ ...base, log: logOf("contact-imports"), media, pickConnection },
    ...(deps.importBatchRows === undefined ? {} : { batchRows: deps.importBatchRows }),
  });
  const contacts = createContactsFeature({
    ...{ ...base, files: media, tickets, pickConnection },
    checkNumber: directory.checkNumber,
  });
  const campaigns = createCampaignsFeature({
    ...{ ...base, media, tickets, outgoing, pickConnection, contactOf: contacts.findOrAdd },
    templates: cloudApi.templates,
  });
  const billing = createBillingFeature({
    ...{ ...base, log: logOf("billing"), seal, mails, publicUrl: config.publicUrl ?? null },
    banks: createBanks({ callMs: 15_000, ...config.banks, ...deps.bankSettings }),
    connectionsChanged: (tx) => connectionsChanged(wake, tx),
  });
  const companyUses = createCompanyUsesFeature({
    ...{ ...base, log: logOf("usage"), shares },
    ...(deps.reportEveryMs === undefined ? {} : { everyMs: deps.reportEveryMs }),
  });
  const backups = createBackupsFeature({
    ...{ db, clock, wake, settings: config.backup },
    command: scriptBeside(import.meta.url, "./operations/backup/command"),
  });
  backupMetrics(metrics, db);
  const whaticketRuns = createWhaticketRunsFeature({
    ...{ db, clock, wake, settings: config.whaticket },
    run: importBy(scriptBeside(import.meta.url, "./operations/whaticket/command")),
  });
  const privacy = createPrivacyFeature({
    ...{ ...base, log: logOf("privacy"), files: media, archives: stores.archives },
    stores: [simulator.people, whatsAppWeb.people, cloudApi.people],
    hashKey: erasureKey(config.sealSecret ?? secrets.seal),
    list: erasureKeeper(config, serviceUrl),
    backupsKept: config.backup.to === null ? 0 : config.backup.keep,
    sendAutomatically,
  });
  const features = [
    auth,
    companyUses,
    mails,
    billing,
    users,
    tickets,
    messages,
    team,
    dashboard,
    createAuditFeature({ db }),
    createReportsFeature({ ...base, sign: media.signedPath }),
    connections,
    createSettingsFeature({ ...base, seal }),
    createCompaniesFeature({
      ...{ ...base, hashPassword, channelTables, invite: auth.invite },
      stores: [stores.media, stores.simulator, stores.archives],
      connectionsChanged: (tx) => connectionsChanged(wake, tx),
      billing,
      countSignUp: (address) => countSignUp(base, address),
    }),
    companyExports,
    privacy,
    createPlansFeature({ ...base, reconcile: billing.reconcile }),
    createQueuesFeature({ ...base, media }),
    createTrialFeature({ ...base, addressOf: media.signedPath }),
    createQuickMessagesFeature({ ...base, media }),
    contacts,
    contactLists,
    contactImports,
    campaigns,
    createTemplatesFeature({ ...base, source: cloudApi.templates, messages }),
    createTagsFeature({ ...base, tickets }),
    webhooks,
    createApiFeature({
      ...{ ...base, calls, media, messages, tickets, contacts, drafts, version },
      ...{ templates: cloudApi.templates, contactOf: contacts.findOrAddOn },
      webOrigins: [...config.frontendOrigins, ...[config.publicUrl ?? []].flat()],
    }),
    createKanbanFeature({ ...base, tickets }),
    createMacrosFeature({ ...base, tickets, messages }),
    createResolveReasonsFeature(base),
    createRolesFeature(base),
    createTicketNotesFeature(base),
    createTicketViewsFeature({ ...base, tickets }),
    createFileListsFeature({ ...base, media }),
    prompts,
    knowledge,
    createAiHelpFeature({ ...base, askAi: prompts.askAi, findKnowledge: knowledge.find }),
    integrations,
    billingLookups,
    createFirstStepsFeature(base),
    drafts,
    push,
    createChatsFeature({ ...base, media }),
    createAnnouncementsFeature({ ...base, media }),
    createHelpsFeature(base),
    createBrandsFeature(base),
    schedules,
    createOperationFeature({
      ...{ db, clock, version, metrics },
      security: { config, secrets, arrivals: http.arrivals, roles: rolesOf(installation) },
    }),
    backups,
    whaticketRuns,
    createHealthFeature({ db, version, isLeaving: () => isLeaving }),
  ];
  for (const feature of features) feature.register(http.routes);
  simulator.registerRoutes(http.routes);
  http.assertComplete();

  const jobs = createAppJobs({
    db,
    backups,
    whaticketRuns,
    clock: sources.clock,
    wake,
    log: logOf("jobs"),
    users,
    auth,
    mails,
    media,
    companyExports,
    privacy,
    whatsAppWeb,
    cloudApi,
    simulator,
    ratings,
    ticketTimers,
    answerTargets,
    billing,
    deliveries: integrations.deliveries,
    push,
    publicUrl: config.publicUrl ?? null,
  });
  const provisioning = createProvisioning({
    ...{ ...base, log: logOf("provisioning"), hashPassword, files: media },
    seedChannel: seedSimulator,
  });
  const runChannels = () =>
    startChannels({
      db,
      wake,
      adapters:
        deps.adapters ??
        new Map([
          ["simulator", simulator.adapter],
          ["whatsapp-web", whatsAppWeb.adapter],
          ["cloud-api", cloudApi.adapter],
        ]),
      handlers: {
        ...countTraffic(shares, { receive: messages.receive, sent: messages.sent }),
        tell: (tx, connection, event, retries) =>
          event.type === "presence"
            ? messages.tellPresence(tx, connection, event)
            : connections.tell(tx, connection, event, retries),
        openFile: media.openFile,
        storeMedia: messages.storeMedia,
        mediaUnavailable: messages.mediaUnavailable,
        ...createContactPictures({ ...base, files: media }),
      },
      sources,
      owner: processId,
      log: logOf("channels"),
      metrics: channelMetrics(metrics),
      onArrived: shares.noteEvents,
      settings: { inboundLeast: config.companyShares.least || Infinity, ...deps.channelSettings },
    });
  let channels: ReturnType<typeof runChannels> | undefined;
  connectionMetrics(metrics, () => channels?.figures() ?? []);
  shares.countLine((companyId) => channels?.waitingOf(companyId) ?? 0);
  const alarms = createAlarms({
    ...{ ...base, log: logOf("connections") },
    afterMs: deps.alarmAfterMs ?? 60_000,
    lookEveryMs: Math.min(5_000, deps.alarmAfterMs ?? 60_000),
  });
  /** Work of their own in processes with the role `jobs`, beside the attendant. */
  const workers: { start(): void | Promise<void>; stop(): Promise<void> }[] = [
    ...[mails, billing.asking, schedules.sending, contactLists.checks, companyExports.exporter],
    ...[...privacy.workers, campaignWork, ...contactImports.workers, team.assignment],
    ...[tickets.snoozes, alarms, integrations.deliveries, push.sending, prompts.transcripts],
  ];

  return {
    db,
    firstStart: () =>
      provisioning.firstStart({
        demo: config.demo,
        adminEmail: config.adminEmail,
        adminPassword: config.adminPassword,
      }),

    async listen() {
      await report.start();
      companyUses.start();
      await push.start();
      if (config.roles.has("jobs")) {
        await jobs.start();
        for (const worker of workers) await worker.start();
        if (deps.attends ?? true) attendant.start();
      }
      if (config.roles.has("channels")) {
        if (!deps.distributed) await freeAllLeases(db);
        channels = runChannels();
      }
      if (!config.roles.has("http")) return null;
      const port = await http.listen({ host: config.host, port: config.port });
      return `http://${visibleHost(config.host)}:${port}`;
    },

    async idle() {
      // A customer's message may be answered, and the answer has to be sent.
      do {
        await channels?.idle();
        await attendant.idle();
        await channels?.idle();
      } while (!(await attendant.isIdle()));
      await team.assignment.idle();
    },

    runDueTurns: attendant.runDue,
    runDueCampaigns: campaignWork.runDue,

    leave() {
      isLeaving = true;
    },

    async close() {
      users.close();
      dashboard.close();
      for (const worker of workers) await worker.stop();
      await attendant.stop();
      push.close();
      await realtime.close();
      await http.close();
      await channels?.stop();
      simulator.close();
      cloudApi.close();
      await jobs.stop();
      webhooks.close();
      await calls.flush();
      await companyUses.stop();
      await report.stop();
      await tracing?.close();
      stores.close();
      await wake.close();
      await db.close();
    },
  };
}

/** The address that a person types: wildcard addresses are reached as localhost. */
function visibleHost(host: string): string {
  if (host === "0.0.0.0" || host === "::" || host === "127.0.0.1") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}

function readVersion(): string {
  const file: unknown = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8"));
  if (typeof file === "object" && file !== null && "version" in file) return String(file.version);
  throw new Error("the package names no version");
}
