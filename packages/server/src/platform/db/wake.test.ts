import pg from "pg";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import type { TestDatabase } from "../../testing/database.ts";
import { testDatabase } from "../../testing/database.ts";
import { createLogger } from "../logging/logger.ts";
import type { Wake } from "./wake.ts";
import { startWake } from "./wake.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});

/** A wake of its own "process", listening to the test's topics: others may still arrive from the test before. */
async function newWake(prefix: string): Promise<Wake & { heard: string[] }> {
  const wake = startWake({
    url: database.ownerUrl,
    log: createLogger({ level: "silent", pretty: false }),
  });
  const heard: string[] = [];
  wake.on(prefix, (topic) => void heard.push(topic));
  onTestFinished(() => wake.close());
  await wake.ready();
  return { ...wake, heard };
}

test("a wake-up reaches this process at once and the others soon, each once", async () => {
  const [here, there] = [await newWake("a:"), await newWake("a:")];
  here.send("a:1");
  expect(here.heard).toEqual(["a:1"]);
  here.send("a:2");
  await vi.waitFor(() => expect(there.heard).toEqual(["a:1", "a:2"]));
  there.send("a:end");
  await vi.waitFor(() => expect(here.heard).toContain("a:end"));
  expect(here.heard).toEqual(["a:1", "a:2", "a:end"]);
});

test("a listener hears the topics with its prefix until it is taken away", async () => {
  const wake = await newWake("b:");
  const heard: string[] = [];
  const stop = wake.on("outbound:", (topic) => void heard.push(topic));
  for (const topic of ["outbound:7", "connections", "outbound:8"]) wake.send(topic);
  stop();
  wake.send("outbound:9");
  expect(heard).toEqual(["outbound:7", "outbound:8"]);
});

test("a transaction's wake-up comes with its commit, and not at all with its rollback", async () => {
  const [here, there] = [await newWake("c:"), await newWake("c:")];
  await database.db.acrossCompanies(async (tx) => {
    here.notify(tx, "c:committed");
    expect(here.heard).toEqual([]);
  });
  expect(here.heard).toEqual(["c:committed"]);
  const refused = database.db.acrossCompanies(async (tx) => {
    here.notify(tx, "c:rolled back");
    await Promise.reject(new Error("no"));
  });
  await expect(refused).rejects.toThrow("no");
  here.send("c:last");
  await vi.waitFor(() => expect(there.heard).toContain("c:last"));
  expect(there.heard).toEqual(["c:committed", "c:last"]);
  expect(here.heard).toEqual(["c:committed", "c:last"]);
});

test("a listener that throws keeps neither the others nor the sender from going on", async () => {
  const wake = await newWake("x");
  const heard: string[] = [];
  wake.on("x", () => {
    throw new Error("broken listener");
  });
  wake.on("x", (topic) => void heard.push(topic));
  wake.send("x1");
  expect(heard).toEqual(["x1"]);
});

test("after its connection broke it listens and sends again", async () => {
  const [here, there] = [await newWake("d:"), await newWake("d:")];
  const client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  onTestFinished(() => client.end());
  const broken = await client.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where datname = current_database() and application_name = 'balcao wake'`,
  );
  expect(broken.rowCount).toBeGreaterThanOrEqual(2);
  await vi.waitFor(() => {
    here.send("d:from here");
    expect(there.heard).toContain("d:from here");
  }, 10_000);
  await vi.waitFor(() => {
    there.send("d:from there");
    expect(here.heard).toContain("d:from there");
  }, 10_000);
});
