import type {
  ChannelKind,
  ConnectionId,
  ConnectionStatus,
  IntegrationId,
  PromptId,
} from "@balcao/contract";
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import {
  companyIdColumn,
  connectionReference,
  createdAt,
  deletedAt,
  dependsOn,
  identity,
  moment,
  queueReference,
  updatedAt,
} from "./columns.ts";
import { companies } from "./companies.ts";
import { queues } from "./queues.ts";

export const connections = pgTable(
  "connections",
  {
    id: identity().$type<ConnectionId>(),
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    channel: text("channel").$type<ChannelKind>().notNull(),
    status: text("status").$type<ConnectionStatus>().notNull().default("DISCONNECTED"),
    qrcode: text("qrcode").notNull().default(""),
    /** A code to type on the phone, while one is shown. */
    pairingCode: text("pairing_code").notNull().default(""),
    /** Digits of the phone that the next start links by a typed code; null: by scanning. */
    pairingPhone: text("pairing_phone"),
    closeReason: text("close_reason"),
    connectedAt: moment("connected_at"),
    disconnectedAt: moment("disconnected_at"),
    /** When people were told that the connection is lost. */
    alarmedAt: moment("alarmed_at"),
    /** When the admins were told by e-mail that the connection is lost. */
    lossMailedAt: moment("loss_mailed_at"),
    isDefault: boolean("is_default").notNull().default(false),
    retries: integer("retries").notNull().default(0),
    number: text("number"),
    /** Whether people want it to run; the owner of the lease brings the session there. */
    wanted: boolean("wanted").notNull().default(true),
    /** Raised by every start request; the owner restarts its session when it sees a new one. */
    startGeneration: integer("start_generation").notNull().default(0),
    /** The next start (or the stop) first removes the stored link: "New QR" and "Disconnect". */
    unlinkRequested: boolean("unlink_requested").notNull().default(false),
    /** The channel whose link is to be removed, when it is not the present one any more. */
    unlinkChannel: text("unlink_channel").$type<ChannelKind>(),
    greetingMessage: text("greeting_message").notNull().default(""),
    complationMessage: text("complation_message").notNull().default(""),
    outOfHoursMessage: text("out_of_hours_message").notNull().default(""),
    ratingMessage: text("rating_message").notNull().default(""),
    farewellMessage: text("farewell_message").notNull().default(""),
    expiresInactiveMessage: text("expires_inactive_message").notNull().default(""),
    expiresTicketMinutes: integer("expires_ticket_minutes").notNull().default(0),
    timeUseBotQueuesMinutes: integer("time_use_bot_queues_minutes").notNull().default(0),
    maxUseBotQueues: integer("max_use_bot_queues").notNull().default(3),
    timeToTransferMinutes: integer("time_to_transfer_minutes"),
    transferQueueId: queueReference({ onRemove: "clear" }, "transfer_queue_id"),
    provider: text("provider").notNull().default("beta"),
    token: text("token"),
    /** The prompt or integration that answers its customers before they have a queue; at most one is set. */
    promptId: integer("prompt_id").$type<PromptId>(),
    integrationId: integer("integration_id").$type<IntegrationId>(),
    deletedAt: deletedAt(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique("connections_company_id").on(table.companyId, table.id),
    uniqueIndex("connections_company_name")
      .on(table.companyId, table.name)
      .where(sql`deleted_at is null`),
    index("connections_transfer_queue_index")
      .on(table.companyId, table.transferQueueId)
      .where(sql`transfer_queue_id is not null`),
    uniqueIndex("connections_default")
      .on(table.companyId)
      .where(sql`is_default`),
    uniqueIndex("connections_token")
      .on(table.token)
      .where(sql`token <> ''`),
    // The foreign keys of prompt and integration are in the migration.
    index("connections_prompt")
      .on(table.companyId, table.promptId)
      .where(sql`prompt_id is not null`),
    index("connections_integration")
      .on(table.companyId, table.integrationId)
      .where(sql`integration_id is not null`),
    index("connections_wanted")
      .on(table.id)
      .where(sql`wanted or unlink_requested`),
    index("connections_expiring")
      .on(table.id)
      .where(sql`expires_ticket_minutes > 0`),
    index("connections_transferring")
      .on(table.id)
      .where(sql`time_to_transfer_minutes > 0 and transfer_queue_id is not null`),
    index("connections_lost")
      .on(table.disconnectedAt)
      .where(sql`status <> 'CONNECTED' and connected_at is not null and alarmed_at is null`),
    index("connections_lost_unmailed")
      .on(table.disconnectedAt)
      .where(sql`alarmed_at is not null and loss_mailed_at is null`),
  ],
);

export const connectionQueues = pgTable(
  "connection_queues",
  {
    companyId: companyIdColumn(),
    connectionId: connectionReference({ onRemove: "delete" }).notNull(),
    queueId: queueReference({ onRemove: "delete" }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.connectionId, table.queueId] }),
    dependsOn("connection_queues_connection", table.companyId, table.connectionId, connections),
    dependsOn("connection_queues_queue", table.companyId, table.queueId, queues),
    index("connection_queues_queue_index").on(table.companyId, table.queueId),
  ],
);

/**
 * The process that owns a connection, with a fence that grows at each change of owner. Every write that belongs to a
 * session starts by locking this row `for key share` with its own fence (channels.md 5).
 */
export const connectionLeases = pgTable(
  "connection_leases",
  {
    connectionId: connectionReference({ onRemove: "delete" }).primaryKey(),
    companyId: companyIdColumn(),
    owner: uuid("owner"),
    fence: bigint("fence", { mode: "number" }).notNull().default(0),
    expiresAt: moment("expires_at")
      .notNull()
      .default(sql`'-infinity'`),
  },
  (table) => [
    dependsOn("connection_leases_connection", table.companyId, table.connectionId, connections),
  ],
);

/**
 * Events that a channel delivered, stored before their receipts; rows are deleted once they are processed, and replayed
 * after a crash.
 */
export const inboundJournal = pgTable(
  "inbound_journal",
  {
    id: bigint("id", { mode: "number" }).generatedAlwaysAsIdentity().primaryKey(),
    companyId: companyIdColumn(),
    connectionId: connectionReference({ onRemove: "delete" }).notNull(),
    /** Partition of strict order: the chat's address. */
    chatKey: text("chat_key").notNull(),
    event: text("event").notNull(),
    attempts: integer("attempts").notNull().default(0),
    /** Given up after too many attempts; kept for people to look at. */
    failedAt: moment("failed_at"),
    receivedAt: createdAt(),
  },
  (table) => [
    dependsOn("inbound_journal_connection", table.companyId, table.connectionId, connections),
    index("inbound_journal_order").on(table.connectionId, table.id),
    index("inbound_journal_failed")
      .on(table.connectionId)
      .where(sql`failed_at is not null`),
  ],
);

/**
 * Questions to the chat network (is this number known?) and their answers: any process asks, the connection's owner
 * answers. Kept for minutes.
 */
export const channelQuestions = pgTable(
  "channel_questions",
  {
    id: uuid("id").primaryKey(),
    companyId: companyIdColumn(),
    connectionId: connectionReference({ onRemove: "delete" }).notNull(),
    /** JSON. */
    question: text("question").notNull(),
    /** JSON; null while nobody has answered. */
    answer: text("answer"),
    createdAt: createdAt(),
  },
  (table) => [
    dependsOn("channel_questions_connection", table.companyId, table.connectionId, connections),
    index("channel_questions_open")
      .on(table.connectionId)
      .where(sql`answer is null`),
    index("channel_questions_connection_index").on(table.companyId, table.connectionId),
    index("channel_questions_age").on(table.createdAt),
  ],
);
