import type { CompanyId } from "@balcao/contract";
import { companyId as companyIdSchema } from "@balcao/contract";
import type { PgTable } from "drizzle-orm/pg-core";
import pg from "pg";
import type { MediaStore } from "../../platform/media/media-store.ts";
import { isMediaKey } from "../../platform/media/media-store.ts";
import type { Seal } from "../../platform/secrets/seal.ts";
import type { IdSource, Random } from "../../platform/sources.ts";
import type { ArchiveEntry, ArchiveHeader } from "../../platform/archive/archive.ts";
import { companyFacts, newestMigration } from "./export.ts";
import { Loading } from "./loading.ts";
import type { TravellingTable } from "./rows.ts";
import { collector, linesOf, Numbers, RowMapper, travellingTables, unescapeField } from "./rows.ts";
import { suffixed } from "./tables.ts";

export type ImportDeps = {
  /** The owner's address: the ids come from the sequences of the tables. */
  ownerUrl: string;
  channelTables: readonly PgTable[];
  store: Pick<MediaStore, "put" | "removeCompany">;
  seal: Seal;
  random: Random;
  ids: IdSource;
};

/** Reads the archive from its beginning: once to check all of it and to learn its ids, once to bring it in. */
export type OpenArchive = () => AsyncIterable<ArchiveEntry>;

export type ImportWish = {
  /** Another name than that of the archive. */
  name?: string | undefined;
  /** A plan of this installation; the one with the archive's name unless said. */
  plan?: string | undefined;
  /** Put before the `@` of all users' e-mail addresses. */
  emailSuffix?: string | undefined;
  onProgress?: (what: string) => void;
};

export type Imported = {
  companyId: CompanyId;
  rows: Record<string, number>;
  /** Rows that could not be without something that is gone. */
  dropped: Record<string, number>;
  files: number;
};

/** The import cannot begin; people can do something about it. */
export class ImportRefused extends Error {}

/** A number of its own among the advisory locks of two keys; the second is the company. */
const IMPORT_LOCK = 7_220_416;
const UNIQUE_VIOLATION = "23505";

/**
 * Brings a company in from its archive, with new ids and under a free name (docs/one-company.md). Its row is committed first, as
 * suspended, so that its files have a place; all other rows come in one transaction, with which it begins to work. What a killed
 * import left is removed by the next one.
 */
export async function importCompany(
  deps: ImportDeps,
  open: OpenArchive,
  wish: ImportWish = {},
): Promise<Imported> {
  const client = new pg.Client({
    connectionString: deps.ownerUrl,
    connectionTimeoutMillis: 10_000,
    application_name: "balcao company import",
  });
  client.on("error", () => undefined); // the statement that runs fails with it
  await client.connect();
  try {
    await client.query(
      "select set_config('timezone', 'UTC', false), set_config('datestyle', 'ISO', false)",
    );
    await removeUnfinished(deps, client);
    return await bringIn(deps, client, open, wish);
  } finally {
    await client.end();
  }
}

async function bringIn(
  deps: ImportDeps,
  client: pg.Client,
  open: OpenArchive,
  wish: ImportWish,
): Promise<Imported> {
  const tables = await travellingTables(client, deps.channelTables);
  const numbers = new Numbers(Buffer.from(deps.random.hex(8), "hex"));
  wish.onProgress?.("reading the archive");
  const { header, company, emails } = await survey(open(), tables, numbers);
  const emailSuffix = wish.emailSuffix ?? "";
  const taken = await takenEmails(
    client,
    emails.map((email) => suffixed(email, emailSuffix)),
  );
  if (taken.length > 0) {
    throw new ImportRefused(
      `These e-mail addresses already belong to users here: ${taken.join(", ")}. With --email-suffix they get others.`,
    );
  }
  const companyId = await stage(deps, client, header, company, wish);
  try {
    await numbers.assign(client);
    const moment = await client.query<{ now: string }>(
      "select date_trunc('milliseconds', now())::text as now",
    );
    const place = {
      ...{ companyId, emailSuffix, seal: deps.seal, random: deps.random },
      now: moment.rows[0]?.now ?? "",
      idOf: (space: string, old: number) => numbers.find(space, old),
    };
    await client.query("begin");
    const report: Imported = { companyId, rows: {}, dropped: {}, files: 0 };
    const loading = new Loading(client, (name) => {
      const table = tables.find((one) => one.name === name);
      if (!table || name === "companies") return null;
      return { table, mapper: new RowMapper(table, columnsOf(header, name), numbers, place) };
    });
    for await (const entry of open()) {
      if (entry.type === "rows") {
        await loading.add(entry.table, entry.content, report, wish.onProgress);
      } else if (entry.type === "file") {
        await loading.end(report);
        const { name: key, bytes, content } = entry;
        if (!isMediaKey(key)) throw new ImportRefused("The archive has a file without a key.");
        await deps.store.put({ companyId }, key, content, { maxBytes: bytes });
        report.files += 1;
      }
    }
    await loading.end(report);
    await client.query(
      "update company_archives set state = 'done', progress = 100, ended_at = now() where company_id = $1 and kind = 'import'",
      [companyId],
    );
    await client.query(
      "update companies set status = true, suspension_reason = '', updated_at = now() where id = $1",
      [companyId],
    );
    await client.query("commit");
    return report;
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    await remove(deps, client, companyId).catch(() => undefined); // the next import removes it
    throw error;
  } finally {
    await client
      .query("select pg_advisory_unlock($1, $2)", [IMPORT_LOCK, companyId])
      .catch(() => undefined);
  }
}

type CompanyRow = Record<string, string | null>;

const columnsOf = ({ tables }: ArchiveHeader, name: string): string[] =>
  tables.find((table) => table.name === name)?.columns ?? [];

/** Checks the whole archive, and reads all ids, the company's own row, and the e-mail addresses that must be free. */
async function survey(
  entries: AsyncIterable<ArchiveEntry>,
  tables: readonly TravellingTable[],
  numbers: Numbers,
): Promise<{ header: ArchiveHeader; company: CompanyRow; emails: string[] }> {
  let header: ArchiveHeader | null = null;
  let company: CompanyRow | null = null;
  const emails: string[] = [];
  const collectors = new Map<string, (line: string) => void>();
  for await (const entry of entries) {
    if (entry.type === "header") {
      ({ header } = entry);
      await checkHeader(header, tables);
      for (const table of tables) {
        if (table.name === "companies") continue;
        collectors.set(table.name, collector(table, columnsOf(header, table.name), numbers));
      }
    }
    if (entry.type !== "rows" || !header) continue;
    const archived = columnsOf(header, entry.table);
    const collect = collectors.get(entry.table);
    for (const line of linesOf(entry.content)) {
      collect?.(line);
      if (entry.table !== "companies" && entry.table !== "users") continue;
      const row = Object.fromEntries(
        line.split("\t").map((raw, at) => [archived[at] ?? "", unescapeField(raw)]),
      );
      if (entry.table === "companies") company = row;
      else if (row["deleted_at"] === null) emails.push(row["email"] ?? "");
    }
  }
  if (!header || !company) throw new ImportRefused("The archive has no company.");
  return { header, company, emails };
}

/** An archive of another migration is refused: its columns may mean something else here. */
async function checkHeader(
  { kind, migration, tables: archived }: ArchiveHeader,
  tables: readonly TravellingTable[],
): Promise<void> {
  if (kind !== "company") {
    throw new ImportRefused("This is a backup of an installation: npm run restore reads it.");
  }
  const here = await newestMigration();
  if (migration !== here) {
    throw new ImportRefused(
      `The archive is of migration ${migration}, and this installation is at ${here}. Bring both to the same version, and export again.`,
    );
  }
  for (const { name, columns } of archived) {
    const table = tables.find((one) => one.name === name);
    const known = new Set(table?.columns.map((column) => column.name));
    const unknown = columns.filter((column) => !known.has(column));
    if (unknown.length > 0)
      throw new ImportRefused(`Unknown columns of ${name}: ${unknown.join()}`);
  }
}

async function takenEmails(client: pg.Client, emails: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ email: string }>(
    "select email from users where deleted_at is null and email = any ($1) order by email",
    [emails],
  );
  return rows.map(({ email }) => email);
}

/** Commits the company's row, suspended and marked. The session's lock says that its import runs. */
async function stage(
  { ids }: ImportDeps,
  client: pg.Client,
  header: ArchiveHeader,
  archived: CompanyRow,
  wish: ImportWish,
): Promise<CompanyId> {
  const plans = await client.query<{ id: number; name: string }>(
    "select id, name from plans order by name",
  );
  const planName = wish.plan ?? companyFacts.parse(header.facts).plan;
  const plan = plans.rows.find(({ name }) => name === planName);
  if (!plan) {
    const names = plans.rows.map(({ name }) => name).join(", ");
    throw new ImportRefused(
      `There is no plan "${planName}" here. With --plan choose one: ${names}.`,
    );
  }
  const name = wish.name ?? archived["name"] ?? "";
  const columns = columnsOf(header, "companies").filter(
    (column) => column !== "id" && column !== "name",
  );
  const values = columns.map((column) => archived[column] ?? null);
  await client.query("begin");
  try {
    const { rows } = await client.query<{ id: number }>(
      `insert into companies (name, plan_id, status, suspension_reason${columns.map((one) => `, ${pg.escapeIdentifier(one)}`).join("")})
       values ($1, $2, false, $3${columns.map((_one, at) => `, $${at + 4}`).join("")}) returning id`,
      [name, plan.id, IMPORTING, ...values],
    );
    const id = companyIdSchema.parse(rows[0]?.id);
    await client.query("select pg_advisory_lock($1, $2)", [IMPORT_LOCK, id]);
    await client.query(
      `insert into company_archives (id, company_id, kind, state, requester_name) values ($1, $2, 'import', 'running', '')`,
      [ids.uuid(), id],
    );
    await client.query("commit");
    return id;
  } catch (error) {
    await client.query("rollback");
    if (error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION) {
      throw new ImportRefused(
        `There is a company "${name}" here. With --name it gets another one.`,
      );
    }
    throw error;
  }
}

/** Shown to super users as the reason of the suspension. */
const IMPORTING = "Importação em andamento";

/** Removes companies whose import was killed. */
async function removeUnfinished(deps: ImportDeps, client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ id: CompanyId }>(
    `select company_id as id from company_archives where kind = 'import' and state = 'running'`,
  );
  for (const { id } of rows) {
    const lock = await client.query<{ isMine: boolean }>(
      `select pg_try_advisory_lock($1, $2) as "isMine"`,
      [IMPORT_LOCK, id],
    );
    if (lock.rows[0]?.isMine !== true) continue;
    try {
      await remove(deps, client, id);
    } finally {
      await client.query("select pg_advisory_unlock($1, $2)", [IMPORT_LOCK, id]);
    }
  }
}

/** Its other rows were never committed. */
async function remove({ store }: ImportDeps, client: pg.Client, id: CompanyId): Promise<void> {
  await store.removeCompany({ companyId: id });
  await client.query("delete from companies where id = $1", [id]);
}
