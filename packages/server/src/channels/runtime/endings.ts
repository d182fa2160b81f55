import type { Random } from "../../platform/sources.ts";
import type { CloseReason } from "../port.ts";
import type { ChannelSettings } from "./settings.ts";
import { waitAt } from "./settings.ts";

/** What follows the end of a session: another one after a wait, or nothing until people ask. */
export type Ending = { action: "retry"; waitMs: number } | { action: "stop" };

/**
 * How often in a row, the present one included: `failures`: sessions that closed before they were steady; `replaced`: of
 * them those that ended because another client uses the link; `restarts`: sessions that asked for the next one.
 */
type InARow = { failures: number; replaced: number; restarts: number };

/** Decides by why the session ended (channels.md 3, behaviour 10.2). */
export function afterClose(reason: CloseReason, inARow: InARow, settings: ChannelSettings): Ending {
  const { reconnectDelaysMs, serviceDelaysMs, restartsInARow, replacedRetryMs } = settings;
  switch (reason) {
    case "network":
      return { action: "retry", waitMs: waitAt(reconnectDelaysMs, inARow.failures - 1) };
    case "service":
    case "unreadable":
      return { action: "retry", waitMs: waitAt(serviceDelaysMs, inARow.failures - 1) };
    case "restart": {
      const excess = inARow.restarts - restartsInARow;
      if (excess <= 0) return { action: "retry", waitMs: 0 };
      return { action: "retry", waitMs: waitAt(serviceDelaysMs, excess - 1) };
    }
    case "replaced":
      // Two servers that take the link from each other would go on for ever.
      if (inARow.replaced > 1) return { action: "stop" };
      return { action: "retry", waitMs: replacedRetryMs };
    case "logged-out":
    case "qr-expired":
    case "link-refused":
    case "banned":
    case "outdated":
    case "untrusted":
    case "auth":
    case "stopped":
      return { action: "stop" };
  }
}

/** Whoever runs the installation must see to these: the program is too old, or somebody stands in between. */
export function isForOperators(reason: CloseReason): boolean {
  return reason === "outdated" || reason === "untrusted";
}

/** The sessions of a connection in a row, as far as the wait before the next one depends on them. */
export class SessionHistory {
  #failures = 0;
  #replaced = 0;
  #restarts = 0;
  #connectedAtMs: number | null = null;

  /** People asked for a start: nothing before it counts. */
  forget(): void {
    this.#failures = 0;
    this.#replaced = 0;
    this.#restarts = 0;
    this.#connectedAtMs = null;
  }

  connected(nowMs: number): void {
    this.#connectedAtMs = nowMs;
  }

  /** A session ended by itself. */
  ended(reason: CloseReason, nowMs: number, settings: ChannelSettings): Ending {
    const connectedAtMs = this.#connectedAtMs ?? nowMs;
    if (nowMs - connectedAtMs >= settings.steadyAfterMs) this.forget();
    this.#connectedAtMs = null;
    if (reason === "restart") this.#restarts += 1;
    else this.#failures += 1;
    this.#replaced = reason === "replaced" ? this.#replaced + 1 : 0;
    return afterClose(
      reason,
      { failures: this.#failures, replaced: this.#replaced, restarts: this.#restarts },
      settings,
    );
  }
}

/** The wait made longer by up to a quarter, so that many sessions that were cut together do not return together. */
export function withJitter(waitMs: number, random: Random): number {
  return waitMs + random.integer(0, Math.floor(waitMs / 4) + 1);
}
