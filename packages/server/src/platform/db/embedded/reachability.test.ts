import { chown, mkdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

import { afterAll, expect, test } from "vitest";

import { canEnter, findUnprivilegedAccount } from "./layout.ts";
import { readClaim } from "./postmaster-file.ts";
import { cleanUp, killHard, launch, makeDirectory, query, readyUrl } from "./testing/launched.ts";

afterAll(cleanUp);

const isRoot = process.getuid?.() === 0;
const nobody = { uid: 65_534, gid: 65_534 };
const nobodyReachesUs =
  isRoot &&
  (await canEnter(nobody, import.meta.dirname)) &&
  (await canEnter(nobody, dirname(process.execPath)));

async function serverUid(dataDir: string): Promise<number> {
  const claim = await readClaim(join(dataDir, "postgres", "cluster"));
  return (await stat(`/proc/${claim?.pid ?? 0}`)).uid;
}

test.runIf(isRoot)("root's database runs as an unprivileged user that exists", async () => {
  const dataDir = join(await makeDirectory(0o755), "data");
  const launched = launch(dataDir, { umask: "077" });
  await readyUrl(launched);
  const account = findUnprivilegedAccount(await readFile("/etc/passwd", "utf8"));
  expect(await serverUid(dataDir)).toBe(account?.uid);
  // All but the cluster itself stays root's.
  expect((await stat(join(dataDir, "postgres"))).uid).toBe(0);
  expect((await stat(join(dataDir, "postgres", "password"))).uid).toBe(0);
});

test.runIf(isRoot)("root's data below a 0700 home works and stays there", async () => {
  const home = await makeDirectory(0o700);
  const dataDir = join(home, "data");
  const first = launch(dataDir, { umask: "077" });
  await query(await readyUrl(first), "CREATE TABLE kept AS SELECT 42 AS answer");
  expect(await serverUid(dataDir)).not.toBe(0);
  expect((await stat(home)).mode & 0o777).toBe(0o700);
  await killHard(first);
  const second = launch(dataDir);
  expect(await query(await readyUrl(second), "SELECT answer FROM kept")).toEqual([{ answer: 42 }]);
  process.kill(-(second.child.pid ?? 0), "SIGINT");
  expect(await second.next()).toEqual({ state: "stopped" });
  const third = launch(dataDir);
  expect(await query(await readyUrl(third), "SELECT answer FROM kept")).toEqual([{ answer: 42 }]);
});

test.runIf(nobodyReachesUs)("an ordinary user's data in a 0700 home works", async () => {
  const home = await makeDirectory(0o700);
  await chown(home, nobody.uid, nobody.gid);
  const dataDir = join(home, "data");
  const launched = launch(dataDir, nobody);
  await readyUrl(launched);
  expect(await serverUid(dataDir)).toBe(nobody.uid);
  expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
  process.kill(-(launched.child.pid ?? 0), "SIGINT");
  expect(await launched.next()).toEqual({ state: "stopped" });

  // Root may serve it later, as its owner, and give it back.
  const asRoot = launch(dataDir);
  await readyUrl(asRoot);
  expect(await serverUid(dataDir)).toBe(nobody.uid);
  process.kill(-(asRoot.child.pid ?? 0), "SIGINT");
  expect(await asRoot.next()).toEqual({ state: "stopped" });
  await readyUrl(launch(dataDir, nobody));
});

test.runIf(nobodyReachesUs)("data of another user is refused with words that say so", async () => {
  const parent = await makeDirectory(0o755);
  const dataDir = join(parent, "data");
  await mkdir(dataDir, { mode: 0o755 });
  const asRoot = launch(dataDir);
  await readyUrl(asRoot);
  expect(await launch(dataDir, nobody).next()).toEqual({
    state: "failed",
    message: expect.stringContaining("belongs to another user of this system"),
  });
});
