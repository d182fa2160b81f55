import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { testDatabase } from "../../testing/database.ts";
import { fileReferences } from "./references.ts";

const { db } = await testDatabase();

/** Columns of text called `…_key` that hold no key of a stored file, and why. */
const otherKeys = [
  // Rows about files that Meta holds: the file here is swept whether or not Meta has it.
  "cloud_uploads.file_key",
  // An archive in a store of its own, which is swept with its row.
  "company_archives.store_key",
  // They name a chat.
  "inbound_journal.chat_key",
  "outbound.chat_key",
  // The same.
  "person_exports.store_key",
  "read_receipts.chat_key",
];

const columnsOf = (statement: ReturnType<typeof sql>): Promise<string[]> =>
  db.acrossCompanies(async (tx) => {
    const rows = await tx.query<{ column: string }>(statement);
    return rows.map(({ column }) => column).sort();
  });

const marked = fileReferences.map(({ table, column }) => `${table}.${column}`).sort();

test("the sweep reads every column that the database lets refer to a file, by an index", async () => {
  const referring = sql`
    select k.conrelid::regclass || '.' || a.attname as "column"
    from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[2]
    where k.contype = 'f' and k.confrelid = 'files'::regclass`;
  expect(await columnsOf(referring)).toEqual(marked);
  const indexed = sql`${referring} and exists (
    select from pg_index i where i.indrelid = k.conrelid and i.indkey[0] = k.conkey[1] and i.indkey[1] = k.conkey[2])`;
  expect(await columnsOf(indexed)).toEqual(marked);
});

test("a text column that is called a key refers to a file, or is known to hold something else", async () => {
  const called = await columnsOf(sql`
    select table_name || '.' || column_name as "column" from information_schema.columns
    where table_schema = 'public' and data_type = 'text' and column_name like '%\\_key'`);
  expect(called.filter((column) => !marked.includes(column))).toEqual(otherKeys);
});
