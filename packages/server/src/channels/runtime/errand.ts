import type { Logger } from "../../platform/logging/logger.ts";
import type { ChatProvider } from "../port.ts";
import { LeaseLost } from "../port.ts";

export type ErrandDeps = {
  /** One round; true when there may be more to do. What it does may be done twice. */
  round: (provider: ChatProvider) => Promise<boolean>;
  /** Said when a round failed; the next look tries again. */
  failure: string;
  onLeaseLost: () => void;
  log: Logger;
};

/** Something small that a connection's session is asked to do whenever it looks: one round at a time, none while it is away. */
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
