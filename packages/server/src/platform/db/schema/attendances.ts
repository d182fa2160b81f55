import type { MessageId, ResolveReasonId, snoozeEnds, TagId, TargetKind } from "@balcao/contract";
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  date,
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
  ticketReference,
  updatedAt,
  userReference,
} from "./columns.ts";
import { companies } from "./companies.ts";
import { tickets } from "./tickets.ts";

/** Why tickets are resolved, as a company lists it. The row of a deleted reason stays: attendances show its name. */
export const resolveReasons = pgTable(
  "resolve_reasons",
  {
    id: identity().$type<ResolveReasonId>(),
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    deletedAt: deletedAt(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique("resolve_reasons_company_id").on(table.companyId, table.id),
    uniqueIndex("resolve_reasons_name")
      .on(table.companyId, sql`f_norm(name)`)
      .where(sql`deleted_at is null`),
  ],
);

/** The cycles of a ticket; at most one is unfinished. They outlive it: the dashboard counts them. */
export const attendances = pgTable(
  "attendances",
  {
    id: identity(),
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    /** Null once the ticket was deleted. */
    ticketId: ticketReference({ onMerge: "handled" }),
    connectionId: connectionReference({ onRemove: "keep" }),
    userId: userReference({ onRemove: "keep" }),
    queueId: queueReference({ onRemove: "keep" }),
    queuedAt: moment("queued_at"),
    chatbotAt: moment("chatbot_at"),
    startedAt: moment("started_at"),
    /** When a person first acted in it: from then on the automatic attendant is silent. */
    attendedAt: moment("attended_at"),
    /** From when the customer waited whom a person answered first in it, and when that answer was written. */
    askedAt: moment("asked_at"),
    answeredAt: moment("answered_at"),
    /** When the customer was asked for a rating: unfinished and with this, it waits for the answer. */
    ratingAt: moment("rating_at"),
    rated: boolean("rated").notNull().default(false),
    /** The customer's rating, as in `ratings`: here it is read with the other figures. */
    rate: smallint("rate"),
    /** The first of its ticket. */
    isFirst: boolean("is_first").notNull().default(false),
    /** It began when a user reopened the resolved ticket. */
    isReopened: boolean("is_reopened").notNull().default(false),
    finishedAt: moment("finished_at"),
    closedBy: userReference({ onRemove: "keep" }, "closed_by"),
    /** Why it was resolved, if the user said so. */
    reasonId: integer("reason_id").$type<ResolveReasonId>(),
    createdAt: createdAt(),
  },
  (table) => [
    unique("attendances_company_id").on(table.companyId, table.id),
    foreignKey({
      name: "attendances_reason",
      columns: [table.companyId, table.reasonId],
      foreignColumns: [resolveReasons.companyId, resolveReasons.id],
    }),
    index("attendances_reason_index")
      .on(table.companyId, table.reasonId)
      .where(sql`reason_id is not null`),
    // The ticket's foreign key clears only its own column: see the migration.
    uniqueIndex("attendances_one_open")
      .on(table.ticketId)
      .where(sql`finished_at is null`),
    index("attendances_ticket_index").on(table.companyId, table.ticketId),
    // The figures of a period are read from here alone (docs/dashboard.md).
    index("attendances_figures").on(
      table.companyId,
      table.queuedAt,
      table.userId,
      table.queueId,
      table.connectionId,
      table.ticketId,
      table.startedAt,
      table.askedAt,
      table.answeredAt,
      table.ratingAt,
      table.finishedAt,
      table.rate,
      table.isFirst,
      table.isReopened,
    ),
    // Those that were resolved in a period. No `coalesce`: PostgreSQL takes it for leaky, so that below the isolation of
    // companies no index would be used.
    index("attendances_resolved").on(
      table.companyId,
      sql`(case when rating_at is not null then rating_at else finished_at end)`,
    ),
    index("attendances_created").on(table.companyId, table.createdAt),
    index("attendances_finished").on(table.companyId, table.finishedAt),
    index("attendances_user").on(table.companyId, table.userId),
    index("attendances_closed_by")
      .on(table.companyId, table.closedBy)
      .where(sql`closed_by is not null`),
    index("attendances_rating")
      .on(table.ratingAt)
      .where(sql`finished_at is null and rating_at is not null`),
  ],
);

/**
 * The days whose attendances are summed in `attendance_days`, so that figures of a year are read quickly. They are a second
 * writing of `attendances` and can be deleted at any time: days without a row here are read there (docs/dashboard.md).
 */
export const summedDays = pgTable(
  "summed_days",
  {
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    /** A local day of the company, in this time zone, and the moments at which it begins and ends. */
    day: date("day").notNull(),
    timeZone: text("time_zone").notNull(),
    beginsAt: moment("begins_at").notNull(),
    /** The begin for a day that must be read from the attendances. */
    endsAt: moment("ends_at").notNull(),
    /** By local hour: attendances that were queued, and those of them that are resolved. */
    queued: integer("queued").array().notNull(),
    resolved: integer("resolved").array().notNull(),
  },
  (table) => [primaryKey({ columns: [table.companyId, table.day] })],
);

/** The sums of a summed day by user, queue and connection; `features/dashboard/measures.ts` names them. */
export const attendanceDays = pgTable(
  "attendance_days",
  {
    companyId: companyIdColumn(),
    day: date("day").notNull(),
    userId: userReference({ onRemove: "keep" }),
    queueId: queueReference({ onRemove: "keep" }),
    connectionId: connectionReference({ onRemove: "keep" }),
    n: integer("n").notNull(),
    resolved: integer("resolved").notNull(),
    reopened: integer("reopened").notNull(),
    firsts: integer("firsts").notNull(),
    waited: integer("waited").notNull(),
    waitMs: bigint("wait_ms", { mode: "number" }).notNull(),
    answered: integer("answered").notNull(),
    answerMs: bigint("answer_ms", { mode: "number" }).notNull(),
    supported: integer("supported").notNull(),
    supportMs: bigint("support_ms", { mode: "number" }).notNull(),
    rate1: integer("rate1").notNull(),
    rate2: integer("rate2").notNull(),
    rate3: integer("rate3").notNull(),
    unhappy: integer("unhappy").notNull(),
  },
  (table) => [
    dependsOn("attendance_days_day", table.companyId, table.day, {
      companyId: summedDays.companyId,
      id: summedDays.day,
    }),
    index("attendance_days_index").on(table.companyId, table.day),
  ],
);

/**
 * Attendances that were written since their day may have been summed: a trigger of the attendances adds a row to each change, so
 * that writers never wait for each other. A day with such a row is read from the attendances until it is summed again.
 */
export const attendanceChanges = pgTable(
  "attendance_changes",
  {
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    queuedAt: moment("queued_at").notNull(),
  },
  (table) => [index("attendance_changes_index").on(table.companyId, table.queuedAt)],
);

/** When a ticket was put off, for its timeline. The ticket names the row that counts now. */
export const ticketSnoozes = pgTable(
  "ticket_snoozes",
  {
    id: identity(),
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    attendanceId: integer("attendance_id"),
    userId: userReference({ onRemove: "keep" }),
    /** Null: until the customer writes. */
    until: moment("until"),
    endedAt: moment("ended_at"),
    ended: text("ended").$type<(typeof snoozeEnds)[number]>(),
    createdAt: createdAt(),
  },
  (table) => [
    unique("ticket_snoozes_company_id").on(table.companyId, table.id),
    dependsOn("ticket_snoozes_attendance", table.companyId, table.attendanceId, attendances),
    // The user's foreign key clears only its own column: see the migration.
    index("ticket_snoozes_attendance_index").on(table.companyId, table.attendanceId),
    index("ticket_snoozes_user_index").on(table.companyId, table.userId),
  ],
);

/** A customer's rating of an attendance. */
export const ratings = pgTable(
  "ratings",
  {
    id: identity(),
    companyId: companyIdColumn(),
    attendanceId: integer("attendance_id").notNull(),
    /** Null once the ticket was deleted. */
    ticketId: ticketReference({ onMerge: "move" }),
    /** The user who served; null once the user was deleted. */
    userId: userReference({ onRemove: "keep" }),
    rate: smallint("rate").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    unique("ratings_attendance").on(table.companyId, table.attendanceId),
    dependsOn("ratings_attendance_row", table.companyId, table.attendanceId, attendances),
    // The ticket's and user's foreign keys clear only their own column: see the migration.
    index("ratings_ticket_index").on(table.companyId, table.ticketId),
    index("ratings_user_index").on(table.companyId, table.userId),
    index("ratings_created").on(table.companyId, table.createdAt),
    check("ratings_rate", sql`rate between 1 and 3`),
  ],
);

/** Answers that did not come within their queue's target, for reports. They outlive the ticket. */
export const targetMisses = pgTable(
  "target_misses",
  {
    id: identity(),
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    /** Null once the ticket was deleted. */
    ticketId: ticketReference({ onMerge: { unlessSame: ["queue_id", "started_at"] } }),
    queueId: queueReference({ onRemove: "keep" }).notNull(),
    /** The user who served the ticket when the target was missed; null if it waited. */
    userId: userReference({ onRemove: "keep" }),
    kind: text("kind").$type<TargetKind>().notNull(),
    minutes: integer("minutes").notNull(),
    /** From when on it counted: the customer's message, or when the ticket came into the queue. */
    startedAt: moment("started_at").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    unique("target_misses_once").on(
      table.companyId,
      table.ticketId,
      table.queueId,
      table.startedAt,
    ),
    // The foreign keys of ticket and user clear only their own column: see the migration.
    index("target_misses_queue_index").on(table.companyId, table.queueId, table.createdAt),
    index("target_misses_user_index").on(table.companyId, table.userId),
    index("target_misses_created").on(table.companyId, table.createdAt),
    check("target_misses_kind", sql`kind in ('first', 'next')`),
  ],
);

/**
 * The automatic attendant's turns and memory, one row for each ticket that ever called it. The memory belongs to one
 * attendance: in another one it begins anew.
 */
export const attendantTurns = pgTable(
  "attendant_turns",
  {
    companyId: companyIdColumn(),
    ticketId: ticketReference({ onMerge: "drop" }).notNull(),
    attendanceId: integer("attendance_id"),
    /** When it is to look at the ticket; null: there is nothing to look at. */
    dueAt: moment("due_at"),
    /** Since when the oldest message it has not looked at waits. */
    waitingSince: moment("waiting_since"),
    /** Failures in a row. */
    attempts: smallint("attempts").notNull().default(0),
    /** Messages of the ticket up to this place in the order of storage are dealt with. */
    handledSeq: bigint("handled_seq", { mode: "number" }).notNull().default(0),
    /** Menus of queues sent in the attendance, and when the last one was. */
    menusSent: smallint("menus_sent").notNull().default(0),
    lastMenuAt: moment("last_menu_at"),
    /** Answers in a row that chose nothing. */
    wrongAnswers: smallint("wrong_answers").notNull().default(0),
    /** When the greeting of a connection without queues went out. */
    greetedAt: moment("greeted_at"),
    /** Until when the closed period lasts that the customer was told of. */
    closedToldUntil: moment("closed_told_until"),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.ticketId] }),
    dependsOn("attendant_turns_ticket", table.companyId, table.ticketId, tickets),
    index("attendant_turns_due")
      .on(table.dueAt)
      .where(sql`due_at is not null`),
  ],
);

/**
 * The newest change of a ticket that its user may undo: ticket and attendance as they were, and as the change left them.
 * Rows are removed some time after the moment until which they count.
 */
export const ticketUndos = pgTable(
  "ticket_undos",
  {
    companyId: companyIdColumn(),
    ticketId: ticketReference({ onMerge: "drop" }).notNull(),
    /** Names the change, so that another one is not undone in its place. */
    id: uuid("id").notNull(),
    userId: userReference({ onRemove: "delete" }).notNull(),
    until: moment("until").notNull(),
    before: jsonb("before").notNull(),
    after: jsonb("after"),
    /** The message that the change sends to the customer. */
    messageId: uuid("message_id").$type<MessageId>(),
    /** The text of the macro that made the change, and the tag that it added. */
    macroMessageId: uuid("macro_message_id").$type<MessageId>(),
    macroTagId: integer("macro_tag_id").$type<TagId>(),
    undoneAt: moment("undone_at"),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.ticketId] }),
    dependsOn("ticket_undos_ticket", table.companyId, table.ticketId, tickets),
    index("ticket_undos_user").on(table.companyId, table.userId),
    index("ticket_undos_until").on(table.until),
  ],
);
