import type { CompanyId } from "@balcao/contract";
import type { SQL } from "drizzle-orm";
import type { NodePgDatabase } from "drizzle-orm/node-postgres";
import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import type { Ctx } from "../context.ts";
import { DomainError } from "../context.ts";
import type { Logger } from "../logging/logger.ts";
import { actingSettings } from "./acting.ts";

// Counts and sequences are far below 2^53: a bigint column or count() is a number everywhere in the code.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** A statement kept prepared on each connection: parsed and planned once. The name must be unique to the text. */
export type PreparedStatement = { name: string; text: string };

/** One open transaction. */
export type Tx = {
  /** Typed statements; one company's rows only, except in `acrossCompanies`. */
  orm: NodePgDatabase;
  /** A hand-written statement; the caller names the row's shape (timestamps come as Date; testing/guarantees/sql-rows.test.ts). */
  query<Row>(statement: SQL | PreparedStatement, values?: readonly unknown[]): Promise<Row[]>;
  /** Runs after COMMIT and only then: live events, wake-ups. An error is logged; the use case is done and the other actions run. */
  onCommit(action: () => void): void;
};

export type Database = {
  /**
   * Runs one use case in one transaction as the application's role, with row-level security set to the company. A
   * deadlock, a serialisation failure or a row deleted meanwhile is tried again, so `work` must have no effect outside the transaction.
   * With `keepPlans` PostgreSQL plans a prepared statement once, without its values. That is for reads whose rows are few
   * in any company, and whose planning takes longer than they do.
   */
  transaction<T>(scope: Scope, work: (tx: Tx) => Promise<T>, planning?: Planning): Promise<T>;
  /** One reading statement in its own transaction as above: begin, statement and commit are sent together. */
  read<Row>(
    scope: Scope,
    statement: PreparedStatement,
    values: readonly unknown[],
    planning?: Planning,
  ): Promise<Row[]>;
  /**
   * The same as the service role, over all companies: sign-in, jobs, leases, provisioning. `by`: the person who has it done,
   * for the audit.
   */
  acrossCompanies<T>(work: (tx: Tx) => Promise<T>, by?: Ctx): Promise<T>;
  /** `acrossCompanies` on separate connections: a lease is renewed even if all other connections are busy. */
  forLeases<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** One reading statement as the service role, without a transaction: the rights of each request. */
  readAcrossCompanies<Row>(
    statement: PreparedStatement,
    values: readonly unknown[],
  ): Promise<Row[]>;
  /** Resolves when the database has answered a statement. */
  ping(): Promise<void>;
  /** Connections of all pools, those in use, and what waits for one. */
  poolFigures(): { open: number; used: number; waiting: number };
  close(): Promise<void>;
};

/** The same dependencies, whose work over all companies is done by this person: the audit names nobody otherwise. */
export function doneBy<Deps extends { db: Pick<Database, "acrossCompanies"> }>(
  deps: Deps,
  ctx: Ctx,
): Deps {
  const acrossCompanies: Database["acrossCompanies"] = (work) => deps.db.acrossCompanies(work, ctx);
  return { ...deps, db: { ...deps.db, acrossCompanies } };
}

export type DatabaseOptions = {
  serviceUrl: string;
  appUrl: string;
  poolSize: number;
  /**
   * The addresses lead to a pooler that gives each transaction any connection: time limits then belong to the transaction, and
   * statements are prepared only if it keeps them.
   */
  pooler?: Pooler | null;
  log: Logger;
  /** Time limit of a statement in milliseconds; absent: as long as users wait (8 s). */
  statementMs?: number;
  /** Runs a company's transaction when it is the company's turn; absent: at once. */
  inTurn?: <T>(asked: Asked, work: (turn: Turn) => Promise<T>) => Promise<T>;
  /** Lowers the priority of a server's process that serves what is not urgent; absent where the server is another machine's. */
  lowerPriority?: (processId: number) => void;
  /** Called with every statement except transaction control; for budgets in tests and metrics. */
  onStatement?: (text: string) => void;
  /** Sees the statements of each new connection, with their times (platform/observing). */
  watch?: (client: pg.PoolClient) => void;
};

/** `isAsked`: for a call; else for a message on its way, or a job. `isFirst`: it stores what arrived. */
type Asked = { companyId: CompanyId; isAsked: boolean; isFirst: boolean };
type Turn = { isUrgent: boolean };

export type Pooler = { keepsStatements: boolean };

/**
 * Serialisation failure, deadlock, and a foreign key whose row another transaction deleted while this one waited: when
 * repeated, the work finds that the row is missing.
 */
const RETRIED_STATES = new Set(["40001", "40P01", "23503"]);
const ATTEMPTS = 3;

/** Time limit for connecting and for `begin`. */
const ANSWER_MS = 5_000;
/** Time limit of a statement: users give up by then, and jobs work in small steps. */
const STATEMENT_MS = 8_000;
/** The same between two statements of a transaction. */
const IDLE_MS = 30_000;

/** Connections for what is not urgent; they exist only while they are used. */
const SLOW_CONNECTIONS = 2;

/** Two connections may wait for locked rows; a renewal and a release still get one. */
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
  const { lowerPriority } = options;
  const slow = lowerPriority ? createPool(options, options.appUrl, SLOW_CONNECTIONS) : null;
  slow?.on("connect", (client) => lowerPriority?.(processIdOf(client)));
  const pools = [app, service, leases, ...(slow ? [slow] : [])];

  const inTurn = options.inTurn ?? ((_, work) => work({ isUrgent: true }));
  const askedBy = ({ companyId, actor }: Scope, { isFirst = false }: Planning = {}): Asked => ({
    ...{ companyId, isAsked: actor !== undefined, isFirst },
  });
  const poolFor = ({ isUrgent }: Turn) => (isUrgent || !slow ? app : slow);

  return {
    transaction: (scope, work, planning) =>
      inTurn(askedBy(scope, planning), (turn) =>
        runTransaction(poolFor(turn), beginFor(options, scope, planning), work, options),
      ),
    read<Row>(
      scope: Scope,
      statement: PreparedStatement,
      values: readonly unknown[],
      planning?: Planning,
    ) {
      options.onStatement?.(statement.text);
      const begin = beginFor(options, scope, planning, null);
      const sent = { ...prepared(options, statement), values: [...values] };
      return inTurn(askedBy(scope), (turn) => readOnce<Row>(poolFor(turn), begin, sent));
    },
    acrossCompanies: (work, by) => runTransaction(service, beginAcross(options, by), work, options),
    forLeases: (work) => runTransaction(leases, beginAcross(options), work, options),
    async readAcrossCompanies<Row>(statement: PreparedStatement, values: readonly unknown[]) {
      options.onStatement?.(statement.text);
      const result = await service.query(
        answeredSoon({ ...prepared(options, statement), values: [...values] }),
      );
      return result.rows as Row[];
    },
    ping: async () => {
      await service.query(answeredSoon({ text: "select 1" }));
    },
    poolFigures: () => {
      const sum = (of: (pool: pg.Pool) => number) =>
        pools.reduce((total, pool) => total + of(pool), 0);
      return {
        open: sum((pool) => pool.totalCount),
        used: sum((pool) => pool.totalCount - pool.idleCount),
        waiting: sum((pool) => pool.waitingCount),
      };
    },
    close: async () => {
      // Errors of connections that are closing do not matter.
      for (const pool of pools) pool.removeAllListeners("error").on("error", () => undefined);
      await Promise.all(pools.map((pool) => pool.end()));
    },
  };
}

/** The company; of a context also its actor, whom the audit names (`audit_row` of the migrations). */
type Scope = { companyId: CompanyId } & Partial<Ctx>;
type Limits = Pick<DatabaseOptions, "pooler" | "statementMs">;
/**
 * `keepPlans`: statements are planned once, not for their values. `isFirst`: the transaction stores what others have sent, which
 * is not safe before; a paced company's other work is held back, this is not.
 */
type Planning = { keepPlans?: boolean; isFirst?: boolean };

/** As the service role: over all companies, done by somebody or by the product itself. */
function beginAcross(options: Limits, by: Ctx | null = null): string {
  return beginFor(options, null, undefined, by);
}

function beginFor(
  { pooler, statementMs = STATEMENT_MS }: Limits,
  scope: Scope | null,
  { keepPlans = false }: Planning = {},
  acting: Scope | null = scope,
): string {
  // The id is an integer by the contract; set_config(…, true) lasts exactly as long as the transaction.
  const settings = [
    ...actingSettings(acting),
    ...(scope ? [`set_config('app.company_id', '${Number(scope.companyId)}', true)`] : []),
    ...(keepPlans ? ["set_config('plan_cache_mode', 'force_generic_plan', true)"] : []),
    ...(pooler
      ? [
          `set_config('statement_timeout', '${statementMs}', true)`,
          `set_config('idle_in_transaction_session_timeout', '${IDLE_MS}', true)`,
        ]
      : []),
  ];
  return settings.length === 0 ? "begin" : `begin; select ${settings.join(", ")}`;
}

/** Without its name where the next transaction may get a connection that does not know it. */
function prepared(
  { pooler }: Pick<DatabaseOptions, "pooler">,
  statement: PreparedStatement,
): { text: string; name?: string } {
  return pooler?.keepsStatements === false ? { text: statement.text } : statement;
}

function createPool(options: DatabaseOptions, url: string, max: number): pg.Pool {
  const { statementMs = STATEMENT_MS } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: ANSWER_MS,
    idleTimeoutMillis: 60_000,
    ...(options.pooler
      ? {}
      : { statement_timeout: statementMs, idle_in_transaction_session_timeout: IDLE_MS }),
    // A server that hangs does not end the statement itself.
    query_timeout: statementMs + 1_000,
    application_name: "balcao",
    // Sends statements without waiting for the previous answer (`readOnce`).
    pipeline: true,
  });
  // Without a listener a broken idle connection would end the process.
  pool.on("error", (error) => options.log.warn({ err: error }, "idle database connection lost"));
  // The same for one that breaks between two statements of a transaction; the next statement fails anyway.
  pool.on("connect", (client) => {
    client.on("error", () => undefined);
    options.watch?.(client);
  });
  return pool;
}

/** The server's process that serves a connection. The driver has it; its types do not. */
function processIdOf(client: pg.PoolClient): number {
  return (client as pg.PoolClient & { processID: number }).processID;
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
  let hasBegun = false;
  let result: T;
  try {
    // The first statement leaves with the begin, in one packet. A begin fails only with its connection, and then nothing of the
    // transaction stays.
    const { stream } = client.connection;
    stream.cork();
    process.nextTick(() => stream.uncork());
    const begun = client.query(answeredSoon({ text: begin }));
    begun.catch(() => undefined); // both are awaited below, unless one of them fails before
    // A query builder that `work` returns is sent here, once.
    const working = (async () => work(createTx(client, committed, options)))();
    working.catch(() => undefined);
    await begun;
    hasBegun = true;
    result = await working;
    await client.query("commit");
  } catch (error) {
    if (!hasBegun || isUnanswered(error)) client.release(true);
    else await rollback(client);
    throw error;
  }
  client.release();
  for (const action of committed) {
    try {
      action();
    } catch (error) {
      options.log.error({ err: error }, "an action after a commit failed");
    }
  }
  return result;
}

/** Three statements in one packet. When the second fails, the commit rolls back, so the connection stays clean. */
async function readOnce<Row>(
  pool: pg.Pool,
  begin: string,
  statement: pg.QueryConfig,
): Promise<Row[]> {
  const client = await pool.connect();
  const { stream } = client.connection;
  stream.cork();
  const sent = [
    client.query(answeredSoon({ text: begin })),
    client.query(statement),
    client.query("commit"),
  ] as const;
  stream.uncork();
  const [begun, read, ended] = await Promise.allSettled(sent);
  client.release(begun.status === "rejected" || ended.status === "rejected");
  for (const answer of [begun, read, ended]) if (answer.status === "rejected") throw answer.reason;
  return (await sent[1]).rows as Row[];
}

/** Rolls back and releases the connection, or closes it if the rollback fails. */
async function rollback(client: pg.PoolClient): Promise<void> {
  try {
    await client.query("rollback");
    client.release();
  } catch (error) {
    client.release(error instanceof Error ? error : true);
  }
}

function createTx(client: pg.PoolClient, committed: (() => void)[], options: DatabaseOptions): Tx {
  const { onStatement } = options;
  const orm = onStatement
    ? drizzle(client, { logger: { logQuery: (text) => onStatement(text) } })
    : drizzle(client);
  return {
    orm,
    async query<Row>(statement: SQL | PreparedStatement, values: readonly unknown[] = []) {
      if ("text" in statement) {
        onStatement?.(statement.text);
        const result = await client.query({
          ...prepared(options, statement),
          values: [...values],
        });
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

/** Renders a drizzle SQL template, so that its rows keep the driver's types (drizzle turns dates into texts). */
function toQuery(orm: NodePgDatabase, statement: SQL): { sql: string; params: unknown[] } {
  const dialect = (orm as unknown as { dialect: Dialect }).dialect;
  return dialect.sqlToQuery(statement);
}

type Dialect = { sqlToQuery(statement: SQL): { sql: string; params: unknown[] } };

function isRetried(error: unknown): boolean {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return cause instanceof pg.DatabaseError && RETRIED_STATES.has(cause.code ?? "");
}

/** Sets the short time limit. The driver knows the option; its types do not. */
function answeredSoon<S extends { text: string }>(statement: S): S & { query_timeout: number } {
  return { ...statement, query_timeout: ANSWER_MS };
}

/** The driver's time limit passed; the statement may still run, so the connection cannot be reused. */
function isUnanswered(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.message === "Query read timeout" || isUnanswered(error.cause);
}

/** SQLSTATE classes of an unavailable database: connection, resources (full disk), operator, I/O. */
const UNAVAILABLE_CLASSES = ["08", "53", "57P", "58"];

/** Read-only after a failover, cancelled by a time limit, lock not granted, conflicts left after the retries. */
const UNAVAILABLE_STATES = new Set(["25006", "25P03", "57014", "55P03", "40001", "40P01"]);

const NETWORK_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ETIMEDOUT",
  "EPIPE",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOSPC",
]);

/** Errors of the driver and its pool that have no code. */
const DRIVER_MESSAGES =
  /^(timeout exceeded when trying to connect|Connection terminated|Client (has encountered a connection error|was closed) and is not queryable|Cannot use a pool after calling end|Query read timeout)/;

/** Whether the error is temporary (database or object storage unavailable, overloaded or full) rather than a defect of ours. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError && error.errors.some(isUnavailable)) return true;
  // Of the object storage, or of a call that another state of the installation refuses.
  if (error instanceof DomainError) {
    return error.code === "ERR_UNAVAILABLE" || error.code === "ERR_COMPANY_BUSY";
  }
  return isUnavailableItself(error) || isUnavailable(error.cause);
}

function isUnavailableItself(error: Error): boolean {
  if ("code" in error && typeof error.code === "string") {
    const { code } = error;
    if (NETWORK_CODES.has(code) || UNAVAILABLE_STATES.has(code)) return true;
    // SQLSTATEs have five characters; the framework's own codes are longer.
    if (code.length === 5) return UNAVAILABLE_CLASSES.some((prefix) => code.startsWith(prefix));
  }
  return DRIVER_MESSAGES.test(error.message);
}
