import type { KnowledgeId, KnowledgeKind } from "@balcao/contract";
import {
  boolean,
  customType,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
} from "drizzle-orm/pg-core";
import {
  companyIdColumn,
  createdAt,
  dependsOn,
  identity,
  updatedAt,
  userReference,
} from "./columns.ts";
import { companies } from "./companies.ts";

const searchVector = customType<{ data: string }>({ dataType: () => "tsvector" });

/** The knowledge base of a company. */
export const knowledgeItems = pgTable(
  "knowledge_items",
  {
    id: identity().$type<KnowledgeId>(),
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    kind: text("kind").$type<KnowledgeKind>().notNull(),
    title: text("title").notNull(),
    text: text("text").notNull(),
    fileName: text("file_name").notNull().default(""),
    fileBytes: integer("file_bytes").notNull().default(0),
    isActive: boolean("is_active").notNull().default(true),
    /** Who saved it last. */
    userId: userReference({ onRemove: "clear" }),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique("knowledge_items_company_id").on(table.companyId, table.id),
    index("knowledge_items_user").on(table.companyId, table.userId),
  ],
);

/** The text of an item in parts, which are searched and quoted. `words` has the title's and the part's, by `f_words`. */
export const knowledgeParts = pgTable(
  "knowledge_parts",
  {
    companyId: companyIdColumn(),
    itemId: integer("item_id").$type<KnowledgeId>().notNull(),
    position: integer("position").notNull(),
    text: text("text").notNull(),
    words: searchVector("words").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.itemId, table.position] }),
    dependsOn("knowledge_parts_item", table.companyId, table.itemId, knowledgeItems),
    index("knowledge_parts_words").using("gin", table.companyId, table.words),
  ],
);
