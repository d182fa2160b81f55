import { mkdtemp, readdir, readFile, rm, stat, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateX25519Identity } from "age-encryption";
import { sql } from "drizzle-orm";
import type pg from "pg";
import { expect, test } from "vitest";
import type { ArchiveKey } from "../../platform/archive/archive.ts";
import type { ArchivePlace } from "../../platform/archive/places.ts";
import { openPlace } from "../../platform/archive/places.ts";
import { readConfig } from "../../platform/config/config.ts";
import { prepareInstallation } from "../../platform/db/installation.ts";
import { openMediaStores } from "../../platform/media/object-storage.ts";
import { newMediaKey } from "../../platform/media/media-store.ts";
import { systemSources } from "../../platform/sources.ts";
import { testApp } from "../../testing/app.ts";
import { createDatabase } from "../../testing/database.ts";
import { atEndOfFile } from "../../testing/end-of-file.ts";
import { createRows } from "../../testing/guarantees/rows.ts";
import { createSide } from "../../testing/guarantees/sides.ts";
import type { BackupWishes } from "./backup.ts";
import { BackupRuns, takeBackup } from "./backup.ts";
import { readBackupWishes } from "./command.ts";
import type { SequenceState } from "./catalogue.ts";
import { copyRows, ownerSession, readSequences, readTables, RowSum } from "./catalogue.ts";
import { restoreArchive, RestoreRefused } from "./restore.ts";

const access = { endpoint: null, region: "us-east-1", keys: null };
const folder = await mkdtemp(join(tmpdir(), "balcao-backup-"));
atEndOfFile(() => rm(folder, { recursive: true, force: true }));
const storesIn = (name: string) =>
  openMediaStores({ dataDir: join(folder, name), media: null, s3: access });

const product = await testApp();
const { ownerUrl, db } = product.database;
const rows = await createRows(product, await createSide(product));
// The rows that are compared below do not change any more.
await product.close();
const stores = await storesIn("here");
// Files that the product's own jobs stored until then lie in another folder.
const elsewhere = await countFiles();
const scope = { companyId: rows.companyId };
const [kept, lost] = [newMediaKey(systemSources.ids, "txt"), newMediaKey(systemSources.ids, "txt")];
for (const name of [kept, lost]) {
  await stores.media.put(scope, name, contentFor(name), { maxBytes: 99 });
  await db.acrossCompanies((tx) =>
    tx.query(
      sql`insert into files (company_id, key, mime, is_whole) values (${rows.companyId}, ${name}, 'text/plain', true)`,
    ),
  );
}
await stores.media.remove(scope, lost);

const key: ArchiveKey = { kind: "identity", identity: await generateX25519Identity() };
const place = await openPlace(join(folder, "archives"), access);
let clock = Date.parse("2026-11-27T06:30:00.000Z");
const now = (): Date => new Date((clock += 1_000));
const deps = { ownerUrl, stores, place, key, product: "1.0.0", now };
const wishes: BackupWishes = { origin: "command", keep: null, isVerified: false };
const restoreWishes = { isForced: false, keepsSessions: false };
const say = (): void => undefined;

async function countFiles(): Promise<number> {
  const text = "select count(*)::int as count from files where is_whole";
  return (await run<{ count: number }>(ownerUrl, text))[0]?.count ?? 0;
}

async function* contentFor(name: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`content of ${name}`);
}

type Content = { sums: Record<string, string>; sequences: Record<string, SequenceState> };
async function contentOf(url: string, without: string[] = []): Promise<Content> {
  const client = await ownerSession(url);
  try {
    const sums: Record<string, string> = {};
    for (const table of await readTables(client)) {
      const sum = new RowSum();
      for await (const chunk of copyRows(client, table)) sum.add(chunk);
      if (!without.includes(table.name)) sums[table.name] = sum.text;
    }
    return { sums, sequences: await readSequences(client) };
  } finally {
    await client.end();
  }
}

async function run<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = await ownerSession(url);
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

/** Tables that a backup or a restore changes. */
const changing = ["backups", "periodic_jobs", "connection_leases", "processes", "connections"];
const before = await contentOf(ownerUrl, changing);
const first = await takeBackup(deps, wishes);
const target = await createDatabase();
const there = await storesIn("there");
const restoring = { ownerUrl: target, stores: there, place, name: first.name, key, say };
const emptied = { whatsapp_keys: "0:0:0", whatsapp_credentials: "0:0:0" };

test.each([
  [{}, [], { to: "/mnt", keyFile: null, keep: 14, isVerified: false }],
  [{ BALCAO_BACKUP_VERIFY: "on" }, [], { isVerified: true }],
  [
    { BALCAO_BACKUP_KEEP: "3", BALCAO_BACKUP_KEY_FILE: "/k" },
    ["--to", "/other", "--verify"],
    { to: "/other", keyFile: "/k", keep: 3, isVerified: true },
  ],
])("with %j the command with %j makes a backup as %j", (settings, args, expected) => {
  const config = readConfig({ BALCAO_BACKUP_TO: "/mnt", ...settings });
  expect(readBackupWishes(args, config).data).toMatchObject({ origin: "command", ...expected });
});

test("an archive that is changed, cut off or of another key changes nothing in the database", async () => {
  const whole = await readFile(join(folder, "archives", first.name));
  const half = Math.floor(whole.length / 2);
  const changed = Buffer.from(whole);
  changed.writeUInt8(changed.readUInt8(half) ^ 1, half);
  const other: ArchiveKey = { kind: "identity", identity: await generateX25519Identity() };
  for (const [name, content, withKey] of [
    ["changed", changed, key],
    ["cut", whole.subarray(0, half), key],
    ["other", whole, other],
  ] as const) {
    await writeFile(join(folder, "archives", name), content);
    const attempt = restoreArchive({ ...restoring, name, key: withKey }, restoreWishes);
    await expect(attempt).rejects.toThrow(/damaged|another key/);
    await unlink(join(folder, "archives", name));
  }
  const relations = "select 1 from pg_class where relnamespace = 'public'::regnamespace";
  expect(await run(target, relations)).toEqual([]);
});

test("the product does not start on a database whose restore was interrupted", async () => {
  const failing = { ...restoring, place: { open: opensWholeOnce(place), list: async () => [] } };
  await expect(restoreArchive(failing, restoreWishes)).rejects.toThrow("damaged");
  await expect(prepareInstallation(target, systemSources.random)).rejects.toThrow(
    "Run `npm run restore` again",
  );
});

/** The check reads the whole archive; the second reading ends in its middle. */
function opensWholeOnce({ open }: ArchivePlace): ArchivePlace["open"] {
  let count = 0;
  return async (name) => {
    const content = await open(name);
    count += 1;
    return count === 1 ? content : cutOff(content);
  };
}

async function* cutOff(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    yield chunk.subarray(0, chunk.length / 2);
    return;
  }
}

test("the next run restores every row, number and file under another database name", async () => {
  const filled = Object.values(before.sums).filter((sum) => !sum.startsWith("0:"));
  expect(filled.length).toBeGreaterThan(50);
  const report = await restoreArchive(restoring, restoreWishes);
  expect(report).toMatchObject({ files: 1, missing: elsewhere + 1, rows: first.rows });
  const after = await contentOf(target, changing);
  expect(after.sums).toEqual({ ...before.sums, ...emptied });
  expect(after.sequences).toEqual({
    ...before.sequences,
    backups_id_seq: { value: "1", isCalled: true },
  });
  const found = await there.media.open(scope, kept);
  expect(String(Buffer.concat((await found?.stream.toArray()) ?? []))).toBe(`content of ${kept}`);
  expect(await run(target, "select 1 from backups")).toEqual([]);
  const linked = "select 1 from connections where channel = 'whatsapp-web' and wanted";
  expect(await run(target, linked)).toEqual([]);
  const installation = await prepareInstallation(target, systemSources.random);
  expect(installation.secrets).toEqual(product.database.secrets);
});

test("a database with rows is restored into with --force only", async () => {
  await expect(restoreArchive(restoring, restoreWishes)).rejects.toThrow(RestoreRefused);
  expect((await contentOf(target, changing)).sums).toMatchObject({
    messages: before.sums["messages"],
  });
});

test("a backup says what it holds, and nobody else may read it", async () => {
  const [record] = await run(ownerUrl, "select * from backups order by id limit 1");
  expect(record).toMatchObject({
    ...{ name: first.name, is_encrypted: true, origin: "command", error: null, verified_at: null },
    ...{ missing_files: elsewhere + 1, files: 1, rows: first.rows, bytes: first.bytes },
  });
  const path = join(folder, "archives", first.name);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(join(folder, "archives"))).mode & 0o777).toBe(0o700);
  expect((await stat(path)).size).toBe(first.bytes);
});

test("older archives are removed, one backup runs at a time, and a failed one leaves no archive", async () => {
  const holder = await ownerSession(ownerUrl);
  await holder.query("select pg_advisory_lock(7220416)");
  await expect(takeBackup(deps, wishes)).rejects.toThrow(BackupRuns);
  await holder.end();
  await writeFile(join(folder, "archives", "balcao-another-20200101T000000Z.tar"), "");
  const full = { ...deps, place: { ...place, put: failingPut } };
  await expect(takeBackup(full, wishes)).rejects.toThrow("the disk is full");
  const second = await takeBackup(deps, { ...wishes, keep: 1, isVerified: true });
  expect(second.removed).toEqual([first.name]);
  const left = await readdir(join(folder, "archives"));
  // The list of erasures stays: it is for every archive.
  expect(
    left.filter((name) => /^erasure-[0-9a-f]{8}-[0-9a-f-]{36}\.json$/.test(name)),
  ).toHaveLength(1);
  expect(left.filter((name) => !name.startsWith("erasure-")).sort()).toEqual(
    ["balcao-another-20200101T000000Z.tar", second.name].sort(),
  );
  const records = await run(
    ownerUrl,
    `select error, removed_at is not null as removed, ended_at is not null as ended,
       verified_at is not null as verified from backups order by id`,
  );
  expect(records).toEqual([
    { error: null, removed: true, ended: true, verified: false },
    { error: "the disk is full", removed: false, ended: true, verified: false },
    { error: null, removed: false, ended: true, verified: true },
  ]);
});

async function failingPut(): Promise<never> {
  throw new Error("the disk is full");
}
