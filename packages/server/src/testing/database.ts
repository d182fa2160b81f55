import { inject } from "vitest";
import type { Database } from "../platform/db/database.ts";
import { openDatabase } from "../platform/db/database.ts";
import type { Installation } from "../platform/db/installation.ts";
import { createLogger } from "../platform/logging/logger.ts";
import { atEndOfFile } from "./end-of-file.ts";
import { dropDatabase, dropInstallation, makeDatabase, onDatabase } from "./server-statements.ts";

export type TestDatabase = Installation & {
  ownerUrl: string;
  db: Database;
  /** Statements since the last `take()`, without transaction control. */
  statements: { take(): string[] };
};

/** A database with the product's schema: a new one, dropped when the test file ends, unless one is given. */
export async function testDatabase(
  given?: Pick<TestDatabase, "ownerUrl"> & { installation: Installation },
): Promise<TestDatabase> {
  const { ownerUrl, installation } = given ?? (await copyTemplate());
  let seen: string[] = [];
  const db = openDatabase({
    // Tests may read and write everything.
    serviceUrl: ownerUrl,
    appUrl: installation.appUrl,
    poolSize: 10,
    // A hundred thousand rows of a test take longer on a busy machine than a user would wait.
    statementMs: 60_000,
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

/** An empty database on the run's server, for tests of migrations and first starts; returns its owner address. */
export async function createDatabase(): Promise<string> {
  const server = inject("postgresUrl");
  const name = await makeDatabase(server, { purpose: "empty" });
  atEndOfFile(() => dropInstallation(server, name));
  return onDatabase(server, name);
}

/** A copy of the run's migrated database. Its roles and secrets are the template's. */
async function copyTemplate(): Promise<{ ownerUrl: string; installation: Installation }> {
  const server = inject("postgresUrl");
  const template = inject("template");
  const name = await makeDatabase(server, { purpose: "t", template: template.database });
  atEndOfFile(() => dropDatabase(server, name));
  return { ownerUrl: onDatabase(server, name), installation: moved(template.installation, name) };
}

/** The installation with its addresses changed to another database. */
function moved(installation: Installation, database: string): Installation {
  const entries = Object.entries(installation).map(([key, value]) => [
    key,
    typeof value === "string" ? onDatabase(value, database) : value,
  ]);
  // The keys are the same, and addresses stay strings.
  return Object.fromEntries(entries) as Installation;
}
