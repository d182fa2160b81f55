import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import { SessionBuilder, SessionCipher } from "libsignal";

type Job = () => Promise<unknown>;
/** What the library's own types leave out. */
type CipherPrototype = { queueJob(job: Job): Promise<unknown> };
type Storage = Record<string, unknown>;
type BuilderPrototype = {
  initOutgoing(this: { storage: Storage }, device: unknown): Promise<void>;
};

/** Set where the caller has seen to it that nobody else uses the state of the same person at the same time. */
export const isOneAtATime = new AsyncLocalStorage<true>();

let isRepaired = false;

/**
 * libsignal queues its work per remote address, for the whole process, and does whatever is queued in the asynchronous
 * context of whoever came first. That context is the key store's transaction: another one's writes then land in a
 * transaction that was committed already, and are lost, with the message that was decrypted. Here each job keeps the
 * context of its caller; and where the order is kept otherwise (`isOneAtATime`) there is no queue, so that a person who
 * writes to two connections does not make them wait for each other. Once for the process.
 */
export function repairSignalQueue(): void {
  if (isRepaired) return;
  isRepaired = true;
  const cipher = SessionCipher.prototype as unknown as CipherPrototype;
  const { queueJob } = cipher;
  cipher.queueJob = function (job) {
    return isOneAtATime.getStore() ? job() : queueJob.call(this, AsyncResource.bind(job));
  };
  const builder: BuilderPrototype = SessionBuilder.prototype;
  const { initOutgoing } = builder;
  // It queues a function that nobody else gets hold of: what that function calls is brought back into the context.
  builder.initOutgoing = function (device) {
    const bound = Object.create(this, {
      storage: { value: inContext(this.storage) },
    }) as { storage: Storage };
    return initOutgoing.call(bound, device);
  };
}

function inContext(storage: Storage): Storage {
  const run = AsyncLocalStorage.snapshot();
  return Object.fromEntries(
    Object.entries(storage).map(([name, member]) => [
      name,
      typeof member === "function"
        ? (...given: unknown[]) => run(() => member.apply(storage, given) as unknown)
        : member,
    ]),
  );
}
