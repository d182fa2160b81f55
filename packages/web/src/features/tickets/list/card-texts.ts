import type { ListedTicket, Queue, SearchHit, Ticket } from "@balcao/contract";
import { formatMoment, formatTime } from "../../../i18n/format.ts";
import type { TFunction } from "../../../i18n/index.ts";
import { plainText, splitSignature } from "../../messages/index.ts";

/** The time on a card: its label, its text for screen readers, and its severity. */
type CardTime = { shown: string; spoken: string; tone: "ok" | "warn" | "bad" | undefined };

type TimedTicket = Pick<
  ListedTicket,
  "hit" | "waitingSince" | "lastMessageAt" | "updatedAt" | "status"
>;

/** How long the customer waits, else the time of the last message; in a search, the time of the found message. */
export function cardTime(t: TFunction, ticket: TimedTicket, nowMs: number): CardTime {
  if (ticket.hit !== null) {
    const shown = formatMoment(ticket.hit.createdAt, nowMs);
    return { shown, spoken: t("tickets.foundAt", { when: shown }), tone: undefined };
  }
  if (ticket.waitingSince !== null) {
    const { tone, unit, value } = waitingLabel(Date.parse(ticket.waitingSince), nowMs);
    if (value === 0) return { shown: t("tickets.now"), spoken: t("tickets.now"), tone };
    const spokenKeys = {
      minutes: "tickets.sinceMinutes",
      hours: "tickets.sinceHours",
      days: "tickets.sinceDays",
    } as const;
    const shown = t(`tickets.${unit}`, { value });
    return {
      shown: tone === undefined ? t("tickets.ago", { time: shown }) : shown,
      spoken: t(spokenKeys[unit], { count: value }),
      tone,
    };
  }
  const at = ticket.lastMessageAt ?? ticket.updatedAt;
  const shown = ticket.status === "closed" ? formatMoment(at, nowMs) : formatTime(at);
  return { shown, spoken: t("tickets.lastAt", { when: shown }), tone: undefined };
}

/** The accessible name of a card: contact, unread count, waiting time, queue (ui.md section 5), and the found words. */
export function cardName(t: TFunction, ticket: ListedTicket, when: string): string {
  const { hit, unreadMessages } = ticket;
  const parts = [ticket.contact.name];
  if (unreadMessages > 0) parts.push(t("tickets.unread", { count: unreadMessages }));
  parts.push(when);
  const queue = queueOf(ticket);
  parts.push(queue ? t("tickets.queueNamed", { name: queue.name }) : t("tickets.noQueue"));
  if (hit !== null) {
    const { before, match, after } = excerptOf(hit);
    parts.push(t("tickets.foundText", { text: `${before}${match}${after}` }));
  }
  return parts.join(", ");
}

/** The queue of a ticket; of a resolved one, in which it was served. */
export const queueOf = ({ queue, servedQueue }: Ticket): Ticket["queue"] => queue ?? servedQueue;

/** The queue in which a customer waits for an answer, if it has a target for that (`AnswerTarget`). */
export function queueWithTarget(
  queues: readonly Queue[] | undefined,
  { waitingSince, chatbot, queueId }: Ticket,
): Queue | undefined {
  if (waitingSince === null || chatbot) return undefined;
  const hasTarget = (queue: Queue) => queue.firstAnswerMinutes ?? queue.nextAnswerMinutes;
  return queues?.find((queue) => queue.id === queueId && hasTarget(queue) !== null);
}

/** The address of a ticket, or of the message that a search found in it. */
export function addressOf({ uuid, hit }: ListedTicket): string {
  return hit === null ? `/tickets/${uuid}` : `/tickets/${uuid}?message=${hit.messageId}`;
}

/** How long a customer waits; its colour in the ranges of the specification (4, ticket card time label). */
type WaitingLabel = Readonly<{
  tone: CardTime["tone"];
  unit: "minutes" | "hours" | "days";
  value: number;
}>;

const MINUTE_MS = 60_000;
const MINUTES_PER_HOUR = 60;
const MINUTES_PER_DAY = 24 * MINUTES_PER_HOUR;

/** No colour under 3 minutes and from 11 to 29 minutes. A clock behind the server's gives 0 minutes. */
export function waitingLabel(waitingSinceMs: number, nowMs: number): WaitingLabel {
  const minutes = Math.max(0, Math.floor((nowMs - waitingSinceMs) / MINUTE_MS));
  if (minutes >= MINUTES_PER_DAY) {
    return { tone: "bad", unit: "days", value: Math.floor(minutes / MINUTES_PER_DAY) };
  }
  if (minutes >= MINUTES_PER_HOUR) {
    return { tone: "bad", unit: "hours", value: Math.floor(minutes / MINUTES_PER_HOUR) };
  }
  if (minutes >= 30) return { tone: "warn", unit: "minutes", value: minutes };
  if (minutes >= 3 && minutes <= 10) return { tone: "ok", unit: "minutes", value: minutes };
  return { tone: undefined, unit: "minutes", value: minutes };
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
