import type { CompanyEvents, QuickMessage } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { plain } from "../../ui/matches.ts";

/** So many are offered at a time; a longer term finds the others. */
const OFFERED_MAX = 50;

/** `shortcode - message` on one line, cut at 35 characters (spec 2, message input). */
export function quickMessageLabel({ shortcode, message }: QuickMessage): string {
  const label = Array.from(`${shortcode} - ${message}`.replaceAll(/\s+/g, " ").trim());
  if (label.length <= limits.quickReplyLabelMax) return label.join("");
  return `${label.slice(0, limits.quickReplyLabelMax).join("")}…`;
}

/** Those with `term` in shortcode or text, whatever the accents; by shortcode first. An empty term finds all. */
export function matchingQuickMessages(
  all: readonly QuickMessage[],
  term: string,
): readonly QuickMessage[] {
  const wanted = plain(term.trim());
  const ranked = all
    .filter((one) => one.status)
    .map((one) => ({ one, rank: rankOf(one, wanted) }))
    .filter(({ rank }) => rank < Number.POSITIVE_INFINITY);
  return ranked
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, OFFERED_MAX)
    .map(({ one }) => one);
}

/** The loaded list after a live event; by shortcode like the server's. */
export function applyQuickMessageEvent(
  known: readonly QuickMessage[],
  event: CompanyEvents["quickmessage"],
  viewer: { userId: number },
): QuickMessage[] {
  const id = event.action === "delete" ? event.id : event.record.id;
  const others = known.filter((one) => one.id !== id);
  if (event.action === "delete") return others;
  const { record } = event;
  const isTheirs = record.geral || record.userId === viewer.userId;
  if (!isTheirs) return others;
  return [...others, record].toSorted((a, b) => a.shortcode.localeCompare(b.shortcode));
}

function rankOf({ shortcode, message }: QuickMessage, wanted: string): number {
  const code = plain(shortcode);
  if (code.startsWith(wanted)) return 0;
  if (code.includes(wanted)) return 1;
  return plain(message).includes(wanted) ? 2 : Number.POSITIVE_INFINITY;
}
