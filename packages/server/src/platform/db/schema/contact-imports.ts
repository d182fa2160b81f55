import type {
  ContactImportId,
  ContactListId,
  ImportProblem,
  ImportSettings,
  ImportState,
  ImportTrial,
} from "@balcao/contract";
import { sql } from "drizzle-orm";
import {
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
  createdAt,
  dependsOn,
  identity,
  moment,
  updatedAt,
  userReference,
} from "./columns.ts";
import { companies, fileReference } from "./companies.ts";
import { contactLists, normalNumber } from "./contact-lists.ts";

/** Imports of spreadsheets. Whatever is to be done in the background stands in the row (docs/imports.md). */
export const contactImports = pgTable(
  "contact_imports",
  {
    id: identity().$type<ContactImportId>(),
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    /** Null: the people go to the address book. */
    contactListId: integer("contact_list_id").$type<ContactListId>(),
    userId: userReference({ onRemove: "keep" }).notNull(),
    /** Imported by a call that waits for it; not in the list of imports, and beside another one of the company. */
    isAtOnce: boolean("is_at_once").notNull().default(false),
    /** The file until it has been read. */
    fileKey: text("file_key"),
    fileName: text("file_name").notNull(),
    fileBytes: integer("file_bytes").notNull(),
    state: text("state").$type<ImportState>().notNull(),
    errorCode: text("error_code"),
    errorData: jsonb("error_data").$type<Record<string, string | number>>(),
    sheetName: text("sheet_name"),
    /** Columns that have data. */
    width: integer("width").notNull().default(0),
    settings: jsonb("settings").$type<ImportSettings>(),
    /** What the settings would do; null while it is counted. */
    trial: jsonb("trial").$type<ImportTrial>(),
    /** The last line whose number was read with the settings; null when all are. */
    countedLine: integer("counted_line"),
    /** The last line that was imported. */
    doneLine: integer("done_line").notNull().default(0),
    rows: integer("rows").notNull().default(0),
    added: integer("added").notNull().default(0),
    filled: integer("filled").notNull().default(0),
    kept: integer("kept").notNull().default(0),
    refused: integer("refused").notNull().default(0),
    /** When there is work in the background; of a file that is read: when its reader counts as lost. */
    dueAt: moment("due_at"),
    /** Who reads the file. */
    reader: uuid("reader"),
    /** When its progress was told last, and the contacts that it brought. */
    toldAt: moment("told_at"),
    reloadedAt: moment("reloaded_at"),
    startedAt: moment("started_at"),
    finishedAt: moment("finished_at"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique("contact_imports_company_id").on(table.companyId, table.id),
    dependsOn("contact_imports_list", table.companyId, table.contactListId, contactLists),
    fileReference("contact_imports_file", [table.companyId, table.fileKey]),
    index("contact_imports_file_index")
      .on(table.companyId, table.fileKey)
      .where(sql`file_key is not null`),
    index("contact_imports_list_index")
      .on(table.companyId, table.contactListId)
      .where(sql`contact_list_id is not null`),
    index("contact_imports_due")
      .on(table.dueAt)
      .where(sql`due_at is not null`),
    index("contact_imports_updated").on(table.updatedAt),
  ],
);

/** The rows of a spreadsheet that have data, as they were read, with what became of them. */
export const contactImportRows = pgTable(
  "contact_import_rows",
  {
    companyId: companyIdColumn(),
    contactImportId: integer("contact_import_id").$type<ContactImportId>().notNull(),
    /** As the sheet numbers it, from 1. */
    line: integer("line").notNull(),
    cells: jsonb("cells").$type<string[]>().notNull(),
    /** The digits that were read from the number's cell with the import's settings. */
    number: text("number"),
    numberNormal: text("number_normal").generatedAlwaysAs(sql.raw(normalNumber("number"))),
    problem: text("problem").$type<ImportProblem>(),
    /** The line that has a repeated number first. */
    sameAs: integer("same_as"),
    /** A contact or somebody on the list that the row has made; for the reply of a call that waits for it. */
    madeId: integer("made_id"),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.contactImportId, table.line] }),
    dependsOn("contact_import_rows_import", table.companyId, table.contactImportId, contactImports),
    index("contact_import_rows_problem")
      .on(table.companyId, table.contactImportId, table.line)
      .where(sql`problem is not null`),
  ],
);
