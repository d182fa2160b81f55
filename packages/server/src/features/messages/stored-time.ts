import type { InboundMessage } from "../../channels/port.ts";

/** Networks give whole seconds and clocks differ a little: within this a live message comes after what is there. */
const CLOCK_DIFFERENCE_MS = 2_000;

/**
 * When a message was written, as it is stored and sorted: the network's time, but never in the future, and for a live one
 * never before the answer that was sent a moment earlier.
 */
export function storedTime(
  message: Pick<InboundMessage, "at" | "origin">,
  lastMessageAt: Date | null,
  now: Date,
): Date {
  const at = message.at > now ? now : message.at;
  if (message.origin === "history" || message.origin === "offline" || lastMessageAt === null) {
    return at;
  }
  const isJustBefore =
    at < lastMessageAt && lastMessageAt.getTime() - at.getTime() < CLOCK_DIFFERENCE_MS;
  return isJustBefore ? lastMessageAt : at;
}
