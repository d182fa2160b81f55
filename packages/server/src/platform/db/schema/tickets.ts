import type {
  IntegrationId,
  LastMessageKind,
  MessageId,
  NoteId,
  NoteMention,
  PromptId,
  QueueOptionId,
  TagId,
  TicketId,
  TicketStatus,
  TicketViewId,
  ViewFilter,
} from "@balcao/contract";
import { sql } from "drizzle-orm";
import {
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
  uuid,
} from "drizzle-orm/pg-core";
import {
  companyIdColumn,
  connectionReference,
  contactReference,
  createdAt,
  deletedAt,
  dependsOn,
  identity,
  moment,
  queueReference,
  ticketReference,
  updatedAt,
  userReference,
} from "./columns.ts";
import { companies, tags, users } from "./companies.ts";
import { contacts } from "./contacts.ts";

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
    /** The user from whom it came back to wait; automatic assignment gives it to others. Null once it is served or closed. */
    returnedBy: userReference({ onRemove: "keep" }, "returned_by"),
    isGroup: boolean("is_group").notNull().default(false),
    chatbot: boolean("chatbot").notNull().default(false),
    queueOptionId: integer("queue_option_id").$type<QueueOptionId>(),
    useIntegration: boolean("use_integration").notNull().default(false),
    promptId: integer("prompt_id").$type<PromptId>(),
    integrationId: integer("integration_id").$type<IntegrationId>(),
    unreadMessages: integer("unread_messages").notNull().default(0),
    lastMessage: text("last_message").notNull().default(""),
    lastMessageId: uuid("last_message_id").$type<MessageId>(),
    lastMessageAt: moment("last_message_at"),
    /** When the customer wrote last: free text may be sent for some hours after it on some channels. */
    lastCustomerMessageAt: moment("last_customer_message_at"),
    /** When the first customer message arrived that no person of the company has answered; null when nobody waits. */
    waitingSince: moment("waiting_since"),
    /** Since when it is in its queue: targets of the queue count from there at the earliest. */
    queuedAt: moment("queued_at"),
    /** A person of the company has written in the newest attendance. */
    isAnswered: boolean("is_answered").notNull().default(false),
    /** The symbol before it on the card: a picture, a place, … */
    lastMessageKind: text("last_message_kind").$type<LastMessageKind>().notNull().default("text"),
    lastMessageFromMe: boolean("last_message_from_me").notNull().default(false),
    /** The queue in which it was written: its agents read it. */
    lastMessageQueueId: queueReference({ onRemove: "keep" }, "last_message_queue_id"),
    lastMessageAck: smallint("last_message_ack").notNull().default(0),
    lastMessageFailed: boolean("last_message_failed").notNull().default(false),
    /**
     * Put off by this row of `ticket_snoozes`, until `snoozedUntil` or (null) until the customer writes. A trigger ends it when
     * the customer writes, and when status, user or queue change (migration of this column).
     */
    snoozeId: integer("snooze_id"),
    snoozedUntil: moment("snoozed_until"),
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
    // The same lists, longest wait first.
    index("tickets_waiting")
      .on(
        table.companyId,
        table.status,
        table.waitingSince.asc().nullsLast(),
        table.updatedAt.desc(),
        table.id.desc(),
      )
      .where(sql`status in ('pending', 'open')`),
    // The unread filter of the lists; closed tickets are hardly ever unread.
    index("tickets_unread")
      .on(table.companyId, table.updatedAt.desc(), table.id.desc())
      .where(sql`unread_messages > 0`),
    // Those that are put off, and those of them that come back at a time.
    index("tickets_snoozed")
      .on(table.companyId, table.updatedAt.desc(), table.id.desc())
      .where(sql`snooze_id is not null`),
    index("tickets_snooze_due")
      .on(table.snoozedUntil)
      .where(sql`snoozed_until is not null`),
    // The address book by last contact.
    index("tickets_last_contact")
      .on(table.companyId, table.lastMessageAt.desc(), table.id.desc())
      .where(sql`last_message_at is not null and not is_group`),
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
    // The foreign keys of prompt and integration clear only their own columns: see the migration.
    index("tickets_prompt")
      .on(table.companyId, table.promptId)
      .where(sql`prompt_id is not null`),
    index("tickets_integration")
      .on(table.companyId, table.integrationId)
      .where(sql`integration_id is not null`),
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

/** The last move of each ticket on the board: a second move that began before it is refused, and told by whom. */
export const laneMoves = pgTable(
  "lane_moves",
  {
    companyId: companyIdColumn(),
    ticketId: ticketReference({ onMerge: "drop" }).notNull(),
    /** The tag of the lane to which it was moved; null for the lane of tickets without one. */
    tagId: integer("tag_id").$type<TagId>(),
    userId: userReference({ onRemove: "keep" }).notNull(),
    movedAt: moment("moved_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.ticketId] }),
    dependsOn("lane_moves_ticket", table.companyId, table.ticketId, tickets),
    dependsOn("lane_moves_tag", table.companyId, table.tagId, tags),
    dependsOn("lane_moves_user", table.companyId, table.userId, users),
    index("lane_moves_tag_index")
      .on(table.companyId, table.tagId)
      .where(sql`tag_id is not null`),
    index("lane_moves_user_index").on(table.companyId, table.userId),
  ],
);

/** Saved views of the lists. A deletion can be undone for some seconds: the row is only hidden until then. */
export const ticketViews = pgTable(
  "ticket_views",
  {
    id: identity().$type<TicketViewId>(),
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    /** Shared ones stay when their user is deleted. */
    userId: userReference({ onRemove: { deleteWhere: sql`not is_shared` } }).notNull(),
    name: text("name").notNull(),
    isShared: boolean("is_shared").notNull(),
    filter: jsonb("filter").$type<ViewFilter>().notNull(),
    deletedAt: deletedAt(),
    deletedBy: userReference({ onRemove: "keep" }, "deleted_by"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique("ticket_views_company_id").on(table.companyId, table.id),
    dependsOn("ticket_views_user", table.companyId, table.userId, users),
    // The foreign key of who deleted it clears only its own column: see the migration.
    index("ticket_views_user_index").on(table.companyId, table.userId),
    index("ticket_views_deleted_by_index")
      .on(table.companyId, table.deletedBy)
      .where(sql`deleted_by is not null`),
    index("ticket_views_deleted")
      .on(table.deletedAt)
      .where(sql`deleted_at is not null`),
  ],
);

/** The tickets that each user keeps at the top of the own lists. */
export const ticketPins = pgTable(
  "ticket_pins",
  {
    companyId: companyIdColumn(),
    userId: userReference({ onRemove: "delete" }).notNull(),
    ticketId: ticketReference({ onMerge: { unlessSame: ["user_id"] } }).notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.userId, table.ticketId] }),
    dependsOn("ticket_pins_user", table.companyId, table.userId, users),
    dependsOn("ticket_pins_ticket", table.companyId, table.ticketId, tickets),
    index("ticket_pins_ticket_index").on(table.companyId, table.ticketId),
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
    /** The AI agent or other helper that wrote it in place of a user. */
    authorName: text("author_name"),
    note: text("note").notNull(),
    /** The people and queues named in the text, with their names of that time. */
    mentions: jsonb("mentions")
      .$type<NoteMention[]>()
      .notNull()
      .default(sql`'[]'`),
    /** A removed note can be brought back for some seconds; after that its row is removed. */
    deletedAt: deletedAt(),
    deletedBy: userReference({ onRemove: "keep" }, "deleted_by"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique("ticket_notes_company_id").on(table.companyId, table.id),
    dependsOn("ticket_notes_ticket", table.companyId, table.ticketId, tickets),
    dependsOn("ticket_notes_contact", table.companyId, table.contactId, contacts),
    // The author's foreign key clears only its own column: see the migration.
    index("ticket_notes_ticket_index").on(table.companyId, table.ticketId, table.id.desc()),
    index("ticket_notes_contact_index").on(table.companyId, table.contactId),
    index("ticket_notes_user_index").on(table.companyId, table.userId),
    index("ticket_notes_deleted")
      .on(table.deletedAt)
      .where(sql`deleted_at is not null`),
    index("ticket_notes_deleted_by")
      .on(table.companyId, table.deletedBy)
      .where(sql`deleted_by is not null`),
  ],
);

/** The notices to users whom a note mentions. */
export const mentionNotices = pgTable(
  "mention_notices",
  {
    companyId: companyIdColumn(),
    noteId: integer("note_id").$type<NoteId>().notNull(),
    userId: userReference({ onRemove: "delete" }).notNull(),
    createdAt: createdAt(),
    readAt: moment("read_at"),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.noteId, table.userId] }),
    dependsOn("mention_notices_note", table.companyId, table.noteId, ticketNotes),
    dependsOn("mention_notices_user", table.companyId, table.userId, users),
    index("mention_notices_user_index").on(table.companyId, table.userId),
    index("mention_notices_unread")
      .on(table.companyId, table.userId, table.noteId.desc())
      .where(sql`read_at is null`),
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
