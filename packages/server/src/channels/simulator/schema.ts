import type { SimulatorMessageKind } from "@balcao/contract";
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  foreignKey,
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
  moment,
  updatedAt,
} from "../../platform/db/schema/columns.ts";
import { connections } from "../../platform/db/schema/connections.ts";
import type { MessageDetails, NetworkChange, StoredMember } from "./phones.ts";

/** The company's phone on the simulated network: whether a connection is linked, and how the network behaves. */
export const simulatorLines = pgTable(
  "simulator_lines",
  {
    connectionId: connectionReference({ onRemove: "swept" }).primaryKey(),
    companyId: companyIdColumn(),
    linked: boolean("linked").notNull().default(false),
    /** The code that can be scanned now, null when none is shown. */
    pairingCode: text("pairing_code"),
    network: jsonb("network").notNull().default({}),
    updatedAt: updatedAt(),
  },
  (table) => [
    dependsOn("simulator_lines_connection", table.companyId, table.connectionId, connections),
  ],
);

export const simulatorCustomers = pgTable(
  "simulator_customers",
  {
    companyId: companyIdColumn(),
    connectionId: connectionReference({ onRemove: "swept" }).notNull(),
    phone: text("phone").notNull(),
    name: text("name").notNull(),
    typing: boolean("typing").notNull().default(false),
    lastMessage: text("last_message").notNull().default(""),
    lastMessageAt: moment("last_message_at"),
    unread: integer("unread").notNull().default(0),
    /** The members of a group (its `phone` is longer than any phone's); null for a customer. */
    members: jsonb("members").$type<StoredMember[]>(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.connectionId, table.phone] }),
    dependsOn("simulator_customers_connection", table.companyId, table.connectionId, connections),
  ],
);

/**
 * Messages and changes of messages on the simulated network, in both directions. A customer's are undelivered until the
 * connection has received them.
 */
export const simulatorMessages = pgTable(
  "simulator_messages",
  {
    seq: bigint("seq", { mode: "number" }).generatedAlwaysAsIdentity().primaryKey(),
    companyId: companyIdColumn(),
    connectionId: connectionReference({ onRemove: "swept" }).notNull(),
    phone: text("phone").notNull(),
    id: text("id").notNull(),
    fromCustomer: boolean("from_customer").notNull(),
    body: text("body").notNull(),
    ack: smallint("ack").notNull(),
    /** Acknowledgement already reported to the connection (outgoing messages). */
    reportedAck: smallint("reported_ack").notNull().default(0),
    delivered: boolean("delivered").notNull().default(false),
    kind: text("kind").$type<SimulatorMessageKind>().notNull().default("text"),
    /** File, content or call of a message that is more than text. */
    details: jsonb("details").$type<MessageDetails>(),
    /** Set for a row that changes another message; phones do not show it. */
    change: jsonb("change").$type<NetworkChange>(),
    quotedId: text("quoted_id"),
    /** The author in a group; null for the company. */
    author: text("author"),
    /** Emojis by author: a phone, or `company`. */
    reactions: jsonb("reactions").$type<Record<string, string>>().notNull().default({}),
    isEdited: boolean("is_edited").notNull().default(false),
    isDeleted: boolean("is_deleted").notNull().default(false),
    isForwarded: boolean("is_forwarded").notNull().default(false),
    isViewOnce: boolean("is_view_once").notNull().default(false),
    /** Its file was requested and refused, which the network does once if it is set so. */
    hasFailedOnce: boolean("has_failed_once").notNull().default(false),
    createdAt: createdAt(),
  },
  (table) => [
    unique("simulator_messages_once").on(table.companyId, table.connectionId, table.id),
    foreignKey({
      name: "simulator_messages_customer",
      columns: [table.companyId, table.connectionId, table.phone],
      foreignColumns: [
        simulatorCustomers.companyId,
        simulatorCustomers.connectionId,
        simulatorCustomers.phone,
      ],
    }).onDelete("cascade"),
    index("simulator_messages_chat").on(
      table.companyId,
      table.connectionId,
      table.phone,
      table.seq,
    ),
    index("simulator_messages_waiting")
      .on(table.connectionId, table.seq)
      .where(sql`from_customer and not delivered`),
    index("simulator_messages_unreported")
      .on(table.connectionId, table.seq)
      .where(sql`not from_customer and reported_ack < ack`),
  ],
);
