import type {
  ContactId,
  LastMessageKind,
  MediaKind,
  MediaState,
  MessageDetails,
  MessageId,
  NoteId,
  QueueOptionId,
  TagId,
  TicketId,
  TicketStatus,
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
  identity,
  moment,
  queueReference,
  ticketReference,
  updatedAt,
  userReference,
} from "./columns.ts";
import { companies, fileReference, tags, users } from "./companies.ts";
import { connections } from "./connections.ts";

export type AddressKind = "pn" | "lid" | "bsuid" | "group";

export const contacts = pgTable(
  "contacts",
  {
    id: identity().$type<ContactId>(),
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    /** Name and e-mail as searches compare them, so that nobody normalises thousands of them to find one. */
    nameNormal: text("name_normal")
      .notNull()
      .generatedAlwaysAs(sql`f_norm(name)`),
    emailNormal: text("email_normal")
      .notNull()
      .generatedAlwaysAs(sql`f_norm(email)`),
    /** Digits with country code; null while only a private address is known. */
    number: text("number"),
    email: text("email").notNull().default(""),
    /** The file of the picture; its address is made where it leaves the server. */
    pictureKey: text("picture_key"),
    /** When the chat network was asked for the picture last. */
    pictureCheckedAt: moment("picture_checked_at"),
    isGroup: boolean("is_group").notNull().default(false),
    active: boolean("active").notNull().default(true),
    disableBot: boolean("disable_bot").notNull().default(false),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique("contacts_company_id").on(table.companyId, table.id),
    unique("contacts_company_number").on(table.companyId, table.number),
    fileReference("contacts_picture", [table.companyId, table.pictureKey]),
    index("contacts_picture_index")
      .on(table.companyId, table.pictureKey)
      .where(sql`picture_key is not null`),
  ],
);

/** Numbers that the chat network was found to know, for a while. */
export const knownNumbers = pgTable(
  "known_numbers",
  {
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    /** Canonical form: both forms of the Brazilian ninth digit give the same key. */
    key: text("key").notNull(),
    /** As the network writes it. */
    number: text("number").notNull(),
    checkedAt: moment("checked_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.companyId, table.key] })],
);

/** The addresses of a person: whichever arrives first, it is one contact (architecture 2). */
export const contactAddresses = pgTable(
  "contact_addresses",
  {
    companyId: companyIdColumn(),
    kind: text("kind").$type<AddressKind>().notNull(),
    /** Canonical form for matching; both forms of the Brazilian ninth digit give the same key. */
    key: text("key").notNull(),
    /** As the channel writes it: what is sent to. */
    value: text("value").notNull(),
    contactId: contactReference({ onMerge: "move" }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.kind, table.key] }),
    dependsOn("contact_addresses_contact", table.companyId, table.contactId, contacts),
    index("contact_addresses_contact_index").on(table.companyId, table.contactId),
  ],
);

export const tickets = pgTable(
  "tickets",
  {
    id: identity().$type<TicketId>(),
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    uuid: uuid("uuid").notNull().unique(),
    contactId: contactReference({ onMerge: "handled" }).notNull(),
    /** Null once the connection was deleted. */
    connectionId: connectionReference({ onRemove: "handled" }),
    status: text("status").$type<TicketStatus>().notNull(),
    userId: userReference({ onRemove: "handled" }),
    queueId: queueReference({ onRemove: "handled" }),
    isGroup: boolean("is_group").notNull().default(false),
    chatbot: boolean("chatbot").notNull().default(false),
    queueOptionId: integer("queue_option_id").$type<QueueOptionId>(),
    useIntegration: boolean("use_integration").notNull().default(false),
    promptId: integer("prompt_id"),
    integrationId: integer("integration_id"),
    unreadMessages: integer("unread_messages").notNull().default(0),
    lastMessage: text("last_message").notNull().default(""),
    lastMessageId: uuid("last_message_id").$type<MessageId>(),
    lastMessageAt: moment("last_message_at"),
    /** When the customer wrote last: free text may be sent for some hours after it on some channels. */
    lastCustomerMessageAt: moment("last_customer_message_at"),
    /** The symbol before it on the card: a picture, a place, … */
    lastMessageKind: text("last_message_kind").$type<LastMessageKind>().notNull().default("text"),
    lastMessageFromMe: boolean("last_message_from_me").notNull().default(false),
    /** The queue in which it was written: its agents read it. */
    lastMessageQueueId: queueReference({ onRemove: "keep" }, "last_message_queue_id"),
    lastMessageAck: smallint("last_message_ack").notNull().default(0),
    lastMessageFailed: boolean("last_message_failed").notNull().default(false),
    /** The newest attendance, open or not. */
    lastAttendanceId: integer("last_attendance_id"),
    /** The last user and queue of a closed ticket, as in its newest attendance; null while it waits or is served. */
    servedUserId: userReference({ onRemove: "keep" }, "served_user_id"),
    servedQueueId: queueReference({ onRemove: "keep" }, "served_queue_id"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique("tickets_company_id").on(table.companyId, table.id),
    unique("tickets_one_per_contact").on(table.companyId, table.contactId, table.connectionId),
    dependsOn("tickets_contact", table.companyId, table.contactId, contacts),
    // The connection's, user's, queue's and option's foreign keys clear only their own column: see the migration.
    index("tickets_list").on(
      table.companyId,
      table.status,
      table.updatedAt.desc(),
      table.id.desc(),
    ),
    index("tickets_user").on(table.companyId, table.userId, table.status),
    index("tickets_queue").on(table.companyId, table.queueId, table.status),
    index("tickets_connection").on(table.companyId, table.connectionId),
    // The closed list of an agent or a queue, in its order.
    index("tickets_served_queue")
      .on(table.companyId, table.servedQueueId, table.updatedAt.desc(), table.id.desc())
      .where(sql`status = 'closed'`),
    index("tickets_served_unqueued")
      .on(table.companyId, table.servedUserId, table.updatedAt.desc(), table.id.desc())
      .where(sql`status = 'closed' and served_queue_id is null`),
    // The closed list of one user, whatever its queue, as admins filter it.
    index("tickets_served_user")
      .on(table.companyId, table.servedUserId, table.updatedAt.desc(), table.id.desc())
      .where(sql`status = 'closed' and served_user_id is not null`),
    // Tickets that are closed automatically, and those that wait without queue (behaviour 2.10, 2.11).
    index("tickets_answered")
      .on(table.companyId, table.connectionId, table.lastMessageAt)
      .where(sql`status = 'open' and last_message_from_me and not is_group`),
    index("tickets_unqueued")
      .on(table.companyId, table.connectionId)
      .where(sql`status = 'pending' and queue_id is null`),
    index("tickets_queue_option")
      .on(table.companyId, table.queueOptionId)
      .where(sql`queue_option_id is not null`),
    check("tickets_status", sql`status in ('pending', 'open', 'closed')`),
    check(
      "tickets_served_is_closed",
      sql`status = 'closed' or (served_user_id is null and served_queue_id is null)`,
    ),
    check("tickets_open_has_no_lost_user", sql`status <> 'pending' or user_id is null`),
  ],
);

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

export const ticketTags = pgTable(
  "ticket_tags",
  {
    companyId: companyIdColumn(),
    ticketId: ticketReference({ onMerge: { unlessSame: ["tag_id"] } }).notNull(),
    tagId: integer("tag_id").$type<TagId>().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.ticketId, table.tagId] }),
    dependsOn("ticket_tags_ticket", table.companyId, table.ticketId, tickets),
    dependsOn("ticket_tags_tag", table.companyId, table.tagId, tags),
    index("ticket_tags_tag_index").on(table.companyId, table.tagId),
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

/** The team's notes about a ticket; customers never see them. */
export const ticketNotes = pgTable(
  "ticket_notes",
  {
    id: identity().$type<NoteId>(),
    companyId: companyIdColumn(),
    ticketId: ticketReference({ onMerge: "move" }).notNull(),
    contactId: contactReference({ onMerge: "move" }).notNull(),
    userId: userReference({ onRemove: "keep" }),
    /** The ticket's queue when it was written: its agents read it. Null also for notes from before this was kept. */
    queueId: queueReference({ onRemove: "keep" }),
    note: text("note").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    dependsOn("ticket_notes_ticket", table.companyId, table.ticketId, tickets),
    dependsOn("ticket_notes_contact", table.companyId, table.contactId, contacts),
    // The author's foreign key clears only its own column: see the migration.
    index("ticket_notes_ticket_index").on(table.companyId, table.ticketId, table.id.desc()),
    index("ticket_notes_contact_index").on(table.companyId, table.contactId),
    index("ticket_notes_user_index").on(table.companyId, table.userId),
  ],
);

/** The text that a user has begun to write in a ticket. */
export const drafts = pgTable(
  "drafts",
  {
    companyId: companyIdColumn(),
    userId: userReference({ onRemove: "delete" }).notNull(),
    ticketId: ticketReference({ onMerge: "handled" }).notNull(),
    body: text("body").notNull(),
    quotedMessageId: uuid("quoted_message_id").$type<MessageId>(),
    updatedAt: updatedAt(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.userId, table.ticketId] }),
    dependsOn("drafts_user", table.companyId, table.userId, users),
    dependsOn("drafts_ticket", table.companyId, table.ticketId, tickets),
    index("drafts_ticket_index").on(table.companyId, table.ticketId),
  ],
);

/** Rows of a contact's card beyond name, number and e-mail, in the order of their ids. */
export const contactExtraInfo = pgTable(
  "contact_extra_info",
  {
    id: identity(),
    companyId: companyIdColumn(),
    contactId: contactReference({ onMerge: { unlessSame: ["name", "value"] } }).notNull(),
    name: text("name").notNull(),
    value: text("value").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    dependsOn("contact_extra_info_contact", table.companyId, table.contactId, contacts),
    index("contact_extra_info_contact_index").on(table.companyId, table.contactId),
  ],
);
