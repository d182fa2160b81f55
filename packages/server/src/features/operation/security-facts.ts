import { access, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { apiScopes } from "@balcao/contract";
import { toDate } from "date-fns/toDate";
import { z } from "zod";
import type { Config } from "../../platform/config/config.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { InstallationSecrets } from "../../platform/db/installation.ts";
import { migrationsFolder } from "../../platform/db/installation.ts";
import type { Arrivals } from "../../platform/http/security.ts";
import type { Clock } from "../../platform/sources.ts";
import { demoStaff } from "../provisioning/index.ts";

export type SecurityDeps = {
  db: Database;
  /** This machine's. */
  clock: Clock;
  config: Config;
  /** The names of the product's two roles in the database. */
  roles: { app: string; service: string };
  /** The generated ones. */
  secrets: InstallationSecrets;
  /** Null where no requests are served. */
  arrivals: Readonly<Arrivals> | null;
};

type Account = { email: string; isFirst: boolean; hasFactor: boolean };
type RoleRow = { name: string; isWide: boolean; owns: boolean };

/** The facts that the database knows. */
export type DatabaseFacts = {
  /** How many milliseconds its clock is ahead of this process's. */
  aheadMs: number;
  /** `server_version_num`, as 180001. */
  versionNumber: number;
  isEncrypted: boolean;
  isLocal: boolean;
  roles: RoleRow[];
  /** The owner of the tables is a superuser of the server. */
  isOwnerWide: boolean;
  /** How many tables hold rows of companies, and those of them that are not closed to other companies. */
  tables: number;
  openTables: string[];
  superUsers: Account[];
  /** E-mail addresses of admins and super users that nobody has used for `STALE_DAYS`. */
  staleAccounts: string[];
  importedPasswords: number;
  signUp: boolean;
  /** Tokens of programs that nobody used for `STALE_DAYS`, and those that may do everything. */
  unusedTokens: number;
  wideTokens: number;
  /** Hosts that get events without encryption. */
  plainHosts: string[];
  /** Companies besides the provider's and the demo. */
  companies: number;
  hasDemo: boolean;
  simulators: number;
  realConnections: number;
  versions: string[];
  backup: { hours: number | null; hasFailed: boolean; isEncrypted: boolean | null } | null;
  /** Days since a backup was last restored on trial; null: never. */
  trialDays: number | null;
};

export type SecurityFacts = {
  now: Date;
  config: Config;
  secrets: InstallationSecrets;
  arrivals: Readonly<Arrivals> | null;
  nodeVersion: string;
  /** When the newest change of the database's form was written, which dates this version. */
  versionWrittenAt: Date;
  files: {
    hasFirstPasswords: boolean;
    /** Paths that other accounts of the machine may read or write; null where the file system does not say. */
    open: string[] | null;
    /** Backups go to the disk of the data; null without a folder for them. */
    isBackupBeside: boolean | null;
  };
  database: DatabaseFacts;
};

/** Tokens and privileged accounts that were not used for so long are named. */
const STALE_DAYS = 90;

/** As start-message.ts writes it. */
const FIRST_PASSWORDS_FILE = "first-passwords.txt";

/** Reads everything that the check looks at. Nothing leaves this machine and its database. */
export async function readSecurityFacts(deps: SecurityDeps): Promise<SecurityFacts> {
  const { config, secrets, arrivals } = deps;
  return {
    ...{ now: deps.clock.now(), config, secrets, arrivals, nodeVersion: process.versions.node },
    versionWrittenAt: await readVersionDate(),
    files: await readFiles(config),
    database: await deps.db.acrossCompanies((tx) => readDatabase(tx, deps)),
  };
}

const journal = z.object({ entries: z.array(z.object({ when: z.number() })) });

async function readVersionDate(): Promise<Date> {
  const text = await readFile(`${migrationsFolder}/meta/_journal.json`, "utf8");
  const { entries } = journal.parse(JSON.parse(text));
  return toDate(Math.max(...entries.map(({ when }) => when)));
}

/** Rights of accounts that are neither the owner nor in the owner's group. */
const OTHERS_READ_OR_WRITE = 0o006;
const OTHERS_ANYTHING = 0o007;

async function readFiles({ dataDir, backup }: Config): Promise<SecurityFacts["files"]> {
  const firstPasswords = join(dataDir, FIRST_PASSWORDS_FILE);
  const folder = backup.to === null || backup.to.startsWith("s3://") ? null : backup.to;
  const looked = [
    { path: dataDir, refused: OTHERS_READ_OR_WRITE },
    { path: firstPasswords, refused: OTHERS_ANYTHING },
    ...(backup.keyFile === null ? [] : [{ path: backup.keyFile, refused: OTHERS_ANYTHING }]),
    ...(folder === null ? [] : [{ path: folder, refused: OTHERS_READ_OR_WRITE }]),
  ];
  const open: string[] = [];
  for (const { path, refused } of looked) {
    const found = await stat(path).catch(() => null);
    if (found !== null && (found.mode & refused) !== 0) open.push(path);
  }
  const data = await stat(dataDir).catch(() => null);
  const copies = folder === null ? null : await stat(folder).catch(() => null);
  return {
    hasFirstPasswords: await access(firstPasswords).then(
      () => true,
      () => false,
    ),
    open: process.platform === "win32" ? null : open,
    isBackupBeside: data === null || copies === null ? null : data.dev === copies.dev,
  };
}

type ServerRow = Pick<DatabaseFacts, "versionNumber" | "isEncrypted" | "isLocal"> & { now: Date };

async function readDatabase(tx: Tx, { clock, roles }: SecurityDeps): Promise<DatabaseFacts> {
  const before = clock.now().getTime();
  const [server] = await tx.query<ServerRow>(serverStatement);
  if (!server) throw new Error("the database answered nothing");
  const { now, ...facts } = server;
  const aheadMs = now.getTime() - (before + clock.now().getTime()) / 2;
  const [access] = await tx.query<AccessRow>(accessStatement, [roles.app, roles.service]);
  const [accounts] = await tx.query<AccountsRow>(accountsStatement, [STALE_DAYS]);
  const [outside] = await tx.query<OutsideRow>(outsideStatement, [
    STALE_DAYS,
    demoStaff.map(({ email }) => email),
    apiScopes.length,
  ]);
  const [copies] = await tx.query<BackupRow>(backupStatement);
  if (!access || !accounts || !outside) throw new Error("the database answered nothing");
  return {
    ...{ ...facts, aheadMs, ...access, ...accounts, ...outside },
    backup: copies ?? null,
    trialDays: copies?.trialDays ?? null,
  };
}

const serverStatement = {
  name: "security.server",
  text: `
select clock_timestamp() as now, current_setting('server_version_num')::int as "versionNumber",
  coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as "isEncrypted",
  coalesce(inet_server_addr() <<= '127.0.0.0/8' or inet_server_addr() = '::1', true) as "isLocal"`,
};

type AccessRow = Pick<DatabaseFacts, "roles" | "isOwnerWide" | "tables" | "openTables">;

/** Every table with a company must be closed to the application's role by a policy that also binds its owner. */
const accessStatement = {
  name: "security.access",
  text: `
with owner as (
  select r.oid, r.rolsuper from pg_class c join pg_roles r on r.oid = c.relowner where c.oid = 'public.companies'::regclass
), tenant as (
  select c.relname::text as name,
    c.relrowsecurity and c.relforcerowsecurity and (
      select count(*) from pg_policy p
      where p.polrelid = c.oid and (p.polroles = '{0}' or to_regrole(quote_ident($1))::oid = any (p.polroles))
    ) = 1 as closed
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and not a.attisdropped
    and a.attname = case when c.relname = 'companies' then 'id' else 'company_id' end
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
)
select (select rolsuper from owner) as "isOwnerWide",
  coalesce((select jsonb_agg(jsonb_build_object(
    'name', r.rolname, 'isWide', r.rolsuper or r.rolbypassrls or r.rolcreaterole or r.rolcreatedb,
    'owns', r.oid = (select oid from owner) or pg_has_role(r.oid, (select oid from owner), 'member')))
    from pg_roles r where r.rolname in ($1, $2)), '[]') as roles,
  (select count(*)::int from tenant) as tables,
  coalesce((select array_agg(name order by name) from tenant where not closed), '{}') as "openTables"`,
};

type AccountsRow = Pick<
  DatabaseFacts,
  "superUsers" | "staleAccounts" | "importedPasswords" | "signUp"
>;

const accountsStatement = {
  name: "security.accounts",
  text: `
select
  coalesce((select jsonb_agg(jsonb_build_object('email', u.email, 'isFirst', u.password_set_at is null,
      'hasFactor', exists (select from user_factors f where f.company_id = u.company_id and f.user_id = u.id
        and f.confirmed_at is not null)) order by u.email)
    from users u where u.super and u.deleted_at is null), '[]') as "superUsers",
  coalesce((select array_agg(email order by email) from (
    select email from users
    where (super or profile = 'admin') and deleted_at is null
      and coalesce(last_seen_at, created_at) < now() - make_interval(days => $1)
    order by super desc, email limit 50) stale), '{}') as "staleAccounts",
  (select count(*)::int from users where deleted_at is null and password_hash like '$2%') as "importedPasswords",
  not exists (select from settings s join users u on u.company_id = s.company_id and u.super and u.deleted_at is null
    where s.key = 'allowregister' and s.value = 'disabled') as "signUp"`,
};

type OutsideRow = Pick<
  DatabaseFacts,
  | "unusedTokens"
  | "wideTokens"
  | "plainHosts"
  | "companies"
  | "hasDemo"
  | "simulators"
  | "realConnections"
  | "versions"
>;

/** Tokens of connections have no date of their own; the log of calls, kept for a month, says whether they are used. */
const outsideStatement = {
  name: "security.outside",
  text: `
with demo as (
  select distinct company_id as id from users where email = any ($2::text[]) and deleted_at is null
), others as (
  select c.id from companies c
  where c.id not in (select id from demo) and c.id not in (select company_id from users where super)
), lines as (
  select channel, company_id from connections where deleted_at is null
)
select
  (select count(*)::int from api_tokens
    where coalesce(last_used_at, created_at) < now() - make_interval(days => $1))
  + (select count(*)::int from connections c
    where c.deleted_at is null and c.token <> '' and c.created_at < now() - interval '30 days'
      and not exists (select from api_calls l where l.company_id = c.company_id and l.connection_id = c.id))
    as "unusedTokens",
  (select count(*)::int from api_tokens where jsonb_array_length(scopes) >= $3) as "wideTokens",
  coalesce((select array_agg(host order by host) from (
    select distinct substring(url from '^http://([^/?#]+)') as host
    from (select url from webhooks where stopped_at is null union all select url from integrations where stopped_at is null) urls
    where url ilike 'http://%' limit 20) plain where host is not null), '{}') as "plainHosts",
  (select count(*)::int from others) as companies,
  exists (select from demo) as "hasDemo",
  (select count(*)::int from lines where channel = 'simulator' and company_id not in (select id from demo)) as simulators,
  (select count(*)::int from lines where channel <> 'simulator') as "realConnections",
  coalesce((select array_agg(distinct version) from processes where seen_at > now() - interval '30 seconds'), '{}') as versions`,
};

type BackupRow = NonNullable<DatabaseFacts["backup"]> & { trialDays: number | null };

/** No row while no backup was ever begun. */
const backupStatement = {
  name: "security.backup",
  text: `
select (extract(epoch from now() - good.ended_at) / 3600)::float8 as hours, newest.error is not null as "hasFailed",
  good.is_encrypted as "isEncrypted",
  (select extract(epoch from now() - max(verified_at)) / 86400 from backups)::float8 as "trialDays"
from (select error from backups order by started_at desc, id desc limit 1) newest
left join lateral (
  select ended_at, is_encrypted from backups where name is not null and error is null
  order by started_at desc, id desc limit 1
) good on true`,
};
