import { readFile } from "node:fs/promises";
import { setPriority } from "node:os";
import { parseArgs } from "node:util";
import { z } from "zod";
import type { ArchiveKey } from "../../platform/archive/archive.ts";
import { ArchiveDamaged, ArchiveKeyRefused, readKeyFile } from "../../platform/archive/archive.ts";
import { openPlace, splitAddress } from "../../platform/archive/places.ts";
import type { Config } from "../../platform/config/config.ts";
import { readConfig } from "../../platform/config/config.ts";
import { reachEmbeddedPostgres, startEmbeddedPostgres } from "../../platform/db/embedded/index.ts";
import { followParent } from "../../platform/jobs/child-runs.ts";
import { openMediaStores } from "../../platform/media/object-storage.ts";
import { systemSources } from "../../platform/sources.ts";
import { problemForPeople } from "../../start-message.ts";
import { BackupRuns, NoInstallation, takeBackup } from "./backup.ts";
import { restoreArchive, RestoreRefused } from "./restore.ts";

const backupUsage = `Usage: npm run backup -- [options]
  --to DIR|s3://bucket/prefix   where the archive goes; BALCAO_BACKUP_TO without it
  --key-file FILE               encrypts the archive; BALCAO_BACKUP_KEY_FILE without it
  --keep N                      removes older archives of this installation there; BALCAO_BACKUP_KEEP without it
  --verify                      restores the archive into a scratch database and compares all rows; also with BALCAO_BACKUP_VERIFY=on`;

const restoreUsage = `Usage: npm run restore -- --from FILE|s3://bucket/prefix/name [options]
  --key-file FILE       the key of an encrypted archive
  --database-url URL    an empty database; else DATABASE_URL, or the embedded one of the data folder
  --data DIR            the data folder; else BALCAO_DATA, or ./data
  --force               deletes what the database has
  --keep-sessions       linked phones stay linked: only when the old installation was stopped before the backup and never runs again`;

/** Exit codes as in run.ts: people have to change something first. */
const NEEDS_PEOPLE = 78;
const USAGE = 64;
/** Below everything that somebody waits for. */
const NICE = 10;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
type Closing = (() => Promise<void> | void)[];

const wishedBackup = z.object({
  to: z.string().min(1),
  keyFile: z.string().nullable(),
  keep: z.coerce.number().int().min(1).nullable(),
  isVerified: z.boolean(),
  origin: z.enum(["schedule", "command"]),
});

/** Answers the wishes of the command line and, where it has none, of the configuration. */
export function readBackupWishes(args: string[], { backup: settings }: Config) {
  const { values } = parseArgs({
    args,
    options: {
      ...{ to: { type: "string" }, "key-file": { type: "string" }, keep: { type: "string" } },
      ...{ verify: { type: "boolean" }, origin: { type: "string" } },
    },
  });
  return wishedBackup.safeParse({
    to: values.to ?? settings.to,
    keyFile: values["key-file"] ?? settings.keyFile,
    keep: values.keep ?? settings.keep,
    isVerified: values.verify ?? settings.isVerified,
    origin: values.origin ?? "command",
  });
}

async function backup(args: string[], closing: Closing): Promise<number> {
  const config = readConfig(process.env);
  const wishes = readBackupWishes(args, config);
  if (!wishes.success) return explain(backupUsage);
  setPriority(NICE);
  const { to, keyFile, ...others } = wishes.data;
  const key = keyFile === null ? null : await readKeyFile(keyFile);
  if (key === null)
    say(
      "The archive is NOT encrypted. It holds all conversations and the secrets of the installation: keep it like them, or name a key with --key-file.",
    );
  const ownerUrl = ownerUrlOf(config) ?? (await reachDatabase(config, closing));
  const place = await openPlace(to, config.s3);
  closing.push(() => place.close());
  const stores = await openMediaStores(config);
  closing.push(() => stores.close());
  const begun = performance.now();
  const report = await takeBackup(
    { ownerUrl, stores, place, key, product: await productVersion(), now: systemSources.clock.now },
    others,
  );
  const seconds = (performance.now() - begun) / 1_000;
  say(
    `${place.address}/${report.name}: ${report.rows} rows, ${report.files} files, ${megabytes(report.bytes)} MB in ${seconds.toFixed(1)} s.` +
      (others.isVerified ? " Restored into a scratch database: all rows are the same." : ""),
  );
  if (report.missingFiles > 0)
    say(`${report.missingFiles} files were not there; the manifest of the archive names them.`);
  for (const name of report.removed) say(`Removed: ${name}`);
  return 0;
}

async function restore(args: string[], closing: Closing): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      ...{ from: { type: "string" }, "key-file": { type: "string" }, data: { type: "string" } },
      ...{ "database-url": { type: "string" }, force: { type: "boolean" } },
      "keep-sessions": { type: "boolean" },
    },
  });
  if (values.from === undefined) return explain(restoreUsage);
  const config = readConfig({
    ...process.env,
    ...(values.data === undefined ? {} : { BALCAO_DATA: values.data }),
    ...(values["database-url"] === undefined
      ? {}
      : { DATABASE_URL: values["database-url"], DATABASE_DIRECT_URL: "" }),
  });
  const keyFile = values["key-file"] ?? config.backup.keyFile;
  const key: ArchiveKey | null = keyFile === null ? null : await readKeyFile(keyFile);
  const from = splitAddress(values.from);
  const place = await openPlace(from.place, config.s3);
  closing.push(() => place.close());
  const ownerUrl = ownerUrlOf(config) ?? (await startDatabase(config, closing));
  const stores = await openMediaStores(config);
  closing.push(() => stores.close());
  const begun = performance.now();
  const report = await restoreArchive(
    { ownerUrl, stores, place, name: from.name, key, say },
    { isForced: values.force ?? false, keepsSessions: values["keep-sessions"] ?? false },
  );
  const seconds = (performance.now() - begun) / 1_000;
  say(
    `Restored what was there at ${report.createdAt}: ${report.rows} rows, ${report.files} files in ${seconds.toFixed(1)} s. The next start of Balcão continues with it.`,
  );
  if (report.erasures > 0)
    say(
      `${report.erasures} erasures of people from after the archive are repeated when Balcão starts.`,
    );
  if (report.missing > 0) say(`${report.missing} files were not there when the archive was made.`);
  if (values["keep-sessions"] !== true) say("Linked phones have to be linked again.");
  return 0;
}

function explain(usage: string): number {
  process.stderr.write(`${usage}\n`);
  return USAGE;
}

const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1);

/** Past a pooler: copies and locks belong to one session. */
const ownerUrlOf = (config: Config): string | undefined =>
  config.databaseDirectUrl ?? config.databaseUrl;

/** The embedded database of the running product, or one that runs until the command ends. */
async function reachDatabase({ dataDir }: Config, closing: Closing): Promise<string> {
  const embedded = await reachEmbeddedPostgres({ dataDir, database: "balcao", log: say });
  closing.push(() => embedded.stop());
  return embedded.url;
}

async function startDatabase({ dataDir }: Config, closing: Closing): Promise<string> {
  const embedded = await startEmbeddedPostgres({ dataDir, database: "balcao", log: say });
  closing.push(() => embedded.stop());
  return embedded.url;
}

async function productVersion(): Promise<string> {
  const file = new URL("../../../package.json", import.meta.url);
  return z.object({ version: z.string() }).parse(JSON.parse(await readFile(file, "utf8"))).version;
}

async function run([command, ...args]: string[]): Promise<number> {
  const closing: Closing = [];
  try {
    if (command === "backup") return await backup(args, closing);
    if (command === "restore") return await restore(args, closing);
    return explain(`${backupUsage}\n\n${restoreUsage}`);
  } finally {
    for (let close = closing.pop(); close; close = closing.pop()) await close();
  }
}

const expected = [ArchiveDamaged, ArchiveKeyRefused, BackupRuns, NoInstallation, RestoreRefused];

if (import.meta.main) {
  const leaveParent = followParent();
  run(process.argv.slice(2))
    .then(
      (code) => (process.exitCode = code),
      (error: unknown) => {
        const isExpected = expected.some((kind) => error instanceof kind);
        const known =
          error instanceof Error && isExpected ? error.message : problemForPeople(error);
        const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
        process.stderr.write(`${known ?? stack}\n`);
        process.exitCode = known === null ? 1 : NEEDS_PEOPLE;
      },
    )
    .finally(leaveParent);
}
