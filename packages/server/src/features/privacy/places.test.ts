import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { testDatabase } from "../../testing/database.ts";
import { heldTables, keptColumns, textPlaces } from "./places.ts";

const { db } = await testDatabase();

type Column = { table: string; column: string };

/** Columns of texts in tables whose rows do not go with a deleted contact. */
const columnsElsewhere = () =>
  db.acrossCompanies((tx) =>
    tx.query<Column>(sql`
      with recursive gone (oid) as (
        select 'contacts'::regclass::oid
        union
        select k.conrelid from pg_constraint k join gone on gone.oid = k.confrelid where k.contype = 'f' and k.confdeltype = 'c'
      )
      select c.relname as table, a.attname as column
        from pg_class c join pg_attribute a on a.attrelid = c.oid
       where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
         and a.atttypid::regtype::text in ('text', 'text[]', 'json', 'jsonb', 'bytea', 'tsvector', 'character varying')
         and c.oid not in (select oid from gone)
       order by 1, 2`),
  );

test("each column of texts goes with the contact, is erased, or stays with a reason", async () => {
  const columns = await columnsElsewhere();
  const kept = new Set(
    Object.values(keptColumns).flatMap((tables) =>
      Object.entries(tables).flatMap(([table, names]) =>
        names.split(" ").map((column) => `${table}.${column}`),
      ),
    ),
  );
  const erased = new Set([
    ...heldTables.map(({ name }) => name),
    // Rows go, whatever column named the person.
    ...textPlaces.map(({ name }) => name),
  ]);
  const places = columns.map(({ table, column }) => ({ table, place: `${table}.${column}` }));
  expect(columns.length).toBeGreaterThan(100);
  expect(
    places
      .filter(
        ({ table, place }) => !erased.has(table) && !kept.has(place) && !kept.has(`${table}.*`),
      )
      .map(({ place }) => place),
  ).toEqual([]);
  const all = new Set(places.map(({ place }) => place));
  expect([...kept].filter((place) => !/\.\*?$/.test(place) && !all.has(place))).toEqual([]);
});
