import { AsyncLocalStorage } from "node:async_hooks";
import { createRequire } from "node:module";

type Work = () => Promise<unknown>;
type SessionCipher = { prototype: { queueJob(work: Work): Promise<unknown> } };

/** Set where the caller has seen to it that nobody else uses the state of the same person at the same time. */
export const isOneAtATime = new AsyncLocalStorage<true>();

let isReplaced = false;

/**
 * libsignal's queue is one for the whole process: a person who writes to two connections makes them wait for each other,
 * and work that waited is done in the context of who came first, outside of its own transaction. Where the order is kept
 * otherwise there is no queue.
 */
export function bypassLibsignalQueue(): void {
  if (isReplaced) return;
  isReplaced = true;
  const library = createRequire(createRequire(import.meta.url).resolve("baileys"));
  // Typed nowhere.
  const { prototype } = library("libsignal/src/session_cipher.js") as SessionCipher;
  const { queueJob } = prototype;
  prototype.queueJob = function queueJobUnlessAlone(work) {
    return isOneAtATime.getStore() ? work() : queueJob.call(this, work);
  };
}
