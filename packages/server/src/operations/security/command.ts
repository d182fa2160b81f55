import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { SecurityCheck, SecurityFinding, SecurityReport } from "@balcao/contract";
import pg from "pg";
import { createPasswordCheck } from "../../features/auth/passwords.ts";
import { checkSecurity } from "../../features/operation/index.ts";
import { readConfig } from "../../platform/config/config.ts";
import { openDatabase } from "../../platform/db/database.ts";
import { reachEmbeddedPostgres } from "../../platform/db/embedded/index.ts";
import type { InstallationSecrets } from "../../platform/db/installation.ts";
import { createLogger } from "../../platform/logging/logger.ts";
import { systemSources } from "../../platform/sources.ts";
import { problemForPeople } from "../../start-message.ts";
import { NoInstallation } from "../backup/backup.ts";

const usage = `Usage: npm run check:security -- [options]
  --json         the report as the page reads it
  --passwords    also tries the most common passwords against super users and admins (about a second for each)
Exit code 1: something must be done. The installation is that of BALCAO_DATA and DATABASE_URL, as for npm start.`;

/** Exit codes: 64 is a wrong command line, 78 something that people have to change before it can run. */
const USAGE = 64;
const NEEDS_PEOPLE = 78;

const TRIED_ACCOUNTS = 200;

/** Every one costs as much as a sign-in. Passwords that were set here are none of them; imported ones may be. */
const triedPasswords =
  `123456 12345678 123456789 1234567890 12345 1234 123123 111111 000000 102030 10203040 112233 123321 654321
  senha senha123 Senha123 Senha@123 mudar123 Mudar123 Mudar@123 123mudar trocar123 brasil teste teste123 admin admin123 Admin123 Admin@123
  password Password1 qwerty abc123 1q2w3e4r whaticket whaticket123 balcao balcao123 suporte suporte123 atendimento`.split(
    /\s+/,
  );

/** The findings in a few words; the page and docs/security-check.md say why, and what to do. */
const sentences: Readonly<Record<SecurityFinding, string>> = {
  tlsOn: "people reach it by https",
  tlsLocal: "only this machine reaches it, without encryption",
  tlsUnnamed: "people reach it by https, but BALCAO_PUBLIC_URL is not set",
  tlsOff: "passwords and conversations travel unencrypted",
  cookiesSecure: "session cookies travel encrypted only",
  cookiesLocal: "session cookies are not Secure, on this machine alone",
  cookiesPlain: "session cookies are not Secure",
  proxyKnown: "a trusted proxy is in front",
  proxyNone: "no proxy is in front",
  proxyUnseen: "a proxy is trusted, and no request has come yet",
  proxyForged: "requests name a proxy that is not trusted",
  proxyUntrusted: "a proxy is in front and is not trusted",
  proxyBypassed: "a proxy is trusted, and requests come past it",
  originsNone: "no other origins",
  originsExact: "other origins are named exactly",
  originsPlain: "other origins come without encryption",
  originsWildcard: "an origin with * never matches",
  limitsOn: "requests are limited",
  limitsHigh: "limits of requests are so high that they hold nobody",
  metricsLocal: "/metrics answers this machine only",
  metricsToken: "/metrics asks for a token",
  metricsWeak: "the token of /metrics is easy to guess",
  hostsNone: "receivers of events are public hosts",
  hostsSome: "receivers inside the network are named",
  hostsInner: "receivers on this machine, or on every port of a host, are allowed",
  firstChanged: "super users have set passwords of their own",
  firstUnchanged: "super users still have their first password",
  firstInSettings: "the first password stands in the settings",
  firstFile: "the file of the first passwords is still there",
  superFew: "super users",
  superMany: "many super users",
  factorAll: "every super user has a second factor",
  factorMissing: "super users without a second factor",
  accountsUsed: "every admin has been there lately",
  accountsStale: "admins and super users whom nobody uses",
  passwordsOwn: "every password was set here",
  passwordsImported: "passwords that came from another system and were never used here",
  signUpClosed: "companies cannot sign up by themselves",
  signUpMail: "companies sign up by themselves, and get e-mails",
  signUpNoMail: "companies sign up by themselves, and no e-mail is configured",
  mailEncrypted: "e-mail leaves encrypted",
  mailNone: "no e-mail is configured",
  mailPlain: "e-mail leaves unencrypted",
  tokensUsed: "tokens of programs are in use",
  tokensUnused: "tokens of programs that nobody uses",
  tokensWide: "tokens of programs that may do everything",
  webhooksEncrypted: "events leave encrypted",
  webhooksPlain: "hosts get events unencrypted",
  demoNone: "no demo company",
  demoAlone: "the demo company is alone",
  demoThere: "the demo company is beside real ones",
  simulatorNone: "no simulated connections",
  simulatorAlone: "only simulated connections",
  simulatorThere: "simulated connections beside real ones",
  secretsStrong: "secrets are long and random",
  secretsWeak: "secrets are easy to guess",
  sealApart: "the key of sealed secrets is not in the database",
  sealBeside: "the key of sealed secrets is in the database that it protects",
  folderClosed: "other accounts of the machine read nothing",
  folderUnknown: "the file system names no rights",
  folderOpen: "other accounts of the machine read or write",
  databaseOwn: "the database is the product's own",
  databaseStrong: "the database's password is strong",
  databaseWeak: "the database's password is missing or easy to guess",
  databaseLocal: "the database is on this machine",
  databaseEncrypted: "the way to the database is encrypted",
  databasePlain: "the way to the database is not encrypted",
  rolesNarrow: "the product works with roles that own nothing",
  rolesOwnerWide: "the owner of the database is a superuser of its server",
  rolesWide: "a role of the product has too many rights",
  rowsGuarded: "tables are closed to other companies by the database",
  rowsOpen: "tables are open to other companies",
  backupFresh: "hours since the last backup",
  backupFailed: "the last backup failed",
  backupOld: "hours since the last good backup",
  backupNone: "there is no backup",
  backupEncrypted: "backups are encrypted",
  backupPlain: "backups are not encrypted",
  backupElsewhere: "backups go to another disk",
  backupBeside: "backups are on the disk of the data",
  backupTried: "days since a backup was restored on trial",
  backupUntried: "no backup was restored on trial lately",
  versionFresh: "days since this version's newest change of the database",
  versionMixed: "processes of several versions run",
  versionOld: "days since this version's newest change of the database: look for a newer one",
  nodeSupported: "Node.js is supported",
  nodeEnding: "support of Node.js ends soon",
  nodeUnknown: "Node.js is newer than this product's table",
  nodeEnded: "support of Node.js has ended",
  postgresSupported: "PostgreSQL is supported",
  postgresEnding: "support of PostgreSQL ends soon",
  postgresUnknown: "PostgreSQL is newer than this product's table",
  postgresEnded: "support of PostgreSQL has ended",
  clockRight: "the clocks of product and database agree",
  clockOff: "seconds between the clocks of product and database",
  clockWrong: "seconds between the clocks of product and database",
  logQuiet: "the log says little of people",
  logDetailed: "the log is detailed",
};

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const tell = (line: string): void => void process.stderr.write(`${line}\n`);

type Wish = { json: boolean; passwords: boolean };

/** The wish of a command line; null when it cannot be used. */
export function readWish(args: string[]): Wish | null {
  try {
    const boolean = { type: "boolean", default: false } as const;
    return parseArgs({ args, options: { json: boolean, passwords: boolean } }).values;
  } catch {
    return null;
  }
}

async function run({ json, passwords }: Wish): Promise<number> {
  const config = readConfig(process.env);
  const closing: (() => Promise<void>)[] = [];
  try {
    const { dataDir } = config;
    const ownerUrl = config.databaseDirectUrl ?? config.databaseUrl;
    // A start would make an installation.
    if (ownerUrl === undefined && !existsSync(join(dataDir, "postgres")))
      throw new NoInstallation();
    const reached =
      ownerUrl ?? (await reachEmbeddedPostgres({ dataDir, database: "balcao", log: tell }));
    const url = typeof reached === "string" ? reached : reached.url;
    if (typeof reached !== "string") closing.push(() => reached.stop());
    const { roles, secrets } = await readInstallation(url);
    const log = createLogger({ level: "warn", pretty: false });
    const db = openDatabase({ serviceUrl: url, appUrl: url, poolSize: 2, log });
    closing.push(() => db.close());
    const { clock } = systemSources;
    const report = await checkSecurity({ db, clock, config, roles, secrets, arrivals: null });
    const weak = passwords ? await findWeakPasswords(url) : [];
    if (json) say(JSON.stringify(report, null, 2));
    else for (const line of describeReport(report)) say(line);
    for (const email of weak) say(`ACT   password: ${email} has one of the most common passwords`);
    const mustAct = weak.length > 0 || report.checks.some(({ state }) => state === "act");
    return mustAct ? 1 : 0;
  } finally {
    for (let close = closing.pop(); close; close = closing.pop()) await close();
  }
}

/** Finds what `prepareInstallation` has made, and makes nothing. */
async function readInstallation(
  url: string,
): Promise<{ roles: { app: string; service: string }; secrets: InstallationSecrets }> {
  const facts = new Map(
    (await ask<{ key: string; value: string }>(url, "select key, value from installation")).map(
      ({ key, value }) => [key, value],
    ),
  );
  const fact = (key: string): string => facts.get(key) ?? "";
  return {
    roles: { app: fact("app-role"), service: fact("service-role") },
    secrets: {
      accessToken: fact("access-token-secret"),
      refreshToken: fact("refresh-token-secret"),
      seal: fact("seal-secret"),
    },
  };
}

async function ask<Row extends pg.QueryResultRow>(
  url: string,
  statement: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    return (await client.query<Row>(statement, values)).rows;
  } finally {
    await client.end();
  }
}

/** E-mail addresses of super users and admins with one of the passwords that are guessed first. */
async function findWeakPasswords(url: string): Promise<string[]> {
  const accounts = await ask<{ email: string; hash: string }>(
    url,
    `select email, password_hash as hash from users where (super or profile = 'admin') and deleted_at is null
     order by super desc, id limit $1`,
    [TRIED_ACCOUNTS],
  );
  const { matches } = await createPasswordCheck(randomUUID());
  const weak: string[] = [];
  for (const { email, hash } of accounts) {
    for (const password of [...triedPasswords, email, email.split("@")[0] ?? ""]) {
      if (!(await matches(password, hash))) continue;
      weak.push(email);
      break;
    }
  }
  return weak;
}

const signs = { act: "ACT ", look: "LOOK", good: "ok  " } as const;

/** One line for each check, the worst first. */
export function describeReport({ checks }: SecurityReport): string[] {
  const order = ["act", "look", "good"] as const;
  const lines = order.flatMap((state) =>
    checks.filter((check) => check.state === state).map(describeCheck),
  );
  const counts = order.map((state) => checks.filter((check) => check.state === state).length);
  return [
    ...lines,
    `${counts[0]} to do now, ${counts[1]} to look at, ${counts[2]} in order. Why, and what to do: docs/security-check.md`,
  ];
}

function describeCheck({ check, state, finding, count, subjects }: SecurityCheck): string {
  const number = count > 0 ? `: ${count}` : "";
  const named = subjects.length > 0 ? ` (${subjects.join(", ")})` : "";
  return `${signs[state]}  ${check}: ${sentences[finding]}${number}${named}`;
}

if (import.meta.main) {
  const wish = readWish(process.argv.slice(2));
  if (wish === null) {
    tell(usage);
    process.exitCode = USAGE;
  } else {
    run(wish).then(
      (code) => {
        process.exitCode = code;
      },
      (error: unknown) => {
        const problem = error instanceof NoInstallation ? error.message : problemForPeople(error);
        const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
        tell(problem ?? stack);
        process.exitCode = NEEDS_PEOPLE;
      },
    );
  }
}
