import { isUnavailable } from "../../platform/db/unavailable.ts";
import type { Logger } from "../../platform/logging/logger.ts";

export type Rounds = {
  start(): void;
  /** Tells the round that runs, and resolves when it is over; there is no other one. */
  stop(): Promise<void>;
};

/** Repeats something in this process, each time so long after the last one has ended. What it throws is logged. */
export function createRounds(
  round: (signal: AbortSignal) => Promise<void>,
  { pauseMs, log }: { pauseMs: number; log: Logger },
): Rounds {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> = Promise.resolve();
  const stopping = new AbortController();

  async function run(): Promise<void> {
    try {
      await round(stopping.signal);
    } catch (error) {
      if (isUnavailable(error)) log.warn({ err: error }, "a round waits for the database");
      else log.error({ err: error }, "a round failed");
    }
    next();
  }

  function next(): void {
    if (stopping.signal.aborted) return;
    timer = setTimeout(() => {
      running = run();
    }, pauseMs);
  }

  return {
    start() {
      running = run();
    },
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
