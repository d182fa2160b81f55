import { createApp } from "./app.ts";
import type { Config } from "./platform/config/config.ts";
import { readConfig } from "./platform/config/config.ts";
import { startEmbeddedPostgres } from "./platform/db/embedded/index.ts";
import { prepareInstallation } from "./platform/db/installation.ts";
import type { Logger } from "./platform/logging/logger.ts";
import { createLogger } from "./platform/logging/logger.ts";
import { systemSources } from "./platform/sources.ts";
import { describeStart, problemForPeople, tellAccounts } from "./start-message.ts";

/** A stop that takes longer than this is given up, so that Ctrl-C always ends the process. */
const STOP_LIMIT_MS = 20_000;
/** The same after an unhandled error, where the stop may hang for the same reason. */
const FAILED_STOP_LIMIT_MS = 8_000;

/** Exit codes that scripts/lib/run.mjs decides by; their numbers are those of sysexits.h. */
const exitCodes = { startFailed: 1, unhandledError: 70, needsPeople: 78 } as const;

/** Lines for the person at the terminal; logs go through the logger. */
function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function run(): Promise<void> {
  const config = readConfig(process.env);
  const log = createLogger(config.log);
  const opened: Closing[] = [];
  const stop = createStop(opened, log);
  const serving: Serving = { leave: null, drainMs: config.drainMs };
  stopOnSignal(stop, serving, log);
  stopOnUnhandledError(stop, log);
  try {
    serving.leave = await start(config, log, opened);
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
}

type Closing = () => Promise<void>;

/** `leave` makes a process that serves say that it is about to stop; null until it serves. */
type Serving = { leave: (() => void) | null; drainMs: number };

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

async function closeAll(opened: Closing[]): Promise<void> {
  for (let close = opened.pop(); close; close = opened.pop()) await close();
}

type Stop = (exitCode: number, limitMs: number) => void;

/** Closes everything in order and ends the process; the first call counts. */
function createStop(opened: Closing[], log: Logger): Stop {
  let isStopping = false;
  return (exitCode, limitMs) => {
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => process.exit(exitCode || 1), limitMs).unref();
    closeAll(opened).then(
      () => process.exit(exitCode),
      (error: unknown) => {
        log.fatal({ err: error }, "the stop failed");
        process.exit(exitCode || 1);
      },
    );
  };
}

/**
 * Ctrl-C, a service manager, or a terminal that goes away. Behind a balancer the process first says that it is not ready, and
 * goes on serving until the balancer has seen it.
 */
function stopOnSignal(stop: Stop, serving: Serving, log: Logger): void {
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(name, (signal) => {
      log.info({ signal }, "stopping");
      if (serving.leave === null || serving.drainMs === 0) return stop(0, STOP_LIMIT_MS);
      serving.leave();
      setTimeout(() => stop(0, STOP_LIMIT_MS), serving.drainMs);
    });
  }
}

/** After an error that nobody handled, the state of the process is unknown: it ends, and the launcher starts another. */
function stopOnUnhandledError(stop: Stop, log: Logger): void {
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(event, (error: unknown) => {
      log.fatal({ err: error, event }, "an error was not handled: the process ends");
      stop(exitCodes.unhandledError, FAILED_STOP_LIMIT_MS);
    });
  }
}

run().catch((error: unknown) => {
  const problem = problemForPeople(error);
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${problem ?? stack}\n`);
  process.exitCode = problem === null ? exitCodes.startFailed : exitCodes.needsPeople;
});
