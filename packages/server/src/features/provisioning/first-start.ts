import { sql } from "drizzle-orm";
import { parseISO } from "date-fns/parseISO";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Sources } from "../../platform/sources.ts";
import type { MediaFiles } from "../media/index.ts";
import { buildCompany, buildPlan, buildUser } from "./builders.ts";
import type { SeedChannel } from "./channel-history.ts";
import type { DemoPerson } from "./demo.ts";
import { createDemoCompany, DEMO_COMPANY, demoStaff } from "./demo.ts";
import { storeDemoFiles } from "./demo-media.ts";
import { generatePassword } from "./passwords.ts";

/** Any number, the same in every process: who holds it provisions. */
const PROVISIONING_LOCK = 7_220_417;

const PROVIDER_COMPANY = "Balcão";
const PROVIDER_TIME_ZONE = "America/Sao_Paulo";
/** The provider's own company does not expire: the end of the last day of 2099 in its zone. */
const PROVIDER_DUE_DATE = "2099-12-31T23:59:59.999-03:00";
const SUPER_NAME = "Administrador";
const SUPER_EMAIL = "super@balcao.local";

type FirstStartOptions = {
  demo: boolean;
  /** The super user's; absent = a standard address and a generated password. */
  adminEmail?: string | undefined;
  adminPassword?: string | undefined;
};

type FirstStartAccount = {
  company: string;
  name: string;
  role: "super" | "admin" | "agent";
  email: string;
  /** Generated, and stored nowhere in this form; null = the operator's own. */
  password: string | null;
};

/** To be shown to the operator exactly once. */
export type FirstStartReport = { accounts: readonly FirstStartAccount[] };

type Provisioning = {
  /**
   * Fills an empty installation: the provider company with its super user and, on request, the demo company. Null, and
   * nothing changed, when there is a company already; of several processes that start together one provisions.
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

      // Hashing takes long on purpose: not while the lock is held.
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

  /** The accounts are made and will be shown once: a demo without pictures is no reason to keep them back. */
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
