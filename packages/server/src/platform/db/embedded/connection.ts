import { Client, escapeIdentifier } from "pg";

import { ownerName } from "./cluster.ts";

export type Credentials = { port: number; password: string };

/**
 * - `busy`: a PostgreSQL that starts, recovers or stops; ask again.
 * - `silent`: nobody listens, or nobody who answers like a PostgreSQL in time.
 * - `foreign`: a PostgreSQL with another password.
 */
export type Answer =
  | { client: Client }
  | { client: undefined; state: "busy" | "silent" | "foreign" };

const busyCodes = new Set(["57P01", "57P02", "57P03", "53300"]);
const refusedCodes = new Set(["28P01", "28000"]);

/** Tries once to sign in as the owner. The client listens to its errors: an unheard one would end the process. */
export async function connectOwner({ port, password }: Credentials): Promise<Answer> {
  const client = new Client({
    host: "127.0.0.1",
    port,
    user: ownerName,
    password,
    // Advisory locks belong to one database: this is the one that every process of ours can always name.
    database: "postgres",
    application_name: `balcao process ${process.pid}`,
    connectionTimeoutMillis: 3_000,
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return { client };
  } catch (error) {
    return { client: undefined, state: stateOf(error) };
  }
}

export function ownerUrl({ port, password }: Credentials, database: string): string {
  return `postgres://${ownerName}:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`;
}

export async function ensureDatabase(client: Client, database: string): Promise<void> {
  const found = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [database]);
  if (found.rowCount === 0) {
    await client.query(`CREATE DATABASE ${escapeIdentifier(database)}`);
  }
}

function stateOf(error: unknown): "busy" | "silent" | "foreign" {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (busyCodes.has(code)) return "busy";
  return refusedCodes.has(code) ? "foreign" : "silent";
}
