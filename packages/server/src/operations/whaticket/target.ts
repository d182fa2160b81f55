import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { ImportRefused } from "./values.ts";

/** A row for a table of the product, by the names of its columns. */
export type NewRow = Readonly<Record<string, unknown>>;

/** One transaction of the import. */
export type Load = {
  /** Inserts rows by COPY; they all have the same columns. */
  insert(table: string, rows: readonly NewRow[]): Promise<void>;
  /** The same, and answers how many were new: one that breaks a unique key is there already, and is left out. */
  add(table: string, rows: readonly NewRow[]): Promise<number>;
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
};

/** The product's database as the import writes it. */
export type Target = {
  isDry: boolean;
  /** New ids of a table, growing. */
  reserve(table: string, count: number): Promise<number[]>;
  read<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** One transaction; a dry run does nothing. */
  transaction<T>(work: (load: Load) => Promise<T>): Promise<T | undefined>;
  close(): Promise<void>;
};

const STATEMENT_MS = 120_000;
/** Held while an import runs, so that there is one at a time. */
const IMPORT_LOCK = 7_220_416;

/** Opens the product's database with the owner's address. A dry run reads only. */
export async function openTarget(ownerUrl: string, isDry: boolean): Promise<Target> {
  const client = new pg.Client({
    connectionString: ownerUrl,
    connectionTimeoutMillis: 10_000,
    statement_timeout: STATEMENT_MS,
    query_timeout: STATEMENT_MS + 5_000,
    application_name: "balcao import",
  });
  client.on("error", () => undefined);
  await client.connect();
  try {
    // What is lost of the last commits when the server dies is imported again.
    await client.query("set synchronous_commit = off; set client_encoding = 'UTF8'");
    const lock = await client.query<{ taken: boolean }>(
      "select pg_try_advisory_lock($1) as taken",
      [IMPORT_LOCK],
    );
    if (lock.rows[0]?.taken !== true)
      throw new ImportRefused("Another import runs on this installation. Nothing was changed.");
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
  const load = createLoad(client);
  let invented = 0;

  return {
    isDry,
    async reserve(table, count) {
      if (isDry) return Array.from({ length: count }, () => (invented -= 1));
      const { rows } = await client.query<{ id: string }>(
        "select nextval(pg_get_serial_sequence($1, 'id')) as id from generate_series(1, $2)",
        [table, count],
      );
      return rows.map(({ id }) => Number(id));
    },
    read: load.query,
    async transaction(work) {
      if (isDry) return undefined;
      await client.query("begin");
      load.beginAnew();
      try {
        const result = await work(load);
        await client.query("commit");
        return result;
      } catch (error) {
        await client.query("rollback").catch(() => undefined);
        // Temporary tables of the transaction are gone.
        load.forget();
        throw error;
      }
    },
    async close() {
      await client.end().catch(() => undefined);
    },
  };
}

/**
 * COPY cannot write to a table under row-level security, so rows go through a temporary table. It also leaves out what is there
 * already.
 */
function createLoad(client: pg.Client): Load & { beginAnew(): void; forget(): void } {
  const stages = new Map<string, string>();
  /** Those that have rows of this transaction. */
  const used = new Set<string>();
  let made = 0;

  async function stageOf(table: string, columns: string): Promise<string> {
    const known = stages.get(`${table} ${columns}`);
    if (known !== undefined) return known;
    made += 1;
    const stage = `import_stage_${made}`;
    await client.query(
      `create temp table ${stage} on commit delete rows as select ${columns} from ${table} limit 0`,
    );
    stages.set(`${table} ${columns}`, stage);
    return stage;
  }

  async function write(
    table: string,
    rows: readonly NewRow[],
    onConflict: string,
  ): Promise<number> {
    const [first] = rows;
    if (first === undefined) return 0;
    const keys = Object.keys(first);
    const columns = keys.map((key) => pg.escapeIdentifier(key)).join(", ");
    const stage = await stageOf(table, columns);
    if (used.has(stage)) await client.query(`truncate ${stage}`);
    used.add(stage);
    const lines = rows.map((row) => `${keys.map((key) => copied(row[key])).join("\t")}\n`);
    // Not one chunk per line: each chunk is a message of the protocol.
    const chunks = Array.from({ length: Math.ceil(lines.length / 250) }, (_, i) =>
      lines.slice(i * 250, (i + 1) * 250).join(""),
    );
    await pipeline(
      Readable.from(chunks),
      client.query(copyFrom(`copy ${stage} (${columns}) from stdin`)),
    );
    const { rowCount } = await client.query(
      `insert into ${table} (${columns}) overriding system value select ${columns} from ${stage} ${onConflict}`,
    );
    return rowCount ?? 0;
  }

  return {
    async insert(table, rows) {
      await write(table, rows, "");
    },
    add: (table, rows) => write(table, rows, "on conflict do nothing"),
    beginAnew: () => used.clear(),
    forget: () => stages.clear(),
    async query<Row>(text: string, values: readonly unknown[] = []) {
      const { rows } = await client.query(text, [...values]);
      return rows as Row[];
    },
  };
}

const escapes: Record<string, string> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** A value in the text format of COPY. */
function copied(value: unknown): string {
  if (value === null || value === undefined) return String.raw`\N`;
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  if (typeof value === "boolean") return value ? "t" : "f";
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return `\\\\x${Buffer.from(value).toString("hex")}`;
  const text =
    typeof value === "string" ? value : JSON.stringify(value).replaceAll(String.raw`\u0000`, "");
  return /[\\\t\n\r]/.test(text)
    ? text.replace(/[\\\t\n\r]/g, (char) => escapes[char] ?? char)
    : text;
}
