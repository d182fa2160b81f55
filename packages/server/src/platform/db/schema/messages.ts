import type {
  CampaignId,
  MediaKind,
  MediaState,
  MessageDetails,
  MessageId,
} from "@balcao/contract";
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
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
  connectionReference,
  contactReference,
  createdAt,
  dependsOn,
  moment,
  queueReference,
  ticketReference,
  updatedAt,
  userReference,
} from "./columns.ts";
import { fileReference } from "./companies.ts";
import { connections } from "./connections.ts";
import { contacts } from "./contacts.ts";
import type { AddressKind } from "./contacts.ts";
import { tickets } from "./tickets.ts";

/** SQL of what the index of messages with files has: all kinds but texts. */
export const notText = (mediaType: string): string =>
  `${mediaType} not in ('conversation', 'extendedTextMessage')`;

export const messages = pgTable(
  "messages",
  {
    companyId: companyIdColumn(),
    /** Ours (UUID version 7), unique in the installation. */
    id: uuid("id").$type<MessageId>().notNull(),
    /** Order of storage; breaks ties between equal times. */
    seq: bigint("seq", { mode: "number" }).generatedAlwaysAsIdentity().notNull(),
    ticketId: ticketReference({ onMerge: "move in portions" }).notNull(),
    connectionId: connectionReference({ onRemove: "keep" }),
    /** The id on the chat network: a message exists once per connection, however often it is delivered. */
    providerId: text("provider_id").notNull(),
    /** Author; null for outgoing messages. */
    contactId: contactReference({ onMerge: "move in portions" }),
    /** The agent who wrote it in the product. */
    userId: userReference({ onRemove: "keep" }),
    clientId: uuid("client_id"),
    body: text("body").notNull(),
    fromMe: boolean("from_me").notNull(),
    read: boolean("read").notNull(),
    ack: smallint("ack").notNull(),
    failedCode: text("failed_code"),
    mediaType: text("media_type"),
    /** The content beyond text and file, in the contract's shape. */
    details: jsonb("details").$type<MessageDetails>(),
    /** Until then it waits and can be undone. */
    undoUntil: moment("undo_until"),
    /** Why its last edit, deletion or reaction was refused. */
    changeFailedCode: text("change_failed_code"),
    quotedMessageId: uuid("quoted_message_id").$type<MessageId>(),
    queueId: queueReference({ onRemove: "keep" }),
    isDeleted: boolean("is_deleted").notNull().default(false),
    isEdited: boolean("is_edited").notNull().default(false),
    isForwarded: boolean("is_forwarded").notNull().default(false),
    /** The product sent it by itself: the attendant, or a text about a transfer, a closing, a call. */
    isAutomatic: boolean("is_automatic").notNull().default(false),
    /** The campaign that sent it, or whose confirmation it asks for. */
    campaignId: integer("campaign_id").$type<CampaignId>(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.id] }),
    unique("messages_once").on(table.companyId, table.connectionId, table.providerId),
    dependsOn("messages_ticket", table.companyId, table.ticketId, tickets),
    index("messages_page").on(
      table.companyId,
      table.ticketId,
      table.createdAt.desc(),
      table.seq.desc(),
    ),
    // The files of a contact's page: few of many messages.
    index("messages_with_file")
      .on(table.companyId, table.ticketId, table.createdAt.desc(), table.seq.desc())
      .where(sql.raw(notText("media_type"))),
    uniqueIndex("messages_client")
      .on(table.companyId, table.clientId)
      .where(sql`client_id is not null`),
    // A contact that is deleted or merged may have messages in any ticket.
    index("messages_author")
      .on(table.companyId, table.contactId)
      .where(sql`contact_id is not null`),
    // So may a deleted user.
    index("messages_user")
      .on(table.companyId, table.userId)
      .where(sql`user_id is not null`),
    index("messages_unread")
      .on(table.companyId, table.ticketId)
      .where(sql`not from_me and not read`),
    check("messages_ack", sql`ack between 0 and 5`),
  ],
);

/** The file of a message; the row is there before the file is. */
export const messageMedia = pgTable(
  "message_media",
  {
    companyId: companyIdColumn(),
    messageId: uuid("message_id").$type<MessageId>().notNull(),
    kind: text("kind").$type<MediaKind>().notNull(),
    state: text("state").$type<MediaState>().notNull(),
    fileKey: text("file_key"),
    thumbnailKey: text("thumbnail_key"),
    name: text("name").notNull(),
    mime: text("mime").notNull(),
    bytes: bigint("bytes", { mode: "number" }).notNull().default(0),
    width: integer("width"),
    height: integer("height"),
    durationMs: integer("duration_ms"),
    /** Levels from 0 to 100. */
    waveform: smallint("waveform").array(),
    isViewOnce: boolean("is_view_once").notNull().default(false),
    /** The transcript of a voice note: null while there is none, "" if nobody speaks in it. */
    transcript: text("transcript"),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.messageId] }),
    dependsOn("message_media_message", table.companyId, table.messageId, messages),
    fileReference("message_media_file", [table.companyId, table.fileKey]),
    fileReference("message_media_thumbnail", [table.companyId, table.thumbnailKey]),
    index("message_media_file_index").on(table.companyId, table.fileKey),
    index("message_media_thumbnail_index").on(table.companyId, table.thumbnailKey),
    check("message_media_ready_has_file", sql`state <> 'ready' or file_key is not null`),
  ],
);

/** Files that still have to be fetched from the chat network, by the owner of the connection. */
export const mediaDownloads = pgTable(
  "media_downloads",
  {
    id: bigint("id", { mode: "number" }).generatedAlwaysAsIdentity().primaryKey(),
    companyId: companyIdColumn(),
    connectionId: connectionReference({ onRemove: "delete" }).notNull(),
    messageId: uuid("message_id").$type<MessageId>().notNull(),
    /** JSON of the port's reference; only the connection's channel understands it. */
    source: text("source").notNull(),
    attempts: integer("attempts").notNull().default(0),
    dueAt: moment("due_at")
      .notNull()
      .default(sql`now()`),
    fence: bigint("fence", { mode: "number" }),
    createdAt: createdAt(),
  },
  (table) => [
    unique("media_downloads_message").on(table.companyId, table.messageId),
    dependsOn("media_downloads_message_row", table.companyId, table.messageId, messages),
    dependsOn("media_downloads_connection", table.companyId, table.connectionId, connections),
    index("media_downloads_due").on(table.connectionId, table.dueAt),
  ],
);

/** Reactions stand on their message: one of each customer, one of the company. */
export const messageReactions = pgTable(
  "message_reactions",
  {
    companyId: companyIdColumn(),
    messageId: uuid("message_id").$type<MessageId>().notNull(),
    /** `company`, or `contact:<id>`. */
    author: text("author").notNull(),
    contactId: contactReference({
      onMerge: {
        unlessSame: ["message_id"],
        also: (id) => `author = 'contact:' || ${id}::int`,
      },
    }),
    userId: userReference({ onRemove: "keep" }),
    emoji: text("emoji").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.messageId, table.author] }),
    dependsOn("message_reactions_message", table.companyId, table.messageId, messages),
    dependsOn("message_reactions_contact", table.companyId, table.contactId, contacts),
    index("message_reactions_contact_index").on(table.companyId, table.contactId),
    index("message_reactions_user")
      .on(table.companyId, table.userId)
      .where(sql`user_id is not null`),
  ],
);

/** `message` makes a new one; the others change one that is on the network already. */
export type OutboundCommand = "message" | "edit" | "revoke" | "reaction";
export type OutboundState = "queued" | "sending" | "sent" | "done" | "failed" | "unconfirmed";

/** Urgency of a message, the lower the more urgent (behaviour 10.6). From `schedule` on it is a bulk message. */
export const outboundPriorities = { agent: 0, attendant: 1, api: 2, schedule: 3, campaign: 4 };
export type OutboundPriority = keyof typeof outboundPriorities;

/**
 * Messages to be sent, the most urgent first and strictly in order per chat; written in the transaction of their
 * message. No row of a chat is more urgent than the chat's earlier waiting ones: a row raises them to its own priority.
 */
export const outbound = pgTable(
  "outbound",
  {
    id: bigint("id", { mode: "number" }).generatedAlwaysAsIdentity().primaryKey(),
    companyId: companyIdColumn(),
    connectionId: connectionReference({
      onRemove: { deleteWhere: sql`state in ('queued', 'sending', 'sent')` },
    }).notNull(),
    messageId: uuid("message_id").$type<MessageId>().notNull(),
    chatKey: text("chat_key").notNull(),
    toKind: text("to_kind").$type<AddressKind>().notNull(),
    toValue: text("to_value").notNull(),
    /** The id on the wire, chosen beforehand: a second attempt is the same message. */
    providerId: text("provider_id").notNull(),
    command: text("command").$type<OutboundCommand>().notNull().default("message"),
    /** JSON of the port's body. */
    body: text("body").notNull(),
    /** JSON of the port's reference to the quoted message. */
    quote: text("quote"),
    /** JSON of the message before a change, for reverting it when the network refuses. */
    before: text("before"),
    state: text("state").$type<OutboundState>().notNull().default("queued"),
    priority: smallint("priority").notNull().default(outboundPriorities.agent),
    attempt: integer("attempt").notNull().default(0),
    fence: bigint("fence", { mode: "number" }),
    /** Not before; a later row of the chat waits for it as well. */
    dueAt: moment("due_at")
      .notNull()
      .default(sql`now()`),
    attemptedAt: moment("attempted_at"),
    errorCode: text("error_code"),
  },
  (table) => [
    uniqueIndex("outbound_message")
      .on(table.companyId, table.messageId)
      .where(sql`command = 'message'`),
    index("outbound_message_changes").on(table.companyId, table.messageId),
    dependsOn("outbound_message_row", table.companyId, table.messageId, messages),
    dependsOn("outbound_connection", table.companyId, table.connectionId, connections),
    index("outbound_waiting")
      .on(table.connectionId, table.priority, table.id)
      .where(sql`state in ('queued', 'sending', 'sent')`),
    // For raising a chat's rows: empty where everything waiting is urgent already.
    index("outbound_raisable")
      .on(table.connectionId, table.chatKey)
      .where(sql`state in ('queued', 'sending', 'sent') and priority > 0`),
    index("outbound_provider").on(table.connectionId, table.providerId),
  ],
);

/** Read receipts that the chat network still has to be told: the newest read message of each chat. */
export const readReceipts = pgTable(
  "read_receipts",
  {
    companyId: companyIdColumn(),
    connectionId: connectionReference({ onRemove: "delete" }).notNull(),
    chatKey: text("chat_key").notNull(),
    toKind: text("to_kind").$type<AddressKind>().notNull(),
    toValue: text("to_value").notNull(),
    providerId: text("provider_id").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.connectionId, table.chatKey] }),
    dependsOn("read_receipts_connection", table.companyId, table.connectionId, connections),
    index("read_receipts_connection_index").on(table.connectionId),
  ],
);

/** Events of the chat network about a message that is not stored yet; they wait for the message, a day at most. */
export const earlyEvents = pgTable(
  "early_events",
  {
    id: bigint("id", { mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    companyId: companyIdColumn(),
    connectionId: connectionReference({ onRemove: "delete" }).notNull(),
    providerId: text("provider_id").notNull(),
    /** As in the journal of incoming events. */
    event: text("event").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    dependsOn("early_events_connection", table.companyId, table.connectionId, connections),
    index("early_events_message").on(table.companyId, table.connectionId, table.providerId),
    index("early_events_age").on(table.createdAt),
  ],
);
