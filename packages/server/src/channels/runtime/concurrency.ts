import type { Logger } from "../../platform/logging/logger.ts";
import type { ChatProvider } from "../port.ts";
import { LeaseLost } from "../port.ts";

type SessionTaskDeps = {
  /** One round; true when there may be more to do. A round may be repeated. */
  round: (provider: ChatProvider) => Promise<boolean>;
  /** The log's text when a round failed; the next wake-up tries again. */
  failure: string;
  onLeaseLost: () => void;
  log: Logger;
};

/** A recurring task of a connection's session: one round at a time, none while the session is away. */
export class SessionTask {
  readonly #deps: SessionTaskDeps;
  #provider: ChatProvider | null = null;
  #isRunning = false;
  #again = false;

  constructor(deps: SessionTaskDeps) {
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

/** Runs jobs one after the other, until its end. A job that fails is reported, and the next one runs. */
export class SerialQueue {
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

  /** Resolves after the job has succeeded or failed, or was skipped because of the end. */
  add(job: () => Promise<void>): Promise<void> {
    this.#waiting += 1;
    this.#line = this.#line.then(async () => {
      try {
        if (!this.#isEnded) await job();
      } catch (error) {
        this.#onError(error);
      } finally {
        this.#waiting -= 1;
      }
    });
    return this.#line;
  }

  /** Starts no further job. */
  end(): void {
    this.#isEnded = true;
  }
}

/**
 * Rejects when the call takes longer: the other end of a connection may be gone without notice, and a periodic task must
 * not wait for it. The call itself goes on.
 */
export async function within<T>(limitMs: number, call: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([call, limit]);
  } finally {
    clearTimeout(timer);
  }
}
