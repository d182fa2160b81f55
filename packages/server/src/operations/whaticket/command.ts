import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { setPriority } from "node:os";
import { createMediaFeature } from "../../features/media/index.ts";
import { tellParent } from "../../features/whaticket-runs/index.ts";
import { readConfig } from "../../platform/config/config.ts";
import type { Config } from "../../platform/config/config.ts";
import { openDatabase } from "../../platform/db/database.ts";
import { findEmbeddedPostgres, startEmbeddedPostgres } from "../../platform/db/embedded/index.ts";
import { prepareInstallation } from "../../platform/db/installation.ts";
import { followParent } from "../../platform/jobs/child-runs.ts";
import { createLogger } from "../../platform/logging/logger.ts";
import { createFfmpeg } from "../../platform/media/ffmpeg.ts";
import { openMediaStores } from "../../platform/media/object-storage.ts";
import { errorCodeOf } from "../../platform/observing/tracing.ts";
import { createSeal } from "../../platform/secrets/seal.ts";
import { systemSources } from "../../platform/sources.ts";
import { problemForPeople } from "../../start-message.ts";
import type { ImportReport, ImportWishes } from "./index.ts";
import { describeReport, importWhaticket } from "./index.ts";
import { ImportRefused } from "./values.ts";

const usage = `Usage: npm run import:whaticket -- --from postgres://user:password@host/database [options]
  --media DIR          the "public" folder of the other product, whose files are copied
  --dry-run            counts and problems only; nothing is written
  --companies 1,2      ids of companies there; all without it
  --name-prefix TEXT   before the names of the companies
The address may also stand in WHATICKET_DATABASE_URL, and the folder in WHATICKET_MEDIA.
The target is the installation of BALCAO_DATA and DATABASE_URL, as for npm start.`;

const wished = z.object({
  from: z.url({ protocol: /^postgres(ql)?$/ }),
  media: z.string().min(1).nullable(),
  isDryRun: z.boolean(),
  companies: z.array(z.string().regex(/^\d{1,9}$/)).nullable(),
  namePrefix: z.string().max(50),
});

/** Answers the wishes of the command line, or null when they cannot be used. */
export function readWishes(args: string[], env: NodeJS.ProcessEnv): ImportWishes | null {
  try {
    const { values } = parseArgs({
      args,
      options: {
        from: { type: "string" },
        media: { type: "string" },
        "dry-run": { type: "boolean" },
        companies: { type: "string" },
        "name-prefix": { type: "string" },
      },
    });
    return wished.parse({
      from: values.from ?? env["WHATICKET_DATABASE_URL"],
      media: values.media ?? env["WHATICKET_MEDIA"] ?? null,
      isDryRun: values["dry-run"] ?? false,
      companies: values.companies?.split(",").map((id) => id.trim()) ?? null,
      namePrefix: values["name-prefix"] ?? "",
    });
  } catch {
    return null;
  }
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);
/** Below everything that somebody waits for. */
const NICE = 10;

function tell(line: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
  tellParent({ progress: line });
}

async function run(): Promise<number> {
  const wishes = readWishes(process.argv.slice(2), process.env);
  if (wishes === null) {
    process.stderr.write(`${usage}\n`);
    return 64;
  }
  const config = readConfig(process.env);
  const closing: (() => Promise<void>)[] = [];
  if (process.connected) setPriority(NICE);
  try {
    // Temporary tables and the lock belong to a session, which a pooler may not give.
    const serverUrl = config.databaseDirectUrl ?? config.databaseUrl;
    const ownerUrl = serverUrl ?? (await startDatabase(config, closing));
    const report = await importInto(config, ownerUrl, wishes, closing);
    say(describeReport(report));
    const companies = report.companies.map((one) => ({ id: one.sourceId, ...one }));
    tellParent({ report: { ...report, companies } });
    say(`The whole report is in ${await writeReport(config, report)}.`);
    return 0;
  } finally {
    for (let close = closing.pop(); close; close = closing.pop()) await close();
  }
}

/** The embedded database belongs to one process: only an import that the product began uses the running one. */
async function startDatabase(
  { dataDir }: Config,
  closing: (() => Promise<void>)[],
): Promise<string> {
  if (process.connected) return findEmbeddedPostgres({ dataDir, database: "balcao" });
  const embedded = await startEmbeddedPostgres({ dataDir, database: "balcao", log: tell });
  closing.push(() => embedded.stop());
  return embedded.url;
}

async function importInto(
  config: Config,
  ownerUrl: string,
  wishes: ImportWishes,
  closing: (() => Promise<void>)[],
): Promise<ImportReport> {
  const sources = systemSources;
  const { secrets, appUrl } = await prepareInstallation(ownerUrl, sources.random);
  const log = createLogger(config.log);
  const db = openDatabase({ serviceUrl: ownerUrl, appUrl, poolSize: 6, log });
  closing.push(() => db.close());
  const stores = await openMediaStores(config);
  closing.push(async () => stores.close());
  const files = createMediaFeature({
    ...{ db, log, store: stores.media, ffmpeg: createFfmpeg(config.ffmpegPath) },
    ...{
      clock: sources.clock,
      ids: sources.ids,
      secret: secrets.accessToken,
      publicUrl: config.publicUrl,
    },
  });
  const seal = createSeal(config.sealSecret ?? secrets.seal);
  return importWhaticket({ ownerUrl, db, seal, files, sources, onProgress: tell }, wishes);
}

async function writeReport({ dataDir }: Config, report: ImportReport): Promise<string> {
  const folder = join(dataDir, "reports");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `whaticket-${report.startedAt.replaceAll(/[:.]/g, "-")}.json`);
  await writeFile(file, `${JSON.stringify(report, null, 2)}\n`, { mode: 0o600 });
  return file;
}

if (import.meta.main) {
  const leaveParent = followParent();
  run()
    .then(
      (code) => (process.exitCode = code),
      (error: unknown) => {
        const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
        const isRefused = error instanceof ImportRefused;
        process.stderr.write(`${isRefused ? error.message : (problemForPeople(error) ?? stack)}\n`);
        tellParent({ error: isRefused ? "refused" : errorCodeOf(error) });
        process.exitCode = 1;
      },
    )
    .finally(leaveParent);
}
