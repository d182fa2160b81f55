import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import type { EmbeddedPostgres } from "../platform/db/embedded/index.ts";
import { startEmbeddedPostgres } from "../platform/db/embedded/index.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Owner address of the PostgreSQL all tests of the run share; each test file makes its own database there. */
    postgresUrl: string;
  }
}

let postgres: EmbeddedPostgres | undefined;
let dataDir: string | undefined;

/** Starts one embedded PostgreSQL for the whole run (or uses TEST_DATABASE_URL, to run the same tests on a server). */
export async function setup(project: TestProject): Promise<void> {
  const server = process.env["TEST_DATABASE_URL"];
  if (server) {
    project.provide("postgresUrl", server);
    return;
  }
  dataDir = await mkdtemp(join(tmpdir(), "balcao-test-"));
  postgres = await startEmbeddedPostgres({
    dataDir,
    database: "balcao_test",
    log: () => undefined,
    // Durability is proved by the crash tests, which start their own server.
    settings: { fsync: "off", full_page_writes: "off", max_connections: "300" },
  });
  project.provide("postgresUrl", postgres.url);
}

export async function teardown(): Promise<void> {
  await postgres?.stop();
  if (dataDir) await rm(dataDir, { recursive: true, force: true });
}
