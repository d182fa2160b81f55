import type { OutboundCommand } from "../../platform/db/schema/tickets.ts";
import type { Capabilities, ProviderErrorKind, ProviderFailure, SendOutcome } from "../port.ts";
import type { DeliveryOutcome } from "./handlers.ts";
import type { Sending } from "./outbound-rows.ts";
import type { ChannelSettings } from "./settings.ts";
import { waitAt } from "./settings.ts";

/** What becomes of an outbound row after a send. */
export type NextStep =
  | { state: "sent"; result: "written" | "accepted" }
  /** A change that the network has taken: there are no further reports of it. */
  | { state: "done"; result: "accepted" }
  /** Again later, with the same id; `isCounted` is false when the attempt certainly never began. */
  | { state: "queued"; waitMs: number; isCounted: boolean; failure: ProviderFailure }
  /** Over: refused for good, or nobody can say whether it was sent. */
  | { state: "failed" | "unconfirmed"; failure: ProviderFailure };

export type Attempt = {
  command: OutboundCommand;
  /** Tries begun, this one included. */
  number: number;
  capabilities: Capabilities;
  settings: ChannelSettings;
};

/**
 * What a certain refusal means: `wait` for a session (the attempt never began), `again` after a while, or `final`.
 */
const refusals: Record<ProviderErrorKind, "wait" | "again" | "final"> = {
  "not-connected": "wait",
  "logged-out": "wait",
  "lease-lost": "wait",
  temporary: "again",
  "rate-limited": "again",
  "recipient-unchecked": "again",
  "recipient-unknown": "final",
  "bad-request": "final",
  auth: "final",
  banned: "final",
  restricted: "final",
  "window-closed": "final",
  unsupported: "final",
  "media-missing": "final",
  "media-too-big": "final",
  unconfirmed: "final",
};

/** Decides by the outcome of one send (channels.md, "Sending exactly once"). */
export function afterSend(outcome: SendOutcome, attempt: Attempt): NextStep {
  if (outcome.result === "refused") return afterRefusal(outcome.failure, attempt);
  if (outcome.result === "unknown") return afterUnknown(outcome.failure, attempt);
  if (outcome.result === "accepted" && attempt.command !== "message") {
    return { state: "done", result: outcome.result };
  }
  return { state: "sent", result: outcome.result };
}

function afterRefusal(failure: ProviderFailure, attempt: Attempt): NextStep {
  const { outboundRetriesMs } = attempt.settings;
  const meaning = refusals[failure.kind];
  if (meaning === "wait") {
    return { state: "queued", waitMs: waitAt(outboundRetriesMs, 0), isCounted: false, failure };
  }
  if (meaning === "final" || attempt.number > outboundRetriesMs.length) {
    return { state: "failed", failure };
  }
  const waitMs = failure.retryAfterMs ?? waitAt(outboundRetriesMs, attempt.number - 1);
  return { state: "queued", waitMs, isCounted: true, failure };
}

function afterUnknown(failure: ProviderFailure, attempt: Attempt): NextStep {
  // A channel that says so itself knows that a further try cannot tell.
  const isForPeople = failure.kind === "unconfirmed";
  if (isForPeople || attempt.number > mayResend(attempt.capabilities)) {
    return { state: "unconfirmed", failure: { ...failure, kind: "unconfirmed" } };
  }
  const waitMs = waitAt(attempt.settings.outboundRetriesMs, attempt.number - 1);
  return { state: "queued", waitMs, isCounted: true, failure };
}

/** How often a message whose fate is unknown may be sent again. */
export function mayResend(capabilities: Capabilities): number {
  return capabilities.clientMessageId ? capabilities.resends : 0;
}

/** What the product is told of a step; null while there will be another try. */
export function reportOf(sending: Sending, step: NextStep): DeliveryOutcome | null {
  if (step.state === "queued") return null;
  const { messageId, command, before } = sending;
  if (step.state === "sent" || step.state === "done") {
    return { messageId, command, before, result: step.result };
  }
  return { messageId, command, before, result: "failed", failure: step.failure };
}

export function metricOf(step: NextStep): "sent" | "retried" | "failed" {
  if (step.state === "sent" || step.state === "done") return "sent";
  return step.state === "queued" ? "retried" : "failed";
}
