import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import pg from "pg";
import { installJobTables } from "../jobs/jobs.ts";
import type { Random } from "../sources.ts";
import type { RoleUrls } from "./roles.ts";
import { hasRoles, keepFact, prepareRoles } from "./roles.ts";

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

export type Installation = RoleUrls & { secrets: InstallationSecrets };

/**
 * Brings the database to this version: migrations, job tables, roles with their rights, and generated secrets, under one
 * advisory lock, so that any number of processes may start together. Nothing else needs the owner. `ownerUrl` need not be
 * a superuser, but must be allowed to create roles and the trusted extensions unaccent, pg_trgm and btree_gin.
 */
export async function prepareInstallation(ownerUrl: string, random: Random): Promise<Installation> {
  const client = new pg.Client({ connectionString: ownerUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
    // Without its policies the owner of a restored database would see no rows, and migrations would change none.
    if (await hasRoles(client)) await prepareRoles(client, ownerUrl, random);
    await migrate(drizzle(client), { migrationsFolder });
    await installJobTables(client);
    const roles = await prepareRoles(client, ownerUrl, random);
    const accessToken = await keepFact(client, "access-token-secret", random.hex(32));
    const refreshToken = await keepFact(client, "refresh-token-secret", random.hex(32));
    const seal = await keepFact(client, "seal-secret", random.hex(32));
    return { ...roles, secrets: { accessToken, refreshToken, seal } };
  } finally {
    // Ends the advisory lock with the session.
    await client.end();
  }
}
