import type { FileListId, FileListOptionId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { index, integer, pgTable, text, unique } from "drizzle-orm/pg-core";
import { companyIdColumn, createdAt, dependsOn, identity, updatedAt } from "./columns.ts";
import { companies, fileReference } from "./companies.ts";

/** Files that campaigns send together. */
export const fileLists = pgTable(
  "file_lists",
  {
    id: identity().$type<FileListId>(),
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    message: text("message").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique("file_lists_company_id").on(table.companyId, table.id),
    unique("file_lists_name").on(table.companyId, table.name),
  ],
);

/** The files of a list. One whose file was not uploaded yet has no key. */
export const fileListOptions = pgTable(
  "file_list_options",
  {
    id: identity().$type<FileListOptionId>(),
    companyId: companyIdColumn(),
    fileListId: integer("file_list_id").$type<FileListId>().notNull(),
    /** Its place in the list, from 0. */
    place: integer("place").notNull(),
    /** The caption; "" for none. */
    name: text("name").notNull().default(""),
    fileKey: text("file_key"),
    fileName: text("file_name"),
  },
  (table) => [
    dependsOn("file_list_options_list", table.companyId, table.fileListId, fileLists),
    fileReference("file_list_options_file", [table.companyId, table.fileKey]),
    index("file_list_options_place").on(table.companyId, table.fileListId, table.place),
    index("file_list_options_file_index")
      .on(table.companyId, table.fileKey)
      .where(sql`file_key is not null`),
  ],
);
