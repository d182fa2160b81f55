import type { Logger } from "../../platform/logging/logger.ts";
import type { ChatProvider } from "../port.ts";
import { LeaseLost } from "../port.ts";

type ErrandDeps = {
  /** One round; true when there may be more to do. A round may be repeated. */
  round: (provider: ChatProvider) => Promise<boolean>;
  /** Said when a round failed; the next look tries again. */
  failure: string;
  onLeaseLost: () => void;
  log: Logger;
};

/**
 * Something small that a connection's session is asked to do whenever it looks: one round at a time, none while it is
 * away.
 */
export class Errand {
  readonly #deps: ErrandDeps;
  #provider: ChatProvider | null = null;
  #isRunning = false;
  #again = false;

  constructor(deps: ErrandDeps) {
    this.#deps = deps;
  }

  resume(provider: ChatProvider): void {
    this.#provider = provider;
    this.wake();
  }

  pause(): void {
    this.#provider = null;
  }

  get isIdle(): boolean {
    return !this.#isRunning;
  }

  wake(): void {
    this.#again = true;
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      while (this.#again && this.#provider) {
        this.#again = false;
        if (await this.#deps.round(this.#provider)) this.#again = true;
      }
    } catch (error) {
      if (error instanceof LeaseLost) this.#deps.onLeaseLost();
      else this.#deps.log.warn({ err: error }, this.#deps.failure);
    } finally {
      this.#isRunning = false;
    }
  }
}

/**
 * Runs changes of one thing one after the other, until it ends. A change that fails is reported and the next one goes
 * on.
 */
export class Steps {
  readonly #onError: (error: unknown) => void;
  #line: Promise<void> = Promise.resolve();
  #waiting = 0;
  #isEnded = false;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  get isIdle(): boolean {
    return this.#waiting === 0;
  }

  /** Resolves after its turn, whether the work was done, failed, or was skipped because of the end. */
  add(work: () => Promise<void>): Promise<void> {
    this.#waiting += 1;
    this.#line = this.#line.then(async () => {
      try {
        if (!this.#isEnded) await work();
      } catch (error) {
        this.#onError(error);
      } finally {
        this.#waiting -= 1;
      }
    });
    return this.#line;
  }

  /** Starts no new work from now on. */
  end(): void {
    this.#isEnded = true;
  }
}

/**
 * Rejects when the work takes longer: the other end of a connection may be gone without a word, and what is done every
 * few seconds must not wait for it. The work itself goes on.
 */
export async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
