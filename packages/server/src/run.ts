import { createApp } from "./app.ts";
import type { Config } from "./platform/config/config.ts";
import { readConfig } from "./platform/config/config.ts";
import { startEmbeddedPostgres } from "./platform/db/embedded/index.ts";
import { prepareInstallation } from "./platform/db/installation.ts";
import type { Logger } from "./platform/logging/logger.ts";
import { createLogger } from "./platform/logging/logger.ts";
import { systemSources } from "./platform/sources.ts";
import type { Closing, Serving } from "./process-stop.ts";
import { closeAll, exitCodes, stopInOrder } from "./process-stop.ts";
import { describeStart, problemForPeople, tellAccounts } from "./start-message.ts";

/** Lines for the person at the terminal; logs go through the logger. */
function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function run(): Promise<void> {
  const config = readConfig(process.env);
  const log = createLogger(config.log);
  const opened: Closing[] = [];
  const serving: Serving = { leave: null, drainMs: config.drainMs };
  stopInOrder(process, { opened, serving, log });
  try {
    serving.leave = await start(config, log, opened);
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
}

/**
 * Opens one thing after the other and notes how each is closed, so that a stop is clean at any moment of the start. Answers
 * `Serving.leave`.
 */
async function start(config: Config, log: Logger, opened: Closing[]): Promise<() => void> {
  const serverUrl = config.databaseDirectUrl ?? config.databaseUrl;
  const ownerUrl = serverUrl ?? (await openEmbeddedDatabase(config, opened));
  const installation = await prepareInstallation(ownerUrl, systemSources.random);
  const app = await createApp({
    config,
    installation,
    sources: systemSources,
    log,
    distributed: config.databaseUrl !== undefined,
  });
  opened.push(() => app.close());
  const report = await app.firstStart();
  // Before anything else can fail: they are not shown again.
  if (report) {
    const { dataDir, firstPasswords } = config;
    await tellAccounts(report, { say, dataDir, inFile: firstPasswords === "file" });
  }
  say(describeStart(await app.listen()));
  return () => app.leave();
}

async function openEmbeddedDatabase(config: Config, opened: Closing[]): Promise<string> {
  const embedded = await startEmbeddedPostgres({
    dataDir: config.dataDir,
    database: "balcao",
    log: say,
  });
  opened.push(() => embedded.stop());
  return embedded.url;
}

run().catch((error: unknown) => {
  const problem = problemForPeople(error);
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${problem ?? stack}\n`);
  process.exitCode = problem === null ? exitCodes.startFailed : exitCodes.needsPeople;
});
