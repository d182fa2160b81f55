import type { ApiTokenId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import {
  bigint,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  unique,
} from "drizzle-orm/pg-core";
import {
  companyIdColumn,
  connectionReference,
  createdAt,
  dependsOn,
  identity,
  moment,
  userReference,
} from "./columns.ts";
import { companies, users } from "./companies.ts";

/** Tokens with which other programs call. */
export const apiTokens = pgTable(
  "api_tokens",
  {
    id: identity().$type<ApiTokenId>(),
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    /** A personal token acts as this user and ends with the user; null: the company's. */
    userId: userReference({ onRemove: "delete" }),
    name: text("name").notNull(),
    /** SHA-256; the token itself is shown once. */
    hash: text("hash").notNull(),
    /** The last characters, which are shown. */
    end: text("end").notNull(),
    scopes: jsonb("scopes").$type<string[]>().notNull(),
    lastUsedAt: moment("last_used_at"),
    lastUsedFrom: text("last_used_from"),
    createdBy: userReference({ onRemove: "keep" }, "created_by"),
    createdAt: createdAt(),
  },
  (table) => [
    unique("api_tokens_company_id").on(table.companyId, table.id),
    unique("api_tokens_hash").on(table.hash),
    dependsOn("api_tokens_user", table.companyId, table.userId, users),
    index("api_tokens_user_index")
      .on(table.companyId, table.userId)
      .where(sql`user_id is not null`),
    index("api_tokens_created_by_index")
      .on(table.companyId, table.createdBy)
      .where(sql`created_by is not null`),
  ],
);

/** Replies that are given again to a repeated request with the same key. Kept for a day. */
export const apiRepeats = pgTable(
  "api_repeats",
  {
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    /** The caller's token: of a company or of a connection. */
    caller: text("caller").notNull(),
    key: text("key").notNull(),
    /** SHA-256 of call and body: the same key with another one is refused. */
    request: text("request").notNull(),
    /** Null while the first request runs. */
    status: smallint("status"),
    reply: jsonb("reply"),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.caller, table.key] }),
    index("api_repeats_age").on(table.createdAt),
  ],
);

/** The log of calls by other programs. Kept for 30 days. */
export const apiCalls = pgTable(
  "api_calls",
  {
    id: bigint("id", { mode: "number" }).generatedAlwaysAsIdentity().primaryKey(),
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    /** Null: the token of a connection, or a revoked one. */
    tokenId: integer("token_id").$type<ApiTokenId>(),
    /** The connection whose token it was. */
    connectionId: connectionReference({ onRemove: "keep" }),
    tokenName: text("token_name").notNull(),
    call: text("call").notNull(),
    status: smallint("status").notNull(),
    tookMs: integer("took_ms").notNull(),
    code: text("code"),
    requestId: text("request_id").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    index("api_calls_newest").on(table.companyId, table.id.desc()),
    index("api_calls_connection")
      .on(table.companyId, table.connectionId, table.id.desc())
      .where(sql`connection_id is not null`),
    index("api_calls_age").on(table.createdAt),
  ],
);
