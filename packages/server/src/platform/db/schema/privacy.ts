import type { CompanyId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
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
  contactReference,
  createdAt,
  dependsOn,
  moment,
  updatedAt,
  userReference,
} from "./columns.ts";
import { companies } from "./companies.ts";
import { contacts } from "./contacts.ts";

/** The identities of a person whose data are being erased. Cleared when it is done. */
export type ErasedPerson = {
  /** Phone numbers as digits, in every form that the chat network may use. */
  numbers: string[];
  /** Private addresses: LIDs and ids of the official API. */
  privateIds: string[];
  names: string[];
  emails: string[];
  /** By them the audit finds its entries. */
  contactIds: number[];
};

/** Counts by kind of data, in the order in which a certificate shows them. */
export type PrivacyCounts = Record<string, number>;

/** The erasures of a company's people with their certificates (docs/privacy.md). No row names the person once it is done. */
export const erasures = pgTable(
  "erasures",
  {
    id: uuid("id").primaryKey(),
    companyId: companyIdColumn()
      .$type<CompanyId>()
      .references(() => companies.id, { onDelete: "cascade" }),
    state: text("state").$type<"waiting" | "running" | "done">().notNull(),
    /** Null for one that a restored backup has to repeat before its people are found, and once it is done. */
    contactId: contactReference({ onMerge: "move" }),
    /** Null before the people are found, and once it is done. */
    person: jsonb("person").$type<ErasedPerson>(),
    requesterId: userReference({ onRemove: "keep" }, "requester_id"),
    requesterName: text("requester_name").notNull(),
    /** With the salt and the installation's secret, each identity gives one of the hashes. */
    salt: text("salt").notNull(),
    hashes: text("hashes").array().notNull(),
    counts: jsonb("counts").$type<PrivacyCounts>().notNull().default({}),
    /** Rows that stay, counted at the end. */
    remains: jsonb("remains").$type<PrivacyCounts>().notNull().default({}),
    attempts: integer("attempts").notNull().default(0),
    /** A process works on it until then, unless it says more. */
    heldUntil: moment("held_until"),
    /** When it was written beside the backups, so that a restored one repeats it. */
    listedAt: moment("listed_at"),
    endedAt: moment("ended_at"),
    createdAt: createdAt(),
  },
  (table) => [
    unique("erasures_company_id").on(table.companyId, table.id),
    index("erasures_newest").on(table.companyId, table.createdAt.desc()),
    index("erasures_open")
      .on(table.createdAt)
      .where(sql`state in ('waiting', 'running') or listed_at is null`),
  ],
);

/** Files of messages that an erasure has deleted, until they are removed from the store. */
export const erasureFiles = pgTable(
  "erasure_files",
  {
    companyId: companyIdColumn(),
    erasureId: uuid("erasure_id").notNull(),
    file: text("file").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.erasureId, table.file] }),
    dependsOn("erasure_files_erasure", table.companyId, table.erasureId, erasures),
  ],
);

/** Copies of what is held of one person, for the user who asked for it. The row stays as the record of who did. */
export const personExports = pgTable(
  "person_exports",
  {
    id: uuid("id").primaryKey(),
    companyId: companyIdColumn()
      .$type<CompanyId>()
      .references(() => companies.id, { onDelete: "cascade" }),
    contactId: contactReference({ onMerge: "move" }),
    state: text("state").$type<"waiting" | "running" | "done" | "failed" | "expired">().notNull(),
    language: text("language").notNull(),
    requesterId: userReference({ onRemove: "keep" }, "requester_id").notNull(),
    requesterName: text("requester_name").notNull(),
    /** The file in the store of archives, until it expires. */
    storeKey: text("store_key"),
    bytes: bigint("bytes", { mode: "number" }).notNull().default(0),
    attempts: integer("attempts").notNull().default(0),
    heldUntil: moment("held_until"),
    endedAt: moment("ended_at"),
    createdAt: createdAt(),
  },
  (table) => [
    index("person_exports_newest").on(table.companyId, table.createdAt.desc()),
    index("person_exports_open")
      .on(table.createdAt)
      .where(sql`state in ('waiting', 'running') or store_key is not null`),
  ],
);

/** How long a company keeps data, what it tells people about them, and who answers for them. */
export const privacySettings = pgTable("privacy_settings", {
  companyId: companyIdColumn()
    .primaryKey()
    .references(() => companies.id, { onDelete: "cascade" }),
  /** Files of messages in resolved tickets go after so many days; null keeps them. */
  mediaDays: integer("media_days"),
  /** The same for the messages themselves. */
  messageDays: integer("message_days"),
  textPt: text("text_pt").notNull().default(""),
  textEn: text("text_en").notNull().default(""),
  textEs: text("text_es").notNull().default(""),
  /** The text is sent once to each contact, with its first ticket. */
  isTextSent: boolean("is_text_sent").notNull().default(false),
  officerName: text("officer_name").notNull().default(""),
  officerEmail: text("officer_email").notNull().default(""),
  officerPhone: text("officer_phone").notNull().default(""),
  updatedAt: updatedAt(),
});

/** Contacts whose data have to be kept, for a lawsuit for example: neither retention nor an erasure touches them. */
export const legalHolds = pgTable(
  "legal_holds",
  {
    companyId: companyIdColumn(),
    contactId: contactReference({ onMerge: { unlessSame: ["company_id"] } }).notNull(),
    reason: text("reason").notNull(),
    userId: userReference({ onRemove: "keep" }),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.contactId] }),
    dependsOn("legal_holds_contact", table.companyId, table.contactId, contacts),
  ],
);

/** Contacts that have got the company's privacy text. */
export const privacyNotices = pgTable(
  "privacy_notices",
  {
    companyId: companyIdColumn(),
    contactId: contactReference({ onMerge: { unlessSame: ["company_id"] } }).notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.contactId] }),
    dependsOn("privacy_notices_contact", table.companyId, table.contactId, contacts),
  ],
);
