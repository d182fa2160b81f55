/** A change that was queued for the network, with what the message was before it. */
export type SentChange<Change, Before> = {
  state: "queued" | "sending" | "sent" | "done" | "failed" | "unconfirmed";
  change: Change;
  before: Before;
};

export type Standing<Change, Before> =
  /** This change is what the network has. */
  | { kind: "changed"; change: Change; before: Before }
  /** None of them has come to pass: what was before the first. */
  | { kind: "before"; before: Before };

/**
 * What the network has of a message, by all changes of one kind in their order; null while one of them may still
 * come to pass, or when nothing is known of them any more.
 */
export function standingOf<Change, Before>(
  sent: readonly SentChange<Change, Before>[],
): Standing<Change, Before> | null {
  if (sent.some(({ state }) => state === "queued" || state === "sending")) return null;
  const last = sent.findLast(({ state }) => state === "sent" || state === "done");
  if (last) return { kind: "changed", change: last.change, before: last.before };
  const [first] = sent;
  return first ? { kind: "before", before: first.before } : null;
}
