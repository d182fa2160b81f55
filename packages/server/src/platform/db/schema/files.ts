import { bigint, boolean, index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { sql } from "drizzle-orm";
import { companyIdColumn, createdAt } from "./columns.ts";
import { companies } from "./companies.ts";

/**
 * The files of a company in the media store. The row is committed before the file is written and goes after it was
 * removed, so that no file is ever without a row; one that nothing refers to any more is swept.
 */
export const files = pgTable(
  "files",
  {
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    /** `<uuid>.<extension>`, see the media store. */
    key: text("key").notNull(),
    mime: text("mime").notNull(),
    bytes: bigint("bytes", { mode: "number" }).notNull().default(0),
    sha256: text("sha256").notNull().default(""),
    /** False while it is being written. */
    isWhole: boolean("is_whole").notNull().default(false),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.key] }),
    index("files_age").on(table.createdAt),
    index("files_partial")
      .on(table.createdAt)
      .where(sql`not is_whole`),
  ],
);
