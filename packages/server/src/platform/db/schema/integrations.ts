import type {
  DeliveryFault,
  DeliveryId,
  DeliveryState,
  IntegrationId,
  IntegrationType,
  MessageId,
  PromptFault,
  PromptId,
  PromptVoice,
  WebhookId,
} from "@balcao/contract";
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  date,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  unique,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import {
  companyIdColumn,
  createdAt,
  dependsOn,
  identity,
  moment,
  queueReference,
  sealed,
  ticketReference,
  updatedAt,
} from "./columns.ts";
import { companies } from "./companies.ts";
import { messages } from "./messages.ts";
import { tickets } from "./tickets.ts";

/** AI agents. Tickets, connections and queues refer to them by foreign keys of the migration. */
export const prompts = pgTable(
  "prompts",
  {
    id: identity().$type<PromptId>(),
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    prompt: text("prompt").notNull(),
    baseUrl: text("base_url").notNull(),
    model: text("model").notNull(),
    apiKey: sealed("api_key").notNull(),
    /** The last characters, which are shown. */
    apiKeyEnd: text("api_key_end").notNull(),
    voice: text("voice").$type<PromptVoice>().notNull(),
    voiceKey: sealed("voice_key"),
    voiceKeyEnd: text("voice_key_end").notNull().default(""),
    voiceRegion: text("voice_region").notNull().default(""),
    maxTokens: integer("max_tokens").notNull(),
    temperature: doublePrecision("temperature").notNull(),
    maxMessages: integer("max_messages").notNull(),
    /** 0: any number. */
    dayTokens: integer("day_tokens").notNull(),
    ticketTokens: integer("ticket_tokens").notNull(),
    /** It gets what the knowledge base says to the customer's text. */
    useKnowledge: boolean("use_knowledge").notNull().default(false),
    /** R$ for a million tokens. */
    priceIn: doublePrecision("price_in"),
    priceOut: doublePrecision("price_out"),
    /** Where it hands over to; null once the queue was deleted. */
    queueId: queueReference({ onRemove: "clear" }),
    promptTokens: bigint("prompt_tokens", { mode: "number" }).notNull().default(0),
    completionTokens: bigint("completion_tokens", { mode: "number" }).notNull().default(0),
    /** Why it does not answer; null: it does. */
    fault: text("fault").$type<PromptFault>(),
    faultAt: moment("fault_at"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique("prompts_company_id").on(table.companyId, table.id),
    index("prompts_name").on(table.companyId, table.name, table.id),
    index("prompts_queue")
      .on(table.companyId, table.queueId)
      .where(sql`queue_id is not null`),
  ],
);

/** Tokens of a prompt by day of its company. */
export const promptDays = pgTable(
  "prompt_days",
  {
    companyId: companyIdColumn(),
    promptId: integer("prompt_id").$type<PromptId>().notNull(),
    day: date("day", { mode: "string" }).notNull(),
    promptTokens: bigint("prompt_tokens", { mode: "number" }).notNull().default(0),
    completionTokens: bigint("completion_tokens", { mode: "number" }).notNull().default(0),
    answers: integer("answers").notNull().default(0),
    /** The part of the tokens that trials have used. */
    testTokens: bigint("test_tokens", { mode: "number" }).notNull().default(0),
    /** When the admins were told that the budget of the day is used up. */
    toldAt: moment("told_at"),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.promptId, table.day] }),
    dependsOn("prompt_days_prompt", table.companyId, table.promptId, prompts),
  ],
);

/** Tokens and answers of a prompt in one ticket, by day. Kept for two days. */
export const promptTickets = pgTable(
  "prompt_tickets",
  {
    companyId: companyIdColumn(),
    promptId: integer("prompt_id").$type<PromptId>().notNull(),
    ticketId: ticketReference({ onMerge: "drop" }).notNull(),
    day: date("day", { mode: "string" }).notNull(),
    tokens: integer("tokens").notNull().default(0),
    answers: integer("answers").notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.ticketId, table.promptId, table.day] }),
    dependsOn("prompt_tickets_prompt", table.companyId, table.promptId, prompts),
    dependsOn("prompt_tickets_ticket", table.companyId, table.ticketId, tickets),
    index("prompt_tickets_prompt_index").on(table.companyId, table.promptId),
    index("prompt_tickets_day").on(table.day),
  ],
);

/** The AI service that helps the company's own people, at most one; agents have accounts of their own. */
export const aiServices = pgTable("ai_services", {
  companyId: companyIdColumn()
    .primaryKey()
    .references(() => companies.id, { onDelete: "cascade" }),
  baseUrl: text("base_url").notNull(),
  model: text("model").notNull(),
  transcriptionModel: text("transcription_model").notNull(),
  apiKey: sealed("api_key").notNull(),
  /** The last characters, which are shown. */
  apiKeyEnd: text("api_key_end").notNull(),
  /** People are offered drafts, summaries and translations. */
  helps: boolean("helps").notNull(),
  /** Customers' voice notes are written down when they arrive. */
  transcribes: boolean("transcribes").notNull(),
  /** 0: any number. */
  dayTokens: integer("day_tokens").notNull(),
  /** 0: any number. */
  daySounds: integer("day_sounds").notNull(),
  /** Why it does not answer; null: it does. */
  fault: text("fault").$type<PromptFault>(),
  faultAt: moment("fault_at"),
  updatedAt: updatedAt(),
});

/** Use of the company's AI service by day. */
export const aiServiceDays = pgTable(
  "ai_service_days",
  {
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    day: date("day", { mode: "string" }).notNull(),
    tokens: bigint("tokens", { mode: "number" }).notNull().default(0),
    /** Drafts, summaries and translations. */
    answers: integer("answers").notNull().default(0),
    sounds: integer("sounds").notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.companyId, table.day] })],
);

/** Voice notes that are to be written down. A row is deleted when that is done or given up. */
export const transcriptJobs = pgTable(
  "transcript_jobs",
  {
    companyId: companyIdColumn(),
    messageId: uuid("message_id").$type<MessageId>().notNull(),
    attempts: integer("attempts").notNull().default(0),
    dueAt: moment("due_at").notNull(),
    /** Somebody has it written down until then. */
    claimedUntil: moment("claimed_until"),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.messageId] }),
    dependsOn("transcript_jobs_message", table.companyId, table.messageId, messages),
    index("transcript_jobs_due").on(table.companyId, table.dueAt),
  ],
);

/** Receivers of a ticket's events, and bots that answer. */
export const integrations = pgTable(
  "integrations",
  {
    id: identity().$type<IntegrationId>(),
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    type: text("type").$type<IntegrationType>().notNull(),
    name: text("name").notNull(),
    projectName: text("project_name").notNull().default(""),
    /** The service account's key of a Dialogflow project. */
    jsonContent: sealed("json_content"),
    /** The account in it, which is shown. */
    jsonAccount: text("json_account").notNull().default(""),
    language: text("language").notNull().default(""),
    url: text("url").notNull().default(""),
    typebotSlug: text("typebot_slug").notNull().default(""),
    typebotExpiresMinutes: integer("typebot_expires_minutes").notNull().default(1),
    typebotKeywordFinish: text("typebot_keyword_finish").notNull().default(""),
    typebotUnknownMessage: text("typebot_unknown_message").notNull().default(""),
    typebotDelayMs: integer("typebot_delay_ms").notNull().default(1_000),
    typebotKeywordRestart: text("typebot_keyword_restart").notNull().default(""),
    typebotRestartMessage: text("typebot_restart_message").notNull().default(""),
    /** Signs what is sent; the one before signs as well until `previousUntil`. */
    secret: sealed("secret").notNull(),
    previousSecret: sealed("previous_secret"),
    previousUntil: moment("previous_until"),
    /** Since when each try has failed. */
    failingSince: moment("failing_since"),
    /** When sending was stopped. */
    stoppedAt: moment("stopped_at"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique("integrations_company_id").on(table.companyId, table.id),
    uniqueIndex("integrations_name").on(table.companyId, table.name),
    index("integrations_newest").on(table.companyId, table.createdAt.desc(), table.id.desc()),
  ],
);

/** Receivers of a whole company's events. */
export const webhooks = pgTable(
  "webhooks",
  {
    id: identity().$type<WebhookId>(),
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    url: text("url").notNull(),
    events: jsonb("events").$type<string[]>().notNull(),
    secret: sealed("secret").notNull(),
    previousSecret: sealed("previous_secret"),
    previousUntil: moment("previous_until"),
    failingSince: moment("failing_since"),
    stoppedAt: moment("stopped_at"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [unique("webhooks_company_id").on(table.companyId, table.id)],
);

/**
 * Events for receivers, written with the change that they tell of. Those of one receiver and ticket are sent one after the
 * other in the order of their ids. Kept for 30 days.
 */
export const deliveries = pgTable(
  "deliveries",
  {
    id: identity().$type<DeliveryId>(),
    companyId: companyIdColumn(),
    /** Exactly one of these two. */
    integrationId: integer("integration_id").$type<IntegrationId>(),
    webhookId: integer("webhook_id").$type<WebhookId>(),
    ticketId: ticketReference({ onMerge: "move" }),
    /** Sent as `webhook-id`, the same with each try. */
    eventId: uuid("event_id").notNull(),
    kind: text("kind").notNull(),
    body: text("body").notNull(),
    state: text("state").$type<DeliveryState>().notNull(),
    tries: integer("tries").notNull().default(0),
    /** The next try of a waiting one; while it is sent, the end of that try's claim. */
    dueAt: moment("due_at").notNull(),
    status: smallint("status"),
    fault: text("fault").$type<DeliveryFault>(),
    url: text("url").notNull().default(""),
    /** The first 64 kB. */
    answer: text("answer").notNull().default(""),
    tookMs: integer("took_ms"),
    triedAt: moment("tried_at"),
    createdAt: createdAt(),
  },
  (table) => [
    dependsOn("deliveries_integration", table.companyId, table.integrationId, integrations),
    dependsOn("deliveries_webhook", table.companyId, table.webhookId, webhooks),
    // The ticket's foreign key clears only its own column: see the migration.
    index("deliveries_due")
      .on(table.companyId, table.dueAt)
      .where(sql`state = 'waiting'`),
    // The order of a receiver's events of a ticket.
    index("deliveries_waiting_integration")
      .on(table.companyId, table.integrationId, table.ticketId, table.id)
      .where(sql`state = 'waiting' and integration_id is not null`),
    index("deliveries_waiting_webhook")
      .on(table.companyId, table.webhookId, table.ticketId, table.id)
      .where(sql`state = 'waiting' and webhook_id is not null`),
    index("deliveries_newest").on(table.companyId, table.id.desc()),
    index("deliveries_integration_newest").on(
      table.companyId,
      table.integrationId,
      table.id.desc(),
    ),
    index("deliveries_webhook_newest").on(table.companyId, table.webhookId, table.id.desc()),
    // The figures of a day.
    index("deliveries_day").on(table.companyId, table.createdAt, table.integrationId, table.state),
    index("deliveries_ticket").on(table.companyId, table.ticketId, table.id.desc()),
    index("deliveries_age").on(table.createdAt),
    check("deliveries_one_receiver", sql`num_nonnulls(integration_id, webhook_id) = 1`),
  ],
);

/** The conversation of a ticket with a bot outside. */
export const botSessions = pgTable(
  "bot_sessions",
  {
    companyId: companyIdColumn(),
    ticketId: ticketReference({ onMerge: "drop" }).notNull(),
    integrationId: integer("integration_id").$type<IntegrationId>().notNull(),
    /** "" before it begins. */
    sessionId: text("session_id").notNull(),
    /** The customer's last message that it answered. */
    lastSeq: bigint("last_seq", { mode: "number" }).notNull().default(0),
    lastAt: moment("last_at").notNull(),
    /** Its answer to that message. It counts as said once the attendant has handled the message. */
    pending: jsonb("pending"),
    /** It is being asked: at most until then. */
    busyUntil: moment("busy_until"),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.ticketId] }),
    dependsOn("bot_sessions_ticket", table.companyId, table.ticketId, tickets),
    dependsOn("bot_sessions_integration", table.companyId, table.integrationId, integrations),
    index("bot_sessions_integration_index").on(table.companyId, table.integrationId),
  ],
);

/** What a customer wrote to the billing look-up of a ticket's queue; never the number itself. Older than a day, they go with the next one. */
export const billingLookups = pgTable(
  "billing_lookups",
  {
    companyId: companyIdColumn(),
    ticketId: ticketReference({ onMerge: "drop" }).notNull(),
    /** The message. */
    seq: bigint("seq", { mode: "number" }).notNull(),
    /** It was a valid number, by which the systems are asked. */
    isLookup: boolean("is_lookup").notNull(),
    at: moment("at").notNull(),
    /** By system: the outcome of the unblocking that was asked for; null while it is not known. */
    unblocks: jsonb("unblocks").$type<Record<string, unknown>>().notNull().default({}),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.ticketId, table.seq] }),
    dependsOn("billing_lookups_ticket", table.companyId, table.ticketId, tickets),
  ],
);
