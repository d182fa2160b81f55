import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import pg from "pg";
import type { Random } from "../sources.ts";

/** Any number, the same in every process: who holds it migrates. */
const MIGRATION_LOCK = 7_220_415;

const migrationsFolder = new URL("../../../migrations", import.meta.url).pathname;

/** Secrets that every process of the installation shares; generated at the first start, kept in the database. */
export type InstallationSecrets = {
  accessToken: string;
  refreshToken: string;
  /** Encrypts the credentials of connections. */
  seal: string;
};

export type Installation = {
  /** Address for the application's role, which is under row-level security. */
  appUrl: string;
  secrets: InstallationSecrets;
};

/**
 * Brings the database to this version: migrations, generated secrets and the application role's password, under one
 * advisory lock, so that any number of processes may start together. `ownerUrl` must be allowed to create roles and
 * the trusted extensions unaccent and pg_trgm.
 */
export async function prepareInstallation(ownerUrl: string, random: Random): Promise<Installation> {
  const client = new pg.Client({ connectionString: ownerUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
    await migrate(drizzle(client), { migrationsFolder });
    const accessToken = await keepSecret(client, "access-token-secret", random.hex(32));
    const refreshToken = await keepSecret(client, "refresh-token-secret", random.hex(32));
    const seal = await keepSecret(client, "seal-secret", random.hex(32));
    const password = await keepSecret(client, "app-role-password", random.hex(24));
    const { rows } = await client.query<{ role: string; statement: string }>(
      `select current_database() || '_app' as role,
              format('alter role %I password %L', current_database() || '_app', $1::text) as statement`,
      [password],
    );
    const row = rows[0];
    if (!row) throw new Error("the database did not name itself");
    await client.query(row.statement);
    return {
      appUrl: withCredentials(ownerUrl, row.role, password),
      secrets: { accessToken, refreshToken, seal },
    };
  } finally {
    // Ends the advisory lock with the session.
    await client.end();
  }
}

/** The stored secret, or the proposal when there is none yet. */
async function keepSecret(client: pg.Client, key: string, proposal: string): Promise<string> {
  await drizzle(client).execute(
    sql`insert into installation (key, value) values (${key}, ${proposal}) on conflict (key) do nothing`,
  );
  const { rows } = await client.query<{ value: string }>(
    "select value from installation where key = $1",
    [key],
  );
  const value = rows[0]?.value;
  if (value === undefined) throw new Error(`installation secret ${key} is missing`);
  return value;
}

function withCredentials(url: string, user: string, password: string): string {
  const parsed = new URL(url);
  parsed.username = encodeURIComponent(user);
  parsed.password = encodeURIComponent(password);
  return parsed.toString();
}
