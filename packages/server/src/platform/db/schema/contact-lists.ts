import type { ContactFilter, ContactListId, ContactListItemId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { boolean, index, integer, jsonb, pgTable, text, unique } from "drizzle-orm/pg-core";
import {
  companyIdColumn,
  connectionReference,
  createdAt,
  dependsOn,
  identity,
  moment,
  updatedAt,
} from "./columns.ts";
import { companies } from "./companies.ts";

/** SQL of the form in which a phone number is compared, as `addressKey` makes it: with the Brazilian ninth digit. */
export const normalNumber = (number: string): string =>
  `regexp_replace(${number}, '^(55[1-9][1-9])([6-9][0-9]{7})$', '\\19\\2')`;

export const contactLists = pgTable(
  "contact_lists",
  {
    id: identity().$type<ContactListId>(),
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    /** The filter of the address book that the list was filled from; null for one made by hand. */
    filter: jsonb("filter").$type<ContactFilter>(),
    /** When numbers are looked up next; null: nobody wants that, or all are. */
    checkDueAt: moment("check_due_at"),
    /** The last look found no connection to ask, or it did not answer. */
    isCheckStopped: boolean("is_check_stopped").notNull().default(false),
    /** The connection that was asked last. */
    connectionId: connectionReference({ onRemove: "clear" }),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique("contact_lists_company_id").on(table.companyId, table.id),
    index("contact_lists_check_due")
      .on(table.companyId, table.id)
      .where(sql`check_due_at is not null`),
  ],
);

/** People on a list: copies, which stay when a contact of the address book changes or goes. */
export const contactListItems = pgTable(
  "contact_list_items",
  {
    id: identity().$type<ContactListItemId>(),
    companyId: companyIdColumn(),
    contactListId: integer("contact_list_id").$type<ContactListId>().notNull(),
    name: text("name").notNull(),
    nameNormal: text("name_normal")
      .notNull()
      .generatedAlwaysAs(sql`f_norm(name)`),
    /** Digits with country code. */
    number: text("number").notNull(),
    /** As `addressKey` makes it: both forms of the Brazilian ninth digit are one person. */
    numberNormal: text("number_normal")
      .notNull()
      .generatedAlwaysAs(sql.raw(normalNumber("number"))),
    email: text("email").notNull().default(""),
    /** Whether the chat network knows the number; null before it was asked. */
    isValid: boolean("is_valid"),
    checkedAt: moment("checked_at"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique("contact_list_items_company_id").on(table.companyId, table.id),
    unique("contact_list_items_number").on(
      table.companyId,
      table.contactListId,
      table.numberNormal,
    ),
    dependsOn("contact_list_items_list", table.companyId, table.contactListId, contactLists),
    index("contact_list_items_by_name").on(
      table.companyId,
      table.contactListId,
      table.nameNormal,
      table.id,
    ),
    index("contact_list_items_unchecked")
      .on(table.companyId, table.contactListId, table.id)
      .where(sql`is_valid is null`),
  ],
);
