// Run as a process of its own: `node launch.ts <dataDir>`. Writes one JSON object per line (see `Report`).
import { setTimeout as delay } from "node:timers/promises";

import { Client } from "pg";

import { InstallationInUse, startEmbeddedPostgres } from "../index.ts";
import type { Report } from "./launched.ts";

const [dataDir = ""] = process.argv.slice(2);

function report(line: Report): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

async function main(): Promise<void> {
  const postgres = await startEmbeddedPostgres({
    dataDir,
    database: "app",
    log: () => undefined,
    settings: { fsync: "off" },
  });
  const client = new Client({ connectionString: postgres.url });
  client.on("error", () => undefined);
  await client.connect();
  const reply = await client.query<{ login: string }>("SELECT session_user AS login");
  process.once("SIGINT", () => {
    const finish = async (): Promise<void> => {
      // Long enough for a database that got the signal too to end this session.
      await client.query("SELECT pg_sleep(0.3)");
      await client.end();
      await postgres.stop();
      report({ state: "stopped" });
    };
    finish().catch(fail);
  });
  report({ state: "ready", url: postgres.url, login: reply.rows[0]?.login ?? "" });
}

function fail(error: unknown): void {
  const isInUse = error instanceof InstallationInUse;
  const message = error instanceof Error ? error.message : String(error);
  report({ state: isInUse ? "in use" : "failed", message });
  // Not before the line is out.
  void delay(50).then(() => process.exit(1));
}

main().catch(fail);
