import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SecurityCheckName, SecurityFinding } from "@balcao/contract";
import { endpoints, securityChecks } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { describeReport, readWish } from "../../operations/security/command.ts";
import { readConfig } from "../../platform/config/config.ts";
import { rolesOf } from "../../platform/db/installation.ts";
import { systemSources } from "../../platform/sources.ts";
import { testDatabase } from "../../testing/database.ts";
import { atEndOfFile } from "../../testing/end-of-file.ts";
import { buildCompany, buildPlan, buildUser } from "../provisioning/index.ts";
import { checkSecurity } from "./index.ts";
import type { DatabaseFacts, SecurityFacts } from "./security-facts.ts";
import { judgeSecurity, securityBounds, supportEnds } from "./security-judge.ts";

const STRONG = "q7Vd2mXw9KpTz4RbYc8NfLs3";
const NOW = new Date("2026-12-01T12:00:00Z");
const SAFE = {
  BALCAO_PUBLIC_URL: "https://inbox.example",
  BALCAO_TRUST_PROXY: "on",
  BALCAO_SEAL_SECRET: `${STRONG}${STRONG}`,
  BALCAO_BACKUP_TO: "s3://copies",
  BALCAO_METRICS_TOKEN: STRONG,
  DATABASE_URL: `postgres://owner:${STRONG}@db.example/inbox`,
  SMTP_URL: "smtps://mail.example",
  MAIL_FROM: "inbox@mail.example",
};

const database: DatabaseFacts = {
  ...{ aheadMs: 10, versionNumber: 180_001, isEncrypted: true, isLocal: false, isOwnerWide: false },
  roles: ["app", "service"].map((name) => ({ name, isWide: false, owns: false })),
  ...{ tables: 90, openTables: [], staleAccounts: [], importedPasswords: 0, signUp: false },
  superUsers: [{ email: "ana@inbox.example", isFirst: false, hasFactor: true }],
  ...{ unusedTokens: 0, wideTokens: 0, plainHosts: [], companies: 3, hasDemo: false },
  ...{ simulators: 0, realConnections: 2, versions: ["1.0.0"], trialDays: 2 },
  backup: { hours: 5, hasFailed: false, isEncrypted: true },
};

/** An installation without fault, changed in some respects. */
function facts({
  env = {},
  db = {},
  files = {},
  ...others
}: {
  env?: Record<string, string>;
  db?: Partial<DatabaseFacts>;
  files?: Partial<SecurityFacts["files"]>;
} & Partial<Omit<SecurityFacts, "config" | "database" | "files">>): SecurityFacts {
  return {
    now: NOW,
    config: readConfig({ ...SAFE, ...env }),
    secrets: { accessToken: `a${STRONG}`, refreshToken: `r${STRONG}`, seal: `s${STRONG}` },
    arrivals: { forwarded: true, direct: false, secure: true, plain: false },
    nodeVersion: "24.21.0",
    versionWrittenAt: new Date("2026-11-20T00:00:00Z"),
    files: { hasFirstPasswords: false, open: [], isBackupBeside: null, ...files },
    database: { ...database, ...db },
    ...others,
  };
}

const seen = { forwarded: false, direct: false, secure: false, plain: false };
const inside = { BALCAO_PUBLIC_URL: "", BALCAO_TRUST_PROXY: "off" };
const person = (name: string, more = {}) => ({
  ...{ email: `${name}@inbox.example`, isFirst: false, hasFactor: true, ...more },
});
const backup = { hours: 5, hasFailed: false, isEncrypted: true };

type Row = [SecurityCheckName, SecurityFinding, Parameters<typeof facts>[0]];
const rows: readonly Row[] = [
  ["tls", "tlsOn", {}],
  ["tls", "tlsOff", { env: { BALCAO_PUBLIC_URL: "http://inbox.example" } }],
  ["tls", "tlsOff", { env: inside, arrivals: seen }],
  ["tls", "tlsLocal", { env: { ...inside, HOST: "127.0.0.1" }, arrivals: seen }],
  ["tls", "tlsLocal", { env: { BALCAO_PUBLIC_URL: "http://localhost:8080" } }],
  ["tls", "tlsUnnamed", { env: { BALCAO_PUBLIC_URL: "" } }],
  ["cookies", "cookiesSecure", {}],
  ["cookies", "cookiesSecure", { env: { BALCAO_FRONTEND_ORIGINS: "https://app.example" } }],
  ["cookies", "cookiesPlain", { env: { BALCAO_TRUST_PROXY: "off" } }],
  ["cookies", "cookiesPlain", { arrivals: { ...seen, forwarded: true, plain: true } }],
  ["cookies", "cookiesLocal", { env: { ...inside, HOST: "::1" }, arrivals: seen }],
  ["proxy", "proxyKnown", {}],
  ["proxy", "proxyUnseen", { arrivals: seen }],
  ["proxy", "proxyBypassed", { arrivals: { ...seen, forwarded: true, direct: true } }],
  ["proxy", "proxyUntrusted", { env: { BALCAO_TRUST_PROXY: "off" } }],
  ["proxy", "proxyForged", { env: inside }],
  ["proxy", "proxyNone", { env: inside, arrivals: { ...seen, direct: true } }],
  ["origins", "originsNone", {}],
  ["origins", "originsExact", { env: { BALCAO_FRONTEND_ORIGINS: "https://app.example" } }],
  ["origins", "originsPlain", { env: { BALCAO_FRONTEND_ORIGINS: "http://app.example" } }],
  ["origins", "originsWildcard", { env: { BALCAO_FRONTEND_ORIGINS: "https://*.example" } }],
  ["limits", "limitsOn", {}],
  ["limits", "limitsHigh", { env: { BALCAO_AUTH_REQUESTS_PER_MINUTE: "601" } }],
  ["limits", "limitsHigh", { env: { BALCAO_MAX_EVENT_LOOP_DELAY_MS: "0" } }],
  ["metrics", "metricsToken", {}],
  ["metrics", "metricsLocal", { env: { BALCAO_METRICS_TOKEN: "" } }],
  ["metrics", "metricsWeak", { env: { BALCAO_METRICS_TOKEN: "balcao-change-me" } }],
  ["outsideHosts", "hostsNone", {}],
  ["outsideHosts", "hostsSome", { env: { BALCAO_OUTSIDE_HOSTS: "crm.inner:8080" } }],
  ["outsideHosts", "hostsInner", { env: { BALCAO_OUTSIDE_HOSTS: "169.254.169.254:80" } }],
  ["outsideHosts", "hostsInner", { env: { BALCAO_OUTSIDE_HOSTS: "crm.inner:*" } }],
  ["firstPasswords", "firstChanged", {}],
  ["firstPasswords", "firstUnchanged", { db: { superUsers: [person("a", { isFirst: true })] } }],
  ["firstPasswords", "firstInSettings", { env: { BALCAO_ADMIN_PASSWORD: STRONG } }],
  ["firstPasswords", "firstFile", { files: { hasFirstPasswords: true } }],
  ["superUsers", "superFew", {}],
  [
    "superUsers",
    "superMany",
    { db: { superUsers: ["a", "b", "c", "d"].map((one) => person(one)) } },
  ],
  ["secondFactor", "factorAll", {}],
  ["secondFactor", "factorMissing", { db: { superUsers: [person("a", { hasFactor: false })] } }],
  ["staleAccounts", "accountsUsed", {}],
  ["staleAccounts", "accountsStale", { db: { staleAccounts: ["old@inbox.example"] } }],
  ["importedPasswords", "passwordsOwn", {}],
  ["importedPasswords", "passwordsImported", { db: { importedPasswords: 4 } }],
  ["signUp", "signUpClosed", {}],
  ["signUp", "signUpMail", { db: { signUp: true } }],
  ["signUp", "signUpNoMail", { db: { signUp: true }, env: { SMTP_URL: "" } }],
  ["mail", "mailEncrypted", {}],
  ["mail", "mailEncrypted", { env: { SMTP_URL: "smtp://localhost:25?insecure" } }],
  ["mail", "mailPlain", { env: { SMTP_URL: "smtp://mail.example:25?insecure" } }],
  ["mail", "mailNone", { env: { SMTP_URL: "" } }],
  ["apiTokens", "tokensUsed", {}],
  ["apiTokens", "tokensUnused", { db: { unusedTokens: 2, wideTokens: 1 } }],
  ["apiTokens", "tokensWide", { db: { wideTokens: 1 } }],
  ["webhooks", "webhooksEncrypted", {}],
  ["webhooks", "webhooksPlain", { db: { plainHosts: ["crm.example"] } }],
  ["demo", "demoNone", {}],
  ["demo", "demoThere", { db: { hasDemo: true } }],
  ["demo", "demoAlone", { db: { hasDemo: true, companies: 0 } }],
  ["simulator", "simulatorNone", {}],
  ["simulator", "simulatorThere", { db: { simulators: 1 } }],
  ["simulator", "simulatorAlone", { db: { simulators: 1, realConnections: 0 } }],
  ["secrets", "secretsStrong", {}],
  ["secrets", "secretsWeak", { env: { BALCAO_SEAL_SECRET: "0123456789".repeat(4) } }],
  [
    "secrets",
    "secretsWeak",
    { secrets: { accessToken: "secret", refreshToken: STRONG, seal: STRONG } },
  ],
  [
    ...(["secrets", "secretsWeak"] as const),
    { env: { BALCAO_S3_ACCESS_KEY: "minio", BALCAO_S3_SECRET_KEY: "minioadmin" } },
  ],
  ["sealKey", "sealApart", {}],
  ["sealKey", "sealBeside", { env: { BALCAO_SEAL_SECRET: "" } }],
  ["dataFolder", "folderClosed", {}],
  ["dataFolder", "folderUnknown", { files: { open: null } }],
  ["dataFolder", "folderOpen", { files: { open: ["/data"] } }],
  ["databasePassword", "databaseStrong", {}],
  [
    "databasePassword",
    "databaseStrong",
    { env: { DATABASE_URL: "postgres://owner@/inbox?host=/run/pg" } },
  ],
  ["databasePassword", "databaseOwn", { env: { DATABASE_URL: "" } }],
  [
    "databasePassword",
    "databaseWeak",
    { env: { DATABASE_URL: "postgres://inbox@db.example/inbox" } },
  ],
  [
    "databasePassword",
    "databaseWeak",
    { env: { DATABASE_URL: "postgres://inbox:inbox2026@db/inbox" } },
  ],
  ["databaseTls", "databaseEncrypted", {}],
  ["databaseTls", "databaseLocal", { db: { isEncrypted: false, isLocal: true } }],
  ["databaseTls", "databasePlain", { db: { isEncrypted: false } }],
  ["databaseRoles", "rolesNarrow", {}],
  ["databaseRoles", "rolesOwnerWide", { db: { isOwnerWide: true } }],
  ["databaseRoles", "rolesNarrow", { db: { isOwnerWide: true }, env: { DATABASE_URL: "" } }],
  ["databaseRoles", "rolesWide", { db: { roles: [{ name: "app", isWide: true, owns: false }] } }],
  ["rowSecurity", "rowsGuarded", {}],
  ["rowSecurity", "rowsOpen", { db: { openTables: ["tickets"] } }],
  ["backupAge", "backupFresh", {}],
  ["backupAge", "backupFailed", { db: { backup: { ...backup, hasFailed: true } } }],
  ["backupAge", "backupOld", { db: { backup: { ...backup, hours: 27 } } }],
  ["backupAge", "backupNone", { db: { backup: null } }],
  ["backupEncryption", "backupEncrypted", {}],
  ["backupEncryption", "backupPlain", { db: { backup: { ...backup, isEncrypted: false } } }],
  ["backupPlace", "backupElsewhere", {}],
  [
    "backupPlace",
    "backupBeside",
    { env: { BALCAO_BACKUP_TO: "/copies" }, files: { isBackupBeside: true } },
  ],
  ["backupTrial", "backupTried", {}],
  ["backupTrial", "backupUntried", { db: { trialDays: null } }],
  ["backupTrial", "backupUntried", { db: { trialDays: 36 } }],
  ["version", "versionFresh", {}],
  ["version", "versionMixed", { db: { versions: ["1.0.0", "1.1.0"] } }],
  ["version", "versionOld", { versionWrittenAt: new Date("2026-01-01") }],
  ["node", "nodeSupported", {}],
  ["node", "nodeEnding", { nodeVersion: "22.30.0", now: new Date("2027-03-01") }],
  ["node", "nodeEnded", { nodeVersion: "25.9.0" }],
  ["node", "nodeEnded", { nodeVersion: "18.20.0" }],
  ["node", "nodeUnknown", { nodeVersion: "31.0.0" }],
  ["postgres", "postgresSupported", {}],
  ["postgres", "postgresEnding", { db: { versionNumber: 150_009 }, now: new Date("2027-09-01") }],
  ["postgres", "postgresEnded", { db: { versionNumber: 140_020 } }],
  ["postgres", "postgresUnknown", { db: { versionNumber: 210_000 } }],
  ["clock", "clockRight", {}],
  ["clock", "clockOff", { db: { aheadMs: -2_500 } }],
  ["clock", "clockWrong", { db: { aheadMs: 31_000 } }],
  ["logLevel", "logQuiet", {}],
  ["logLevel", "logDetailed", { env: { BALCAO_LOG_LEVEL: "debug" } }],
];

describe("each finding", () => {
  test.each(rows)("%s: %s", (check, finding, changes) => {
    const report = judgeSecurity(facts(changes));
    expect(report.find((one) => one.check === check)).toMatchObject({ finding });
  });

  test("is in the table above, and an installation without fault has good ones only", () => {
    const named = Object.entries(securityChecks).flatMap(([check, of]) =>
      Object.keys(of).map((finding) => `${check}: ${finding}`),
    );
    const tried = new Set(rows.map(([check, finding]) => `${check}: ${finding}`));
    expect(named.filter((one) => !tried.has(one))).toEqual([]);
    const report = judgeSecurity(facts({}));
    expect(report.filter(({ state }) => state !== "good")).toEqual([]);
    expect(report.map(({ check }) => check)).toEqual(Object.keys(securityChecks));
  });
});

test("what does not apply is left out, names are few, and no secret is told", () => {
  const without = judgeSecurity(
    facts({ env: { BALCAO_BACKUP_TO: "" }, db: { backup: null }, arrivals: null }),
  ).map(({ check }) => check);
  for (const check of ["backupEncryption", "backupPlace", "backupTrial", "proxy"])
    expect(without).not.toContain(check);
  const many = Array.from({ length: 30 }, (_, at) => `host${at}.example`);
  const report = judgeSecurity(
    facts({ db: { plainHosts: many }, env: { DATABASE_URL: "postgres://a:hunter22@db/inbox" } }),
  );
  const webhooks = report.find(({ check }) => check === "webhooks");
  expect(webhooks).toMatchObject({ count: 30, state: "look" });
  expect(webhooks?.subjects).toHaveLength(securityBounds.subjects);
  const text = JSON.stringify(report);
  for (const secret of [STRONG, "hunter22"]) expect(text).not.toContain(secret);
});

test("the ends of support are dates, and the table says when it was written", () => {
  const { knownOn, node, postgres } = supportEnds;
  for (const day of [knownOn, ...Object.values(node), ...Object.values(postgres)])
    expect(new Date(day).toISOString().slice(0, 10)).toBe(day);
});

test("the database is read: closed tables, roles, first passwords, factors, tokens, hosts", async () => {
  const { db, ...installation } = await testDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), "balcao-security-"));
  atEndOfFile(() => rm(dataDir, { recursive: true, force: true }));
  const config = readConfig({ ...SAFE, BALCAO_DATA: dataDir, DATABASE_URL: "" });
  const deps = {
    db,
    clock: systemSources.clock,
    config,
    roles: rolesOf(installation),
    secrets: installation.secrets,
    arrivals: null,
  };
  const check = async (): Promise<Partial<Record<string, { finding: string; count: number }>>> => {
    const report = await checkSecurity(deps);
    expect(endpoints["GET /operation/security"].reply.parse(report)).toEqual(report);
    return Object.fromEntries(report.checks.map((one) => [one.check, one]));
  };
  expect(await check()).toMatchObject({
    rowSecurity: { finding: "rowsGuarded" },
    databaseRoles: { finding: "rolesNarrow" },
    clock: { finding: "clockRight" },
    backupAge: { finding: "backupNone" },
    dataFolder: { finding: "folderClosed" },
    secrets: { finding: "secretsStrong" },
  });

  await db.acrossCompanies(async (tx) => {
    const planId = await buildPlan(tx, { name: "p", users: 9, connections: 9, queues: 9 });
    const companyId = await buildCompany(tx, { name: "A", email: "", planId });
    const user = { companyId, name: "Ana", passwordHash: "first", profile: "admin" as const };
    await buildUser(tx, { ...user, email: "ana@a.example", super: true });
    await buildUser(tx, { ...user, email: "rui@a.example", passwordHash: "$2b$10$x" });
    await tx.query(
      sql`update users set created_at = now() - interval '91 days' where email = 'rui@a.example'`,
    );
    await tx.query(sql`
insert into webhooks (company_id, name, url, events, secret) values (${companyId}, 'a', 'http://crm.example:8080/in?key=1', '[]', '')`);
    await tx.query(sql`
insert into api_tokens (company_id, name, hash, "end", scopes, created_at)
values (${companyId}, 'old', 'h', '', '["tags:read"]', now() - interval '91 days')`);
    await tx.query(sql`create table stray (id int, company_id int)`);
  });
  await writeFile(join(dataDir, "first-passwords.txt"), "x", { mode: 0o600 });
  await chmod(dataDir, 0o755);
  expect(await check()).toMatchObject({
    rowSecurity: { finding: "rowsOpen", subjects: ["stray"] },
    firstPasswords: { finding: "firstFile" },
    secondFactor: { finding: "factorMissing", subjects: ["ana@a.example"] },
    staleAccounts: { finding: "accountsStale", subjects: ["rui@a.example"] },
    importedPasswords: { finding: "passwordsImported", count: 1 },
    webhooks: { finding: "webhooksPlain", subjects: ["crm.example:8080"] },
    apiTokens: { finding: "tokensUnused", count: 1 },
    signUp: { finding: "signUpMail" },
    dataFolder: { finding: "folderOpen", subjects: [dataDir] },
  });

  await rm(join(dataDir, "first-passwords.txt"));
  expect((await check())["firstPasswords"]).toMatchObject({ finding: "firstUnchanged" });
  await db.acrossCompanies(async (tx) => {
    await tx.query(sql`update users set password_hash = 'own' where super`);
    await tx.query(sql`
insert into user_factors (company_id, user_id, secret, confirmed_at)
select company_id, id, '', now() from users where super`);
    await tx.query(sql`drop table stray`);
  });
  const better = await check();
  expect(better["firstPasswords"]).toMatchObject({ finding: "firstChanged" });
  expect(better["secondFactor"]).toMatchObject({ finding: "factorAll" });
  expect(better["rowSecurity"]).toMatchObject({ finding: "rowsGuarded" });
});

test("the command prints a line for each check, the worst first", () => {
  const checks = judgeSecurity(
    facts({ files: { open: ["/data"] }, env: { BALCAO_SEAL_SECRET: "" } }),
  );
  const lines = describeReport({ at: NOW.toISOString(), checks });
  expect(lines[0]).toBe("ACT   dataFolder: other accounts of the machine read or write (/data)");
  expect(lines[1]).toMatch(/^LOOK {2}sealKey: /);
  expect(lines).toHaveLength(checks.length + 1);
  expect(lines.at(-1)).toMatch(/^1 to do now, 1 to look at, \d+ in order\./);
  expect(readWish(["--json"])).toEqual({ json: true, passwords: false });
  expect(readWish(["--what"])).toBeNull();
});
