import type { QueueId, QueueOptionId, ScheduleEntry } from "@balcao/contract";
import { sql } from "drizzle-orm";
import {
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  unique,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import {
  companyIdColumn,
  createdAt,
  deletedAt,
  dependsOn,
  identity,
  queueReference,
  updatedAt,
  userReference,
} from "./columns.ts";
import { companies, fileReference, users } from "./companies.ts";

/** The sectors of a company ("filas"). */
export const queues = pgTable(
  "queues",
  {
    id: identity().$type<QueueId>(),
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    color: text("color").notNull(),
    greetingMessage: text("greeting_message").notNull().default(""),
    outOfHoursMessage: text("out_of_hours_message").notNull().default(""),
    orderQueue: integer("order_queue"),
    schedules: jsonb("schedules").$type<ScheduleEntry[]>().notNull().default([]),
    /** Follows the greeting as a message of its own. */
    fileKey: text("file_key"),
    fileName: text("file_name"),
    deletedAt: deletedAt(),
    /** For a deleted queue: the queue whose agents read its history; null: every user who sees the ticket reads it. */
    successorId: integer("successor_id").$type<QueueId>(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique("queues_company_id").on(table.companyId, table.id),
    uniqueIndex("queues_company_name")
      .on(table.companyId, table.name)
      .where(sql`deleted_at is null`),
    uniqueIndex("queues_company_color")
      .on(table.companyId, table.color)
      .where(sql`deleted_at is null`),
    index("queues_successor")
      .on(table.companyId, table.successorId)
      .where(sql`deleted_at is not null`),
    fileReference("queues_file", [table.companyId, table.fileKey]),
    index("queues_file_index").on(table.companyId, table.fileKey),
  ],
);

export const userQueues = pgTable(
  "user_queues",
  {
    companyId: companyIdColumn(),
    userId: userReference({ onRemove: "delete" }).notNull(),
    queueId: queueReference({ onRemove: "delete" }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.userId, table.queueId] }),
    dependsOn("user_queues_user", table.companyId, table.userId, users),
    dependsOn("user_queues_queue", table.companyId, table.queueId, queues),
    index("user_queues_queue_index").on(table.companyId, table.queueId),
  ],
);

/** The menu of a queue: a tree whose nodes are chosen by their number among their siblings. */
export const queueOptions = pgTable(
  "queue_options",
  {
    id: identity().$type<QueueOptionId>(),
    companyId: companyIdColumn(),
    queueId: queueReference({ onRemove: "handled" }).notNull(),
    /** Null at the root. */
    parentId: integer("parent_id").$type<QueueOptionId>(),
    /** The customer's text that chooses it. */
    number: smallint("number").notNull(),
    title: text("title").notNull(),
    message: text("message").notNull().default(""),
    /** Follows the text as a message of its own. */
    fileKey: text("file_key"),
    fileName: text("file_name"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique("queue_options_company_id").on(table.companyId, table.id),
    unique("queue_options_in_queue").on(table.companyId, table.queueId, table.id),
    dependsOn("queue_options_queue", table.companyId, table.queueId, queues),
    // A parent is of the same queue.
    foreignKey({
      name: "queue_options_parent",
      columns: [table.companyId, table.queueId, table.parentId],
      foreignColumns: [table.companyId, table.queueId, table.id],
    }).onDelete("cascade"),
    fileReference("queue_options_file", [table.companyId, table.fileKey]),
    // Numbers are unique among siblings; the check waits for the commit while a level is numbered anew: see the migration.
    index("queue_options_parent_index").on(table.companyId, table.queueId, table.parentId),
    index("queue_options_file_index").on(table.companyId, table.fileKey),
  ],
);
