import type { ConnectionId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import {
  bigint,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from "drizzle-orm/pg-core";
import {
  companyIdColumn,
  createdAt,
  moment,
  sealed,
  updatedAt,
} from "../../platform/db/schema/columns.ts";
import { connections } from "../../platform/db/schema/connections.ts";

/** The account at Meta that a connection works with. */
export const cloudAccounts = pgTable(
  "cloud_accounts",
  {
    connectionId: integer("connection_id").$type<ConnectionId>().primaryKey(),
    companyId: companyIdColumn(),
    phoneNumberId: text("phone_number_id").notNull(),
    businessAccountId: text("business_account_id").notNull(),
    accessToken: sealed("access_token").notNull(),
    appSecret: sealed("app_secret").notNull(),
    verifyToken: sealed("verify_token").notNull(),
    /** Names the connection in the address that Meta calls. */
    webhookKey: uuid("webhook_key").notNull(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique("cloud_accounts_webhook_key").on(table.webhookKey),
    foreignKey({
      name: "cloud_accounts_connection",
      columns: [table.companyId, table.connectionId],
      foreignColumns: [connections.companyId, connections.id],
    }).onDelete("cascade"),
  ],
);

/** What Meta delivered, as it came; stored before its 200, gone once it is in the inbound journal. */
export const cloudDeliveries = pgTable(
  "cloud_deliveries",
  {
    id: bigint("id", { mode: "number" }).generatedAlwaysAsIdentity().primaryKey(),
    companyId: companyIdColumn(),
    connectionId: integer("connection_id").$type<ConnectionId>().notNull(),
    body: text("body").notNull(),
    /** It could not be read; kept for people to look at. */
    failedAt: moment("failed_at"),
    receivedAt: createdAt(),
  },
  (table) => [
    foreignKey({
      name: "cloud_deliveries_connection",
      columns: [table.companyId, table.connectionId],
      foreignColumns: [connections.companyId, connections.id],
    }).onDelete("cascade"),
    index("cloud_deliveries_connection_index").on(table.companyId, table.connectionId),
    index("cloud_deliveries_open")
      .on(table.connectionId, table.id)
      .where(sql`failed_at is null`),
  ],
);

/** Our id of a sent message and Meta's, which alone can be quoted, reacted to or marked. */
export const cloudMessageIds = pgTable(
  "cloud_message_ids",
  {
    companyId: companyIdColumn(),
    connectionId: integer("connection_id").$type<ConnectionId>().notNull(),
    providerId: text("provider_id").notNull(),
    wamid: text("wamid").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.connectionId, table.providerId] }),
    unique("cloud_message_ids_wamid").on(table.companyId, table.connectionId, table.wamid),
    foreignKey({
      name: "cloud_message_ids_connection",
      columns: [table.companyId, table.connectionId],
      foreignColumns: [connections.companyId, connections.id],
    }).onDelete("cascade"),
  ],
);

/** Files of ours that Meta has got already, for the time it keeps them: a second attempt sends the same one. */
export const cloudUploads = pgTable(
  "cloud_uploads",
  {
    companyId: companyIdColumn(),
    connectionId: integer("connection_id").$type<ConnectionId>().notNull(),
    fileKey: text("file_key").notNull(),
    mediaId: text("media_id").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.connectionId, table.fileKey] }),
    foreignKey({
      name: "cloud_uploads_connection",
      columns: [table.companyId, table.connectionId],
      foreignColumns: [connections.companyId, connections.id],
    }).onDelete("cascade"),
  ],
);
