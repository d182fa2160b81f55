import type { ListedTicket, SearchHit } from "@balcao/contract";
import { formatMoment, formatTime } from "../../../i18n/format.ts";
import type { TFunction } from "../../../i18n/index.ts";
import { plainText, splitSignature } from "../../messages/index.ts";

/** The time on a card: its label, its text for screen readers, and its severity. */
type CardTime = { shown: string; spoken: string; tone: "ok" | "warn" | "bad" | undefined };

/** The waiting time since the last message, or its time; in a search, the time of the found message. */
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

/** The accessible name of a card: contact, unread count, waiting time, queue (ui.md section 5), and the found words. */
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

/** The address of a ticket, or of the message that a search found in it. */
export function addressOf({ uuid, hit }: ListedTicket): string {
  return hit === null ? `/tickets/${uuid}` : `/tickets/${uuid}?message=${hit.messageId}`;
}

/** The waiting time since the last message, for ranges with a label (spec 4, ticket card time label). */
type WaitingLabel = Readonly<{
  tone: "ok" | "warn" | "bad";
  unit: "minutes" | "hours" | "days";
  value: number;
}>;

const MINUTE_MS = 60_000;
const MINUTES_PER_HOUR = 60;
const MINUTES_PER_DAY = 24 * MINUTES_PER_HOUR;

/** Null for ranges without a label: under 3 minutes, from 11 to 29 minutes, and future times. */
export function waitingLabel(lastMessageAtMs: number, nowMs: number): WaitingLabel | null {
  const minutes = Math.floor((nowMs - lastMessageAtMs) / MINUTE_MS);
  if (minutes >= MINUTES_PER_DAY) {
    return { tone: "bad", unit: "days", value: Math.floor(minutes / MINUTES_PER_DAY) };
  }
  if (minutes >= MINUTES_PER_HOUR) {
    return { tone: "bad", unit: "hours", value: Math.floor(minutes / MINUTES_PER_HOUR) };
  }
  if (minutes >= 30) return { tone: "warn", unit: "minutes", value: minutes };
  if (minutes >= 3 && minutes <= 10) return { tone: "ok", unit: "minutes", value: minutes };
  return null;
}

type Excerpt = Readonly<{ before: string; match: string; after: string }>;

/** A card shows one short line: a longer prefix would push the found words out of it. */
const BEFORE_CHARACTERS = 18;

/** The found words with their context, as one line that fits on a card. */
export function excerptOf(hit: SearchHit): Excerpt {
  // The signature is not part of the text.
  const before = oneLine(hit.fromMe ? splitSignature(hit.before).text : hit.before);
  return { before: tailOf(before), match: oneLine(hit.match), after: oneLine(hit.after) };
}

/** Without formatting and line breaks, but with spaces at the ends, because the parts are joined. */
function oneLine(text: string): string {
  const start = /^\s/.test(text) ? " " : "";
  const end = /\S\s+$/.test(text) ? " " : "";
  return start + plainText(text) + end;
}

/** The last whole words that fit. */
function tailOf(text: string): string {
  const characters = Array.from(text);
  if (characters.length <= BEFORE_CHARACTERS) return text;
  const tail = characters.slice(-BEFORE_CHARACTERS).join("");
  const wordStart = tail.search(/\s\S/);
  return `…${wordStart === -1 ? tail : tail.slice(wordStart + 1)}`;
}
