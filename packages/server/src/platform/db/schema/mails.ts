import type { CompanyId, MailId, MailKind, MailState } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import {
  companyIdColumn,
  createdAt,
  dependsOn,
  identity,
  moment,
  userReference,
} from "./columns.ts";
import { companies, users } from "./companies.ts";

/** E-mail that goes out, with what it says. The row is written with the change that it tells of. */
export const mails = pgTable(
  "mails",
  {
    id: identity().$type<MailId>(),
    /** The company of its reader. */
    companyId: companyIdColumn()
      .$type<CompanyId>()
      .references(() => companies.id, { onDelete: "cascade" }),
    kind: text("kind").$type<MailKind>().notNull(),
    name: text("name").notNull(),
    address: text("address").notNull(),
    subject: text("subject").notNull(),
    text: text("text").notNull(),
    html: text("html").notNull(),
    /** `held` waits until the installation has a mail server. */
    state: text("state").$type<MailState>().notNull(),
    tries: integer("tries").notNull().default(0),
    /** The next try of a waiting one; while it is sent, the end of that try's claim. */
    dueAt: moment("due_at").notNull(),
    /** The last words of the mail server. */
    fault: text("fault"),
    sentAt: moment("sent_at"),
    createdAt: createdAt(),
  },
  (table) => [
    index("mails_due")
      .on(table.dueAt)
      .where(sql`state = 'waiting'`),
    index("mails_newest").on(table.createdAt, table.id),
    index("mails_company").on(table.companyId),
  ],
);

/** The code with which a user sets a new password; a new code replaces the one before. */
export const passwordResets = pgTable(
  "password_resets",
  {
    companyId: companyIdColumn(),
    userId: userReference({ onRemove: "delete" }).notNull(),
    codeHash: text("code_hash").notNull(),
    expiresAt: moment("expires_at").notNull(),
    tries: integer("tries").notNull().default(0),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.userId] }),
    dependsOn("password_resets_user", table.companyId, table.userId, users),
    index("password_resets_expired").on(table.expiresAt),
  ],
);
