import type { AnnouncementId, AnnouncementPriority, CompanyId, HelpId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { boolean, index, integer, pgTable, primaryKey, smallint, text } from "drizzle-orm/pg-core";
import {
  companyIdColumn,
  createdAt,
  dependsOn,
  identity,
  moment,
  updatedAt,
  userReference,
} from "./columns.ts";
import { companies, fileReference, users } from "./companies.ts";

/**
 * What the provider says to every company. It belongs to no tenant: the application's role reads all rows and writes none
 * (`sharedTables` of installation.ts).
 */
export const announcements = pgTable(
  "announcements",
  {
    id: identity().$type<AnnouncementId>(),
    /** The author's company, which keeps the image. */
    providerId: integer("provider_id")
      .$type<CompanyId>()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    title: text("title").notNull(),
    text: text("text").notNull(),
    priority: smallint("priority").$type<AnnouncementPriority>().notNull(),
    /** Inactive ones are shown to super users only. */
    status: boolean("status").notNull(),
    imageKey: text("image_key"),
    imageName: text("image_name"),
    /** When it became active last: accounts that have seen those until then have seen this one too. */
    publishedAt: moment("published_at").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    fileReference("announcements_image", [table.providerId, table.imageKey]),
    index("announcements_newest").on(table.createdAt, table.id),
    index("announcements_active")
      .on(table.publishedAt)
      .where(sql`status`),
    index("announcements_image_index").on(table.providerId, table.imageKey),
  ],
);

/** Up to where a user has seen the announcements. */
export const announcementReads = pgTable(
  "announcement_reads",
  {
    companyId: companyIdColumn(),
    userId: userReference({ onRemove: "delete" }).notNull(),
    /** Of the newest one that was active then. */
    seenUntil: moment("seen_until").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.userId] }),
    dependsOn("announcement_reads_user", table.companyId, table.userId, users),
  ],
);

/** Help videos, the provider's too. */
export const helps = pgTable(
  "helps",
  {
    id: identity().$type<HelpId>(),
    title: text("title").notNull(),
    description: text("description").notNull(),
    video: text("video").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index("helps_title").on(sql`f_norm(${table.title})`, table.id)],
);
