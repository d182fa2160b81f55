import type { InboundMessage } from "../../../channels/port.ts";
import { AUTOMATIC_MARK, CAMPAIGN_MARK } from "../marks.ts";

/**
 * Whether another installation on the same number has sent this by itself: a bot's text, which is no part of the
 * conversation that people have (behaviour 1.7). What the product sent itself is known by its id before anybody asks
 * this. History keeps such texts: there they are all that is left of the answer.
 */
export function isOtherBots({ ref, origin, content }: InboundMessage): boolean {
  return ref.fromMe && origin !== "history" && textOf(content).startsWith(AUTOMATIC_MARK);
}

/**
 * Whether another installation's campaign has sent this: a new ticket is closed then, no ticket's state changes, and
 * nobody has read anything (behaviour 1.7).
 */
export function isOtherCampaigns({ ref, content }: InboundMessage): boolean {
  return ref.fromMe && textOf(content).startsWith(CAMPAIGN_MARK);
}

/** Whether two texts say the same, as the completion message is compared. */
export function isSameText(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}

function textOf(content: InboundMessage["content"]): string {
  if (content.kind === "text") return content.text;
  return content.kind === "media" ? (content.caption ?? "") : "";
}
