import type pg from "pg";
import { Counter, Histogram } from "prom-client";
import type { Logger } from "../logging/logger.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { Incidents } from "./incidents.ts";
import { beginStatement, currentWork } from "./work.ts";

/** Sees every statement of the pools' connections, with its time. */
export type StatementWatch = {
  /** Has the statements of a new connection seen. */
  watch(client: pg.PoolClient): void;
  /** Age of the oldest transaction that is open in this process. */
  oldestTransactionSeconds(): number;
};

/** Names in the metrics; further ones are `(other)`. */
const NAMES = 100;

type Deps = { slowMs: number; log: Logger; metrics: Metrics; incidents: Incidents };

/** Measures statements, and logs and counts those that take longer than `slowMs`, by name: never with their values. */
export function createStatementWatch({ slowMs, log, metrics, incidents }: Deps): StatementWatch {
  const registers = [metrics.registry];
  const seconds = new Histogram({
    name: "balcao_database_statement_seconds",
    help: "Duration of database statements, from sending to the answer",
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 8],
    registers,
  });
  const slow = new Counter({
    name: "balcao_database_slow_statements_total",
    help: "Database statements over the limit of BALCAO_SLOW_STATEMENT_MS, by name",
    labelNames: ["statement"],
    registers,
  });
  const names = new Set<string>();
  /** The beginnings of the open transactions. */
  const begun = new Map<object, number>();

  function ended(name: string, tookMs: number, companyId: number | null): void {
    seconds.observe(tookMs / 1_000);
    if (tookMs < slowMs) return;
    const ms = Math.round(tookMs);
    const work = currentWork();
    const about = {
      ...(companyId === null ? {} : { companyId }),
      ...(work === undefined ? {} : { work: work.name }),
      ...(work?.requestId === undefined ? {} : { requestId: work.requestId }),
    };
    log.warn({ statement: name, ms, ...about }, "slow statement");
    if (names.size < NAMES) names.add(name);
    slow.inc({ statement: names.has(name) ? name : "(other)" });
    incidents.note({
      kind: "statement",
      place: name,
      code: "slow",
      ms,
      requestId: work?.requestId ?? null,
    });
  }

  return {
    watch(client) {
      // The driver's overloads: a promise, or a callback at the end (the pool's own way).
      const driver = Object.getPrototypeOf(client) as { query: (...args: unknown[]) => unknown };
      // Looked up at each statement: others may watch the driver, too.
      const send = (...args: unknown[]): unknown => driver.query.apply(client, args);
      let companyId: number | null = null;
      const watched = (...args: unknown[]): unknown => {
        const text = textOf(args[0]);
        // A stream of rows answers in its own way.
        if (text === null) return send(...args);
        const name = nameOf(args[0], text);
        if (name === "begin") {
          companyId = companyOf(text);
          begun.set(client, performance.now());
        }
        const beganMs = performance.now();
        const endSpan = beginStatement(name);
        const company = companyId;
        const isLast = name === "commit" || name === "rollback";
        if (isLast) companyId = null;
        const end = (error?: unknown): void => {
          if (isLast) begun.delete(client);
          endSpan?.(error);
          ended(name, performance.now() - beganMs, company);
        };
        const callback = args.at(-1);
        if (typeof callback === "function") {
          args[args.length - 1] = (error: unknown, result: unknown): void => {
            end(error ?? undefined);
            callback(error, result);
          };
          return send(...args);
        }
        const answer = send(...args);
        if (answer instanceof Promise)
          answer.then(
            () => end(),
            (error: unknown) => end(error ?? new Error("failed")),
          );
        return answer;
      };
      Object.defineProperty(client, "query", { value: watched, configurable: true });
      client.once("end", () => begun.delete(client));
    },
    oldestTransactionSeconds() {
      const oldest = Math.min(...begun.values());
      return Number.isFinite(oldest) ? (performance.now() - oldest) / 1_000 : 0;
    },
  };
}

function textOf(statement: unknown): string | null {
  if (typeof statement === "string") return statement;
  if (typeof statement !== "object" || statement === null || "submit" in statement) return null;
  const { text } = statement as { text?: unknown };
  return typeof text === "string" ? text : null;
}

/** The name of a prepared statement; else what it does to which table: `select tickets`. */
export function nameOf(statement: unknown, text: string): string {
  if (typeof statement === "object" && statement !== null && "name" in statement) {
    const { name } = statement;
    if (typeof name === "string" && name !== "") return name;
  }
  const [, verb = "other"] = /^[\s(]*(\w+)/.exec(text) ?? [];
  const command = verb.toLowerCase();
  if (/^(begin|commit|rollback|set)$/.test(command)) return command;
  // What follows `with …` decides, and a text of many lines is read as far as its first table.
  const [, table = ""] =
    /\b(?:from|into|update|join|copy|table)\s+(?:only\s+)?"?([a-z_]\w{0,62})"?/i.exec(text) ?? [];
  return table === "" ? command : `${command} ${table.toLowerCase()}`;
}

/** The company of a transaction, from the statement that begins it (`beginFor` in database.ts). */
function companyOf(begin: string): number | null {
  const [, id] = /'app\.company_id', '(\d+)'/.exec(begin) ?? [];
  return id === undefined ? null : Number(id);
}
