import type { CompanyId, PushChoices, PushNoticeKind, SessionId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import {
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from "drizzle-orm/pg-core";
import {
  companyIdColumn,
  createdAt,
  dependsOn,
  identity,
  moment,
  sealed,
  updatedAt,
  userReference,
} from "./columns.ts";
import { users } from "./companies.ts";

/** The key pair with which the installation signs its push messages (VAPID); one row. */
export const pushKeys = pgTable("push_keys", {
  id: integer("id").primaryKey(),
  /** As browsers take it: base64url. */
  publicKey: text("public").notNull(),
  privateKey: sealed("private").notNull(),
  createdAt: createdAt(),
});

/** A browser that shows push messages to a user. Its address belongs to one account at a time. */
export const pushSubscriptions = pgTable(
  "push_subscriptions",
  {
    id: identity(),
    companyId: companyIdColumn().$type<CompanyId>(),
    userId: userReference({ onRemove: "delete" }).notNull(),
    /** The session that subscribed: its end is the subscription's. */
    sessionId: uuid("session_id").$type<SessionId>(),
    tokenVersion: integer("token_version").notNull(),
    endpoint: text("endpoint").notNull(),
    /** The browser's public point and secret, sealed together. */
    secrets: sealed("secrets").notNull(),
    /** `pt`, `en` or `es`: what the message itself says. */
    language: text("language").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique("push_subscriptions_company_id").on(table.companyId, table.id),
    unique("push_subscriptions_endpoint").on(table.endpoint),
    dependsOn("push_subscriptions_user", table.companyId, table.userId, users),
    index("push_subscriptions_user_index").on(table.companyId, table.userId),
    index("push_subscriptions_session").on(table.sessionId),
  ],
);

/** The notices that a user wants, and the hours without any. Without a row: everything, at any time. */
export const pushChoices = pgTable(
  "push_choices",
  {
    companyId: companyIdColumn().$type<CompanyId>(),
    userId: userReference({ onRemove: "delete" }).notNull(),
    choices: jsonb("choices").$type<PushChoices>().notNull(),
    updatedAt: updatedAt(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.userId] }),
    dependsOn("push_choices_user", table.companyId, table.userId, users),
  ],
);

/** One thing to tell one user. It stays for a while after it was told, so that the next message about it keeps its distance. */
export const pushNotices = pgTable(
  "push_notices",
  {
    id: identity(),
    companyId: companyIdColumn().$type<CompanyId>(),
    userId: userReference({ onRemove: "delete" }).notNull(),
    /** Kind and id of the thing: also the tag of the notification. */
    subject: text("subject").notNull(),
    kind: text("kind").$type<PushNoticeKind>().notNull(),
    targetId: integer("target_id").notNull(),
    /** Raised by each further message about it. */
    version: integer("version").notNull().default(1),
    tries: integer("tries").notNull().default(0),
    /** The subscriptions whose service has not taken it, before the next try; null: all. */
    leftFor: integer("left_for").array(),
    /** Null once it is told. While it is told: the end of that claim. */
    dueAt: moment("due_at"),
    toldAt: moment("told_at"),
    createdAt: createdAt(),
  },
  (table) => [
    unique("push_notices_company_id").on(table.companyId, table.id),
    unique("push_notices_subject").on(table.companyId, table.userId, table.subject),
    dependsOn("push_notices_user", table.companyId, table.userId, users),
    index("push_notices_due")
      .on(table.dueAt)
      .where(sql`due_at is not null`),
    index("push_notices_told").on(table.toldAt),
  ],
);
