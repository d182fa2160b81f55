import type { LastMessageKind } from "@balcao/contract";
import type { TicketRow } from "../tickets/index.ts";
import { LAST_MESSAGE_MAX } from "../tickets/index.ts";
import { mediaBody, mediaCard } from "./media-text.ts";
import type { MediaRow, MessageRow, QuotedRow } from "./message-row.ts";

/** What stands on a ticket's card: a kind, shown as a sign, and words for people. */
export type Card = { kind: LastMessageKind; text: string };

/** What of a message its card is made of. */
export type CardFacts = Pick<MessageRow | QuotedRow, "body" | "details" | "isDeleted"> & {
  media: Pick<MediaRow, "kind" | "name"> | null;
};

const DELETED = "🚫 _Mensagem Apagada_";

/** A message as it stands on its ticket's card; never what only machines read in its body. */
export function cardOf(message: CardFacts): Card {
  const { kind, text } = wholeCard(message);
  return { kind, text: beginning(text) };
}

function wholeCard({ body, details, media, isDeleted }: CardFacts): Card {
  if (isDeleted) return { kind: "text", text: DELETED };
  if (media !== null) {
    const written =
      details?.kind === "ad" ? body.slice(introductionOf(body, details).length) : body;
    return { kind: media.kind, text: mediaCard(written || mediaBody(media, ""), media) };
  }
  switch (details?.kind) {
    case "location":
      return { kind: "location", text: details.name || details.address || placeWord(details) };
    case "contacts":
      return { kind: "contact", text: details.contacts.map(({ name }) => name).join(", ") };
    case "poll":
      return { kind: "poll", text: details.question };
    case "poll-vote":
      return { kind: "poll", text: body };
    case "call":
      return { kind: "call", text: body };
    case "ad":
      return { kind: "text", text: withoutIntroduction(body, details) };
    case "choice":
    case "view-once":
    case "number-changed":
    case undefined:
      return { kind: "text", text: body };
  }
}

function placeWord({ isLive }: { isLive: boolean }): string {
  return isLive ? "Localização em tempo real" : "Localização";
}

type Ad = { title: string; body: string; sourceUrl: string };

/** What stands in front of the first message that an advertisement brought (behaviour 1.2). */
export function adIntroduction(ad: Ad): string {
  return `*${ad.title}*\n${ad.body}\n${ad.sourceUrl}\n\n`;
}

function withoutIntroduction(body: string, ad: Ad): string {
  return body.slice(introductionOf(body, ad).length) || ad.title;
}

/** Empty where the text does not begin with it. */
function introductionOf(body: string, ad: Ad): string {
  const introduction = adIntroduction(ad);
  return body.startsWith(introduction) ? introduction : "";
}

/** The body with another text of its author; null where there is no text that could change. */
export function bodyWithText({ body, details }: CardFacts, text: string): string | null {
  if (details === null) return text;
  return details.kind === "ad" ? introductionOf(body, details) + text : null;
}

/** A character takes at most two units; half of one would be no text. */
function beginning(text: string): string {
  if (text.length <= LAST_MESSAGE_MAX) return text;
  return Array.from(text.slice(0, LAST_MESSAGE_MAX * 2))
    .slice(0, LAST_MESSAGE_MAX)
    .join("");
}

/** The ticket after a message was stored that is its newest. */
export function withLastMessage(ticket: TicketRow, message: MessageRow): TicketRow {
  const { kind, text } = cardOf(message);
  return {
    ...ticket,
    lastMessage: text,
    lastMessageKind: kind,
    lastMessageAt: message.sentAt,
    lastMessageFromMe: message.fromMe,
    lastMessageAck: message.ack,
    lastMessageFailed: false,
    lastMessageUnconfirmed: false,
  };
}
