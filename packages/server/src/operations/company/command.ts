import { createReadStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { parseArgs } from "node:util";
import type { CompanyId } from "@balcao/contract";
import { companyId as companyIdSchema } from "@balcao/contract";
import pg from "pg";
import { z } from "zod";
import { channelTables } from "../../app.ts";
import { resetSignInAcrossCompanies } from "../../features/auth/index.ts";
import { createMediaFeature } from "../../features/media/index.ts";
import type { ArchiveKey } from "../../platform/archive/archive.ts";
import {
  ArchiveDamaged,
  ArchiveKeyRefused,
  readArchive,
  readKeyFile,
} from "../../platform/archive/archive.ts";
import type { Config } from "../../platform/config/config.ts";
import { readConfig } from "../../platform/config/config.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import { openDatabase } from "../../platform/db/database.ts";
import { startEmbeddedPostgres } from "../../platform/db/embedded/index.ts";
import type { Installation } from "../../platform/db/installation.ts";
import { prepareInstallation } from "../../platform/db/installation.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import { createLogger } from "../../platform/logging/logger.ts";
import { createFfmpeg } from "../../platform/media/ffmpeg.ts";
import type { MediaStores } from "../../platform/media/object-storage.ts";
import { openMediaStores } from "../../platform/media/object-storage.ts";
import { createSeal } from "../../platform/secrets/seal.ts";
import { systemSources } from "../../platform/sources.ts";
import { problemForPeople } from "../../start-message.ts";
import { ImportRefused as ChatRefused } from "../whaticket/values.ts";
import type { ExportReport } from "./export.ts";
import { newestMigration, writeCompanyArchive } from "./export.ts";
import type { Imported } from "./import.ts";
import { importCompany, ImportRefused } from "./import.ts";
import type { ChatImportReport } from "./import-chat.ts";
import { importChat } from "./import-chat.ts";

const usage = `Usage: npm run company -- COMMAND
  list                                     the companies with their ids
  export --company ID --to FILE            everything of a company in one archive
      [--key-file FILE]                    encrypted with this key
  import --from FILE [--key-file FILE]     brings a company in from its archive
      [--name NAME] [--plan NAME]          under another name, with another plan
      [--email-suffix +2]                  ana@loja.example signs in as ana+2@loja.example
  import-chat --company ID --from FILE     a chat that the phone app exported (.txt or .zip)
      --contact NUMBER [--name NAME]       of this contact, who has this name in the file
      --me NAME                            the company's name in the file
      [--time-zone America/Sao_Paulo]      that of the phone; by default the company's
      [--dry-run]                          reads and counts only
  reset-sign-in --email ADDRESS            for a lost phone where no admin can help (docs/sign-in.md): removes the
                                           account's second factor and passkeys, and ends its sessions
The installation is that of BALCAO_DATA and DATABASE_URL, as for npm start.`;

const path = z.string().min(1);

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }) instanceof Intl.DateTimeFormat;
  } catch {
    return false;
  }
}

const wished = z.discriminatedUnion("command", [
  z.object({ command: z.literal("list") }),
  z.object({
    ...{ command: z.literal("export"), company: companyIdSchema, to: path },
    "key-file": path.optional(),
  }),
  z.object({
    ...{ command: z.literal("import"), from: path, "key-file": path.optional() },
    ...{ name: z.string().trim().min(2).optional(), plan: path.optional() },
    "email-suffix": z
      .string()
      .regex(/^[\w.+-]{1,30}$/)
      .optional(),
  }),
  z.object({
    ...{ command: z.literal("import-chat"), company: companyIdSchema, from: path, contact: path },
    ...{ me: path, name: path.optional(), "dry-run": z.boolean().default(false) },
    "time-zone": z.string().refine(isTimeZone).optional(),
  }),
  z.object({ command: z.literal("reset-sign-in"), email: z.string().trim().min(1) }),
]);
type Wish = z.output<typeof wished>;

const text = { type: "string" } as const;

/** The wish of a command line; null when it cannot be used. */
export function readWish(args: string[]): Wish | null {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        ...{ company: text, to: text, from: text, name: text, plan: text },
        ...{ "key-file": text, "email-suffix": text, "time-zone": text },
        ...{ contact: text, me: text, "dry-run": { type: "boolean" }, email: text },
      },
    });
    return wished.parse({ command: positionals[0], ...values });
  } catch {
    return null;
  }
}

type Deps = { config: Config; ownerUrl: string; installation: Installation; stores: MediaStores };

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const tell = (line: string): void => void process.stderr.write(`${line}\n`);

async function run(wish: Wish): Promise<void> {
  const config = readConfig(process.env);
  const closing: (() => Promise<void>)[] = [];
  try {
    const ownerUrl = await databaseUrl(config, closing);
    const installation = await prepareInstallation(ownerUrl, systemSources.random);
    const stores = await openMediaStores(config);
    closing.push(async () => stores.close());
    const deps = { config, ownerUrl, installation, stores };
    const key = "key-file" in wish && wish["key-file"] ? await readKeyFile(wish["key-file"]) : null;
    if (wish.command === "list") await list(deps);
    if (wish.command === "export") await exportTo(deps, wish.company, wish.to, key);
    if (wish.command === "import") await importFrom(deps, wish, key);
    if (wish.command === "import-chat") await importChatFrom(deps, wish);
    if (wish.command === "reset-sign-in") await resetSignIn(deps, wish.email);
  } finally {
    for (let close = closing.pop(); close; close = closing.pop()) await close();
  }
}

/** The embedded database belongs to one process: while the product runs on it, nothing is changed. */
async function databaseUrl(
  { databaseUrl: url, databaseDirectUrl, dataDir }: Config,
  closing: (() => Promise<void>)[],
): Promise<string> {
  if (url !== undefined) return databaseDirectUrl ?? url;
  const embedded = await startEmbeddedPostgres({ dataDir, database: "balcao", log: tell });
  closing.push(() => embedded.stop());
  return embedded.url;
}

async function list({ ownerUrl }: Deps): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: number; name: string; status: boolean }>(
      "select id, name, status from companies order by id",
    );
    for (const { id, name, status } of rows) say(`${id}\t${name}${status ? "" : "\t(suspended)"}`);
  } finally {
    await client.end();
  }
}

/** The file has its name when it is whole, and only its owner can read it. */
async function exportTo(
  { installation, stores }: Deps,
  companyId: CompanyId,
  to: string,
  key: ArchiveKey | null,
): Promise<void> {
  const unfinished = `${to}.part`;
  const file = await open(unfinished, "w", 0o600);
  let bytes = 0;
  let report: ExportReport | null = null;
  try {
    const deps = {
      ...{ appUrl: installation.appUrl, channelTables, store: stores.media },
      version: await newestMigration(),
    };
    let told = 0;
    const content = writeCompanyArchive(deps, companyId, {
      key,
      onProgress: (percent) => {
        if (percent >= told + 10) tell(`${(told = percent)} %`);
      },
      onEnd: (end) => {
        report = end;
      },
    });
    for await (const chunk of content) {
      await file.writeFile(chunk);
      bytes += chunk.byteLength;
    }
    await file.sync();
    await file.close();
    await rename(unfinished, to);
  } catch (error) {
    await file.close().catch(() => undefined); // closed already, or what failed before says more
    await rm(unfinished, { force: true });
    throw error;
  }
  say(`${to}: ${bytes} bytes`);
  if (report) describeExport(report);
  if (key === null) {
    say("The archive is not encrypted: it has conversations and password hashes. Keep it safe.");
  }
}

function describeExport({ missing, waiting }: ExportReport): void {
  if (missing.length > 0) say(`${missing.length} files were not there: ${missing.join(", ")}`);
  for (const [table, count] of Object.entries(waiting)) {
    say(`Left behind, because it was still to be done: ${count} in ${table}`);
  }
}

async function importFrom(
  { config, ownerUrl, installation, stores }: Deps,
  wish: Extract<Wish, { command: "import" }>,
  key: ArchiveKey | null,
): Promise<void> {
  const deps = {
    ...{ ownerUrl, channelTables, store: stores.media },
    seal: createSeal(config.sealSecret ?? installation.secrets.seal),
    ...{ random: systemSources.random, ids: systemSources.ids },
  };
  const report = await importCompany(deps, () => readArchive(createReadStream(wish.from), key), {
    ...{ name: wish.name, plan: wish.plan, emailSuffix: wish["email-suffix"] },
    onProgress: tell,
  });
  describeImport(report);
}

function describeImport({ companyId, rows, dropped, files }: Imported): void {
  for (const [table, count] of Object.entries(rows)) say(`${table}\t${count}`);
  for (const [table, count] of Object.entries(dropped)) {
    say(`${table}\t${count} left out: they need something that is gone`);
  }
  say(`${files} files`);
  say(`The company has the id ${companyId}. Its users can sign in with their old passwords.`);
  say("Its connections must be linked anew; keys of services and tokens must be entered again;");
  say("webhooks and integrations are stopped; automatic closing of quiet tickets is off.");
}

async function resetSignIn(deps: Deps, email: string): Promise<void> {
  const account = await withDatabase(deps, (db) =>
    resetSignInAcrossCompanies({ db, ...systemSources }, email),
  );
  if (account === null) throw new NoAccount(`There is no account with the address ${email}.`);
  say(
    `${account.name} (${account.companyName}) signs in with the password alone, on every device anew.`,
  );
}

class NoAccount extends Error {}

async function withDatabase<T>(
  { config, ownerUrl, installation: { appUrl } }: Deps,
  work: (db: Database, log: Logger) => Promise<T>,
): Promise<T> {
  const log = createLogger(config.log);
  const db = openDatabase({ serviceUrl: ownerUrl, appUrl, poolSize: 4, log });
  try {
    return await work(db, log);
  } finally {
    await db.close();
  }
}

async function importChatFrom(
  deps: Deps,
  wish: Extract<Wish, { command: "import-chat" }>,
): Promise<void> {
  const { config, installation, stores } = deps;
  await withDatabase(deps, async (db, log) => {
    const { clock, ids } = systemSources;
    const files = createMediaFeature({
      ...{ db, log, store: stores.media, ffmpeg: createFfmpeg(config.ffmpegPath), clock, ids },
      ...{ secret: installation.secrets.accessToken, publicUrl: config.publicUrl },
    });
    const { company: companyId, "time-zone": timeZone, "dry-run": isDryRun } = wish;
    const asked = { ...wish, companyId, timeZone, isDryRun };
    const report = await importChat({ db, files, sources: systemSources }, asked);
    for (const line of describeChat(report, isDryRun)) say(line);
  });
}

/** The result of an import, for people. */
function describeChat(
  { order, left, ticketId, isNewContact, messages: count, files, from, until }: ChatImportReport,
  isDryRun: boolean,
): string[] {
  const missing = files.missing.slice(0, 20).join(", ");
  return [
    isDryRun ? "Dry run: nothing was written." : `Ticket ${ticketId}`,
    `Contact: ${isNewContact ? "new" : "known"}`,
    `Dates: ${order.isDayFirst ? "day" : "month"} first, by ${order.because}; ${from.toISOString()} to ${until.toISOString()}`,
    `Messages: ${count.read} read, ${count.added} new, ${count.known} known; ${count.deleted} deleted, ${count.edited} edited`,
    `Left out: ${left.system} lines of the app, ${left.empty} messages without content`,
    `Files: ${files.named} named, ${files.stored} stored, ${files.missing.length} missing${missing && ` (${missing})`}; ${files.unnamed} left out by the export`,
  ];
}

if (import.meta.main) {
  const wish = readWish(process.argv.slice(2));
  if (wish === null) {
    tell(usage);
    process.exitCode = 64;
  } else {
    run(wish).catch((error: unknown) => {
      tell(messageOf(error));
      process.exitCode = 1;
    });
  }
}

function messageOf(error: unknown): string {
  const ofPeople = [ImportRefused, ChatRefused, ArchiveDamaged, ArchiveKeyRefused, NoAccount];
  if (ofPeople.some((kind) => error instanceof kind) && error instanceof Error)
    return error.message;
  if (error instanceof DomainError && error.code === "ERR_NO_COMPANY_FOUND") {
    return "There is no company with this id. `npm run company -- list` shows them.";
  }
  if (error instanceof DomainError && error.code === "ERR_NUMBER_FORMAT") {
    return "--contact is no phone number.";
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return problemForPeople(error) ?? stack;
}
