import type { AuditActorKind } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { bigint, index, integer, jsonb, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { companyIdColumn, moment } from "./columns.ts";
import { companies } from "./companies.ts";

/**
 * The changes of a company with the person who made them. The roles of the product read the table and write none of it: rows
 * are added by triggers (`audit_row`) and functions of the database, and are removed when the company's retention is over.
 */
export const auditEntries = pgTable(
  "audit_entries",
  {
    id: bigint("id", { mode: "number" }).generatedAlwaysAsIdentity().primaryKey(),
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    at: moment("at")
      .notNull()
      .default(sql`clock_timestamp()`),
    actorKind: text("actor_kind").$type<AuditActorKind>().notNull(),
    /** The user or the token; null for the product itself. People who were deleted keep their entries. */
    actorId: integer("actor_id"),
    actorName: text("actor_name").notNull(),
    /** The company of somebody of the provider; null for the company's own people. */
    actorCompanyId: integer("actor_company_id"),
    /** In the provider's own audit: the other company that it was done to. */
    aboutCompanyId: integer("about_company_id"),
    visitId: integer("visit_id"),
    sessionId: text("session_id"),
    /** `added`, `changed`, `removed`, …: `auditActions` of the contract. */
    action: text("action").notNull(),
    /** `auditKinds` of the contract. */
    objectKind: text("object_kind").notNull(),
    objectId: text("object_id").notNull(),
    objectLabel: text("object_label").notNull(),
    /** The changed fields alone. A secret is a mark without its value. */
    before: jsonb("before").$type<Record<string, unknown>>(),
    after: jsonb("after").$type<Record<string, unknown>>(),
    address: text("address"),
    device: text("device"),
    requestId: text("request_id"),
    /** A deed that is noted once however often it is repeated has the same text here. */
    onceMark: text("once_mark"),
    /** Everything that a search compares. */
    words: text("words")
      .notNull()
      .generatedAlwaysAs(
        sql`f_norm(actor_name || ' ' || object_label || ' ' || coalesce("before"::text, '') || ' ' || coalesce("after"::text, ''))`,
      ),
  },
  (table) => [
    index("audit_entries_newest").on(table.companyId, table.at, table.id),
    index("audit_entries_actor").on(table.companyId, table.actorId, table.at, table.id),
    index("audit_entries_kind").on(table.companyId, table.objectKind, table.at, table.id),
    index("audit_entries_object").on(table.companyId, table.objectKind, table.objectId),
    index("audit_entries_words").using("gin", table.companyId, sql`words gin_trgm_ops`),
    index("audit_entries_about")
      .on(table.aboutCompanyId)
      .where(sql`about_company_id is not null`),
    uniqueIndex("audit_entries_once")
      .on(table.companyId, table.onceMark)
      .where(sql`once_mark is not null`),
  ],
);
