import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { expect, vi } from "vitest";
import { ownerUrl, stopServer } from "../../../platform/db/embedded/server.ts";
import { resolveLayout } from "../../../platform/db/embedded/layout.ts";
import { isServer, readClaim } from "../../../platform/db/embedded/postmaster-file.ts";
import { atEndOfFile } from "../../end-of-file.ts";
import { builtMain } from "./built-product.ts";

export type Account = { email: string; password: string };

/** The product as a process of its own, built as `npm start` builds it, on a port that stays the same. */
export type Installation = {
  url: string;
  /** Those of the demo company, which the first start names; fails on a database that was filled before. */
  accounts(): { admin: Account; agents: Account[] };
  /** Starts it again on the same data and port; resolves when it serves. */
  start(): Promise<void>;
  /** Starts it and ends it in the middle of its start. */
  startAndKillAfter(ms: number): Promise<void>;
  /** Ends it from one moment to the next. Its embedded database goes on, as after a crash. */
  kill(): Promise<void>;
  /** Sends it a signal and waits for its end. Answers its exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  /** Stops it where it stands; answers how to let it go on. */
  freeze(): () => void;
  /** All it has printed, for when a test fails. */
  output(): string;
  /** A question to its database, as the owner. */
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Ends the server of the embedded database from one moment to the next. */
  killDatabase(): Promise<void>;
  /** Stops every process of the embedded database where it stands; answers how to let them go on. */
  freezeDatabase(): Promise<() => void>;
};

const quickStart = new URL("quick-start.ts", import.meta.url).href;
/** The first as in scripts/start.mjs: small young spaces also make a start cheaper. */
const nodeOptions = ["--max-semi-space-size=4", `--import=${quickStart}`];
/** A machine with ten times more work than cores needs more than a minute. */
const START_LIMIT_MS = 150_000;

type InstallationOptions = {
  environment?: Record<string, string>;
  /** Where its data is; a new directory unless given. */
  parent?: string;
  /** Customers of the demo company get menus; otherwise nobody but people answers them. */
  answersByItself?: boolean;
  /** The main.js that the next start takes; the one of the present sources unless given. */
  program?: () => string;
};

export async function newInstallation(options: InstallationOptions = {}): Promise<Installation> {
  const main = await builtMain();
  const parent = options.parent ?? (await newDirectory());
  const dataDir = join(parent, "data");
  const databaseUrl =
    options.environment?.["DATABASE_DIRECT_URL"] ?? options.environment?.["DATABASE_URL"];
  let output = "";
  let port = "0";
  let child: ChildProcess | undefined;
  /** For the questions to its database, which tests repeat many times a second. */
  let pool: pg.Pool | undefined;

  function launch(): ChildProcess {
    const started = spawn(process.execPath, [...nodeOptions, options.program?.() ?? main], {
      env: {
        ...process.env,
        NODE_ENV: "production",
        HOST: "127.0.0.1",
        PORT: port,
        BALCAO_DATA: dataDir,
        BALCAO_REQUESTS_PER_MINUTE: "10000000",
        BALCAO_AUTH_REQUESTS_PER_MINUTE: "10000000",
        BALCAO_MAX_EVENT_LOOP_DELAY_MS: "0",
        ...options.environment,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const note = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    started.stdout.on("data", note);
    started.stderr.on("data", note);
    child = started;
    return started;
  }

  async function start(): Promise<void> {
    const from = output.length;
    const started = launch();
    await vi.waitFor(
      () => {
        if (started.exitCode !== null) return; // said below
        expect(output.slice(from)).toMatch(/Balcão is running on \S+\n/);
      },
      { timeout: START_LIMIT_MS, interval: 20 },
    );
    if (started.exitCode !== null) throw new Error(`the product ended:\n${output.slice(from)}`);
    port = new URL(addressIn(output.slice(from))).port;
  }

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return null;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
    return child.exitCode;
  }
  const kill = async (): Promise<void> => void (await end("SIGKILL"));

  atEndOfFile(async () => {
    await kill();
    await pool?.end();
    await stopDatabase(dataDir);
    if (options.parent === undefined) await rm(parent, { recursive: true, force: true });
  });
  await start();

  async function query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    const url = databaseUrl ?? (await embeddedUrl(dataDir));
    if (pool?.options.connectionString !== url) {
      await pool?.end();
      pool = new pg.Pool({ connectionString: url, max: 4 });
      // For a database that is killed.
      pool.on("error", () => undefined);
      pool.on("connect", (client) => client.on("error", () => undefined));
    }
    return (await pool.query<Row>(text, values)).rows;
  }
  if (!options.answersByItself) for (const statement of closedForEver) await query(statement);

  return {
    url: `http://127.0.0.1:${port}`,
    accounts: () => accountsIn(output),
    start,
    startAndKillAfter: async (ms) => {
      launch();
      await new Promise((resolve) => setTimeout(resolve, ms));
      await kill();
    },
    kill,
    end,
    freeze: () => {
      const frozen = child;
      frozen?.kill("SIGSTOP");
      return () => void frozen?.kill("SIGCONT");
    },
    output: () => output,
    query,
    killDatabase: async () => void process.kill(await databaseServer(dataDir), "SIGKILL"),
    freezeDatabase: () => freezeDatabase(dataDir),
  };
}

/** The automatic attendant of a company that is closed on all days, and has nothing to say about that, says nothing. */
const closedForEver = [
  `insert into settings (company_id, key, value) select id, 'scheduleType', 'company' from companies
   on conflict (company_id, key) do update set value = excluded.value`,
  `update companies set schedules = (
     select jsonb_agg(jsonb_build_object('weekday', day, 'weekdayEn', day, 'startTime', '00:00', 'endTime', '00:00'))
     from unnest(array['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']) as day)`,
  "update connections set out_of_hours_message = ''",
];

/** A directory that the database's account may enter. */
export async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "balcao-installation-"));
  await chmod(directory, 0o755);
  return directory;
}

async function embeddedUrl(dataDir: string): Promise<string> {
  const { cluster, passwordFile } = await resolveLayout(dataDir);
  const claim = await readClaim(cluster);
  if (!claim) throw new Error("the embedded database is not running");
  const password = (await readFile(passwordFile, "utf8")).trim();
  return ownerUrl({ port: claim.port, password }, "balcao");
}

async function databaseServer(dataDir: string): Promise<number> {
  const { cluster, name } = await resolveLayout(dataDir);
  const claim = await readClaim(cluster);
  if (!claim || !(await isServer(claim.pid, name))) throw new Error("there is no database server");
  return claim.pid;
}

async function freezeDatabase(dataDir: string): Promise<() => void> {
  const server = await databaseServer(dataDir);
  // The server first: from then on there are no new ones.
  const frozen = [server].filter((id) => sendSignal(id, "SIGSTOP"));
  frozen.push(...(await childrenOf(server)).filter((id) => sendSignal(id, "SIGSTOP")));
  return () => {
    for (const id of frozen.splice(0)) sendSignal(id, "SIGCONT");
  };
}

/** False for a process that is gone. */
function sendSignal(id: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(id, signal);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
    throw error;
  }
}

async function childrenOf(parent: number): Promise<number[]> {
  const numbers = (await readdir("/proc")).filter((entry) => /^\d+$/.test(entry));
  const found: number[] = [];
  for (const number of numbers) {
    // A process may be gone by the time it is looked at.
    const stat = await readFile(`/proc/${number}/stat`, "utf8").catch(() => "");
    // pid (name) state parent …; the name may hold anything.
    if (Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === parent) {
      found.push(Number(number));
    }
  }
  return found;
}

async function stopDatabase(dataDir: string): Promise<void> {
  const layout = await resolveLayout(dataDir);
  const claim = await readClaim(layout.cluster);
  if (claim) await stopServer(layout, claim.pid);
}

function addressIn(output: string): string {
  const address = /Balcão is running on (\S+)/.exec(output)?.[1];
  if (!address) throw new Error(`no address in:\n${output}`);
  return address;
}

/** The first start's output: ` e-mail password Name, role of Company`. */
function accountsIn(output: string): { admin: Account; agents: Account[] } {
  const lines = [...output.matchAll(/^ {2}(\S+@\S+)\s+(\S+)\s+.*, (super user|admin|agent) of /gm)];
  const inRole = (wanted: string): Account[] =>
    lines
      .filter(([, , , role]) => role === wanted)
      .map(([, email = "", password = ""]) => ({ email, password }));
  const [admin] = inRole("admin");
  if (!admin) throw new Error(`the demo's accounts were not named:\n${output}`);
  return { admin, agents: inRole("agent") };
}

/** Resolves when no message is in transit between the phones and the product, in either direction. */
export async function untilQuiet(installation: Installation): Promise<void> {
  await vi.waitFor(
    async () => {
      const [waiting] = await installation.query<Record<string, number>>(`
        select (select count(*) from inbound_journal)::int as journal,
               (select count(*) from outbound where state in ('queued', 'sending', 'sent'))::int as outbound,
               (select count(*) from simulator_messages where from_customer and not delivered)::int as undelivered,
               (select count(*) from simulator_messages
                 where not from_customer and reported_ack < ack)::int as unreported`);
      expect(waiting).toEqual({ journal: 0, outbound: 0, undelivered: 0, unreported: 0 });
    },
    { timeout: 60_000, interval: 200 },
  );
}
