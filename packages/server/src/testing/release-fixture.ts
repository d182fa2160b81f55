import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { readMigrationFiles } from "drizzle-orm/migrator";
import pg from "pg";
import { z } from "zod";
import { migrationsFolder } from "../platform/db/installation.ts";
import { atEndOfFile } from "./end-of-file.ts";

/** The rows of all tables as a release stored them, with the migrations that had made these tables. */
const releaseFixture = z.object({
  release: z.string(),
  /** Hashes of the files, in order: a migration that was released is never changed. */
  migrations: z.array(z.string()),
  /** An admin, who signs in by password. */
  account: z.object({ email: z.string(), password: z.string() }),
  tables: z.array(
    z.object({
      name: z.string(),
      columns: z.array(z.string()),
      /** A JSON array, which only the database reads: numbers may be larger than JavaScript's. */
      rows: z.string(),
    }),
  ),
  sequences: z.array(z.object({ name: z.string(), last: z.string() })),
});
export type ReleaseFixture = z.infer<typeof releaseFixture>;

const fixturesFolder = join(migrationsFolder, "fixtures");

/** Migrations of this program up to a number of them. */
export async function migrationsUntil(count: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "balcao-migrations-"));
  atEndOfFile(() => rm(folder, { recursive: true }));
  const journal = z
    .looseObject({ entries: z.array(z.looseObject({ tag: z.string() })) })
    .parse(JSON.parse(await readFile(join(migrationsFolder, "meta", "_journal.json"), "utf8")));
  const entries = journal.entries.slice(0, count);
  await mkdir(join(folder, "meta"));
  await writeFile(join(folder, "meta", "_journal.json"), JSON.stringify({ ...journal, entries }));
  await Promise.all(
    entries.map(({ tag }) => cp(join(migrationsFolder, `${tag}.sql`), join(folder, `${tag}.sql`))),
  );
  return folder;
}

export const hashesOfMigrations = (): string[] =>
  readMigrationFiles({ migrationsFolder }).map(({ hash }) => hash);

/** The kept releases, oldest first. */
export async function readFixtures(): Promise<ReleaseFixture[]> {
  const names = (await readdir(fixturesFolder)).filter((name) => name.endsWith(".json.gz"));
  const texts = await Promise.all(
    names.map(async (name) => promisify(gunzip)(await readFile(join(fixturesFolder, name)))),
  );
  const fixtures = texts.map((text) => releaseFixture.parse(JSON.parse(text.toString())));
  return fixtures.toSorted((one, other) => one.migrations.length - other.migrations.length);
}

/** Keeps the present rows of a database; the same release again replaces its file. */
export async function writeFixture(
  client: pg.Client,
  made: Pick<ReleaseFixture, "release" | "account">,
): Promise<string> {
  const run = await client.query<{ hash: string }>(
    "select hash from drizzle.__drizzle_migrations order by id",
  );
  const tables = [];
  for (const [name, columns] of await readColumns(client)) {
    const list = columns.map((column) => pg.escapeIdentifier(column)).join();
    const { rows } = await client.query<{ rows: string | null }>(
      `select json_agg(one)::text as rows from (select ${list} from ${name}) as one`,
    );
    if (rows[0]?.rows) tables.push({ name, columns, rows: rows[0].rows });
  }
  const sequences = await client.query<ReleaseFixture["sequences"][number]>(
    `select format('%I', sequencename) as name, last_value::text as last from pg_sequences
      where schemaname = 'public' and last_value is not null order by 1`,
  );
  const migrations = run.rows.map(({ hash }) => hash);
  const fixture = { ...made, migrations, tables, sequences: sequences.rows };
  const state = String(migrations.length - 1).padStart(4, "0");
  const file = join(fixturesFolder, `${made.release}-${state}.json.gz`);
  await mkdir(fixturesFolder, { recursive: true });
  await writeFile(file, await promisify(gzip)(JSON.stringify(fixture), { level: 9 }));
  return file;
}

/** Names of the roles, and their passwords, belong to a server: the database that is filled keeps its own. */
const ownFacts = ["app-role", "service-role"].flatMap((key) => [key, `${key}-password`]);

/** Fills a database that was migrated as far as the fixture's. Its owner must be a superuser, as a test server's is. */
export async function loadFixture(client: pg.Client, fixture: ReleaseFixture): Promise<void> {
  await client.query("begin");
  // The rows are complete: neither triggers nor foreign keys have a say.
  await client.query("set local session_replication_role = replica");
  for (const { name, columns, rows } of fixture.tables) {
    const list = columns.map((column) => pg.escapeIdentifier(column)).join();
    const isFacts = name === "installation";
    await client.query(`delete from ${name} ${isFacts ? "where key <> all($1)" : ""}`, [
      ...(isFacts ? [ownFacts] : []),
    ]);
    await client.query(
      `insert into ${name} (${list}) overriding system value
       select ${list} from json_populate_recordset(null::${name}, $1) ${isFacts ? "on conflict (key) do nothing" : ""}`,
      [rows],
    );
  }
  for (const { name, last } of fixture.sequences) {
    await client.query("select setval($1::regclass, $2)", [name, last]);
  }
  await client.query("commit");
}

/** The columns of each table that are stored, and not computed. */
export async function readColumns(client: pg.Client): Promise<Map<string, string[]>> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `select format('%I', c.relname) as name, array_agg(a.attname::text order by a.attnum) as columns
       from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
        and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      group by c.relname order by c.relname`,
  );
  return new Map(rows.map(({ name, columns }) => [name, columns]));
}
