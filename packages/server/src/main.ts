import { createApp } from "./app.ts";
import type { Config } from "./platform/config/config.ts";
import { ConfigError, readConfig } from "./platform/config/config.ts";
import { InstallationInUse, startEmbeddedPostgres } from "./platform/db/embedded/index.ts";
import { prepareInstallation } from "./platform/db/installation.ts";
import type { Logger } from "./platform/logging/logger.ts";
import { createLogger } from "./platform/logging/logger.ts";
import { systemSources } from "./platform/sources.ts";
import { describeAccounts, describeStart } from "./start-message.ts";

/** A stop that takes longer than this is given up, so that Ctrl-C always ends the process. */
const STOP_LIMIT_MS = 20_000;

/** Lines for the person at the terminal; logs go through the logger. */
function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function run(): Promise<void> {
  const config = readConfig(process.env);
  const log = createLogger(config.log);
  const opened: Closing[] = [];
  stopOnSignal(opened, log);
  try {
    await start(config, log, opened);
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
}

type Closing = () => Promise<void>;

/** Opens one thing after the other and notes how each is closed, so that a stop is clean at any moment of the start. */
async function start(config: Config, log: Logger, opened: Closing[]): Promise<void> {
  const ownerUrl = config.databaseUrl ?? (await openEmbeddedDatabase(config, opened));
  const installation = await prepareInstallation(ownerUrl, systemSources.random);
  const app = await createApp({
    config,
    ownerUrl,
    installation,
    sources: systemSources,
    log,
    distributed: config.databaseUrl !== undefined,
  });
  opened.push(() => app.close());
  const report = await app.firstStart();
  // Before anything else can fail: they are not shown again.
  if (report) for (const line of describeAccounts(report)) say(line);
  say(describeStart(await app.listen()));
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

async function closeAll(opened: Closing[]): Promise<void> {
  for (let close = opened.pop(); close; close = opened.pop()) await close();
}

/** Ctrl-C, a service manager, or a terminal that goes away. */
function stopOnSignal(opened: Closing[], log: Logger): void {
  const stop = (signal: string): void => {
    log.info({ signal }, "stopping");
    setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref();
    closeAll(opened).then(
      () => process.exit(0),
      (error: unknown) => {
        log.fatal({ err: error }, "the stop failed");
        process.exit(1);
      },
    );
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, stop);
}

function explain(error: unknown): string {
  if (error instanceof ConfigError || error instanceof InstallationInUse) return error.message;
  if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") {
    return "The port is already in use. Stop the other program, or choose another port with PORT=….";
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

run().catch((error: unknown) => {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
});
