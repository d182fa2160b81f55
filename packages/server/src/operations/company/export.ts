import { readFile } from "node:fs/promises";
import type { CompanyId } from "@balcao/contract";
import type { PgTable } from "drizzle-orm/pg-core";
import pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { z } from "zod";
import type { ArchiveKey, ArchiveWriter } from "../../platform/archive/archive.ts";
import { writeArchive } from "../../platform/archive/archive.ts";
import { DomainError } from "../../platform/context.ts";
import { migrationsFolder } from "../../platform/db/installation.ts";
import type { MediaStore } from "../../platform/media/media-store.ts";
import type { TravellingTable } from "./rows.ts";
import { travellingTables } from "./rows.ts";
import { leftBehind, tableRules } from "./tables.ts";

export type ExportDeps = {
  /** The address of the application's role: row-level security lets it read this company alone. */
  appUrl: string;
  channelTables: readonly PgTable[];
  store: Pick<MediaStore, "open">;
  /** Of the product. */
  version: string;
};

/** The header of a company's archive. */
export const companyFacts = z.object({ name: z.string(), plan: z.string() });

/** The end of the archive. */
export const exportReport = z.object({
  /** Files that have a row and were not there. */
  missing: z.array(z.string()),
  /** Rows of these tables stay behind, because their work has not ended. */
  waiting: z.record(z.string(), z.number()),
});
export type ExportReport = z.output<typeof exportReport>;

/** Work that ends unseen when the company moves. */
const waitingTables: Record<string, string> = {
  inbound_journal: "true",
  outbound: "state in ('queued', 'sending')",
  media_downloads: "true",
};

type ExportOptions = {
  key?: ArchiveKey | null;
  signal?: AbortSignal;
  onProgress?: (percent: number) => void;
  onEnd?: (report: ExportReport) => void;
};

/**
 * The bytes of an archive with everything of a company that can travel (docs/one-company.md): its rows as of one moment, then its
 * files, while the product runs. Throws ERR_NO_COMPANY_FOUND.
 */
export async function* writeCompanyArchive(
  deps: ExportDeps,
  companyId: CompanyId,
  { key = null, signal, onProgress, onEnd }: ExportOptions = {},
): AsyncGenerator<Uint8Array> {
  const client = new pg.Client({
    connectionString: deps.appUrl,
    connectionTimeoutMillis: 10_000,
    application_name: "balcao company export",
  });
  client.on("error", () => undefined); // the statement that runs fails with it
  await client.connect();
  const stop = (): void => void client.end();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    await client.query("begin isolation level repeatable read read only");
    await client.query(
      `select set_config('app.company_id', $1, true), set_config('timezone', 'UTC', true),
              set_config('datestyle', 'ISO', true), set_config('bytea_output', 'hex', true)`,
      [String(companyId)],
    );
    const tables = await travellingTables(client, deps.channelTables);
    const header = {
      ...{ kind: "company" as const, product: deps.version, migration: await newestMigration() },
      createdAt: new Date().toISOString(),
      tables: tables.map(({ name, columns }) => ({
        name,
        columns: columns.map((column) => column.name),
      })),
      facts: await readFacts(client, companyId),
    };
    yield* writeArchive(header, key, async (writer) => {
      const files = await writeRows(client, writer, tables, { companyId, signal, onProgress });
      const waiting = await countWaiting(client, companyId);
      await client.query("commit");
      const missing = await writeFiles(deps, writer, files, { companyId, signal, onProgress });
      const report = { missing, waiting };
      onEnd?.(report);
      return report;
    });
  } finally {
    signal?.removeEventListener("abort", stop);
    await client.end();
  }
}

type Of = {
  companyId: CompanyId;
  signal: AbortSignal | undefined;
  onProgress: ((percent: number) => void) | undefined;
};

/** Returns the keys of the company's files at that moment. */
async function writeRows(
  client: pg.Client,
  writer: ArchiveWriter,
  tables: readonly TravellingTable[],
  { companyId, signal, onProgress }: Of,
): Promise<string[]> {
  for (const [at, table] of tables.entries()) {
    signal?.throwIfAborted();
    await writer.table(table.name, client.query(copyTo(statementOf(table, companyId))));
    onProgress?.(Math.round((50 * (at + 1)) / tables.length));
  }
  const { rows } = await client.query<{ key: string }>(
    "select key from files where company_id = $1 and is_whole order by key",
    [companyId],
  );
  return rows.map(({ key }) => key);
}

/** Returns the keys of the files that are not there. */
async function writeFiles(
  { store }: ExportDeps,
  writer: ArchiveWriter,
  keys: readonly string[],
  { companyId, signal, onProgress }: Of,
): Promise<string[]> {
  const missing: string[] = [];
  for (const [at, key] of keys.entries()) {
    signal?.throwIfAborted();
    const opened = await store.open({ companyId }, key);
    if (opened) await writer.file(key, { bytes: opened.bytes, content: opened.stream });
    else missing.push(key);
    onProgress?.(50 + Math.round((50 * (at + 1)) / keys.length));
  }
  return missing;
}

function statementOf(table: TravellingTable, companyId: CompanyId): string {
  const columns = table.columns.map(({ name }) => pg.escapeIdentifier(name)).join(", ");
  const where = tableRules[table.name]?.where ?? "true";
  const order = [...table.order.map((name) => pg.escapeIdentifier(name)), "1"].join(", ");
  return `copy (select ${columns} from ${pg.escapeIdentifier(table.name)}
    where ${table.companyColumn} = ${Number(companyId)} and (${where}) order by ${order}) to stdout`;
}

async function readFacts(
  client: pg.ClientBase,
  companyId: CompanyId,
): Promise<z.output<typeof companyFacts>> {
  const { rows } = await client.query<{ name: string; plan: string }>(
    "select c.name, p.name as plan from companies c join plans p on p.id = c.plan_id where c.id = $1",
    [companyId],
  );
  if (!rows[0]) throw new DomainError("ERR_NO_COMPANY_FOUND");
  return rows[0];
}

async function countWaiting(
  client: pg.ClientBase,
  companyId: CompanyId,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [table, where] of Object.entries(waitingTables)) {
    if (!(table in leftBehind)) throw new Error(`${table} is exported`);
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int as count from ${table} where company_id = $1 and ${where}`,
      [companyId],
    );
    if (rows[0] && rows[0].count > 0) counts[table] = rows[0].count;
  }
  return counts;
}

const journal = z.object({ entries: z.array(z.object({ tag: z.string() })).min(1) });

/** The name of the newest migration of this product, to which its start brings the database. */
export async function newestMigration(): Promise<string> {
  const text = await readFile(`${migrationsFolder}/meta/_journal.json`, "utf8");
  return journal.parse(JSON.parse(text)).entries.at(-1)?.tag ?? "";
}
