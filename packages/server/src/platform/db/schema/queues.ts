import type {
  Assignment,
  IntegrationId,
  PromptId,
  QueueId,
  QueueOptionId,
  ScheduleEntry,
} from "@balcao/contract";
import { sql } from "drizzle-orm";
import {
  bigint,
  check,
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
  moment,
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
    /** Targets for a customer's first and further answers, within opening hours; null for none. */
    firstAnswerMinutes: integer("first_answer_minutes"),
    nextAnswerMinutes: integer("next_answer_minutes"),
    /** Follows the greeting as a message of its own. */
    fileKey: text("file_key"),
    fileName: text("file_name"),
    /** When the draft of the chatbot was last changed; null: there is none. Its options are in `queueOptionDrafts`. */
    draftChangedAt: moment("draft_changed_at"),
    /** The greeting of the draft; null: the same as above. */
    draftGreeting: text("draft_greeting"),
    /** When a publication last changed what customers choose from: an answer to an older menu chooses nothing. */
    menuChangedAt: moment("menu_changed_at"),
    /** How its waiting tickets come to its users. */
    assignment: text("assignment").$type<Assignment>().notNull().default("manual"),
    /** The prompt or integration that answers its waiting customers; at most one is set. */
    promptId: integer("prompt_id").$type<PromptId>(),
    integrationId: integer("integration_id").$type<IntegrationId>(),
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
    // The foreign keys of prompt and integration are in the migration.
    index("queues_prompt")
      .on(table.companyId, table.promptId)
      .where(sql`prompt_id is not null`),
    index("queues_integration")
      .on(table.companyId, table.integrationId)
      .where(sql`integration_id is not null`),
    index("queues_successor")
      .on(table.companyId, table.successorId)
      .where(sql`deleted_at is not null`),
    // The queues whose waiting tickets the timer looks at.
    index("queues_with_target")
      .on(table.companyId, table.id)
      .where(
        sql`deleted_at is null and (first_answer_minutes is not null or next_answer_minutes is not null)`,
      ),
    check(
      "queues_targets",
      sql`first_answer_minutes between 1 and 1440 and next_answer_minutes between 1 and 1440`,
    ),
    fileReference("queues_file", [table.companyId, table.fileKey]),
    index("queues_file_index").on(table.companyId, table.fileKey),
    // The queues that the job looks at.
    index("queues_assigned")
      .on(table.companyId, table.id)
      .where(sql`assignment <> 'manual' and deleted_at is null`),
  ],
);

export const userQueues = pgTable(
  "user_queues",
  {
    companyId: companyIdColumn(),
    userId: userReference({ onRemove: "delete" }).notNull(),
    queueId: queueReference({ onRemove: "delete" }).notNull(),
    /** The user's last turn in the queue: who has the lowest is next. 0: none yet. */
    lastTurn: bigint("last_turn", { mode: "number" }).notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.userId, table.queueId] }),
    dependsOn("user_queues_user", table.companyId, table.userId, users),
    dependsOn("user_queues_queue", table.companyId, table.queueId, queues),
    index("user_queues_queue_index").on(table.companyId, table.queueId),
  ],
);

/** Ids of options that are made in a draft; a publication keeps them. Those of other options are smaller. */
const FIRST_DRAFT_ID = 1_000_000_000;

/** A tree of options, chosen by their number among their siblings. The compiler takes both tables for one, so that the same code changes either. */
const optionTable = (name: "queue_options", startWith: number) =>
  pgTable(
    name,
    {
      id: integer("id")
        .generatedAlwaysAsIdentity({ startWith })
        .primaryKey()
        .$type<QueueOptionId>(),
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
      unique(`${name}_company_id`).on(table.companyId, table.id),
      unique(`${name}_in_queue`).on(table.companyId, table.queueId, table.id),
      dependsOn(`${name}_queue`, table.companyId, table.queueId, queues),
      // A parent is of the same queue.
      foreignKey({
        name: `${name}_parent`,
        columns: [table.companyId, table.queueId, table.parentId],
        foreignColumns: [table.companyId, table.queueId, table.id],
      }).onDelete("cascade"),
      fileReference(`${name}_file`, [table.companyId, table.fileKey]),
      // Numbers are unique among siblings, checked at the end of each statement: see the migration.
      index(`${name}_parent_index`).on(table.companyId, table.queueId, table.parentId),
      index(`${name}_file_index`).on(table.companyId, table.fileKey),
    ],
  );

/** The menus of queues, as customers get them. */
export const queueOptions = optionTable("queue_options", 1);

/**
 * The menus that customers get at the next publication, of the queues that have a draft: whole trees. An option has the same id in
 * both tables, so that customers stay where they are.
 */
export const queueOptionDrafts = optionTable(
  "queue_option_drafts" as string as "queue_options",
  FIRST_DRAFT_ID,
);
