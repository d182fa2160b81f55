import type { Database, Tx } from "../../platform/db/database.ts";
import { isUnavailable } from "../../platform/db/unavailable.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { TransientEvent } from "../port.ts";
import { LeaseLost } from "../port.ts";
import type { Lease } from "./fence.ts";
import { transactionUnderLease } from "./fence.ts";
import type { ChannelHandlers } from "./handlers.ts";

export type ReportsDeps = {
  db: Database;
  lease: Lease;
  handlers: ChannelHandlers;
  log: Logger;
};

type IsStillTrue = () => boolean;

const TRIES = 5;
const WAIT_MS = 300;

/**
 * What a connection tells about itself, in order, each under the lease: the last state people see is the last one told
 * by the true owner.
 */
export class Reports {
  /** Starts since the last success, told with every event. */
  retries = 0;
  readonly #deps: ReportsDeps;
  #line: Promise<void> = Promise.resolve();
  #waiting = 0;
  #isStopped = false;

  constructor(deps: ReportsDeps) {
    this.#deps = deps;
  }

  get isIdle(): boolean {
    return this.#waiting === 0;
  }

  /**
   * Tells a state or code; tried again while the database is away, because people would otherwise see an old state for
   * ever. Skipped when `isStillTrue` says no at its turn. `also` happens in the same transaction.
   */
  tell(event: TransientEvent, isStillTrue?: IsStillTrue, also?: (tx: Tx) => Promise<void>) {
    return this.#inLine(async () => {
      for (let tries = 1; ;) {
        if (this.#isStopped || isStillTrue?.() === false) return;
        try {
          await this.#report(event, also);
          return;
        } catch (error) {
          if (error instanceof LeaseLost) throw error;
          if (!isUnavailable(error)) tries += 1;
          if (tries > TRIES) throw error;
          const { connectionId } = this.#deps.lease;
          this.#deps.log.warn({ err: error, connectionId }, "a connection's state is not told yet");
          await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
        }
      }
    });
  }

  /** Tells something that is not worth a second try. */
  mention(event: TransientEvent, isStillTrue: IsStillTrue): Promise<void> {
    return this.#inLine(async () => {
      if (this.#isStopped || !isStillTrue()) return;
      try {
        await this.#report(event);
      } catch (error) {
        if (error instanceof LeaseLost) throw error;
        const { connectionId } = this.#deps.lease;
        this.#deps.log.warn({ err: error, connectionId }, "a presence was not told");
      }
    });
  }

  stop(): void {
    this.#isStopped = true;
  }

  #report(event: TransientEvent, also?: (tx: Tx) => Promise<void>): Promise<void> {
    const { db, lease, handlers } = this.#deps;
    return transactionUnderLease(db, lease, async (tx) => {
      await also?.(tx);
      await handlers.tell(tx, lease, event, this.retries);
    });
  }

  #inLine(work: () => Promise<void>): Promise<void> {
    this.#waiting += 1;
    const told = this.#line.then(work).finally(() => {
      this.#waiting -= 1;
    });
    this.#line = told.catch(() => undefined);
    return told;
  }
}
