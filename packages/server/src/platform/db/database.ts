import type { CompanyId } from "@balcao/contract";
import type { SQL } from "drizzle-orm";
import type { NodePgDatabase } from "drizzle-orm/node-postgres";
import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import type { Logger } from "../logging/logger.ts";

// Counts and sequences are far below 2^53: a bigint column or count() is a number everywhere in the code.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** A statement kept prepared on each connection: parsed and planned once. The name must be unique to the text. */
export type PreparedStatement = { name: string; text: string };

/** One open transaction. Everything in it happens or nothing does. */
export type Tx = {
  /** Typed statements; one company's rows only, except in `acrossCompanies`. */
  orm: NodePgDatabase;
  /** A hand-written statement; the caller names the row's shape (timestamps come as Date). */
  query<Row>(statement: SQL | PreparedStatement, values?: readonly unknown[]): Promise<Row[]>;
  /** Runs after COMMIT and only then: events, wake-ups. Must not throw for the use case to count as done. */
  onCommit(action: () => void): void;
};

export type Database = {
  /**
   * Runs one use case in one transaction as the application's role, with row-level security set to the company. A
   * deadlock, a serialisation failure or a row deleted meanwhile is tried again, so `work` must have no effect outside the transaction.
   */
  transaction<T>(scope: { companyId: CompanyId }, work: (tx: Tx) => Promise<T>): Promise<T>;
  /** The same as the service role, over all companies: sign-in, jobs, leases, provisioning. */
  acrossCompanies<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** `acrossCompanies` on connections that nothing else uses: a lease is renewed whatever else waits for the database. */
  forLeases<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** One statement that only reads, as the service role and without a transaction: the rights of each request. */
  readAcrossCompanies<Row>(
    statement: PreparedStatement,
    values: readonly unknown[],
  ): Promise<Row[]>;
  /** Resolves when a statement was answered. */
  ping(): Promise<void>;
  close(): Promise<void>;
};

export type DatabaseOptions = {
  serviceUrl: string;
  appUrl: string;
  poolSize: number;
  log: Logger;
  /** Told every statement except transaction control; for budgets in tests and metrics. */
  onStatement?: (text: string) => void;
};

/**
 * Serialisation failure, deadlock, and a foreign key whose row another transaction deleted while this one waited: anew,
 * the work finds that it is not there.
 */
const RETRIED_STATES = new Set(["40001", "40P01", "23503"]);
const ATTEMPTS = 3;

/** A living server lets one in, and begins, within this. */
const ANSWER_MS = 5_000;
/** Nobody waits longer for a statement: people have given up, and jobs work in small steps. */
const STATEMENT_MS = 8_000;

/** Two takes at once wait for rows that are locked; a renewal and a release still find a connection. */
const LEASE_CONNECTIONS = 4;

/** Opens the pools: application role and service role. */
export function openDatabase(options: DatabaseOptions): Database {
  const app = createPool(options, options.appUrl, options.poolSize);
  const service = createPool(
    options,
    options.serviceUrl,
    Math.max(4, Math.ceil(options.poolSize / 2)),
  );
  const leases = createPool(options, options.serviceUrl, LEASE_CONNECTIONS);

  return {
    transaction: (scope, work) =>
      // The id is an integer by the contract; set_config(…, true) lives exactly as long as the transaction.
      runTransaction(
        app,
        `begin; select set_config('app.company_id', '${Number(scope.companyId)}', true)`,
        work,
        options,
      ),
    acrossCompanies: (work) => runTransaction(service, "begin", work, options),
    forLeases: (work) => runTransaction(leases, "begin", work, options),
    async readAcrossCompanies<Row>(statement: PreparedStatement, values: readonly unknown[]) {
      options.onStatement?.(statement.text);
      const result = await service.query(answeredSoon({ ...statement, values: [...values] }));
      return result.rows as Row[];
    },
    ping: async () => {
      await service.query(answeredSoon({ text: "select 1" }));
    },
    close: async () => {
      // The pools do not wait for their connections' last word, which is then nobody's loss.
      for (const pool of [app, service, leases])
        pool.removeAllListeners("error").on("error", () => undefined);
      await Promise.all([app.end(), service.end(), leases.end()]);
    },
  };
}

function createPool(options: DatabaseOptions, url: string, max: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: ANSWER_MS,
    idleTimeoutMillis: 60_000,
    statement_timeout: STATEMENT_MS,
    // A server that stands still ends nothing by itself.
    query_timeout: STATEMENT_MS + 1_000,
    idle_in_transaction_session_timeout: 30_000,
    application_name: "balcao",
  });
  // Without a listener a broken idle connection would end the process.
  pool.on("error", (error) => options.log.warn({ err: error }, "idle database connection lost"));
  // So would one that breaks between two statements of a transaction; its next statement fails by itself.
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

async function runTransaction<T>(
  pool: pg.Pool,
  begin: string,
  work: (tx: Tx) => Promise<T>,
  options: DatabaseOptions,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptTransaction(pool, begin, work, options);
    } catch (error) {
      if (attempt === ATTEMPTS || !isRetried(error)) throw error;
    }
  }
}

async function attemptTransaction<T>(
  pool: pg.Pool,
  begin: string,
  work: (tx: Tx) => Promise<T>,
  options: DatabaseOptions,
): Promise<T> {
  const client = await pool.connect();
  const committed: (() => void)[] = [];
  let result: T;
  try {
    await client.query(answeredSoon({ text: begin }));
    result = await work(createTx(client, committed, options.onStatement));
    await client.query("commit");
  } catch (error) {
    if (isUnanswered(error)) client.release(true);
    else await rollback(client);
    throw error;
  }
  client.release();
  for (const action of committed) action();
  return result;
}

/** Gives the connection back clean, or drops it when it cannot be cleaned. */
async function rollback(client: pg.PoolClient): Promise<void> {
  try {
    await client.query("rollback");
    client.release();
  } catch (error) {
    client.release(error instanceof Error ? error : true);
  }
}

function createTx(
  client: pg.PoolClient,
  committed: (() => void)[],
  onStatement: ((text: string) => void) | undefined,
): Tx {
  const orm = onStatement
    ? drizzle(client, { logger: { logQuery: (text) => onStatement(text) } })
    : drizzle(client);
  return {
    orm,
    async query<Row>(statement: SQL | PreparedStatement, values: readonly unknown[] = []) {
      if ("text" in statement) {
        onStatement?.(statement.text);
        const result = await client.query({ ...statement, values: [...values] });
        return result.rows as Row[];
      }
      const { sql: text, params } = toQuery(orm, statement);
      onStatement?.(text);
      const result = await client.query(text, params);
      return result.rows as Row[];
    },
    onCommit: (action) => {
      committed.push(action);
    },
  };
}

/** Renders a drizzle SQL template, so that its rows keep the driver's own types (drizzle turns dates into texts). */
function toQuery(orm: NodePgDatabase, statement: SQL): { sql: string; params: unknown[] } {
  const dialect = (orm as unknown as { dialect: Dialect }).dialect;
  return dialect.sqlToQuery(statement);
}

type Dialect = { sqlToQuery(statement: SQL): { sql: string; params: unknown[] } };

function isRetried(error: unknown): boolean {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return cause instanceof pg.DatabaseError && RETRIED_STATES.has(cause.code ?? "");
}

/** A statement that a living server answers at once. The driver knows the setting; its types do not. */
function answeredSoon<S extends { text: string }>(statement: S): S & { query_timeout: number } {
  return { ...statement, query_timeout: ANSWER_MS };
}

/** The driver gave up waiting; the statement may still run, so the connection cannot be used any more. */
function isUnanswered(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.message === "Query read timeout" || isUnanswered(error.cause);
}
