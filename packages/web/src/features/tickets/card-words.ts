import type { ListedTicket } from "@balcao/contract";
import { formatMoment, formatTime } from "../../i18n/format.ts";
import type { TFunction } from "../../i18n/index.ts";
import { excerptOf } from "./found-excerpt.ts";
import { waitingLabel } from "./waiting-label.ts";

/** The time on a card: for the eye, for the ear, and how bad it is. */
export type CardTime = { shown: string; spoken: string; tone: "ok" | "warn" | "bad" | undefined };

/** How long the last message stands, or when it was; of a search, when the found message was. */
export function cardTime(t: TFunction, ticket: ListedTicket, nowMs: number): CardTime {
  if (ticket.hit !== null) {
    const shown = formatMoment(ticket.hit.createdAt, nowMs);
    return { shown, spoken: t("tickets.foundAt", { when: shown }), tone: undefined };
  }
  const at = ticket.lastMessageAt ?? ticket.updatedAt;
  const waiting = ticket.status === "closed" ? null : waitingLabel(Date.parse(at), nowMs);
  if (waiting) {
    const spokenKeys = {
      minutes: "tickets.sinceMinutes",
      hours: "tickets.sinceHours",
      days: "tickets.sinceDays",
    } as const;
    return {
      shown: t(`tickets.${waiting.unit}`, { value: waiting.value }),
      spoken: t(spokenKeys[waiting.unit], { count: waiting.value }),
      tone: waiting.tone,
    };
  }
  const shown = ticket.status === "closed" ? formatMoment(at, nowMs) : formatTime(at);
  return { shown, spoken: t("tickets.lastAt", { when: shown }), tone: undefined };
}

/** The card in words: contact, unread count, waiting time, queue (ui.md section 5), and what was found. */
export function cardName(t: TFunction, ticket: ListedTicket, when: string): string {
  const { hit, unreadMessages } = ticket;
  const parts = [ticket.contact.name];
  if (unreadMessages > 0) parts.push(t("tickets.unread", { count: unreadMessages }));
  parts.push(when);
  parts.push(
    ticket.queue ? t("tickets.queueNamed", { name: ticket.queue.name }) : t("tickets.noQueue"),
  );
  if (hit !== null) {
    const { before, match, after } = excerptOf(hit);
    parts.push(t("tickets.foundText", { text: `${before}${match}${after}` }));
  }
  return parts.join(", ");
}

/** The address of a ticket; of what a search found in it. */
export function addressOf({ uuid, hit }: ListedTicket): string {
  return hit === null ? `/tickets/${uuid}` : `/tickets/${uuid}?message=${hit.messageId}`;
}
