import type {
  MacroId,
  MessageId,
  QuickMessageId,
  ResolveReasonId,
  ScheduleId,
  ScheduleRepeat,
  ScheduleStatus,
  TagId,
} from "@balcao/contract";
import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  unique,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import {
  companyIdColumn,
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
import { resolveReasons } from "./attendances.ts";
import { companies, fileReference } from "./companies.ts";
import { contacts } from "./contacts.ts";
import { queues } from "./queues.ts";

/** Prepared answers, of one user or of the whole company. */
export const quickMessages = pgTable(
  "quick_messages",
  {
    id: identity().$type<QuickMessageId>(),
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    /** Null once its owner was deleted: then it is the admins' to keep. */
    userId: userReference({ onRemove: "clear" }),
    shortcode: text("shortcode").notNull(),
    message: text("message").notNull().default(""),
    geral: boolean("geral").notNull().default(false),
    status: boolean("status").notNull().default(true),
    folder: text("folder").notNull().default(""),
    usedCount: integer("used_count").notNull().default(0),
    fileKey: text("file_key"),
    fileName: text("file_name"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    fileReference("quick_messages_file", [table.companyId, table.fileKey]),
    // The owner's foreign key clears only its own column: see the migration.
    index("quick_messages_user").on(table.companyId, table.userId, table.shortcode),
    index("quick_messages_shared")
      .on(table.companyId, table.shortcode)
      .where(sql`geral`),
    index("quick_messages_file_index").on(table.companyId, table.fileKey),
  ],
);

/** What agents do with one key: a text, a tag, a queue, the end. */
export const macros = pgTable(
  "macros",
  {
    id: identity().$type<MacroId>(),
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    /** A digit; null: it has no key. */
    key: text("key"),
    message: text("message").notNull().default(""),
    tagId: integer("tag_id").$type<TagId>(),
    queueId: queueReference({ onRemove: "clear" }),
    resolves: boolean("resolves").notNull().default(false),
    reasonId: integer("reason_id").$type<ResolveReasonId>(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique("macros_company_id").on(table.companyId, table.id),
    uniqueIndex("macros_key")
      .on(table.companyId, table.key)
      .where(sql`key is not null`),
    foreignKey({
      name: "macros_queue",
      columns: [table.companyId, table.queueId],
      foreignColumns: [queues.companyId, queues.id],
    }),
    foreignKey({
      name: "macros_reason",
      columns: [table.companyId, table.reasonId],
      foreignColumns: [resolveReasons.companyId, resolveReasons.id],
    }),
    // The tag's foreign key clears only its own column: see the migration.
    index("macros_tag_index").on(table.companyId, table.tagId),
    index("macros_queue_index").on(table.companyId, table.queueId),
    index("macros_reason_index").on(table.companyId, table.reasonId),
  ],
);

/** Messages that are to be sent later. */
export const schedules = pgTable(
  "schedules",
  {
    id: identity().$type<ScheduleId>(),
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    contactId: contactReference({ onMerge: "move" }).notNull(),
    ticketId: ticketReference({ onMerge: "move" }),
    userId: userReference({ onRemove: "keep" }),
    body: text("body").notNull(),
    sendAt: moment("send_at").notNull(),
    sentAt: moment("sent_at"),
    status: text("status").$type<ScheduleStatus>().notNull().default("PENDENTE"),
    errorCode: text("error_code"),
    /** Not tried before: `sendAt`, later after a failed try. */
    dueAt: moment("due_at").notNull(),
    attempts: integer("attempts").notNull().default(0),
    lockedAt: moment("locked_at"),
    /** The message it became, so that a second run finds the first one's. */
    messageId: uuid("message_id").$type<MessageId>(),
    fileKey: text("file_key"),
    fileName: text("file_name"),
    /** The messages of a series have its id and how it repeats. */
    seriesId: uuid("series_id"),
    repeat: jsonb("repeat").$type<ScheduleRepeat>(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    dependsOn("schedules_contact", table.companyId, table.contactId, contacts),
    fileReference("schedules_file", [table.companyId, table.fileKey]),
    // The user's and the ticket's foreign keys clear only their own column: see the migration.
    index("schedules_due")
      .on(table.dueAt)
      .where(sql`status in ('PENDENTE', 'AGENDADA')`),
    index("schedules_calendar").on(table.companyId, table.sendAt),
    index("schedules_created").on(table.companyId, table.createdAt.desc(), table.id.desc()),
    index("schedules_contact_index").on(table.companyId, table.contactId),
    index("schedules_ticket_index")
      .on(table.companyId, table.ticketId)
      .where(sql`ticket_id is not null`),
    index("schedules_user").on(table.companyId, table.userId),
    index("schedules_series")
      .on(table.companyId, table.seriesId, table.sendAt)
      .where(sql`series_id is not null`),
    index("schedules_file_index").on(table.companyId, table.fileKey),
    uniqueIndex("schedules_message")
      .on(table.companyId, table.messageId)
      .where(sql`message_id is not null`),
    check("schedules_status", sql`status in ('PENDENTE', 'AGENDADA', 'ENVIADA', 'ERRO')`),
  ],
);
