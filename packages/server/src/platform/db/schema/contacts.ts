import type { ContactId, OptOutSource } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { boolean, check, index, pgTable, primaryKey, text, unique } from "drizzle-orm/pg-core";
import {
  companyIdColumn,
  connectionReference,
  contactReference,
  createdAt,
  dependsOn,
  identity,
  moment,
  updatedAt,
  userReference,
} from "./columns.ts";
import { companies, fileReference } from "./companies.ts";

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
    /** Since when campaigns and scheduled messages leave the contact out; null: they do not. */
    optedOutAt: moment("opted_out_at"),
    optOutSource: text("opt_out_source").$type<OptOutSource>(),
    optedOutBy: userReference({ onRemove: "keep" }, "opted_out_by"),
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
    // The foreign key of who entered the opt-out clears only its own column: see the migration.
    index("contacts_opted_out_by_index")
      .on(table.companyId, table.optedOutBy)
      .where(sql`opted_out_by is not null`),
    // The address book's other orders and its filter of those who opted out.
    index("contacts_by_creation")
      .on(table.companyId, table.createdAt.desc(), table.id.desc())
      .where(sql`not is_group`),
    index("contacts_opted_out")
      .on(table.companyId, table.nameNormal, table.id)
      .where(sql`opted_out_at is not null`),
    check("contacts_opt_out", sql`(opted_out_at is null) = (opt_out_source is null)`),
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

/** The address book of a linked phone, as the chat network tells it (behaviour 6.7). */
export const phoneBookEntries = pgTable(
  "phone_book_entries",
  {
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    connectionId: connectionReference({ onRemove: "delete" }).notNull(),
    /** Canonical form: both forms of the Brazilian ninth digit give the same key. */
    numberNormal: text("number_normal").notNull(),
    number: text("number").notNull(),
    name: text("name").notNull(),
    updatedAt: moment("updated_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.companyId, table.connectionId, table.numberNormal] })],
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
