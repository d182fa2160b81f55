import type { Logger } from "./platform/logging/logger.ts";

/** A stop that takes longer than this is given up, so that Ctrl-C always ends the process. */
const STOP_LIMIT_MS = 20_000;
/** The same after an unhandled error, where the stop may hang for the same reason. */
const FAILED_STOP_LIMIT_MS = 8_000;

/** Exit codes that scripts/lib/run.mjs decides by; their numbers are those of sysexits.h. */
export const exitCodes = { startFailed: 1, unhandledError: 70, needsPeople: 78 } as const;

export type Closing = () => Promise<void>;

/** `leave` makes a process that serves say that it is about to stop; null until it serves. */
export type Serving = { leave: (() => void) | null; drainMs: number };

/** The part of Node's `process` by which it is told to end, and ends. */
export type EndingProcess = Pick<NodeJS.Process, "exit" | "on" | "once">;

type Stopping = { opened: Closing[]; serving: Serving; log: Logger };

/**
 * Makes the process close what was opened and end: on a signal, and after an error that nobody handled, when its state is
 * unknown; the launcher then starts another.
 */
export function stopInOrder(process: EndingProcess, { opened, serving, log }: Stopping): void {
  const stop = createStop(process, opened, log);
  stopOnSignal(process, stop, serving, log);
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(event, (error: unknown) => {
      log.fatal({ err: error, event }, "an error was not handled: the process ends");
      stop(exitCodes.unhandledError, FAILED_STOP_LIMIT_MS);
    });
  }
}

/** Closes what was opened last first. */
export async function closeAll(opened: Closing[]): Promise<void> {
  for (let close = opened.pop(); close; close = opened.pop()) await close();
}

type Stop = (exitCode: number, limitMs: number) => void;

/** Closes everything in order and ends the process; the first call counts. */
function createStop(process: EndingProcess, opened: Closing[], log: Logger): Stop {
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
function stopOnSignal(process: EndingProcess, stop: Stop, serving: Serving, log: Logger): void {
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(name, (signal) => {
      log.info({ signal }, "stopping");
      if (serving.leave === null || serving.drainMs === 0) return stop(0, STOP_LIMIT_MS);
      serving.leave();
      setTimeout(() => stop(0, STOP_LIMIT_MS), serving.drainMs);
    });
  }
}
