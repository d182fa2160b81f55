import { createHash } from "node:crypto";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { z } from "zod";
import { migrationsFolder } from "../../platform/db/installation.ts";

/** Texts of rows are the same in every database that is asked with these. */
const COPY_SETTINGS = `set datestyle = 'ISO, DMY'; set timezone = 'UTC'; set intervalstyle = 'postgres';
  set extra_float_digits = 1; set bytea_output = 'hex'; set client_encoding = 'UTF8';
  set statement_timeout = 0; set lock_timeout = '30s'; set idle_in_transaction_session_timeout = 0;
  set synchronize_seqscans = off`;

/** A session of the owner, outside of all pools. */
export async function ownerSession(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    ...{ connectionString: url, connectionTimeoutMillis: 10_000 },
    ...{ application_name: `balcao backup ${process.pid}`, keepAlive: true },
  });
  // Its statements fail by themselves when the session is lost.
  client.on("error", () => undefined);
  await client.connect();
  await client.query(COPY_SETTINGS);
  return client;
}

export type CopiedTable = { name: string; columns: string[] };

/** All tables that keep their rows after a crash, with the columns that can be written. */
export async function readTables(client: pg.Client): Promise<CopiedTable[]> {
  const { rows } = await client.query<CopiedTable>(
    `select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relpersistence = 'p'
       and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     group by c.relname order by c.relname`,
  );
  return rows;
}

const listOf = (columns: readonly string[]): string => columns.map(pg.escapeIdentifier).join(", ");

/** The rows of a table as COPY's text. */
export function copyRows(client: pg.Client, { name, columns }: CopiedTable) {
  const text = `copy ${pg.escapeIdentifier(name)} (${listOf(columns)}) to stdout`;
  return client.query(copyTo(text)) as AsyncIterable<Uint8Array>;
}

export const copyInto = ({ name, columns }: CopiedTable): string =>
  `copy ${pg.escapeIdentifier(name)} (${listOf(columns)}) from stdin`;

/** The counts of sequences, so that rows which refer to deleted rows by number stay unambiguous. */
export type SequenceState = { value: string; isCalled: boolean };

export async function readSequences(client: pg.Client): Promise<Record<string, SequenceState>> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'S' order by 1`,
  );
  const states: Record<string, SequenceState> = {};
  for (const { name } of rows) {
    const found = await client.query<SequenceState>(
      `select last_value::text as value, is_called as "isCalled" from ${pg.escapeIdentifier(name)}`,
    );
    const [state] = found.rows;
    if (state) states[name] = state;
  }
  return states;
}

const journal = z.object({
  entries: z.array(z.looseObject({ tag: z.string(), when: z.number() })),
});
const readJournal = async () =>
  z
    .looseObject(journal.shape)
    .parse(JSON.parse(await readFile(join(migrationsFolder, "meta", "_journal.json"), "utf8")));

/** The newest migration of a database. */
export async function migrationOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ at: string }>(
    "select max(created_at)::text as at from drizzle.__drizzle_migrations",
  );
  const { entries } = await readJournal();
  const found = entries.find(({ when }) => String(when) === rows[0]?.at);
  if (!found) throw new Error("The database was migrated by another version of Balcão.");
  return found.tag;
}

export async function knowsMigration(tag: string): Promise<boolean> {
  return (await readJournal()).entries.some((entry) => entry.tag === tag);
}

/** Migrates an empty database to the state that it had after this migration. */
export async function migrateTo(client: pg.Client, tag: string): Promise<void> {
  const whole = await readJournal();
  const last = whole.entries.findIndex((entry) => entry.tag === tag);
  const entries = whole.entries.slice(0, last + 1);
  const folder = await mkdtemp(join(tmpdir(), "balcao-migrations-"));
  try {
    await mkdir(join(folder, "meta"));
    await writeFile(join(folder, "meta", "_journal.json"), JSON.stringify({ ...whole, entries }));
    for (const entry of entries)
      await cp(join(migrationsFolder, `${entry.tag}.sql`), join(folder, `${entry.tag}.sql`));
    await migrate(drizzle(client), { migrationsFolder: folder });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A sum over rows that is the same in any order. */
export class RowSum {
  rows = 0;
  #high = 0;
  #low = 0;
  #rest: Buffer = Buffer.alloc(0);

  add(chunk: Uint8Array): void {
    const content = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : Buffer.from(chunk);
    let from = 0;
    for (let end = content.indexOf(10); end !== -1; end = content.indexOf(10, from)) {
      const digest = createHash("sha256").update(content.subarray(from, end)).digest();
      this.#high = (this.#high + digest.readUInt32LE(0)) >>> 0;
      this.#low = (this.#low + digest.readUInt32LE(4)) >>> 0;
      this.rows += 1;
      from = end + 1;
    }
    this.#rest = content.subarray(from);
  }

  get text(): string {
    return `${this.rows}:${this.#high.toString(16)}:${this.#low.toString(16)}`;
  }
}
