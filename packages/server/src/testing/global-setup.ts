import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startEmbeddedPostgres } from "../platform/db/embedded/index.ts";
import type { Installation } from "../platform/db/installation.ts";
import { prepareInstallation } from "../platform/db/installation.ts";
import { systemSources } from "../platform/sources.ts";
import { dropInstallation, makeDatabase, onDatabase } from "./server-statements.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Owner address of the PostgreSQL server that all test files of the run share. */
    postgresUrl: string;
    /** A migrated database on that server without connections; test files copy it. */
    template: { database: string; installation: Installation };
  }
}

/** Clean-up actions, run in reverse order by `teardown`. */
const undo: (() => Promise<unknown>)[] = [];

/**
 * Starts one embedded PostgreSQL for the whole run (or uses TEST_DATABASE_URL, to run the same tests on a server), and
 * migrates one database there, because copying it takes a tenth of the time that the migrations take.
 */
export async function setup(project: TestProject): Promise<void> {
  const server = process.env["TEST_DATABASE_URL"] || (await startServer());
  const database = await makeDatabase(server, { purpose: "template" });
  undo.push(() => dropInstallation(server, database));
  const installation = await prepareInstallation(
    onDatabase(server, database),
    systemSources.random,
  );
  project.provide("postgresUrl", server);
  project.provide("template", { database, installation });
}

export async function teardown(): Promise<void> {
  for (let action = undo.pop(); action; action = undo.pop()) await action();
}

async function startServer(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), "balcao-test-"));
  undo.push(() => rm(dataDir, { recursive: true, force: true }));
  const postgres = await startEmbeddedPostgres({
    dataDir,
    database: "balcao_test",
    log: () => undefined,
    // The crash tests prove durability on their own server.
    // The pause is shared by all databases, and here are hundreds.
    settings: {
      ...{ fsync: "off", full_page_writes: "off", max_connections: "300" },
      autovacuum_naptime: "60s",
    },
  });
  undo.push(() => postgres.stop());
  return postgres.url;
}
