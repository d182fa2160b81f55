import type { BrandId, BrandImageKind } from "@balcao/contract";
import { integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { createdAt, identity, bytes, updatedAt } from "./columns.ts";

/**
 * How the product is called and looks, by the host name of the address. It belongs to no tenant: the application's role reads
 * all rows and writes none (`sharedTables` of installation.ts).
 */
export const brands = pgTable(
  "brands",
  {
    id: identity().$type<BrandId>(),
    /** In small letters, without port; "" for every other host. */
    host: text("host").notNull(),
    /** What the product is called. */
    name: text("name").notNull(),
    /** Whose it is, below the sign-in; "" for nobody's. */
    owner: text("owner").notNull().default(""),
    /** Of buttons and links, `#rrggbb`; null for the product's own. */
    color: text("color"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [uniqueIndex("brands_host_unique").on(table.host)],
);

/** Few and small, so they are in the database, where every process finds them. */
export const brandImages = pgTable(
  "brand_images",
  {
    brandId: integer("brand_id")
      .$type<BrandId>()
      .notNull()
      .references(() => brands.id, { onDelete: "cascade" }),
    kind: text("kind").$type<BrandImageKind>().notNull(),
    contentType: text("content_type").notNull(),
    /** Of the content, for its address. */
    hash: text("hash").notNull(),
    content: bytes("content").notNull(),
  },
  (table) => [primaryKey({ columns: [table.brandId, table.kind] })],
);
