import type { ChatId, ChatMessageId, CompanyId, MediaKind } from "@balcao/contract";
import { sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  smallint,
  text,
  unique,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import {
  companyIdColumn,
  createdAt,
  dependsOn,
  identity,
  moment,
  ticketReference,
  updatedAt,
  userReference,
} from "./columns.ts";
import { fileReference, users } from "./companies.ts";

/** The team's internal chats. */
export const chats = pgTable(
  "chats",
  {
    id: identity().$type<ChatId>(),
    companyId: companyIdColumn().$type<CompanyId>(),
    uuid: uuid("uuid").notNull(),
    /** "" for a direct chat, which shows its members' names. */
    title: text("title").notNull(),
    /** The two people of a direct chat, smaller id first: each pair has one. Null for a group. */
    directPair: text("direct_pair"),
    ownerId: userReference({ onRemove: "handled" }, "owner_id").notNull(),
    lastMessage: text("last_message").notNull().default(""),
    lastSenderId: userReference({ onRemove: "keep" }, "last_sender_id"),
    lastMessageAt: moment("last_message_at").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique("chats_company_id").on(table.companyId, table.id),
    unique("chats_uuid").on(table.uuid),
    uniqueIndex("chats_direct").on(table.companyId, table.directPair),
    dependsOn("chats_owner", table.companyId, table.ownerId, users),
    index("chats_owner_index").on(table.companyId, table.ownerId),
    // The sender's foreign key clears only its own column: see the migration.
    index("chats_last_sender_index").on(table.companyId, table.lastSenderId),
  ],
);

/** Who is in a chat, with what of it is unread. */
export const chatMembers = pgTable(
  "chat_members",
  {
    id: bigint("id", { mode: "number" }).generatedAlwaysAsIdentity().primaryKey(),
    companyId: companyIdColumn(),
    chatId: integer("chat_id").$type<ChatId>().notNull(),
    userId: userReference({ onRemove: "handled" }).notNull(),
    /** Unread messages; in a silenced chat unread mentions. */
    unreads: integer("unreads").notNull().default(0),
    isSilenced: boolean("is_silenced").notNull().default(false),
    lastReadId: integer("last_read_id").$type<ChatMessageId>(),
    lastReadAt: moment("last_read_at"),
    createdAt: createdAt(),
  },
  (table) => [
    unique("chat_members_once").on(table.companyId, table.chatId, table.userId),
    dependsOn("chat_members_chat", table.companyId, table.chatId, chats),
    dependsOn("chat_members_user", table.companyId, table.userId, users),
    index("chat_members_user_index").on(table.companyId, table.userId),
  ],
);

/** A message, with at most one file. */
export const chatMessages = pgTable(
  "chat_messages",
  {
    id: identity().$type<ChatMessageId>(),
    companyId: companyIdColumn(),
    chatId: integer("chat_id").$type<ChatId>().notNull(),
    senderId: userReference({ onRemove: "keep" }, "sender_id").notNull(),
    message: text("message").notNull(),
    mentions: jsonb("mentions").$type<{ id: number; name: string }[]>().notNull().default([]),
    clientId: uuid("client_id"),
    quotedId: integer("quoted_id").$type<ChatMessageId>(),
    /** The card stays as "no access" when the ticket is deleted. */
    hasTicket: boolean("has_ticket").notNull().default(false),
    ticketId: ticketReference({ onMerge: "move in portions" }),
    fileKey: text("file_key"),
    fileName: text("file_name"),
    thumbnailKey: text("thumbnail_key"),
    kind: text("kind").$type<MediaKind>(),
    mime: text("mime"),
    bytes: bigint("bytes", { mode: "number" }),
    width: integer("width"),
    height: integer("height"),
    durationMs: integer("duration_ms"),
    /** Levels from 0 to 100. */
    waveform: smallint("waveform").array(),
    editedAt: moment("edited_at"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique("chat_messages_company_id").on(table.companyId, table.id),
    dependsOn("chat_messages_chat", table.companyId, table.chatId, chats),
    dependsOn("chat_messages_sender", table.companyId, table.senderId, users),
    // The foreign keys of the ticket and the quoted message clear only their own column: see the migration.
    fileReference("chat_messages_file", [table.companyId, table.fileKey]),
    fileReference("chat_messages_thumbnail", [table.companyId, table.thumbnailKey]),
    index("chat_messages_chat_index").on(table.companyId, table.chatId, table.id),
    index("chat_messages_sender_index").on(table.companyId, table.senderId),
    uniqueIndex("chat_messages_client").on(table.companyId, table.senderId, table.clientId),
    ...some(table.companyId, {
      chat_messages_quoted: table.quotedId,
      chat_messages_ticket_index: table.ticketId,
      chat_messages_file_index: table.fileKey,
      chat_messages_thumbnail_index: table.thumbnailKey,
    }),
  ],
);

/** Indexes of columns that most rows leave empty. */
function some(companyId: AnyPgColumn, columns: Record<string, AnyPgColumn>) {
  return Object.entries(columns).map(([name, column]) =>
    index(name)
      .on(companyId, column)
      .where(sql`${sql.identifier(column.name)} is not null`),
  );
}
