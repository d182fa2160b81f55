import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export type Account = { name: string; email: string; password: string };

/** The accounts of the first start: the provider's super user and the users of the demo company. */
export type Accounts = { super: Account; admin: Account; agents: Account[] };

/** The built product, started as `npm start` does, on its own empty data directory and a free port. */
export type Product = {
  url: string;
  dataDir: string;
  accounts: Accounts;
  /** Its output before it ended by itself; null while it runs or when it was ended by us. */
  collapse(): string | null;
  /** Its output since its last start. */
  output(): string;
  /** Ends the process without warning, as a crash would; the data stays. */
  kill(): Promise<void>;
  /** Starts it again on the same data and port; it serves once this is done. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};

const main = fileURLToPath(new URL("../../packages/server/dist/main.js", import.meta.url));
const START_LIMIT_MS = 180_000;
const ADDRESS = /Balcão is running on (\S+)\n/;

export async function startProduct(environment: Record<string, string> = {}): Promise<Product> {
  const dataDir = await mkdtemp(join(tmpdir(), "balcao-e2e-"));
  let port = "0";
  let running: ChildProcess | undefined;
  let collapse: string | null = null;
  let outputOfRunning = (): string => "";

  const launch = async (): Promise<string> => {
    const child = spawn(process.execPath, [main], {
      env: {
        ...process.env,
        NODE_ENV: "production",
        HOST: "127.0.0.1",
        BALCAO_DATA: dataDir,
        // Three products and three browsers share the machine: being busy is no reason to refuse calls here.
        BALCAO_MAX_EVENT_LOOP_DELAY_MS: "0",
        ...environment,
        PORT: port,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    running = child;
    const output = collectOutput(child);
    outputOfRunning = output;
    child.once("exit", (code, signal) => {
      if (running === child) collapse = `ended with ${signal ?? code}:\n${output()}`;
    });
    await untilReady(child, output);
    return output();
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const child = running;
    running = undefined;
    if (!isAlive(child)) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await ended;
  };

  const first = await launch();
  const url = addressIn(first);
  port = new URL(url).port;
  return {
    url,
    dataDir,
    accounts: accountsIn(first),
    collapse: () => collapse,
    output: () => outputOfRunning(),
    kill: () => end("SIGKILL"),
    restart: async () => {
      await launch();
    },
    stop: async () => {
      // Only a process that stops by itself takes its database with it.
      if (!isAlive(running)) await launch();
      await end("SIGTERM");
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

function isAlive(child: ChildProcess | undefined): child is ChildProcess {
  return child !== undefined && child.exitCode === null && child.signalCode === null;
}

function collectOutput(child: ChildProcess): () => string {
  let output = "";
  const take = (chunk: Buffer): void => {
    output += chunk.toString();
  };
  child.stdout?.on("data", take);
  child.stderr?.on("data", take);
  return () => output;
}

/** Until it named its address, which is the last thing that it does at a start. */
function untilReady(child: ChildProcess, output: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => {
      clearTimeout(limit);
      child.kill("SIGKILL");
      reject(new Error(`the product ${why}:\n${output()}`));
    };
    const limit = setTimeout(() => fail("did not start in time"), START_LIMIT_MS);
    child.stdout?.on("data", () => {
      if (!ADDRESS.test(output())) return;
      clearTimeout(limit);
      resolve();
    });
    child.once("exit", (code) => fail(`ended with ${code}`));
  });
}

function addressIn(output: string): string {
  const address = ADDRESS.exec(output)?.[1];
  if (!address) throw new Error(`no address in: ${output}`);
  return address.replace("localhost", "127.0.0.1");
}

/** The accounts that the first start printed: `  e-mail  password  Name, role of Company`. */
function accountsIn(output: string): Accounts {
  const lines = output.matchAll(/^ {2}(\S+@\S+)\s+(\S+)\s+(.*), (super user|admin|agent) of /gm);
  const found = [...lines].map(([, email = "", password = "", name = "", role]) => ({
    role,
    account: { name, email, password },
  }));
  const of = (role: string): Account[] =>
    found.filter((entry) => entry.role === role).map(({ account }) => account);
  const [superUser] = of("super user");
  const [admin] = of("admin");
  if (!superUser || !admin) throw new Error(`no accounts in: ${output}`);
  return { super: superUser, admin, agents: of("agent") };
}
