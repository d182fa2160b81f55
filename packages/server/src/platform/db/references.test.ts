import type { CompanyId } from "@balcao/contract";
import type { SQL } from "drizzle-orm";
import { getTableName, sql } from "drizzle-orm";
import { integer, pgTable, text } from "drizzle-orm/pg-core";
import { expect, test } from "vitest";
import { channelTables } from "../../app.ts";
import { testDatabase } from "../../testing/database.ts";
import type { ForeignKeys } from "./references.ts";
import {
  companyTables,
  foreignKeysStatement,
  moveStatements,
  referringColumns,
  removeReferring,
  ROWS_AT_ONCE,
  tablesOf,
} from "./references.ts";
import {
  companyIdColumn,
  connectionReference,
  contactReference,
  userReference,
} from "./schema/columns.ts";
import * as schema from "./schema/index.ts";

const { db } = await testDatabase();

const run = <Row>(statement: SQL): Promise<Row[]> =>
  db.acrossCompanies((tx) => tx.query<Row>(statement));

const referring = referringColumns([...tablesOf(schema), ...channelTables]);

/** Columns that refer to one of the five tables, by a foreign key or by their name, and do not say what becomes of them. */
async function undeclaredColumns(): Promise<string[]> {
  const columns = await run<{ name: string }>(sql`
    select k.conrelid::regclass || '.' || a.attname || ' -> ' || k.confrelid::regclass as name
    from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid and a.attnum = any (k.conkey)
    where k.contype = 'f' and a.attname <> 'company_id'
      and k.confrelid::regclass::text in ('users', 'queues', 'connections', 'contacts', 'tickets')
    union
    select table_name || '.' || column_name || ' -> ' || substring(column_name from '([a-z]+)_id$') || 's'
    from information_schema.columns
    where table_schema = 'public' and column_name ~ '(^|_)(user|queue|connection|contact|ticket)_id$'
    order by 1`);
  const declared = new Set(
    referring.map(
      ({ table, column, reference: { to } }) => `${getTableName(table)}.${column.name} -> ${to}`,
    ),
  );
  return columns.map(({ name }) => name).filter((name) => !declared.has(name));
}

test("each column that refers to a user, queue, connection, contact or ticket says what becomes of it", async () => {
  expect(await undeclaredColumns()).toEqual([]);
  expect(referring.length).toBeGreaterThan(50);
});

test("a new table that does not say it is found, by its foreign key and by its name", async () => {
  await run(sql`create table invitations (
    id int primary key, company_id int not null, sent_by int, contact_id int,
    foreign key (company_id, sent_by) references users (company_id, id))`);
  try {
    expect(await undeclaredColumns()).toEqual([
      "invitations.contact_id -> contacts",
      "invitations.sent_by -> users",
    ]);
  } finally {
    await run(sql`drop table invitations`);
  }
});

test("a company's tables are emptied before those that they refer to, also by a foreign key of a migration", async () => {
  const keys = await run<ForeignKeys>(sql.raw(foreignKeysStatement.text));
  const order = companyTables(keys, channelTables).map(({ table }) => getTableName(table));
  const late = keys.flatMap(({ table, targets }) =>
    targets
      .filter((target) => target !== table && order.includes(table) && order.includes(target))
      .filter((target) => order.indexOf(target) < order.indexOf(table))
      .map((target) => `${target} before ${table}`),
  );
  expect(late).toEqual([]);
  expect(order.indexOf("connections")).toBeGreaterThan(order.indexOf("messages"));
});

test("columns that are cleared may be null", () => {
  const cleared = referring.filter(
    ({ reference }) => "onRemove" in reference && reference.onRemove === "clear",
  );
  expect(cleared.filter(({ column }) => column.notNull)).toEqual([]);
  expect(cleared.length).toBeGreaterThan(0);
});

/** A table made for these tests, with rows of companies 1 and 2. */
const favourites = pgTable("favourites", {
  id: integer("id").primaryKey(),
  companyId: companyIdColumn(),
  userId: userReference({ onRemove: "delete" }),
  addedBy: userReference({ onRemove: "clear" }, "added_by"),
  seenBy: userReference({ onRemove: "keep" }, "seen_by"),
  connectionId: connectionReference({ onRemove: { deleteWhere: sql`label = 'open'` } }),
  contactId: contactReference({ onMerge: { unlessSame: ["label"], also: (id) => `copy = ${id}` } }),
  copy: integer("copy"),
  label: text("label").notNull(),
});

/** A table with more rows of a contact than one statement moves. */
const visits = pgTable("visits", {
  id: integer("id").primaryKey(),
  companyId: companyIdColumn(),
  contactId: contactReference({ onMerge: "move in portions" }),
});

const scope = { companyId: 1 as CompanyId };

async function withMadeUpTables(work: () => Promise<void>): Promise<void> {
  await run(sql`create table favourites (id int primary key, company_id int not null, user_id int, added_by int,
    seen_by int, connection_id int, contact_id int, copy int, label text not null)`);
  await run(sql`create table visits (id int primary key, company_id int not null, contact_id int)`);
  try {
    await work();
  } finally {
    await run(sql`drop table favourites, visits`);
  }
}

test("a made-up table that says it is found by a deletion: rows go, columns are cleared or kept", () =>
  withMadeUpTables(async () => {
    await run(sql`
      insert into favourites (id, company_id, user_id, added_by, seen_by, connection_id, label) values
        (1, 1, 7, null, null, null, ''), (2, 1, 8, 7, 7, null, ''), (3, 2, 7, 7, 7, 7, 'open'),
        (4, 1, null, null, null, 7, 'open'), (5, 1, null, null, null, 7, 'done')`);
    await db.acrossCompanies(async (tx) => {
      await removeReferring(scope, tx, "users", 7, [favourites]);
      await removeReferring(scope, tx, "connections", 7, [favourites]);
    });
    const left = sql`select id, user_id, added_by, seen_by, connection_id from favourites order by id`;
    expect((await run<object>(left)).map((row) => Object.values(row))).toEqual([
      [2, 8, null, 7, null],
      [3, 7, 7, 7, 7],
      [5, null, null, null, 7],
    ]);
  }));

test("a made-up table that says it is found by a merge: rows move, except those that the other one has", () =>
  withMadeUpTables(async () => {
    await run(sql`
      insert into favourites (id, company_id, contact_id, label) values
        (1, 1, 7, 'own'), (2, 1, 7, 'same'), (3, 1, 8, 'same'), (4, 2, 7, 'own')`);
    await run(sql`
      insert into visits select n, case when n = 0 then 2 else 1 end, 7 from generate_series(0, ${ROWS_AT_ONCE + 1}::int) n`);
    const { together, portions } = moveStatements("contacts", [favourites, visits]);
    const moved: number[] = [];
    await db.acrossCompanies(async (tx) => {
      await tx.query(together, [1, 7, 8]);
      for (const portion of [...portions, ...portions]) {
        moved.push((await tx.query(portion, [1, 7, 8])).length);
      }
    });
    expect(moved).toEqual([ROWS_AT_ONCE, 1]);
    const rows = sql`select id, contact_id, copy from favourites order by id`;
    expect((await run<object>(rows)).map((row) => Object.values(row))).toEqual([
      [1, 8, 8],
      [2, 7, null],
      [3, 8, null],
      [4, 7, null],
    ]);
  }));
