import type { CompanyId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { customType, integer, timestamp } from "drizzle-orm/pg-core";

/** Identity key of a table. */
export const identity = () => integer("id").generatedAlwaysAsIdentity().primaryKey();

/** The tenant of a row; every table that has it is under row-level security (checked by a test). */
export const companyIdColumn = () => integer("company_id").$type<CompanyId>().notNull();

export const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

export const createdAt = () =>
  moment("created_at")
    .notNull()
    .default(sql`now()`);
export const updatedAt = () =>
  moment("updated_at")
    .notNull()
    .default(sql`now()`);

/** The row of a deleted thing stays, so that history shows its name; nothing else may find it. */
export const deletedAt = () => moment("deleted_at");

/** Encrypted by platform/secrets. */
export const sealed = customType<{ data: Buffer }>({ dataType: () => "bytea" });
