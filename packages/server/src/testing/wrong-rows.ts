import { sql } from "drizzle-orm";
import type { Tx } from "../platform/db/database.ts";

type QueueRow = {
  id: number;
  name: string;
  place: number | null;
  schedules: { weekday: string }[];
  createdAt: Date;
};

const queue = {
  name: "wrong-rows.queue",
  text: `select id, name, order_queue as place, schedules, created_at as "createdAt" from queues where id = $1`,
};

const countOf = (table: "queues" | "users") => ({
  name: `wrong-rows.count-${table}`,
  text: `select count(*), array_agg(id) as ids from ${table} where company_id = $1`,
});
const counts = { queues: countOf("queues"), users: countOf("users") };

/** Statements with wrong row types, and the faults that guarantees/sql-rows.test.ts finds in them. Never called. */
export const wrongReads: { read: (tx: Tx) => Promise<unknown>; faults: string[] }[] = [
  { read: (tx) => tx.query<QueueRow>(queue), faults: [] },
  {
    read: (tx) => tx.query<Omit<QueueRow, "name"> & { title: string }>(queue),
    faults: ["there is no column title", "nobody reads the column name"],
  },
  {
    read: (tx) => tx.query<QueueRow & { color: string; message?: string }>(queue),
    faults: ["there is no column color"],
  },
  {
    read: (tx) => tx.query<Omit<QueueRow, "id"> & { id: string }>(queue),
    faults: ["id is int4, not string"],
  },
  {
    read: (tx) => tx.query<Omit<QueueRow, "createdAt"> & { createdAt: string }>(queue),
    faults: ["createdAt is timestamptz, not string"],
  },
  {
    read: (tx) => tx.query<Omit<QueueRow, "schedules"> & { schedules: Date }>(queue),
    faults: ["schedules is jsonb, not Date"],
  },
  {
    read: (tx) => tx.query<Omit<QueueRow, "place"> & { place: number }>(queue),
    faults: ["place may be null"],
  },
  {
    // The row type is the function's return type.
    read: (tx): Promise<{ name: Date }[]> => tx.query(sql`select name from queues where id = ${1}`),
    faults: ["name is text, not Date"],
  },
  {
    read: (tx) => tx.query<{ count: string; ids: number[] }>(counts.queues),
    faults: ["count is int8, not string"],
  },
  {
    // Both statements that the expression may be.
    read: (tx) =>
      Promise.all(
        (["queues", "users"] as const).map((kind) =>
          tx.query<{ count: number; ids: string[] }>(counts[kind]),
        ),
      ),
    faults: ["ids is _int4, not string[]", "ids is _int4, not string[]"],
  },
];
