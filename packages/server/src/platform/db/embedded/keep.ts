import { setTimeout as delay } from "node:timers/promises";

import { takeInstallationLock } from "./installation-lock.ts";
import { reachServer, type Running } from "./reach.ts";
import { stopServer, type ServerPlan } from "./server.ts";

const retryMs = 1_000;

/**
 * Holds the installation until `stop`. When the server dies under us (killed for memory, disk full), it is started again
 * on the same port for as long as it takes, so that pools with the old address find it.
 */
export function keepServer(plan: ServerPlan, first: Running): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let current: Running | undefined = first;
  let recovery = Promise.resolve();
  let stopped: Promise<void> | undefined;

  const watch = ({ client }: Running): void => {
    client.once("end", () => {
      if (stopping.signal.aborted) return;
      current = undefined;
      recovery = recover();
    });
  };

  const recover = async (): Promise<void> => {
    plan.log("The connection to the embedded database was lost; bringing it back.");
    let lastProblem = "";
    while (!stopping.signal.aborted) {
      const problem = await tryAgain();
      if (problem === undefined) return plan.log("The embedded database is back.");
      if (problem !== lastProblem) plan.log(problem);
      lastProblem = problem;
      await delay(retryMs);
    }
  };

  /** Answers what is in the way, or undefined when the server is there and ours. */
  const tryAgain = async (): Promise<string | undefined> => {
    try {
      const next = await reachServer(plan, first.port);
      if (await takeInstallationLock(next.client)) {
        current = next;
        watch(next);
        return undefined;
      }
      await next.client.end();
      return "Another process of Balcão has taken over this data.";
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };

  const shutDown = async (): Promise<void> => {
    stopping.abort();
    await recovery;
    // Without the lock the server is somebody else's by now.
    if (current === undefined) return;
    // The session keeps the lock until the server ends it: nobody may move in while the server goes down.
    await stopServer(plan.layout, current.pid);
  };

  watch(first);
  return { stop: () => (stopped ??= shutDown()) };
}
