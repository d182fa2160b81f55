import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { isoDate } from "./primitives.ts";

/**
 * The checks of the whole installation in the order of the page, each with the findings that it may have. The state of a
 * finding is the same wherever it appears. A report leaves out what does not apply.
 */
export const securityChecks = {
  tls: { tlsOn: "good", tlsLocal: "look", tlsUnnamed: "look", tlsOff: "act" },
  cookies: { cookiesSecure: "good", cookiesLocal: "look", cookiesPlain: "act" },
  proxy: {
    ...({ proxyKnown: "good", proxyNone: "good", proxyUnseen: "good" } as const),
    ...({ proxyForged: "look", proxyUntrusted: "act", proxyBypassed: "look" } as const),
  },
  origins: {
    ...({ originsNone: "good", originsExact: "good" } as const),
    ...({ originsPlain: "look", originsWildcard: "look" } as const),
  },
  limits: { limitsOn: "good", limitsHigh: "look" },
  metrics: { metricsLocal: "good", metricsToken: "good", metricsWeak: "act" },
  outsideHosts: { hostsNone: "good", hostsSome: "good", hostsInner: "look" },
  firstPasswords: {
    ...({ firstChanged: "good", firstUnchanged: "look" } as const),
    ...({ firstInSettings: "look", firstFile: "act" } as const),
  },
  superUsers: { superFew: "good", superMany: "look" },
  secondFactor: { factorAll: "good", factorMissing: "act" },
  staleAccounts: { accountsUsed: "good", accountsStale: "look" },
  importedPasswords: { passwordsOwn: "good", passwordsImported: "look" },
  signUp: { signUpClosed: "good", signUpMail: "good", signUpNoMail: "act" },
  mail: { mailEncrypted: "good", mailNone: "look", mailPlain: "act" },
  apiTokens: { tokensUsed: "good", tokensUnused: "look", tokensWide: "look" },
  webhooks: { webhooksEncrypted: "good", webhooksPlain: "look" },
  demo: { demoNone: "good", demoAlone: "good", demoThere: "look" },
  simulator: { simulatorNone: "good", simulatorAlone: "good", simulatorThere: "look" },
  secrets: { secretsStrong: "good", secretsWeak: "act" },
  sealKey: { sealApart: "good", sealBeside: "look" },
  dataFolder: { folderClosed: "good", folderUnknown: "look", folderOpen: "act" },
  databasePassword: { databaseOwn: "good", databaseStrong: "good", databaseWeak: "act" },
  databaseTls: { databaseLocal: "good", databaseEncrypted: "good", databasePlain: "look" },
  databaseRoles: { rolesNarrow: "good", rolesOwnerWide: "look", rolesWide: "act" },
  rowSecurity: { rowsGuarded: "good", rowsOpen: "act" },
  backupAge: {
    ...({ backupFresh: "good", backupFailed: "look" } as const),
    ...({ backupOld: "act", backupNone: "act" } as const),
  },
  backupEncryption: { backupEncrypted: "good", backupPlain: "look" },
  backupPlace: { backupElsewhere: "good", backupBeside: "look" },
  backupTrial: { backupTried: "good", backupUntried: "look" },
  version: { versionFresh: "good", versionMixed: "look", versionOld: "look" },
  node: {
    ...({ nodeSupported: "good", nodeEnding: "look" } as const),
    ...({ nodeUnknown: "look", nodeEnded: "act" } as const),
  },
  postgres: {
    ...({ postgresSupported: "good", postgresEnding: "look" } as const),
    ...({ postgresUnknown: "look", postgresEnded: "act" } as const),
  },
  clock: { clockRight: "good", clockOff: "look", clockWrong: "act" },
  logLevel: { logQuiet: "good", logDetailed: "look" },
} as const;

/** `look`: somebody should decide about it; `act`: it is dangerous as it is. */
export const securityStates = ["good", "look", "act"] as const;
export type SecurityState = (typeof securityStates)[number];

export type SecurityCheckName = keyof typeof securityChecks;
type FindingsOf<Name> = Name extends SecurityCheckName
  ? keyof (typeof securityChecks)[Name] & string
  : never;
export type SecurityFinding = FindingsOf<SecurityCheckName>;

const names = Object.keys(securityChecks) as [SecurityCheckName, ...SecurityCheckName[]];
const findings = Object.values(securityChecks).flatMap((of) => Object.keys(of)) as [
  SecurityFinding,
  ...SecurityFinding[],
];

const securityCheck = z.object({
  check: z.enum(names),
  state: z.enum(securityStates),
  finding: z.enum(findings),
  /** A number of things, hours, days or seconds, as the finding says. */
  count: z.number(),
  /** Names of what was found: settings, accounts, tables, hosts. Never a secret; at most a few. */
  subjects: z.array(z.string()),
});
export type SecurityCheck = z.output<typeof securityCheck>;

const securityReport = z.object({ at: isoDate, checks: z.array(securityCheck) });
export type SecurityReport = z.output<typeof securityReport>;

export const securityCheckEndpoints = defineEndpoints({
  "GET /operation/security": {
    summary: "How safe the installation is set up, check by check; super users only",
    auth: "bearer",
    permission: "companies:manage-any",
    reply: securityReport,
    errors: [],
  },
});
