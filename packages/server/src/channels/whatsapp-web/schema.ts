import type { ConnectionId } from "@balcao/contract";
import { bigint, foreignKey, index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { companyIdColumn, createdAt, sealed, updatedAt } from "../../platform/db/schema/columns.ts";
import { connections } from "../../platform/db/schema/connections.ts";

/** Who the connection is on the network; gone once it is unlinked. */
export const whatsappCredentials = pgTable(
  "whatsapp_credentials",
  {
    connectionId: integer("connection_id").$type<ConnectionId>().primaryKey(),
    companyId: companyIdColumn(),
    data: sealed("data").notNull(),
    updatedAt: updatedAt(),
  },
  (table) => [
    foreignKey({
      name: "whatsapp_credentials_connection",
      columns: [table.companyId, table.connectionId],
      foreignColumns: [connections.companyId, connections.id],
    }).onDelete("cascade"),
  ],
);

/** Keys of the encryption between people, one row each (behaviour 10.3); kinds that nobody knows yet as well. */
export const whatsappKeys = pgTable(
  "whatsapp_keys",
  {
    companyId: companyIdColumn(),
    connectionId: integer("connection_id").$type<ConnectionId>().notNull(),
    type: text("type").notNull(),
    id: text("id").notNull(),
    data: sealed("data").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.connectionId, table.type, table.id] }),
    foreignKey({
      name: "whatsapp_keys_connection",
      columns: [table.companyId, table.connectionId],
      foreignColumns: [connections.companyId, connections.id],
    }).onDelete("cascade"),
  ],
);

/**
 * What was decrypted and is not in the inbound journal yet: the network has its receipt before anybody else hears of a
 * message (channels.md 2.1), and it cannot be decrypted twice.
 */
export const whatsappPlaintexts = pgTable(
  "whatsapp_plaintexts",
  {
    id: bigint("id", { mode: "number" }).generatedAlwaysAsIdentity().primaryKey(),
    companyId: companyIdColumn(),
    connectionId: integer("connection_id").$type<ConnectionId>().notNull(),
    messageId: text("message_id").notNull(),
    /** The stanza around it (ids, sender, time) as JSON, and the plaintext; sealed as one. */
    data: sealed("data").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    foreignKey({
      name: "whatsapp_plaintexts_connection",
      columns: [table.companyId, table.connectionId],
      foreignColumns: [connections.companyId, connections.id],
    }).onDelete("cascade"),
    index("whatsapp_plaintexts_connection_index").on(table.connectionId, table.id),
  ],
);

/** What was sent, for contacts that ask for it again; kept for a day or more (behaviour 10.3). */
export const whatsappSent = pgTable(
  "whatsapp_sent",
  {
    companyId: companyIdColumn(),
    connectionId: integer("connection_id").$type<ConnectionId>().notNull(),
    messageId: text("message_id").notNull(),
    data: sealed("data").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.connectionId, table.messageId] }),
    foreignKey({
      name: "whatsapp_sent_connection",
      columns: [table.companyId, table.connectionId],
      foreignColumns: [connections.companyId, connections.id],
    }).onDelete("cascade"),
    index("whatsapp_sent_age").on(table.createdAt),
  ],
);
