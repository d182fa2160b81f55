import type { Random } from "../../platform/sources.ts";
import type { CloseReason } from "../port.ts";
import type { ChannelSettings } from "./settings.ts";
import { waitAt } from "./settings.ts";

/** What follows the end of a session: another one after a wait, or nothing until people ask. */
export type Ending = { action: "retry"; waitMs: number } | { action: "stop" };

/**
 * Decides by why the session ended. `failures`: sessions in a row, this one included, that the network closed before
 * they were steady; `replaced`: how many of them in a row ended because another client uses the link.
 */
export function afterClose(
  reason: CloseReason,
  history: { failures: number; replaced: number },
  settings: ChannelSettings,
): Ending {
  if (reason === "network") {
    return { action: "retry", waitMs: waitAt(settings.reconnectDelaysMs, history.failures - 1) };
  }
  // Two servers that take the link from each other would go on for ever.
  if (reason === "replaced" && history.replaced === 1) {
    return { action: "retry", waitMs: settings.replacedRetryMs };
  }
  return { action: "stop" };
}

/** The sessions of a connection in a row, as far as the wait before the next one depends on them. */
export class SessionHistory {
  #failures = 0;
  #replaced = 0;
  #connectedAtMs: number | null = null;

  /** People asked for a start: nothing before it counts. */
  forget(): void {
    this.#failures = 0;
    this.#replaced = 0;
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
    this.#failures += 1;
    this.#replaced = reason === "replaced" ? this.#replaced + 1 : 0;
    const history = { failures: this.#failures, replaced: this.#replaced };
    return afterClose(reason, history, settings);
  }
}

/** The wait made longer by up to a quarter, so that many sessions that were cut together do not return together. */
export function withJitter(waitMs: number, random: Random): number {
  return waitMs + random.integer(0, Math.floor(waitMs / 4) + 1);
}
