import { companyId as companyIdSchema } from "@balcao/contract";
import { randomBytes } from "node:crypto";
import { pipeline } from "node:stream/promises";
import { Readable } from "node:stream";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { z } from "zod";
import type {
  ArchiveEntry,
  ArchiveHeader,
  ArchiveKey,
  ArchiveManifest,
} from "../../platform/archive/archive.ts";
import { ArchiveDamaged, readArchive, verifyArchive } from "../../platform/archive/archive.ts";
import type { ArchivePlace } from "../../platform/archive/places.ts";
import { MIGRATION_LOCK, RESTORING_SCHEMA } from "../../platform/db/installation.ts";
import type { MediaStores } from "../../platform/media/object-storage.ts";
import type { CopiedTable } from "./catalogue.ts";
import { copyInto, copyRows, knowsMigration, migrateTo, ownerSession } from "./catalogue.ts";
import { readTables, RowSum } from "./catalogue.ts";
import { erasuresAfter, repeatErasures } from "./erasures.ts";

/** The restore was refused; the message says why, and nothing was changed. */
export class RestoreRefused extends Error {
  override name = "RestoreRefused";
}

export type RestoreDeps = {
  ownerUrl: string;
  /** Null restores the database alone. */
  stores: Pick<MediaStores, "media" | "simulator"> | null;
  place: Pick<ArchivePlace, "open" | "list">;
  name: string;
  key: ArchiveKey | null;
  say: (line: string) => void;
};

export type RestoreWishes = {
  /** Deletes what the database has. */
  isForced: boolean;
  /** Linked phones go on with the keys of the archive; else they are to be linked again. */
  keepsSessions: boolean;
};

export type RestoreReport = {
  rows: number;
  files: number;
  missing: number;
  createdAt: string;
  /** Erasures from after the archive, which the next start repeats. */
  erasures: number;
};

/**
 * Restores an archive of an installation into an empty database and the media store. The archive is read twice: nothing is
 * written before all of it was found whole. The rows appear with one COMMIT at the end; until then the database is marked
 * as unfinished, the product does not start on it, and another run begins again.
 */
export async function restoreArchive(
  deps: RestoreDeps,
  wishes: RestoreWishes,
): Promise<RestoreReport> {
  const { place, name, key, say } = deps;
  say("Checking the archive…");
  const { header, manifest } = await verifyArchive(await place.open(name), key);
  if (header.kind !== "installation")
    throw new RestoreRefused("The archive is of one company: use `npm run company -- import`.");
  if (!(await knowsMigration(header.migration)))
    throw new RestoreRefused(
      `The archive is of Balcão ${header.product} with the migration ${header.migration}, which this version does not know. ` +
        "Restore it with that version or a later one.",
    );
  const client = await ownerSession(deps.ownerUrl);
  try {
    const lock = await client.query("select 1 where pg_try_advisory_lock($1)", [MIGRATION_LOCK]);
    if (lock.rowCount === 0)
      throw new RestoreRefused("Another process prepares or restores this database.");
    await refuseOccupied(client, wishes);
    const later = await erasuresAfter(client, place, { name, createdAt: header.createdAt });
    let erasures = 0;
    await emptyDatabase(client);
    say("Preparing the tables…");
    await deps.stores?.media.removeAbandoned(new Date());
    await deps.stores?.simulator.removeAbandoned(new Date());
    const files = await loadArchive(client, deps, { header, manifest }, async () => {
      for (const statement of newLife(wishes)) await runWhereItFits(client, statement);
      erasures = await repeatErasures(client, later);
      await client.query(`drop schema ${RESTORING_SCHEMA}`);
    });
    await client.query("analyze");
    if (erasures < later.length)
      say(
        `${later.length - erasures} erasures of people from after this archive could not be noted in it: erase these people again (docs/privacy.md).`,
      );
    const { missing } = z.object({ missing: z.array(z.string()) }).parse(manifest.facts);
    const rows = Object.values(manifest.tables).reduce((sum, table) => sum + table.rows, 0);
    return { rows, files, missing: missing.length, createdAt: header.createdAt, erasures };
  } finally {
    await client.end();
  }
}

async function refuseOccupied(client: pg.Client, { isForced }: RestoreWishes): Promise<void> {
  const { rows: others } = await client.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
  );
  const count = others[0]?.count ?? 0;
  if (count > 0)
    throw new RestoreRefused(
      `${count} other sessions use this database. Stop every process of Balcão on it first.`,
    );
  if (isForced || (await exists(client, `to_regnamespace('${RESTORING_SCHEMA}')`))) return;
  const tables = await readTables(client);
  for (const { name } of tables) {
    const found = await client.query(`select 1 from ${pg.escapeIdentifier(name)} limit 1`);
    if (found.rowCount !== 0)
      throw new RestoreRefused(
        `The database has rows (in the table ${name}). Name an empty one, or delete all that is in it with --force.`,
      );
  }
}

async function exists(client: pg.Client, expression: string): Promise<boolean> {
  const found = await client.query(`select 1 where ${expression} is not null`);
  return found.rowCount !== 0;
}

/** The mark comes first: from here on only a restore may use the database. */
async function emptyDatabase(client: pg.Client): Promise<void> {
  await client.query(`create schema if not exists ${RESTORING_SCHEMA}`);
  await client.query("drop schema if exists drizzle cascade");
  const { rowCount } = await client.query(
    "select 1 from pg_class where relnamespace = 'public'::regnamespace limit 1",
  );
  if (rowCount === 0) return;
  await client.query("begin");
  await client.query("drop schema public cascade");
  await client.query("create schema public");
  await client.query("commit");
}

/**
 * Takes away what would slow down or refuse rows that come in any order, and returns the statements that bring it back.
 * COPY is refused under row-level security, also to the owner.
 */
async function prepareLoad(client: pg.Client): Promise<string[]> {
  const ours = "c.relnamespace = 'public'::regnamespace and c.relkind = 'r'";
  const changes = await statementsOf(
    client,
    `select 1 as step, format('alter table %s disable trigger user', c.oid::regclass) as away,
            format('alter table %s enable trigger user', c.oid::regclass) as back
       from pg_class c where ${ours}
     union all
     select 2, format('alter table %s no force row level security', c.oid::regclass),
            format('alter table %s force row level security', c.oid::regclass)
       from pg_class c where ${ours} and c.relforcerowsecurity
     union all
     select 3, format('alter table %s drop constraint %I', c.oid::regclass, k.conname),
            format('alter table %s add constraint %I %s', c.oid::regclass, k.conname, pg_get_constraintdef(k.oid))
       from pg_class c join pg_constraint k on k.conrelid = c.oid where ${ours} and k.contype = 'f'
     union all
     select 4, format('drop index %s', i.indexrelid::regclass), pg_get_indexdef(i.indexrelid)
       from pg_class c join pg_index i on i.indrelid = c.oid
      where ${ours} and not i.indisprimary
        and not exists (select from pg_constraint k where k.conindid = i.indexrelid)
     order by 1`,
  );
  for (const { away } of changes) await client.query(away);
  const { rows } = await client.query<{ names: string | null }>(
    `select string_agg(c.oid::regclass::text, ', ') as names from pg_class c where ${ours}`,
  );
  if (rows[0]?.names) await client.query(`truncate ${rows[0].names}`);
  // Indexes first: foreign keys are checked by them.
  return changes.map(({ back }) => back).reverse();
}

async function statementsOf(client: pg.Client, text: string) {
  const { rows } = await client.query<{ away: string; back: string }>(text);
  return rows;
}

/** Migrates an empty database and loads it in one transaction, which `finish` ends; answers how many files were stored. */
async function loadArchive(
  client: pg.Client,
  deps: RestoreDeps,
  { header, manifest }: { header: ArchiveHeader; manifest: ArchiveManifest },
  finish: () => Promise<void>,
): Promise<number> {
  await migrateTo(client, header.migration);
  await client.query("begin");
  await client.query(`set local maintenance_work_mem = '128MB'`);
  const rebuild = await prepareLoad(client);
  const files = await loadEntries(client, deps, header.tables);
  await setSequences(client, manifest);
  deps.say("Building indexes and checking references…");
  for (const statement of rebuild) await client.query(statement);
  await finish();
  await client.query("commit");
  return files;
}

/** Loads rows and files in the order of the archive; answers how many files. */
async function loadEntries(
  client: pg.Client,
  { place, name, key, stores, say }: RestoreDeps,
  tables: readonly CopiedTable[],
): Promise<number> {
  const entries = readArchive(await place.open(name), key);
  const byName = new Map(tables.map((table) => [table.name, table]));
  let files = 0;
  let next = await entries.next();
  while (!next.done) {
    const { value: entry } = next;
    if (entry.type === "rows") {
      const table = byName.get(entry.table);
      if (!table) throw new ArchiveDamaged(`The archive has an unknown table: ${entry.table}`);
      say(`  ${table.name}`);
      const rows = rowsOf(entry.table, entry.content, entries);
      await pipeline(Readable.from(rows.content), client.query(copyFrom(copyInto(table))));
      next = rows.following();
      continue;
    }
    if (entry.type === "file" && stores) {
      await storeFile(stores, entry);
      files += 1;
      if (files % 1_000 === 0) say(`  ${files} files`);
    }
    next = await entries.next();
  }
  return files;
}

/** The parts of one table as one stream, and the entry that follows them. */
function rowsOf(table: string, first: Buffer, entries: AsyncGenerator<ArchiveEntry>) {
  let following: IteratorResult<ArchiveEntry> | undefined;
  async function* content(): AsyncGenerator<Buffer> {
    yield first;
    for (;;) {
      const next = await entries.next();
      if (next.done || next.value.type !== "rows" || next.value.table !== table) {
        following = next;
        return;
      }
      yield next.value.content;
    }
  }
  return {
    content: content(),
    following(): IteratorResult<ArchiveEntry> {
      if (!following) throw new Error(`the rows of ${table} were not read to their end`);
      return following;
    },
  };
}

const FILE = /^(media|simulator)\/company(\d{1,10})\/([^/]+)$/;

async function storeFile(
  stores: NonNullable<RestoreDeps["stores"]>,
  { name, bytes, content }: Extract<ArchiveEntry, { type: "file" }>,
): Promise<void> {
  const [, store, company, key] = FILE.exec(name) ?? [];
  if ((store !== "media" && store !== "simulator") || key === undefined)
    throw new ArchiveDamaged(`The archive has a file of an unknown kind: ${name}`);
  const scope = { companyId: companyIdSchema.parse(company) };
  await stores[store].put(scope, key, content, { maxBytes: bytes });
}

const sequenceStates = z.object({
  sequences: z.record(z.string(), z.object({ value: z.string(), isCalled: z.boolean() })),
});

async function setSequences(client: pg.Client, { facts }: ArchiveManifest): Promise<void> {
  const { sequences } = sequenceStates.parse(facts);
  for (const [name, { value, isCalled }] of Object.entries(sequences)) {
    await client.query(
      "select setval(format('public.%I', $1::text)::regclass, $2::bigint, $3::boolean)",
      [name, value, isCalled],
    );
  }
}

type LifeStatement = { needs: string[]; text: string };

/** The facts that a restored installation must not keep. */
function newLife({ keepsSessions }: RestoreWishes): LifeStatement[] {
  const always: LifeStatement[] = [
    {
      needs: ["periodic_jobs"],
      text: "update periodic_jobs set holder = null, held_until = null",
    },
    {
      needs: ["connection_leases"],
      text: "update connection_leases set owner = null, expires_at = '-infinity'",
    },
    {
      needs: ["backups"],
      // The one that is being restored: it had not ended when it read its own row.
      text: "delete from backups where ended_at is null",
    },
    { needs: ["processes"], text: "delete from processes" },
  ];
  if (keepsSessions) return always;
  // Keys of the encryption that went backwards make messages unreadable on both sides, and two installations with the same
  // keys fight for the phone. Plaintexts stay: they are messages that were acknowledged.
  return [
    ...always,
    { needs: ["whatsapp_keys"], text: "delete from whatsapp_keys" },
    { needs: ["whatsapp_credentials"], text: "delete from whatsapp_credentials" },
    {
      needs: ["connections"],
      text: `update connections set status = 'DISCONNECTED', close_reason = 'logged-out', wanted = false,
               qrcode = '', pairing_code = '', disconnected_at = now()
             where channel = 'whatsapp-web' and deleted_at is null`,
    },
  ];
}

/** An archive of an earlier version may lack the table. */
async function runWhereItFits(client: pg.Client, { needs, text }: LifeStatement): Promise<void> {
  for (const table of needs) if (!(await exists(client, `to_regclass('public.${table}')`))) return;
  await client.query(text);
}

const SCRATCH = /^balcao_verify_[0-9a-f]{12}$/;

/** Restores an archive into a scratch database of the same server and compares all rows; throws where they differ. */
export async function verifyByRestoring(
  deps: { ownerUrl: string; place: Pick<ArchivePlace, "open" | "list">; key: ArchiveKey | null },
  name: string,
  onProgress: () => void,
): Promise<void> {
  const admin = await ownerSession(deps.ownerUrl);
  const database = `balcao_verify_${randomBytes(6).toString("hex")}`;
  try {
    await dropScratch(admin);
    await admin.query(`create database ${database}`);
    try {
      const scratch = new URL(deps.ownerUrl);
      scratch.pathname = `/${database}`;
      const ownerUrl = scratch.toString();
      const quiet = { ...deps, name, ownerUrl, stores: null, say: onProgress };
      // The rows are to be those of the archive, so nothing is changed for a new life.
      await restoreRowsOnly(quiet);
      await compare(quiet, ownerUrl);
    } finally {
      await admin.query(`drop database if exists ${database} with (force)`);
    }
  } finally {
    await admin.end();
  }
}

/** Verifications that were killed leave theirs; the caller holds the lock of backups. */
async function dropScratch(admin: pg.Client): Promise<void> {
  const { rows } = await admin.query<{ name: string }>(
    `select datname as name from pg_database d where datname like 'balcao\\_verify\\_%'
       and not exists (select from pg_stat_activity a where a.datname = d.datname)`,
  );
  for (const { name } of rows) if (SCRATCH.test(name)) await admin.query(`drop database ${name}`);
}

async function restoreRowsOnly(deps: RestoreDeps): Promise<void> {
  const archive = await verifyArchive(await deps.place.open(deps.name), deps.key);
  const client = await ownerSession(deps.ownerUrl);
  try {
    await loadArchive(client, deps, archive, async () => undefined);
  } finally {
    await client.end();
  }
}

async function compare(deps: RestoreDeps, ownerUrl: string): Promise<void> {
  const sums = new Map<string, RowSum>();
  let tables: CopiedTable[] = [];
  for await (const entry of readArchive(await deps.place.open(deps.name), deps.key)) {
    if (entry.type === "header") ({ tables } = entry.header);
    if (entry.type !== "rows") continue;
    const sum = sums.get(entry.table) ?? new RowSum();
    sum.add(entry.content);
    sums.set(entry.table, sum);
  }
  const client = await ownerSession(ownerUrl);
  try {
    for (const table of tables) {
      const restored = new RowSum();
      for await (const chunk of copyRows(client, table)) restored.add(chunk);
      if (restored.text !== (sums.get(table.name) ?? new RowSum()).text)
        throw new Error(`The restored table ${table.name} differs from the archive.`);
      deps.say(table.name);
    }
  } finally {
    await client.end();
  }
}
