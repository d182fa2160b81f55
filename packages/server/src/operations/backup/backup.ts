import type { CompanyId } from "@balcao/contract";
import type pg from "pg";
import type { ArchiveKey, ArchiveWriter } from "../../platform/archive/archive.ts";
import { writeArchive } from "../../platform/archive/archive.ts";
import type { ArchivePlace } from "../../platform/archive/places.ts";
import type { MediaStores } from "../../platform/media/object-storage.ts";
import { copyRows, migrationOf, ownerSession, readSequences, readTables } from "./catalogue.ts";
import { keepErasures } from "./erasures.ts";
import { verifyByRestoring } from "./restore.ts";

/** An arbitrary number; the session that holds this lock makes the installation's backup. */
const BACKUP_LOCK = 7_220_416;
const REPORT_EVERY_MS = 2_000;
/** The list of missing files in the archive; all are counted. */
const MOST_NAMED = 1_000;

/** Another process makes a backup of this installation at this moment. */
export class BackupRuns extends Error {
  override name = "BackupRuns";
  constructor() {
    super("Another backup of this installation is being made. Nothing was done.");
  }
}

/** The database was never started with. */
export class NoInstallation extends Error {
  override name = "NoInstallation";
  constructor() {
    super("There is no installation of Balcão in this database.");
  }
}

export type BackupDeps = {
  ownerUrl: string;
  stores: Pick<MediaStores, "media" | "simulator">;
  place: ArchivePlace;
  key: ArchiveKey | null;
  product: string;
  now: () => Date;
};

export type BackupWishes = {
  origin: "schedule" | "command";
  /** How many archives stay in the place; null keeps all. */
  keep: number | null;
  /** Restores the archive into a scratch database and compares it. */
  isVerified: boolean;
};

export type BackupReport = {
  name: string;
  bytes: number;
  rows: number;
  files: number;
  missingFiles: number;
  removed: string[];
};

type Figures = { rows: number; bytes: number; files: number; missingFiles: number };

/**
 * Writes the whole installation into one archive while the product runs: its rows as of one moment, then the files that they
 * name. The table `backups` tells how it goes. Throws BackupRuns; whatever else fails is recorded there and thrown.
 */
export async function takeBackup(deps: BackupDeps, wishes: BackupWishes): Promise<BackupReport> {
  const { place } = deps;
  const notes = await ownerSession(deps.ownerUrl);
  try {
    const lock = await notes.query("select 1 where pg_try_advisory_lock($1)", [BACKUP_LOCK]);
    if (lock.rowCount === 0) throw new BackupRuns();
    if (!(await hasTable(notes, "installation"))) throw new NoInstallation();
    // An installation that is to be updated is copied as it is: it may be older than the table.
    const isRecorded = await hasTable(notes, "backups");
    const record = isRecorded ? await beginRecord(notes, deps, wishes) : unrecorded;
    const figures: Figures = { rows: 0, bytes: 0, files: 0, missingFiles: 0 };
    try {
      await place.sweep();
      const name = await nameOf(notes, deps);
      await keepErasures(notes, place, name);
      const reporting = setInterval(() => record.progress(figures), REPORT_EVERY_MS);
      try {
        const stored = await place.put(name, counted(figures, archiveOf(deps, figures)));
        figures.bytes = stored.bytes;
      } finally {
        clearInterval(reporting);
      }
      await record.whole(name, figures);
      if (wishes.isVerified) {
        await verifyByRestoring(deps, name, () => record.progress(figures));
        await record.verified();
      }
      await record.end(null);
      const removed = await removeOld(notes, deps, { keep: wishes.keep, newest: name });
      await record.removed(removed);
      return { name, ...figures, removed };
    } catch (error) {
      await record.end(error instanceof Error ? error.message : String(error));
      throw error;
    }
  } finally {
    await notes.end();
  }
}

/** Counts bytes as they are stored. */
async function* counted(
  figures: Figures,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    figures.bytes += chunk.length;
    yield chunk;
  }
}

async function* archiveOf(deps: BackupDeps, figures: Figures): AsyncGenerator<Uint8Array> {
  const client = await ownerSession(deps.ownerUrl);
  try {
    await client.query("begin isolation level repeatable read read only");
    const tables = await readTables(client);
    const migration = await migrationOf(client);
    const header = {
      ...{ kind: "installation" as const, product: deps.product, migration, tables },
      createdAt: deps.now().toISOString(),
      facts: {},
    };
    yield* writeArchive(header, deps.key, async (writer) => {
      const names = await wantedFiles(client);
      for (const table of tables) {
        const { rows } = await writer.table(table.name, copyRows(client, table));
        figures.rows += rows;
      }
      // After the rows: no row has a number that its sequence does not know.
      const sequences = await readSequences(client);
      // Files take long, and an open snapshot keeps the database from tidying up.
      await client.query("commit");
      const missing: string[] = [];
      for (const file of names) {
        const name = `media/company${file.companyId}/${file.key}`;
        const isThere = await addFile(writer, deps.stores.media, file, name);
        figures[isThere ? "files" : "missingFiles"] += 1;
        if (!isThere && missing.length < MOST_NAMED) missing.push(name);
      }
      figures.files += await addSimulatorFiles(writer, deps.stores.simulator);
      return { sequences, missing };
    });
  } finally {
    await client.end();
  }
}

type StoredFile = { companyId: CompanyId; key: string };

async function wantedFiles(client: pg.Client): Promise<StoredFile[]> {
  const { rows } = await client.query<StoredFile>(
    `select company_id as "companyId", key from files where is_whole order by company_id, key`,
  );
  return rows;
}

/** False for a file that is not there: it was deleted since, or lost before. */
async function addFile(
  writer: ArchiveWriter,
  store: MediaStores["media"],
  { companyId, key }: StoredFile,
  name: string,
): Promise<boolean> {
  const found = await store.open({ companyId }, key);
  if (found === null) return false;
  await writer.file(name, { bytes: found.bytes, content: found.stream });
  return true;
}

/** The simulated network has no table of its files. */
async function addSimulatorFiles(
  writer: ArchiveWriter,
  store: MediaStores["simulator"],
): Promise<number> {
  let count = 0;
  for (const companyId of await store.companies()) {
    for await (const { key } of store.list({ companyId })) {
      const name = `simulator/company${companyId}/${key}`;
      if (await addFile(writer, store, { companyId, key }, name)) count += 1;
    }
  }
  return count;
}

/** Names say the installation, so that several may share a place, and the time. */
async function nameOf(client: pg.Client, { now, key }: BackupDeps): Promise<string> {
  const time = now()
    .toISOString()
    .replaceAll(/[-:]|\.\d+/g, "");
  return `${await beginningOfNames(client)}${time}.tar${key === null ? "" : ".age"}`;
}

async function beginningOfNames(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    `select left(encode(sha256(convert_to(value || current_database(), 'UTF8')), 'hex'), 8) as id
     from installation where key = 'service-role'`,
  );
  return `balcao-${rows[0]?.id ?? "new"}-`;
}

/** Removes the oldest archives of this installation; names order them. */
async function removeOld(
  client: pg.Client,
  { place }: BackupDeps,
  { keep, newest }: { keep: number | null; newest: string },
): Promise<string[]> {
  if (keep === null) return [];
  const beginning = await beginningOfNames(client);
  const names = (await place.list()).filter((name) => name.startsWith(beginning)).sort();
  const old = names.slice(0, Math.max(0, names.length - keep)).filter((name) => name !== newest);
  for (const name of old) {
    await place.remove(name);
  }
  return old;
}

/** The row of `backups`. Rows of processes that ended meanwhile are closed: the caller holds the lock. */
async function beginRecord(client: pg.Client, deps: BackupDeps, { origin }: BackupWishes) {
  const { now, place, key } = deps;
  await client.query(
    "update backups set ended_at = $1, error = 'interrupted' where ended_at is null",
    [now()],
  );
  const { rows } = await client.query<{ id: number }>(
    `insert into backups (started_at, seen_at, origin, place, is_encrypted)
     values ($1, $1, $2, $3, $4) returning id`,
    [now(), origin, place.address, key !== null],
  );
  const id = rows[0]?.id ?? -1;
  let saving: Promise<unknown> | null = null;
  const save = async (columns: Record<string, unknown>): Promise<void> => {
    const names = Object.keys(columns);
    const sets = names.map((name, at) => `${name} = $${at + 2}`).join(", ");
    await saving;
    await client.query(`update backups set ${sets} where id = $1`, [id, ...Object.values(columns)]);
  };
  const figuresOf = ({ bytes, rows: count, files, missingFiles }: Figures) => ({
    ...{ bytes, rows: count, files, missing_files: missingFiles },
  });
  return {
    progress(figures: Figures): void {
      if (saving !== null) return;
      // A report that is lost is followed by another.
      saving = save({ seen_at: now(), ...figuresOf(figures) })
        .catch(() => undefined)
        .finally(() => (saving = null));
    },
    whole: (name: string, figures: Figures) =>
      save({ seen_at: now(), name, ...figuresOf(figures) }),
    verified: () => save({ verified_at: now() }),
    end: (error: string | null) => save({ ended_at: now(), seen_at: now(), error }),
    removed: (names: string[]) =>
      client.query("update backups set removed_at = $3 where place = $1 and name = any ($2)", [
        ...[place.address, names, now()],
      ]),
  };
}

const nothing = async (): Promise<void> => undefined;
const unrecorded = {
  ...{ progress: () => undefined, whole: nothing, verified: nothing },
  ...{ end: nothing, removed: nothing },
};

async function hasTable(client: pg.Client, name: string): Promise<boolean> {
  const found = await client.query("select 1 where to_regclass($1) is not null", [
    `public.${name}`,
  ]);
  return found.rowCount !== 0;
}
