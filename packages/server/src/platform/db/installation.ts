import { setTimeout as wait } from "node:timers/promises";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import pg from "pg";
import type { Random } from "../sources.ts";

/** An arbitrary number; the process that holds this lock migrates. */
export const MIGRATION_LOCK = 7_220_415;

/** It stands in a database while an archive is restored into it, and after a restore that was interrupted. */
export const RESTORING_SCHEMA = "balcao_restoring";

export const migrationsFolder = new URL("../../../migrations", import.meta.url).pathname;

/**
 * While a migration waits for a table, all who want that table wait behind it. So it waits this long, lets them pass, and
 * tries again.
 */
const LOCK_WAIT_MS = 2_000;
const LOCK_PAUSE_MS = 1_000;
const LOCK_ATTEMPTS = 40;
/** The lock was not free in time, or a deadlock with the work of the other processes. */
const LOCK_NOT_FREE = new Set(["55P03", "40P01"]);

/** The database was migrated by a later version of the program. */
export class DatabaseIsNewer extends Error {
  override name = "DatabaseIsNewer";
}

/** A restore into the database was interrupted. */
export class RestoreUnfinished extends Error {
  override name = "RestoreUnfinished";
}

/** Secrets that all processes of the installation share; generated at the first start, kept in the database. */
export type InstallationSecrets = {
  accessToken: string;
  refreshToken: string;
  /** Encrypts the credentials of connections. */
  seal: string;
};

export type Installation = RoleUrls & { secrets: InstallationSecrets };

/**
 * Brings the database to this version: migrations, roles with their rights, and generated secrets. One advisory lock
 * lets any number of processes start together. Only this needs the owner. `ownerUrl` need not be a superuser, but must
 * be allowed to create roles and the trusted extensions unaccent, pg_trgm and btree_gin.
 */
export async function prepareInstallation(
  ownerUrl: string,
  random: Random,
  migrations = migrationsFolder,
): Promise<Installation> {
  const client = new pg.Client({ connectionString: ownerUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
    await refuseUnfinished(client);
    await refuseNewer(client, migrations);
    // Without its policies, the owner of a restored database sees no rows, and migrations would change none.
    if (await hasRoles(client)) await prepareRoles(client, ownerUrl, random);
    await migrateInPauses(client, migrations);
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

async function refuseUnfinished(client: pg.Client): Promise<void> {
  const found = await client.query("select 1 where to_regnamespace($1) is not null", [
    RESTORING_SCHEMA,
  ]);
  if (found.rowCount === 0) return;
  throw new RestoreUnfinished(
    "A restore into this database was interrupted, so it is empty or incomplete. Run `npm run restore` again.",
  );
}

/** An old program would work on tables whose rules it does not know. The caller holds the installation's lock. */
async function refuseNewer(client: pg.Client, migrations: string): Promise<void> {
  const table = "drizzle.__drizzle_migrations";
  const found = await client.query("select 1 where to_regclass($1) is not null", [table]);
  if (found.rowCount === 0) return;
  const known = readMigrationFiles({ migrationsFolder: migrations });
  const newest = Math.max(...known.map(({ folderMillis }) => folderMillis));
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from ${table} where created_at > $1`,
    [newest],
  );
  const count = rows[0]?.count ?? 0;
  if (count === 0) return;
  throw new DatabaseIsNewer(
    `The database was migrated by a later version of Balcão (migrations that this one does not know: ${count}). ` +
      "Start the later version, or restore the backup that was made before the update.",
  );
}

/** Runs all new migrations in one transaction, between the work of other processes. */
async function migrateInPauses(client: pg.Client, migrations: string): Promise<void> {
  await client.query(`set lock_timeout = ${LOCK_WAIT_MS}`);
  for (let attempt = 1; ; attempt += 1) {
    try {
      await migrate(drizzle(client), { migrationsFolder: migrations });
      break;
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      if (attempt === LOCK_ATTEMPTS || !isState(cause, LOCK_NOT_FREE)) throw error;
      await wait(LOCK_PAUSE_MS);
    }
  }
  await client.query("reset lock_timeout");
}

/** Addresses of the two roles that the running product uses. */
export type RoleUrls = {
  /** Bypasses the tenant policies, changes no schema: jobs, leases, sign-in, functions `…AcrossCompanies`. */
  serviceUrl: string;
  /** Under row-level security: everyday work for one company. */
  appUrl: string;
};

/** The names of the two roles in the database. */
export function rolesOf({ appUrl, serviceUrl }: RoleUrls): { app: string; service: string } {
  const nameOf = (url: string): string => decodeURIComponent(new URL(url).username);
  return { app: nameOf(appUrl), service: nameOf(serviceUrl) };
}

type Login = { name: string; password: string };

/** Tables without a company that the application's role reads. */
const sharedTables = ["plans", "announcements", "helps", "brands", "brand_images"];

/** Tables that functions of the database write, and the roles only read. */
const readTables = ["audit_entries"];

const WRONG_PASSWORD = new Set(["28P01", "28000"]);
const PASSWORD_ATTEMPTS = 10;

/**
 * Creates missing roles and grants missing rights. Names and passwords are in the database, so that it can be renamed,
 * copied, or restored on another server. Roles belong to the whole server: random names separate installations, and copies
 * of one database share theirs. Changes nothing when everything is in place. The caller holds the installation's lock.
 */
async function prepareRoles(
  client: pg.Client,
  ownerUrl: string,
  random: Random,
): Promise<RoleUrls> {
  const prefix = `balcao_${random.hex(5)}`;
  const login = async (key: string, name: string): Promise<Login> => ({
    name: await keepFact(client, `${key}-role`, name),
    password: await keepFact(client, `${key}-role-password`, random.hex(24)),
  });
  const app = await login("app", `${prefix}_app`);
  const service = await login("service", `${prefix}_service`);
  for (const { name } of [app, service]) await ensureRole(client, name);
  // Twice: isolating a table also grants.
  for (const missing of [missingIsolation, missingRights]) {
    const { rows } = await client.query<{ statement: string }>(missing, [app.name, service.name]);
    for (const { statement } of rows) await client.query(statement);
  }
  return {
    appUrl: await ensurePassword(client, ownerUrl, app),
    serviceUrl: await ensurePassword(client, ownerUrl, service),
  };
}

/** Whether an earlier start created the roles; a restored database may lack them until its migrations have run. */
async function hasRoles(client: pg.Client): Promise<boolean> {
  const table = await client.query("select 1 where to_regclass('public.installation') is not null");
  if (table.rowCount === 0) return false;
  const names = await client.query("select 1 from installation where key = 'service-role'");
  return names.rowCount !== 0;
}

/** The stored value; stores the proposal when there is none yet. */
async function keepFact(client: pg.Client, key: string, proposal: string): Promise<string> {
  await client.query(
    "insert into installation (key, value) values ($1, $2) on conflict (key) do nothing",
    [key, proposal],
  );
  const { rows } = await client.query<{ value: string }>(
    "select value from installation where key = $1",
    [key],
  );
  const value = rows[0]?.value;
  if (value === undefined) throw new Error(`${key} is missing in table installation`);
  return value;
}

/** A copy of the database on the same server may create the role at the same moment. */
async function ensureRole(client: pg.Client, name: string): Promise<void> {
  const role = pg.escapeIdentifier(name);
  await client.query(
    `do $$ begin
       if to_regrole(${pg.escapeLiteral(role)}) is null then
         create role ${role} login nosuperuser nocreatedb nocreaterole nobypassrls;
       end if;
     exception when duplicate_object or unique_violation then null;
     end $$`,
  );
}

/** The address with the login of another one, as its URL has it. */
export function addressFor(url: string, login: Pick<URL, "username" | "password">): string {
  const address = new URL(url);
  address.username = login.username;
  address.password = login.password;
  return address.toString();
}

/** Signs in to check the password: only a superuser could read it, and setting it disturbs copies. */
async function ensurePassword(client: pg.Client, ownerUrl: string, login: Login): Promise<string> {
  const address = addressFor(ownerUrl, {
    username: encodeURIComponent(login.name),
    password: encodeURIComponent(login.password),
  });
  for (let attempt = 1; ; attempt += 1) {
    try {
      await signIn(address);
      return address;
    } catch (error) {
      if (attempt === PASSWORD_ATTEMPTS || !isState(error, WRONG_PASSWORD)) throw error;
    }
    const role = pg.escapeIdentifier(login.name);
    try {
      await client.query(`alter role ${role} login password ${pg.escapeLiteral(login.password)}`);
    } catch (error) {
      // The start of a copy sets the same password at this moment ("tuple concurrently updated").
      if (!isState(error, new Set(["XX000"]))) throw error;
    }
  }
}

async function signIn(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
  } finally {
    await client.end();
  }
}

function isState(error: unknown, states: ReadonlySet<string>): boolean {
  return error instanceof pg.DatabaseError && states.has(error.code ?? "");
}

/** Statements for isolated tables that lack a policy, as after a restore without the roles. */
const missingIsolation = `
  select format('select isolate_tenants(%L::regclass, %L)', c.oid::regclass,
                case when c.relname = 'companies' then 'id' else 'company_id' end) as statement
  from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relrowsecurity
    and (select count(*) from pg_policy p where p.polrelid = c.oid and (p.polname, p.polroles) in (
           ('tenant', array[to_regrole(quote_ident($1))::oid]), ('service', array[to_regrole(quote_ident($2))::oid]),
           ('installation', array[to_regrole(current_user)::oid]))) <> 3
  order by 1`;

function namesOf(tables: readonly string[]): string {
  return `array[${tables.map((name) => pg.escapeLiteral(name)).join()}]`;
}

const fourRights = "('SELECT'), ('INSERT'), ('UPDATE'), ('DELETE')";

/** Statements that grant missing rights. The service role reads no secrets of the installation. */
const missingRights = `
  with tables as (
    select c.oid, c.relnamespace, c.relname, c.relrowsecurity from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
      and c.relowner = to_regrole(current_user) and c.relname <> 'installation'
  ), wanted as (
    select 'grant usage on schema ' || n.nspname || ' to %I' as statement, r.name
    from pg_namespace n cross join (values ($1), ($2)) as r (name)
    where n.nspname = 'public' and not has_schema_privilege(r.name, n.oid, 'USAGE')
    union all
    select 'grant select, insert, update, delete on ' || t.oid::regclass || ' to %I', r.name
    from tables t cross join (values ($1), ($2)) as r (name)
    where (r.name = $2 or t.relrowsecurity) and t.relname <> all (${namesOf(readTables)})
      and exists (select from (values ${fourRights}) as one (privilege)
                  where not has_table_privilege(r.name, t.oid, one.privilege))
    union all
    select 'grant select on ' || t.oid::regclass || ' to %I', $1
    from tables t
    where t.relname = any (${namesOf(sharedTables)})
      and not has_table_privilege($1, t.oid, 'SELECT')
    union all
    select 'grant select on ' || t.oid::regclass || ' to %I', r.name
    from tables t cross join (values ($1), ($2)) as r (name)
    where t.relname = any (${namesOf(readTables)}) and not has_table_privilege(r.name, t.oid, 'SELECT')
    union all
    select 'revoke insert, update, delete, truncate on ' || t.oid::regclass || ' from %I', r.name
    from tables t cross join (values ($1), ($2)) as r (name)
    where t.relname = any (${namesOf(readTables)})
      and has_table_privilege(r.name, t.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
    union all
    select 'grant execute on function ' || p.oid::regprocedure || ' to %I', r.name
    from pg_proc p cross join (values ($1), ($2)) as r (name)
    where p.pronamespace = 'public'::regnamespace and p.prosecdef and p.proowner = to_regrole(current_user)
      and not has_function_privilege(r.name, p.oid, 'EXECUTE')
  )
  select format(statement, name) as statement from wanted`;
