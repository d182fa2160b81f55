import type { ListedTicket, SearchHit } from "@balcao/contract";
import { formatMoment, formatTime } from "../../../i18n/format.ts";
import type { TFunction } from "../../../i18n/index.ts";
import { plainText, splitSignature } from "../../messages/index.ts";

/** The time on a card: for the eye, for the ear, and how bad it is. */
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

/** The waiting time since the last message, for the ranges that have a label (spec 4, ticket card time label). */
type WaitingLabel = Readonly<{
  tone: "ok" | "warn" | "bad";
  unit: "minutes" | "hours" | "days";
  value: number;
}>;

const MINUTE_MS = 60_000;
const MINUTES_PER_HOUR = 60;
const MINUTES_PER_DAY = 24 * MINUTES_PER_HOUR;

/** Null in the ranges without a label: under 3, from 11 to 29 minutes, and for a time to come. */
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

/** A card shows one short line: with more in front, the found words would stand outside of it. */
const BEFORE_CHARACTERS = 18;

/** The found words with what stands around them, as one line that a card has room for. */
export function excerptOf(hit: SearchHit): Excerpt {
  // The signature is not part of the text.
  const before = oneLine(hit.fromMe ? splitSignature(hit.before).text : hit.before);
  return { before: tailOf(before), match: oneLine(hit.match), after: oneLine(hit.after) };
}

/** Without formatting and line breaks, but with the spaces at its ends: the parts stand side by side. */
function oneLine(text: string): string {
  const start = /^\s/.test(text) ? " " : "";
  const end = /\S\s+$/.test(text) ? " " : "";
  return start + plainText(text) + end;
}

/** The last whole words that have room. */
function tailOf(text: string): string {
  const characters = Array.from(text);
  if (characters.length <= BEFORE_CHARACTERS) return text;
  const tail = characters.slice(-BEFORE_CHARACTERS).join("");
  const wordStart = tail.search(/\s\S/);
  return `…${wordStart === -1 ? tail : tail.slice(wordStart + 1)}`;
}
