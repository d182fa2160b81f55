import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";

import { Client } from "pg";
import { afterEach, expect, test, vi } from "vitest";

import { startEmbeddedPostgres, type EmbeddedPostgres } from "./index.ts";
import { isServer, readClaim, type Claim, withPid } from "./postmaster-file.ts";
import { resolveLayout } from "./layout.ts";
import { cleanUp, killHard, launch, makeDirectory, query, readyUrl } from "./testing/launched.ts";

afterEach(cleanUp);

function start(dataDir: string): Promise<EmbeddedPostgres> {
  const log = (): void => undefined;
  return startEmbeddedPostgres({ dataDir, database: "app", log, settings: { fsync: "off" } });
}

async function claimOf(dataDir: string): Promise<Claim> {
  const claim = await readClaim(join(dataDir, "postgres", "cluster"));
  if (claim === undefined) throw new Error("There is no postmaster.pid.");
  return claim;
}

/** Ends the server like the kernel does when memory is short: it cannot clean up. */
async function killServer(dataDir: string): Promise<Claim> {
  const claim = await claimOf(dataDir);
  const { name } = await resolveLayout(dataDir);
  process.kill(claim.pid, "SIGKILL");
  await vi.waitFor(async () => expect(await isServer(claim.pid, name)).toBe(false));
  return claim;
}

/** A first start whose process is then killed, with one committed row. */
async function crashedInstallation(): Promise<{ dataDir: string; url: string }> {
  const dataDir = join(await makeDirectory(0o755), "data");
  const launched = launch(dataDir);
  const url = await readyUrl(launched);
  await query(url, "CREATE TABLE kept AS SELECT 42 AS answer");
  await killHard(launched);
  return { dataDir, url };
}

async function expectDataKept({ url }: EmbeddedPostgres): Promise<void> {
  expect(await query(url, "SELECT answer FROM kept")).toEqual([{ answer: 42 }]);
}

test("after a kill -9 of node the next start attaches to the server that kept running, and can stop it", async () => {
  const { dataDir, url } = await crashedInstallation();
  const { pid } = await claimOf(dataDir);
  const again = await start(dataDir);
  expect([again.url, (await claimOf(dataDir)).pid]).toEqual([url, pid]);
  await expectDataKept(again);
  await again.stop();
  expect(await readClaim(join(dataDir, "postgres", "cluster"))).toBeUndefined();
});

test("after a kill -9 of node and server the next start recovers, waiting for old backends to go", async () => {
  const { dataDir, url } = await crashedInstallation();
  const busy = new Client({ connectionString: url });
  busy.on("error", () => undefined);
  await busy.connect();
  // A backend that computes outlives its server until it notices that its client is gone.
  const computing = expect(
    busy.query("SELECT count(*) FROM generate_series(1, 1000000000) n WHERE n % 7 = 0"),
  ).rejects.toThrow("terminated");
  await killServer(dataDir);
  const starting = start(dataDir);
  const log = join(dataDir, "postgres", "server.log");
  await vi.waitFor(async () => expect(await readFile(log, "utf8")).toContain("still in use"));
  await busy.end();
  await computing;
  const again = await starting;
  await expectDataKept(again);
  await again.stop();
});

test("a process number that now belongs to another program does not keep the database down", async () => {
  const { dataDir } = await crashedInstallation();
  await killServer(dataDir);
  const { account } = await resolveLayout(dataDir);
  const stranger = spawn("sleep", ["600"], { ...account, stdio: "ignore" });
  await once(stranger, "spawn");
  const file = join(dataDir, "postgres", "cluster", "postmaster.pid");
  await writeFile(file, withPid(await readFile(file, "utf8"), stranger.pid ?? 0));
  const again = await start(dataDir);
  await expectDataKept(again);
  await again.stop();
  expect(stranger.exitCode).toBeNull();
  stranger.kill();
});

test("another program that now listens on the old port is not taken for the database", async () => {
  const { dataDir } = await crashedInstallation();
  const { port } = await killServer(dataDir);
  const stranger = createServer((socket) => socket.end("220 hello\r\n"));
  // The kernel closes the sockets of a killed process a little after the process is gone.
  await vi.waitFor(async () => {
    stranger.listen(port, "127.0.0.1");
    await once(stranger, "listening");
  });
  const again = await start(dataDir);
  await expectDataKept(again);
  expect(new URL(again.url).port).not.toBe(String(port));
  await again.stop();
  stranger.close();
});

test("a database that is killed while we live comes back at the same address", async () => {
  const dataDir = join(await makeDirectory(0o755), "data");
  const postgres = await start(dataDir);
  await query(postgres.url, "CREATE TABLE kept AS SELECT 42 AS answer");
  await killServer(dataDir);
  await vi.waitFor(() => expectDataKept(postgres), { interval: 100 });
  // The installation is held again, too.
  await vi.waitFor(
    async () => expect(await launch(dataDir).next()).toMatchObject({ state: "in use" }),
    { interval: 100 },
  );
  await postgres.stop();
  expect(await readClaim(join(dataDir, "postgres", "cluster"))).toBeUndefined();
});

test("the session that holds the installation is taken up again when it is lost", async () => {
  const dataDir = join(await makeDirectory(0o755), "data");
  const postgres = await start(dataDir);
  const holders =
    "SELECT a.pid FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE locktype = 'advisory'";
  const [first] = await query<{ pid: number }>(postgres.url, holders);
  await query(postgres.url, `SELECT pg_terminate_backend(${first?.pid ?? 0})`);
  await vi.waitFor(
    async () => {
      const [next] = await query<{ pid: number }>(postgres.url, holders);
      expect(next?.pid).toBeGreaterThan(0);
      expect(next?.pid).not.toBe(first?.pid);
    },
    { interval: 50 },
  );
  await postgres.stop();
});
