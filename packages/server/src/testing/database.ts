import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import type { Database } from "../platform/db/database.ts";
import { openDatabase } from "../platform/db/database.ts";
import type { Installation } from "../platform/db/installation.ts";
import { prepareInstallation } from "../platform/db/installation.ts";
import { createLogger } from "../platform/logging/logger.ts";
import { systemSources } from "../platform/sources.ts";
import { atEndOfFile } from "./end-of-file.ts";

export type TestDatabase = Installation & {
  ownerUrl: string;
  db: Database;
  /** Statements since the last `take()`, without transaction control. */
  statements: { take(): string[] };
};

/** A new database with the product's schema, dropped when the test file ends. */
export async function testDatabase(): Promise<TestDatabase> {
  const ownerUrl = await createDatabase();
  const installation = await prepareInstallation(ownerUrl, systemSources.random);
  let seen: string[] = [];
  const db = openDatabase({
    ownerUrl,
    appUrl: installation.appUrl,
    poolSize: 10,
    log: createLogger({ level: "warn", pretty: false }),
    onStatement: (text) => seen.push(text),
  });
  atEndOfFile(() => db.close());
  return {
    ...installation,
    ownerUrl,
    db,
    statements: {
      take: () => {
        const taken = seen;
        seen = [];
        return taken;
      },
    },
  };
}

/** An empty database on the run's server; answers its owner address. */
export async function createDatabase(): Promise<string> {
  const server = inject("postgresUrl");
  const name = `balcao_t_${randomBytes(5).toString("hex")}`;
  await onServer(server, `create database ${name}`);
  atEndOfFile(async () => {
    await onServer(server, `drop database if exists ${name} with (force)`);
    await onServer(server, `drop role if exists ${name}_app`);
  });
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.toString();
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
