import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { readConfig } from "../../platform/config/config.ts";
import { testApp } from "../../testing/app.ts";
import type { BodyOf } from "../../testing/app.ts";
import { atEndOfFile } from "../../testing/end-of-file.ts";
import { createBackupsFeature, stateOf } from "./index.ts";

const { as, given, database } = await testApp();
const { db } = database;
const folder = await mkdtemp(join(tmpdir(), "balcao-command-"));
atEndOfFile(() => rm(folder, { recursive: true, force: true }));

const now = new Date("2026-11-27T12:00:00.000Z");
const ago = (minutes: number): Date => new Date(now.getTime() - minutes * 60_000);

test.each([
  ["running", { endedAt: null, seenAt: ago(1), error: null }],
  ["interrupted", { endedAt: null, seenAt: ago(3), error: null }],
  ["interrupted", { endedAt: ago(1), seenAt: ago(9), error: "interrupted" }],
  ["failed", { endedAt: ago(1), seenAt: ago(1), error: "the disk is full" }],
  ["whole", { endedAt: ago(9), seenAt: ago(9), error: null }],
])("a backup is %s: %j", (state, row) => {
  expect(stateOf(row, now)).toBe(state);
});

test("super users see the newest backups first; without a place none is begun", async () => {
  const superUser = as(await given.admin({ super: true }));
  for (const name of ["first.tar", "second.tar"])
    await db.acrossCompanies((tx) =>
      tx.query(sql`insert into backups (started_at, ended_at, seen_at, origin, place, name, is_encrypted)
        values (now(), now(), now(), 'command', '/mnt', ${name}, true)`),
    );
  const list = await superUser.get<BodyOf<"GET /operation/backups">>("/operation/backups");
  expect(list.body.schedule).toBeNull();
  expect(list.body.backups.map(({ name, state }) => [name, state])).toEqual([
    ["second.tar", "whole"],
    ["first.tar", "whole"],
  ]);
  expect((await superUser.post("/operation/backups")).body).toEqual({ isStarted: false });
  const admin = as(await given.admin());
  expect((await admin.get("/operation/backups")).status).toBe(403);
});

/** The job with a command of the test in place of the real one. */
async function jobOf(source: string) {
  const path = join(folder, "command.mjs");
  await writeFile(path, source);
  const { backup: settings } = readConfig({ BALCAO_BACKUP_TO: folder });
  const deps = { db, settings, clock: { now: () => now }, wake: { notify: () => undefined } };
  const [job] = createBackupsFeature({ ...deps, command: pathToFileURL(path) }).jobs;
  if (!job) throw new Error("there is no job");
  return job;
}

test("the job succeeds and fails with its command, whose message it gives, and ends it at a stop", async () => {
  const never = new AbortController().signal;
  await (await jobOf("process.disconnect()")).run(never);
  const failing = await jobOf(`process.stderr.write("the disk is full"); process.exitCode = 1;
    process.disconnect()`);
  await expect(failing.run(never)).rejects.toThrow("the backup failed: the disk is full");
  const stopping = new AbortController();
  const endless = (await jobOf("setInterval(() => {}, 1000)")).run(stopping.signal);
  stopping.abort(new Error("the product stops"));
  await expect(endless).rejects.toThrow("the product stops");
});
