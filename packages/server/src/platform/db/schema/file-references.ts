import { is } from "drizzle-orm";
import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import { files } from "./companies.ts";
import * as schema from "./index.ts";

/** A column that may hold the key of a stored file, and the one beside it with the file's name, where there is one. */
export type FileReference = { table: string; column: string; nameColumn: string | null };

/**
 * Every column that refers to a stored file: those with a foreign key to `files`. A file in one of them is not swept.
 * The name of the file in `x_key` is in `x_name`.
 */
export const fileReferences: readonly FileReference[] = Object.values(schema)
  .filter((value) => is(value, PgTable))
  .flatMap((table) => {
    const { name, columns, foreignKeys } = getTableConfig(table);
    const names = new Set(columns.map((column) => column.name));
    return foreignKeys
      .map((key) => key.reference())
      .filter(({ foreignTable }) => foreignTable === files)
      .map((reference) => {
        const column = reference.columns[1]?.name ?? "";
        const nameColumn = column.replace(/_key$/, "_name");
        return { table: name, column, nameColumn: names.has(nameColumn) ? nameColumn : null };
      });
  });
