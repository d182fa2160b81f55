import { parseISO } from "date-fns/parseISO";
import { sql } from "drizzle-orm";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Random, Sources } from "../../platform/sources.ts";
import type { MediaFiles } from "../media/index.ts";
import { buildCompany, buildPlan, buildUser } from "./builders.ts";
import type { SeedChannel } from "./demo-history.ts";
import { storeDemoFiles } from "./demo-files.ts";
import type { DemoPerson } from "./demo.ts";
import { createDemoCompany, DEMO_COMPANY, demoStaff } from "./demo.ts";

/** Advisory lock of the process that provisions; any number, the same in every process. */
const PROVISIONING_LOCK = 7_220_417;

const PROVIDER_COMPANY = "Balcão";
const PROVIDER_TIME_ZONE = "America/Sao_Paulo";
/** The provider's own company does not expire: the end of the last day of 2099 in its zone. */
const PROVIDER_DUE_DATE = "2099-12-31T23:59:59.999-03:00";
const SUPER_NAME = "Administrador";
const SUPER_EMAIL = "super@balcao.local";

type FirstStartOptions = {
  demo: boolean;
  /** Credentials of the super user. Absent: a standard address and a generated password. */
  adminEmail?: string | undefined;
  adminPassword?: string | undefined;
};

type FirstStartAccount = {
  company: string;
  name: string;
  role: "super" | "admin" | "agent";
  email: string;
  /** The generated password in plain text, stored nowhere; null: the operator's own. */
  password: string | null;
};

/** Shown to the operator exactly once. */
export type FirstStartReport = { accounts: readonly FirstStartAccount[] };

type Provisioning = {
  /**
   * Fills an empty installation: the provider company with its super user and, on request, the demo company. Returns null
   * and changes nothing if a company exists; of several processes that start concurrently, one provisions.
   */
  firstStart(options: FirstStartOptions): Promise<FirstStartReport | null>;
};

export type ProvisioningDeps = {
  db: Database;
  sources: Sources;
  hashPassword(password: string): Promise<string>;
  seedChannel: SeedChannel;
  files: Pick<MediaFiles, "storeCustomerFile">;
  log: Logger;
};

export function createProvisioning(deps: ProvisioningDeps): Provisioning {
  const withCredentials = async (person: DemoPerson): Promise<DemoMember> => ({
    ...person,
    ...(await createCredentials(deps)),
  });

  return {
    async firstStart(options) {
      if (await deps.db.acrossCompanies(hasCompanies)) return null;

      // Hashing is slow on purpose, so it happens before the lock is taken.
      const [superUser, ...staff] = await Promise.all([
        createCredentials(deps, options.adminPassword),
        ...(options.demo ? demoStaff : []).map(withCredentials),
      ]);
      const email = (options.adminEmail ?? SUPER_EMAIL).toLowerCase();

      const done = await deps.db.acrossCompanies(async (tx) => {
        await tx.query(sql`select pg_advisory_xact_lock(${PROVISIONING_LOCK})`);
        if (await hasCompanies(tx)) return null;
        await createProvider(tx, email, superUser.passwordHash);
        const demo = options.demo ? await createDemoCompany(tx, deps, staff) : null;
        const account: FirstStartAccount = {
          company: PROVIDER_COMPANY,
          name: SUPER_NAME,
          role: "super",
          email,
          password: options.adminPassword === undefined ? superUser.password : null,
        };
        return { demo, report: { accounts: [account, ...staff.map(toAccount)] } };
      });
      if (done?.demo) await storeFiles(done.demo);
      return done && done.report;
    },
  };

  /** The accounts exist and are shown once, so missing pictures of the demo do not fail the start. */
  async function storeFiles({ companyId, files }: DemoHistory): Promise<void> {
    try {
      await storeDemoFiles(deps, companyId, files);
    } catch (error) {
      deps.log.warn({ err: error, companyId }, "the demo company has not all of its files");
    }
  }
}

type DemoHistory = Awaited<ReturnType<typeof createDemoCompany>>;

async function hasCompanies(tx: Tx): Promise<boolean> {
  const rows = await tx.query(sql`select 1 from companies limit 1`);
  return rows.length > 0;
}

async function createProvider(tx: Tx, email: string, passwordHash: string): Promise<void> {
  const planId = await buildPlan(tx, {
    name: "Provedor",
    users: 100,
    connections: 100,
    queues: 100,
    useInternal: false,
  });
  const companyId = await buildCompany(tx, {
    name: PROVIDER_COMPANY,
    email,
    planId,
    timeZone: PROVIDER_TIME_ZONE,
    dueDate: parseISO(PROVIDER_DUE_DATE),
  });
  await buildUser(tx, {
    companyId,
    name: SUPER_NAME,
    email,
    passwordHash,
    profile: "admin",
    super: true,
    allTicket: "enabled",
  });
}

type Credentials = { password: string; passwordHash: string };
type DemoMember = DemoPerson & Credentials;

async function createCredentials(deps: ProvisioningDeps, given?: string): Promise<Credentials> {
  const password = given ?? generatePassword(deps.sources.random);
  return { password, passwordHash: await deps.hashPassword(password) };
}

function toAccount({ name, role, email, password }: DemoMember): FirstStartAccount {
  return { company: DEMO_COMPANY, name, role, email, password };
}

// No l, o, i, 0 or 1: they are easily confused when the password is copied from a terminal.
const UPPER = "ABCDEFGHJKMNPQRSTUVWXYZ";
const LOWER = "abcdefghjkmnpqrstuvwxyz";
const DIGITS = "23456789";

/**
 * A password that is easy to read and type, like `Kmtpx-qwert-47abc`: an upper-case letter, lower-case letters and
 * digits in three groups, about 64 bits of randomness.
 */
export function generatePassword(random: Random): string {
  const pick = (alphabet: string, length: number) =>
    Array.from({ length }, () => alphabet.charAt(random.integer(0, alphabet.length))).join("");
  const groups = [
    pick(UPPER, 1) + pick(LOWER, 4),
    pick(LOWER, 5),
    pick(DIGITS, 2) + pick(LOWER, 3),
  ];
  return groups.join("-");
}
