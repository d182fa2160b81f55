import type { ChildProcess } from "node:child_process";
import { execFileSync, spawn } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { vi } from "vitest";
import { atEndOfFile } from "../../end-of-file.ts";

/** Programs between and before the machines of an installation. Debian has them; without one of them its part is left out. */
const PROGRAMS = { pooler: "/usr/sbin/pgbouncer", balancer: "/usr/sbin/haproxy" };
const balancerFile = new URL("../../../../../../deploy/haproxy.cfg", import.meta.url);

export type PoolMode = "session" | "transaction";

/** The version of a program, or null where it is not installed. */
function versionOf(program: keyof typeof PROGRAMS): string | null {
  try {
    const told = execFileSync(PROGRAMS[program], [program === "pooler" ? "--version" : "-v"]);
    return /\d+\.\d+/.exec(told.toString())?.[0] ?? null;
  } catch {
    process.stderr.write(`${PROGRAMS[program]} is not installed: tried without it\n`);
    return null;
  }
}

/**
 * Puts pgbouncer before a database of the test server, set up as docs/many-machines.md says. Answers the variables of a process
 * that goes through it, or those of one that does not, when it is not installed.
 */
export async function startPooler(
  directUrl: string,
  mode: PoolMode,
): Promise<Record<string, string>> {
  const version = versionOf("pooler");
  if (version === null) return { DATABASE_URL: directUrl };
  const server = new URL(directUrl);
  const database = server.pathname.slice(1);
  await allowLookup(directUrl);
  const folder = await scratchFolder();
  const port = await freePort();
  const file = join(folder, "pgbouncer.ini");
  await writeFile(join(folder, "users.txt"), `"${POOLER_ROLE}" "${POOLER_PASSWORD}"\n`);
  await writeFile(
    file,
    [
      "[databases]",
      `${database} = host=${server.hostname} port=${server.port} dbname=${database}`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${port}`,
      "unix_socket_dir =",
      "auth_type = scram-sha-256",
      `auth_file = ${join(folder, "users.txt")}`,
      `auth_user = ${POOLER_ROLE}`,
      "auth_query = select name, secret from pooler.login($1)",
      `pool_mode = ${mode}`,
      "max_client_conn = 500",
      "default_pool_size = 20",
      ...(keepsStatements(version) ? ["max_prepared_statements = 500"] : []),
    ].join("\n"),
  );
  // It does not run as root.
  const asNobody = process.getuid?.() === 0 ? ["--reuid=65534", "--regid=65534"] : [];
  const start = asNobody.length > 0 ? ["setpriv", ...asNobody, "--clear-groups"] : [];
  await runAside([...start, PROGRAMS.pooler, file], port);
  const url = new URL(directUrl);
  url.port = String(port);
  url.hostname = "127.0.0.1";
  return {
    DATABASE_URL: url.href,
    DATABASE_DIRECT_URL: directUrl,
    BALCAO_DATABASE_PREPARED: mode === "session" || keepsStatements(version) ? "on" : "off",
  };
}

const POOLER_ROLE = "balcao_test_pooler";
const POOLER_PASSWORD = "only-for-tests";

/** From version 1.21 on, statements stay prepared although each transaction has any connection. */
function keepsStatements(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 1 || minor >= 21;
}

/** Lets the pooler look up the roles of the product, whose names and passwords the product makes. */
async function allowLookup(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const role = `create role ${POOLER_ROLE} login password '${POOLER_PASSWORD}'`;
    // Roles belong to the whole server, on which several databases are tried.
    await client.query(
      `do $$ begin ${role}; exception when duplicate_object or unique_violation then null; end $$`,
    );
    await client.query("create schema pooler");
    await client.query(`
      create function pooler.login(text) returns table (name name, secret text)
      language sql security definer set search_path = pg_catalog as
      'select usename, passwd from pg_shadow where usename = $1'`);
    await client.query("revoke all on function pooler.login from public");
    await client.query(`grant usage on schema pooler to ${POOLER_ROLE}`);
    await client.query(`grant execute on function pooler.login to ${POOLER_ROLE}`);
  } finally {
    await client.end();
  }
}

/** The balancer that the product ships, before these processes. Without it, the address of the first one. */
export async function startBalancer(urls: readonly string[]): Promise<string> {
  if (versionOf("balancer") === null) return urls[0] ?? "";
  const port = await freePort();
  const servers = urls.map((url, place) => `    server s${place} ${new URL(url).host}`);
  const shipped = await readFile(balancerFile, "utf8");
  const file = join(await scratchFolder(), "haproxy.cfg");
  const ours = shipped
    .replace(/maxconn \d+/, "maxconn 1000")
    .replace("bind :8080", `bind 127.0.0.1:${port}`)
    .replaceAll(/^ {4}server .*\n/gm, "");
  await writeFile(file, `${ours}${servers.join("\n")}\n`);
  await runAside([PROGRAMS.balancer, "-f", file], port);
  return `http://127.0.0.1:${port}`;
}

/** Runs a program until the end of the file; resolves when it listens. */
async function runAside([program = "", ...args]: string[], port: number): Promise<void> {
  const child: ChildProcess = spawn(program, args, { stdio: "ignore" });
  let failure: Error | undefined;
  child.on("error", (error) => {
    failure = error;
  });
  atEndOfFile(async () => {
    if (child.exitCode !== null || failure) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  });
  await vi.waitFor(async () => {
    if (failure ?? child.exitCode !== null) return; // said below
    await fetch(`http://127.0.0.1:${port}`, { signal: AbortSignal.timeout(1_000) }).catch(
      (error: unknown) => {
        const { cause } = error as { cause?: { code?: string } };
        if (cause?.code === "ECONNREFUSED") throw error;
      },
    );
  });
  if (failure ?? child.exitCode !== null) throw failure ?? new Error(`${program} did not start`);
}

async function scratchFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "balcao-machines-"));
  await chmod(folder, 0o755);
  atEndOfFile(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // a TCP server
  await new Promise((resolve) => server.close(resolve));
  return port;
}
