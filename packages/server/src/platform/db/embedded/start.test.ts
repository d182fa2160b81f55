import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { findPostgresPackage, installBinaries } from "./binaries.ts";
import { ensureCluster } from "./cluster.ts";
import { InstallationInUse, startEmbeddedPostgres, type EmbeddedPostgres } from "./index.ts";
import { resolveLayout } from "./layout.ts";
import { readClaim } from "./postmaster-file.ts";
import { startServer } from "./server.ts";
import { cleanUp, launch, makeDirectory, query, readyUrl } from "./testing/launched.ts";

const lines: string[] = [];
let dataDir: string;
let postgres: EmbeddedPostgres;

function start(directory: string): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({
    dataDir: directory,
    database: "app",
    log: (line) => lines.push(line),
    settings: { fsync: "off", work_mem: "5MB" },
  });
}

beforeAll(async () => {
  dataDir = join(await makeDirectory(0o755), "data");
  postgres = await start(dataDir);
});

afterAll(async () => {
  await postgres.stop();
  await cleanUp();
});

test("the first start makes the database and answers the owner's address", async () => {
  const rows = await query(
    postgres.url,
    "SELECT current_database() AS name, session_user AS login, rolsuper FROM pg_roles WHERE rolname = session_user",
  );
  expect(rows).toEqual([{ name: "app", login: "balcao_owner", rolsuper: true }]);
  expect(lines).toEqual(["Preparing the database (first start only)…"]);
});

test("text is UTF-8, ordered by code point, and the extensions of the search can be created", async () => {
  await query(postgres.url, "CREATE EXTENSION unaccent; CREATE EXTENSION pg_trgm");
  const rows = await query(
    postgres.url,
    `SELECT pg_encoding_to_char(encoding) AS encoding, datlocprovider AS provider, datlocale AS locale,
            lower(unaccent('ÇÃO')) AS plain, similarity('balcao', 'balcão') > 0.3 AS similar
       FROM pg_database WHERE datname = current_database()`,
  );
  expect(rows).toEqual([
    { encoding: "UTF8", provider: "b", locale: "C.UTF-8", plain: "cao", similar: true },
  ]);
});

test("the server listens on 127.0.0.1 only, has no unix socket, and takes the given settings", async () => {
  const rows = await query(
    postgres.url,
    `SELECT name, setting FROM pg_settings WHERE name = ANY ('{listen_addresses,unix_socket_directories,
       synchronous_commit,shared_buffers,max_connections,fsync,work_mem}') ORDER BY name`,
  );
  expect(rows).toEqual([
    { name: "fsync", setting: "off" },
    { name: "listen_addresses", setting: "127.0.0.1" },
    { name: "max_connections", setting: "100" },
    { name: "shared_buffers", setting: "16384" },
    { name: "synchronous_commit", setting: "on" },
    { name: "unix_socket_directories", setting: "" },
    { name: "work_mem", setting: "5120" },
  ]);
});

test("connecting needs the password, which only its owner can read", async () => {
  const wrong = new URL(postgres.url);
  wrong.password = "wrong";
  await expect(query(wrong.href, "SELECT 1")).rejects.toThrow("password authentication failed");

  const passwordFile = join(dataDir, "postgres", "password");
  expect((await stat(passwordFile)).mode & 0o777).toBe(0o600);
  expect((await readFile(passwordFile, "utf8")).trim()).toBe(new URL(postgres.url).password);
  expect((await stat(join(dataDir, "postgres", "cluster"))).mode & 0o777).toBe(0o700);
  expect(await readdir(join(dataDir, "postgres"))).not.toContain("initdb-password");
});

test("a second start on the same data is refused and does not touch the running database", async () => {
  const [before] = await query(postgres.url, "SELECT pg_postmaster_start_time() AS started");
  const second = start(dataDir);
  await expect(second).rejects.toThrow(InstallationInUse);
  await expect(second).rejects.toThrow(
    `Balcão is already running on the data in ${dataDir} (balcao process ${process.pid}).`,
  );
  expect(await launch(dataDir).next()).toMatchObject({ state: "in use" });
  const [after] = await query(postgres.url, "SELECT pg_postmaster_start_time() AS started");
  expect(after).toEqual(before);
});

test("a statement that fails leaves no text of its own in the server's log", async () => {
  await expect(query(postgres.url, "SELECT 'the-secret-text'::int")).rejects.toThrow("invalid");
  const log = await readFile(join(dataDir, "postgres", "server.log"), "utf8");
  expect(log).toContain("ready to accept connections");
  expect(log).not.toContain("the-secret-text");
});

test("a port that somebody else took is reported as a collision, to be tried again on another", async () => {
  const holder = createServer().listen(0, "127.0.0.1");
  await once(holder, "listening");
  const address = holder.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const layout = await resolveLayout(join(await makeDirectory(0o755), "data"));
  const binaries = await installBinaries(await findPostgresPackage(), layout.binariesParent);
  await ensureCluster(layout, { binaries, durable: false });
  const plan = { layout, binaries, password: "", settings: {} };
  const outcome = await startServer({ ...plan, log: () => undefined }, port);
  holder.close();
  expect(outcome).toMatchObject({
    state: "collision",
    report: expect.stringContaining("could not bind"),
  });
});

test("the remains of an interrupted first start and older binaries are removed", async () => {
  const other = join(await makeDirectory(0o755), "data");
  const leftovers = [
    "postgres.new-0123456789ab",
    "postgres-18.4.0-linux-x64.new-0123456789ab",
    "postgres-18.1.0-linux-x64",
  ];
  const kept = ["postgres-17.6.0-linux-x64", "media"];
  for (const name of [...leftovers, ...kept]) {
    await mkdir(join(other, name), { recursive: true });
    await writeFile(join(other, name, "PG_VERSION"), "half done");
  }
  const started = await start(other);
  await started.stop();
  const names = await readdir(other);
  expect(names).toEqual(expect.arrayContaining([...kept, "postgres"]));
  expect(names).toHaveLength(4);
});

test("stop ends the server, and the next start has the data unless another major version made it", async () => {
  const other = join(await makeDirectory(0o755), "data");
  const first = await start(other);
  await query(first.url, "CREATE TABLE kept AS SELECT 42 AS answer");
  await Promise.all([first.stop(), first.stop()]);
  await first.stop();
  await expect(query(first.url, "SELECT 1")).rejects.toThrow("ECONNREFUSED");
  expect(await readClaim(join(other, "postgres", "cluster"))).toBeUndefined();

  const second = await start(other);
  expect(await query(second.url, "SELECT answer FROM kept")).toEqual([{ answer: 42 }]);
  await second.stop();

  // Data of another major version, however, is refused and left alone.
  const versionFile = join(other, "postgres", "cluster", "PG_VERSION");
  await writeFile(versionFile, "15\n");
  await expect(start(other)).rejects.toThrow(
    "was made by PostgreSQL 15, and this Balcão brings 18",
  );
  expect(await readFile(versionFile, "utf8")).toBe("15\n");
});

test("exactly one of two simultaneous starts on a fresh directory wins", async () => {
  const fresh = join(await makeDirectory(0o755), "data");
  const both = [launch(fresh), launch(fresh)];
  const reports = await Promise.all(both.map((launched) => launched.next()));
  reports.sort((one, other) => one.state.localeCompare(other.state));
  expect(reports).toMatchObject([{ state: "in use" }, { state: "ready" }]);
  const winner = reports.find((report) => report.state === "ready");
  const url = winner?.state === "ready" ? winner.url : "";
  expect(await query(url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  expect((await readdir(fresh)).filter((name) => name.includes(".new-"))).toEqual([]);
});

test("Ctrl-C, which reaches the whole process group, does not stop the database before our own shutdown", async () => {
  const fresh = join(await makeDirectory(0o755), "data");
  const launched = launch(fresh);
  await readyUrl(launched);
  process.kill(-(launched.child.pid ?? 0), "SIGINT");
  expect(await launched.next()).toEqual({ state: "stopped" });
  expect(await readClaim(join(fresh, "postgres", "cluster"))).toBeUndefined();
});
