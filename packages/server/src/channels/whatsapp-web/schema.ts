import { bigint, index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import {
  companyIdColumn,
  connectionReference,
  createdAt,
  dependsOn,
  sealed,
  updatedAt,
} from "../../platform/db/schema/columns.ts";
import { connections } from "../../platform/db/schema/connections.ts";

/** The connection's identity on the network; deleted when it is unlinked. */
export const whatsappCredentials = pgTable(
  "whatsapp_credentials",
  {
    connectionId: connectionReference({ onRemove: "delete" }).primaryKey(),
    companyId: companyIdColumn(),
    data: sealed("data").notNull(),
    updatedAt: updatedAt(),
  },
  (table) => [
    dependsOn("whatsapp_credentials_connection", table.companyId, table.connectionId, connections),
  ],
);

/** Keys of the end-to-end encryption, one row each (behaviour 10.3), also of unknown kinds. */
export const whatsappKeys = pgTable(
  "whatsapp_keys",
  {
    companyId: companyIdColumn(),
    connectionId: connectionReference({ onRemove: "delete" }).notNull(),
    type: text("type").notNull(),
    id: text("id").notNull(),
    data: sealed("data").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.connectionId, table.type, table.id] }),
    dependsOn("whatsapp_keys_connection", table.companyId, table.connectionId, connections),
  ],
);

/**
 * Decrypted messages that are not in the inbound journal yet: the library sends the receipt before it passes a message
 * on (channels.md 2.1), and a message cannot be decrypted twice.
 */
export const whatsappPlaintexts = pgTable(
  "whatsapp_plaintexts",
  {
    id: bigint("id", { mode: "number" }).generatedAlwaysAsIdentity().primaryKey(),
    companyId: companyIdColumn(),
    connectionId: connectionReference({ onRemove: "delete" }).notNull(),
    messageId: text("message_id").notNull(),
    /** The stanza around it (ids, sender, time) as JSON, and the plaintext; sealed as one. */
    data: sealed("data").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    dependsOn("whatsapp_plaintexts_connection", table.companyId, table.connectionId, connections),
    index("whatsapp_plaintexts_connection_index").on(table.connectionId, table.id),
  ],
);

/** Sent messages, for phones that request them again; kept for a day or more (behaviour 10.3). */
export const whatsappSent = pgTable(
  "whatsapp_sent",
  {
    companyId: companyIdColumn(),
    connectionId: connectionReference({ onRemove: "swept" }).notNull(),
    messageId: text("message_id").notNull(),
    data: sealed("data").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.connectionId, table.messageId] }),
    dependsOn("whatsapp_sent_connection", table.companyId, table.connectionId, connections),
    index("whatsapp_sent_age").on(table.createdAt),
  ],
);
