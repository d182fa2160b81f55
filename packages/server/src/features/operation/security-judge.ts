import type { SecurityCheck, SecurityCheckName, SecurityFinding } from "@balcao/contract";
import { passwordStrength, securityChecks } from "@balcao/contract";
import { addDays } from "date-fns/addDays";
import { differenceInDays } from "date-fns/differenceInDays";
import { isBefore } from "date-fns/isBefore";
import { parseISO } from "date-fns/parseISO";
import type { Config } from "../../platform/config/config.ts";
import type { SecurityFacts } from "./security-facts.ts";

/** Beyond these a figure is worth a look (docs/security-check.md has the same numbers). */
export const securityBounds = {
  superUsers: 3,
  backupHours: 26,
  trialDays: 35,
  /** A version whose database was last changed so long ago has probably been followed by others. */
  versionDays: 180,
  /** Before the end of support of Node.js and PostgreSQL. */
  endingDays: 120,
  clockLookMs: 2_000,
  clockActMs: 30_000,
  /** Guesses at passwords per minute that a limit still lets through. */
  authPerMinute: 600,
  callsPerMinute: 60_000,
  subjects: 5,
} as const;

/**
 * Ends of support by major version, as their projects announced them; written down on `knownOn`. The product asks nobody, so a
 * version that is newer than the table is not known here.
 */
export const supportEnds = {
  knownOn: "2026-11-27",
  node: { 22: "2027-04-30", 24: "2028-04-30", 25: "2026-06-01", 26: "2029-04-30" },
  postgres: {
    ...{ 14: "2026-11-12", 15: "2027-11-11", 16: "2028-11-09", 17: "2029-11-08" },
    18: "2030-11-14",
  },
} as const satisfies Record<string, string | Record<number, string>>;

type Finding = { finding: SecurityFinding; count?: number; subjects?: readonly string[] };
/** Null: the check says nothing about this installation. */
type Judge = (facts: SecurityFacts) => Finding | null;

/** Judges every check of the contract, in its order. Pure: the same facts give the same report. */
export function judgeSecurity(facts: SecurityFacts): SecurityCheck[] {
  return Object.entries(judges).flatMap(([name, judge]) => {
    const found = judge(facts);
    if (found === null) return [];
    const check = name as SecurityCheckName;
    const { finding, count = 0, subjects = [] } = found;
    const states: Partial<Record<SecurityFinding, SecurityCheck["state"]>> = securityChecks[check];
    const state = states[finding];
    if (state === undefined) throw new Error(`${finding} is no finding of ${check}`);
    return [
      {
        ...{ check, state, finding, count: Math.round(count) },
        subjects: subjects.slice(0, securityBounds.subjects),
      },
    ];
  });
}

const LOCAL_HOST = /^(localhost|127(\.\d+){3}|::1|\[::1\])$/;

const isLocal = (host: string): boolean => LOCAL_HOST.test(host);

const judges: Record<SecurityCheckName, Judge> = {
  tls({ config, arrivals }) {
    const { publicUrl, host } = config;
    if (publicUrl?.startsWith("https:")) return { finding: "tlsOn", subjects: [publicUrl] };
    if (publicUrl === undefined && arrivals?.secure) return { finding: "tlsUnnamed" };
    const reached = publicUrl === undefined ? host : new URL(publicUrl).hostname;
    return { finding: isLocal(reached) ? "tlsLocal" : "tlsOff", subjects: [publicUrl ?? host] };
  },

  cookies({ config, arrivals }) {
    const { publicUrl, trustProxy, frontendOrigins } = config;
    // Such cookies travel between sites, which browsers allow with `Secure` only.
    if (frontendOrigins.length > 0) return { finding: "cookiesSecure" };
    const isWanted = publicUrl?.startsWith("https:") === true || arrivals?.secure === true;
    if (!isWanted) {
      const reached = publicUrl === undefined ? config.host : new URL(publicUrl).hostname;
      return { finding: isLocal(reached) ? "cookiesLocal" : "cookiesPlain" };
    }
    const isSecure = trustProxy && arrivals?.plain !== true;
    return { finding: isSecure ? "cookiesSecure" : "cookiesPlain" };
  },

  proxy({ config: { trustProxy, publicUrl }, arrivals }) {
    if (arrivals === null) return null;
    if (trustProxy) {
      if (arrivals.direct) return { finding: "proxyBypassed" };
      return { finding: arrivals.forwarded ? "proxyKnown" : "proxyUnseen" };
    }
    if (!arrivals.forwarded) return { finding: "proxyNone" };
    // Anybody can send such headers; with an address by https there must be a proxy.
    return { finding: publicUrl?.startsWith("https:") ? "proxyUntrusted" : "proxyForged" };
  },

  origins({ config: { frontendOrigins: all } }) {
    const wildcards = all.filter((origin) => origin.includes("*"));
    const plain = all.filter((origin) => origin.startsWith("http:"));
    if (wildcards.length > 0) return { finding: "originsWildcard", subjects: wildcards };
    if (plain.length > 0) return { finding: "originsPlain", subjects: plain };
    return { finding: all.length === 0 ? "originsNone" : "originsExact", subjects: all };
  },

  limits({ config }) {
    const high = [
      ...(config.authRequestsPerMinute > securityBounds.authPerMinute
        ? ["BALCAO_AUTH_REQUESTS_PER_MINUTE"]
        : []),
      ...(config.requestsPerMinute > securityBounds.callsPerMinute
        ? ["BALCAO_REQUESTS_PER_MINUTE"]
        : []),
      ...(config.apiRequestsPerMinute > securityBounds.callsPerMinute
        ? ["BALCAO_API_REQUESTS_PER_MINUTE"]
        : []),
      ...(config.maxEventLoopDelayMs === 0 ? ["BALCAO_MAX_EVENT_LOOP_DELAY_MS"] : []),
    ];
    return { finding: high.length > 0 ? "limitsHigh" : "limitsOn", subjects: high };
  },

  metrics({ config: { metricsToken } }) {
    if (metricsToken === undefined) return { finding: "metricsLocal" };
    return { finding: isWeak(metricsToken) ? "metricsWeak" : "metricsToken" };
  },

  outsideHosts({ config: { outsideHosts } }) {
    const inner = outsideHosts.filter((entry) => {
      const host = entry.slice(0, entry.lastIndexOf(":"));
      return entry.endsWith(":*") || isLocal(host) || host.startsWith("169.254.");
    });
    if (inner.length > 0) return { finding: "hostsInner", subjects: inner };
    return { finding: outsideHosts.length > 0 ? "hostsSome" : "hostsNone", subjects: outsideHosts };
  },

  firstPasswords({ config, files, database }) {
    if (files.hasFirstPasswords) return { finding: "firstFile", subjects: [config.dataDir] };
    if (config.adminPassword !== undefined)
      return { finding: "firstInSettings", subjects: ["BALCAO_ADMIN_PASSWORD"] };
    const first = database.superUsers.filter(({ isFirst }) => isFirst).map(({ email }) => email);
    if (first.length === 0) return { finding: "firstChanged" };
    return { finding: "firstUnchanged", count: first.length, subjects: first };
  },

  superUsers({ database: { superUsers } }) {
    const isMany = superUsers.length > securityBounds.superUsers;
    const subjects = superUsers.map(({ email }) => email);
    return { finding: isMany ? "superMany" : "superFew", count: superUsers.length, subjects };
  },

  secondFactor({ database: { superUsers } }) {
    const without = superUsers.filter(({ hasFactor }) => !hasFactor).map(({ email }) => email);
    if (without.length === 0) return { finding: "factorAll" };
    return { finding: "factorMissing", count: without.length, subjects: without };
  },

  staleAccounts({ database: { staleAccounts: stale } }) {
    if (stale.length === 0) return { finding: "accountsUsed" };
    return { finding: "accountsStale", count: stale.length, subjects: stale };
  },

  importedPasswords({ database: { importedPasswords: count } }) {
    return { finding: count > 0 ? "passwordsImported" : "passwordsOwn", count };
  },

  signUp({ config: { smtp }, database: { signUp } }) {
    if (!signUp) return { finding: "signUpClosed" };
    return { finding: smtp === null ? "signUpNoMail" : "signUpMail" };
  },

  mail({ config: { smtp } }) {
    if (smtp === null) return { finding: "mailNone" };
    const isPlain = smtp.tls === "none" && !isLocal(smtp.host);
    return { finding: isPlain ? "mailPlain" : "mailEncrypted", subjects: [smtp.host] };
  },

  apiTokens({ database: { unusedTokens, wideTokens } }) {
    if (unusedTokens > 0) return { finding: "tokensUnused", count: unusedTokens };
    return { finding: wideTokens > 0 ? "tokensWide" : "tokensUsed", count: wideTokens };
  },

  webhooks({ database: { plainHosts: hosts } }) {
    const finding = hosts.length > 0 ? "webhooksPlain" : "webhooksEncrypted";
    return { finding, count: hosts.length, subjects: hosts };
  },

  demo({ database: { hasDemo, companies } }) {
    if (!hasDemo) return { finding: "demoNone" };
    return { finding: companies > 0 ? "demoThere" : "demoAlone" };
  },

  simulator({ database: { simulators, realConnections } }) {
    if (simulators === 0) return { finding: "simulatorNone" };
    return {
      finding: realConnections > 0 ? "simulatorThere" : "simulatorAlone",
      count: simulators,
    };
  },

  secrets({ config, secrets }) {
    const own = {
      BALCAO_SEAL_SECRET: config.sealSecret,
      BALCAO_S3_SECRET_KEY: config.s3.keys?.secretAccessKey,
      "access-token-secret": secrets.accessToken,
      "refresh-token-secret": secrets.refreshToken,
      "seal-secret": secrets.seal,
    };
    const weak = Object.entries(own).flatMap(([name, value]) =>
      value !== undefined && isWeak(value) ? [name] : [],
    );
    return { finding: weak.length > 0 ? "secretsWeak" : "secretsStrong", subjects: weak };
  },

  sealKey({ config: { sealSecret } }) {
    return { finding: sealSecret === undefined ? "sealBeside" : "sealApart" };
  },

  dataFolder({ files: { open } }) {
    if (open === null) return { finding: "folderUnknown" };
    return { finding: open.length > 0 ? "folderOpen" : "folderClosed", subjects: open };
  },

  databasePassword({ config }) {
    if (config.databaseUrl === undefined) return { finding: "databaseOwn" };
    return { finding: hasWeakPassword(config) ? "databaseWeak" : "databaseStrong" };
  },

  databaseTls({ database }) {
    if (database.isEncrypted) return { finding: "databaseEncrypted" };
    return { finding: database.isLocal ? "databaseLocal" : "databasePlain" };
  },

  databaseRoles({ config, database: { roles, isOwnerWide } }) {
    const wide = roles.filter(({ isWide, owns }) => isWide || owns).map(({ name }) => name);
    if (wide.length > 0 || roles.length < 2) return { finding: "rolesWide", subjects: wide };
    // The product's own server has no other account than its superuser.
    const isOthers = config.databaseUrl !== undefined;
    return { finding: isOwnerWide && isOthers ? "rolesOwnerWide" : "rolesNarrow" };
  },

  rowSecurity({ database: { tables, openTables } }) {
    if (openTables.length === 0) return { finding: "rowsGuarded", count: tables };
    return { finding: "rowsOpen", count: openTables.length, subjects: openTables };
  },

  backupAge({ database: { backup } }) {
    if (backup === null || backup.hours === null) return { finding: "backupNone" };
    const { hours, hasFailed } = backup;
    if (hours > securityBounds.backupHours) return { finding: "backupOld", count: hours };
    return { finding: hasFailed ? "backupFailed" : "backupFresh", count: hours };
  },

  backupEncryption({ database: { backup } }) {
    if (backup === null || backup.isEncrypted === null) return null;
    return { finding: backup.isEncrypted ? "backupEncrypted" : "backupPlain" };
  },

  backupPlace({ config: { backup }, files: { isBackupBeside } }) {
    if (backup.to === null) return null;
    const finding = isBackupBeside === true ? "backupBeside" : "backupElsewhere";
    return { finding, subjects: [backup.to] };
  },

  backupTrial({ database: { backup, trialDays } }) {
    if (backup === null || backup.hours === null) return null;
    const isTried = trialDays !== null && trialDays <= securityBounds.trialDays;
    return { finding: isTried ? "backupTried" : "backupUntried", count: trialDays ?? 0 };
  },

  version({ now, versionWrittenAt, database: { versions } }) {
    if (versions.length > 1) return { finding: "versionMixed", subjects: versions };
    const days = differenceInDays(now, versionWrittenAt);
    const isOld = days > securityBounds.versionDays;
    return { finding: isOld ? "versionOld" : "versionFresh", count: Math.max(0, days) };
  },

  node: ({ now, nodeVersion }) =>
    judgeSupport("node", Number.parseInt(nodeVersion, 10), nodeVersion, now),

  postgres({ now, database: { versionNumber } }) {
    const major = Math.floor(versionNumber / 10_000);
    return judgeSupport("postgres", major, `${major}.${versionNumber % 10_000}`, now);
  },

  clock({ database: { aheadMs } }) {
    const off = Math.abs(aheadMs);
    const count = off / 1_000;
    if (off > securityBounds.clockActMs) return { finding: "clockWrong", count };
    return { finding: off > securityBounds.clockLookMs ? "clockOff" : "clockRight", count };
  },

  logLevel({ config: { log } }) {
    const isDetailed = log.level === "trace" || log.level === "debug";
    return { finding: isDetailed ? "logDetailed" : "logQuiet", subjects: [log.level] };
  },
};

function judgeSupport(
  program: "node" | "postgres",
  major: number,
  version: string,
  now: Date,
): Finding {
  const ends: Partial<Record<number, string>> = supportEnds[program];
  const end = ends[major];
  const oldest = Math.min(...Object.keys(ends).map(Number));
  if (end === undefined && major >= oldest)
    return { finding: `${program}Unknown`, subjects: [version] };
  // Versions before the table have ended before it was written.
  const endsAt = parseISO(end ?? supportEnds.knownOn);
  const subjects = [version, ...(end === undefined ? [] : [end])];
  if (isBefore(endsAt, now)) return { finding: `${program}Ended`, subjects };
  const isEnding = isBefore(endsAt, addDays(now, securityBounds.endingDays));
  return { finding: `${program}${isEnding ? "Ending" : "Supported"}`, subjects };
}

/** Names that stand in examples and defaults; they count as known words. */
const KNOWN_WORDS = [
  "balcao",
  "minio",
  "minioadmin",
  "postgres",
  "example",
  "change-me",
  "whaticket",
];
/** `passwordStrength` of a secret that programs use: they never type it. */
const STRENGTH_OF_SECRETS = 3;

function isWeak(secret: string, about: readonly string[] = []): boolean {
  const strength = passwordStrength(secret, { about: [...KNOWN_WORDS, ...about] });
  return strength < STRENGTH_OF_SECRETS;
}

function hasWeakPassword({ databaseUrl, databaseDirectUrl }: Config): boolean {
  return [databaseUrl, databaseDirectUrl].some((address) => {
    if (address === undefined || !URL.canParse(address)) return false;
    const { hostname, username, password, pathname, searchParams } = new URL(address);
    const isSocket = hostname === "" || searchParams.get("host")?.startsWith("/") === true;
    if (password === "") return !isSocket;
    return isWeak(decodeURIComponent(password), [decodeURIComponent(username), pathname.slice(1)]);
  });
}
