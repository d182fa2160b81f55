import { sql } from "drizzle-orm";
import { bigint, index, pgTable, primaryKey, text, unique, uuid } from "drizzle-orm/pg-core";
import {
  companyIdColumn,
  connectionReference,
  createdAt,
  dependsOn,
  moment,
  sealed,
  updatedAt,
} from "../../platform/db/schema/columns.ts";
import { connections } from "../../platform/db/schema/connections.ts";

/** A connection's account at Meta. */
export const cloudAccounts = pgTable(
  "cloud_accounts",
  {
    connectionId: connectionReference({ onRemove: "delete" }).primaryKey(),
    companyId: companyIdColumn(),
    phoneNumberId: text("phone_number_id").notNull(),
    businessAccountId: text("business_account_id").notNull(),
    accessToken: sealed("access_token").notNull(),
    appSecret: sealed("app_secret").notNull(),
    verifyToken: sealed("verify_token").notNull(),
    /** Identifies the connection in the webhook address. */
    webhookKey: uuid("webhook_key").notNull(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique("cloud_accounts_webhook_key").on(table.webhookKey),
    dependsOn("cloud_accounts_connection", table.companyId, table.connectionId, connections),
  ],
);

/** Unchanged webhook deliveries; stored before the 200, deleted once they are in the inbound journal. */
export const cloudDeliveries = pgTable(
  "cloud_deliveries",
  {
    id: bigint("id", { mode: "number" }).generatedAlwaysAsIdentity().primaryKey(),
    companyId: companyIdColumn(),
    connectionId: connectionReference({ onRemove: "delete" }).notNull(),
    body: text("body").notNull(),
    /** It could not be read; kept for diagnosis. */
    failedAt: moment("failed_at"),
    receivedAt: createdAt(),
  },
  (table) => [
    dependsOn("cloud_deliveries_connection", table.companyId, table.connectionId, connections),
    index("cloud_deliveries_connection_index").on(table.companyId, table.connectionId),
    index("cloud_deliveries_open")
      .on(table.connectionId, table.id)
      .where(sql`failed_at is null`),
  ],
);

/** Our id of a sent message and Meta's, which quotes, reactions and receipts need. */
export const cloudMessageIds = pgTable(
  "cloud_message_ids",
  {
    companyId: companyIdColumn(),
    connectionId: connectionReference({ onRemove: "swept" }).notNull(),
    providerId: text("provider_id").notNull(),
    wamid: text("wamid").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.connectionId, table.providerId] }),
    unique("cloud_message_ids_wamid").on(table.companyId, table.connectionId, table.wamid),
    dependsOn("cloud_message_ids_connection", table.companyId, table.connectionId, connections),
  ],
);

/** Uploaded files, for the time that Meta keeps them: a second attempt sends the same file. */
export const cloudUploads = pgTable(
  "cloud_uploads",
  {
    companyId: companyIdColumn(),
    connectionId: connectionReference({ onRemove: "delete" }).notNull(),
    fileKey: text("file_key").notNull(),
    mediaId: text("media_id").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.connectionId, table.fileKey] }),
    dependsOn("cloud_uploads_connection", table.companyId, table.connectionId, connections),
  ],
);
