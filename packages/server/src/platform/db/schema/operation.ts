import {
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uuid,
} from "drizzle-orm/pg-core";
import { moment } from "./columns.ts";

/** The figures of a process that it alone knows, written with each sign of life (platform/observing/process-report.ts). */
export type ProcessFigures = {
  /** Of the time since the report before. */
  eventLoopP99Ms: number;
  eventLoopMaxMs: number;
  /** Resident memory. */
  memoryBytes: number;
  /** Free and whole bytes of the data folder's disk; null where it cannot be read. */
  diskFreeBytes: number | null;
  diskBytes: number | null;
  /** The pools' connections to the database, those in use, and what waits for one. */
  poolOpen: number;
  poolUsed: number;
  poolWaiting: number;
  /** Age of the oldest transaction that is open. */
  transactionSeconds: number;
};

/** The processes of the installation with their last sign of life. A clean stop deletes the row; a crash leaves it for an hour. */
export const processes = pgTable(
  "processes",
  {
    /** Also the owner of the process's leases. */
    id: uuid("id").primaryKey(),
    host: text("host").notNull(),
    pid: integer("pid").notNull(),
    version: text("version").notNull(),
    roles: text("roles").array().notNull(),
    startedAt: moment("started_at").notNull(),
    seenAt: moment("seen_at").notNull(),
    figures: jsonb("figures").$type<ProcessFigures>().notNull(),
  },
  (table) => [index("processes_seen").on(table.seenAt)],
);

/**
 * Errors and slow statements, counted by ten minutes over all processes. A row names places of the program and codes, never
 * what a customer wrote or a value.
 */
export const incidents = pgTable(
  "incidents",
  {
    /** The beginning of the ten minutes. */
    bucketAt: moment("bucket_at").notNull(),
    /** `call`, `job`, `work`, `log`, `statement`. */
    kind: text("kind").notNull(),
    place: text("place").notNull(),
    code: text("code").notNull(),
    count: integer("count").notNull(),
    /** Of slow statements: the sum of their times and the longest. */
    totalMs: doublePrecision("total_ms").notNull().default(0),
    longestMs: doublePrecision("longest_ms").notNull().default(0),
    lastAt: moment("last_at").notNull(),
    requestId: text("request_id"),
  },
  (table) => [primaryKey({ columns: [table.bucketAt, table.kind, table.place, table.code] })],
);
