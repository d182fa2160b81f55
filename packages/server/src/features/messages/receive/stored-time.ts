import type { InboundMessage } from "../../../channels/port.ts";

/**
 * When a message was written, as it is stored and sorted: the network's time, but never in the future and, except for
 * history, never before what the conversation already shows. So a chat's messages keep the order in which they came
 * (networks give whole seconds, clocks differ, some arrive late), and a late one stands where the agent looks: at the end.
 */
export function storedTime(
  message: Pick<InboundMessage, "at" | "origin">,
  lastMessageAt: Date | null,
  now: Date,
): Date {
  const at = message.at > now ? now : message.at;
  if (message.origin === "history" || lastMessageAt === null) return at;
  return at < lastMessageAt ? lastMessageAt : at;
}
