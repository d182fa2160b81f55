import type { MessageId, UserId } from "@balcao/contract";
import { acks, renderVariables } from "@balcao/contract";
import { addSeconds } from "date-fns/addSeconds";
import type { Address, OutboundBody, OutboundTemplate, Quote } from "../../../channels/port.ts";
import type { Outbox } from "../../../channels/runtime/index.ts";
import type { Ctx } from "../../../platform/context.ts";
import { DomainError } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/db/database.ts";
import type { Sources } from "../../../platform/sources.ts";
import type { StoredFile } from "../../media/index.ts";
import type { TicketRow } from "../../tickets/index.ts";
import { freeTextUntil } from "../../tickets/index.ts";
import type { MessageEvents } from "../events.ts";
import { cardOf, withLastMessage } from "../last-message.ts";
import { insertMedia } from "../media-repository.ts";
import { mediaBody, mediaTypeOf } from "../media-text.ts";
import type { MediaRow, MessageRow, QuotedRow } from "../message-row.ts";
import { newMessageRow } from "../message-row.ts";
import { AUTOMATIC_MARK, NUMBER_CHANGED } from "../marks.ts";
import { canRead, readerOf } from "../readable.ts";
import type { Sending, StoredQuote } from "./send-repository.ts";
import { findSending, insertOutgoing } from "./send-repository.ts";

export type OutgoingDeps = {
  sources: Sources;
  outbox: Pick<Outbox, "enqueueOutbound">;
  events: MessageEvents;
};

/** What is to be sent: a text, a file whose caption is the text, or a template that reads as the text does. */
export type OutgoingMessage = {
  text?: string;
  file?: StoredFile;
  template?: OutboundTemplate;
  /** Variables stay as they are written. */
  isLiteral?: boolean;
  /** A message of the same ticket that the sender may read. */
  quoted?: MessageId | null;
  clientId?: string | null;
  /** The agent in whose name it is sent. */
  writer?: { id: UserId; name: string };
  /** The ticket counts as read: its agent answers. */
  isAnswer?: boolean;
  /** It leaves this much later. */
  delaySeconds?: number;
  /** It waits so that its sender can take it back. */
  canBeUndone?: boolean;
  /** The product writes by itself: other installations on the number see it by a mark, which only the network carries. */
  isAutomatic?: boolean;
  /** Somebody of the company writes at this moment: the automatic attendant leaves the waiting ticket to people. */
  isPersonsAct?: boolean;
  /** What the caller has read of the ticket already. */
  reach?: Reach;
  /** When it was decided to send it: what arrives from then on was written without having seen it. Now, where absent. */
  decidedAt?: Date;
};

/** Where a ticket's contact is written to, null where nowhere, and in which time zone the company works. */
export type Reach = Pick<Sending, "to" | "timeZone">;

/** The ids on the wire: chosen beforehand, so that a second attempt is the same message. */
export function newProviderId({ random }: Pick<Sources, "random">): string {
  return `3EB0${random.hex(9).toUpperCase()}`;
}

/** The one way on which every message of the company leaves, whoever writes it. */
export function createOutgoing({ sources, outbox, events }: OutgoingDeps) {
  const { clock, ids } = sources;

  /**
   * Stores a message in the ticket, whose row is locked, puts it on the card and hands it to the connection; the
   * ticket's state stays. Null when a message with its client id is there already: the request is a repetition. Throws
   * ERR_WAPP_NOT_INITIALIZED, ERR_WAPP_WINDOW_CLOSED, ERR_WAPP_INVALID_CONTACT and, for what cannot be quoted,
   * ERR_FETCH_WAPP_MSG.
   */
  async function send(
    ctx: Ctx,
    tx: Tx,
    ticket: TicketRow,
    message: OutgoingMessage,
  ): Promise<{ message: MessageRow; ticket: TicketRow } | null> {
    const { connectionId } = ticket;
    if (connectionId === null) throw new DomainError("ERR_WAPP_NOT_INITIALIZED");
    if (!message.template) requireOpenWindow(ticket, clock.now());
    const quotedId = message.quoted ?? null;
    const { to, timeZone, quoted, quote } =
      message.reach && quotedId === null
        ? { ...message.reach, ...noQuote }
        : await findSending(ctx, tx, ticket.id, quotedId);
    if (to === null) throw new DomainError("ERR_WAPP_INVALID_CONTACT");
    if (quotedId !== null && !isQuotable(ctx, ticket, quoted)) {
      throw new DomainError("ERR_FETCH_WAPP_MSG");
    }

    const now = message.decidedAt ?? clock.now();
    const { delaySeconds = 0 } = message;
    const dueAt = delaySeconds > 0 ? addSeconds(now, delaySeconds) : null;
    const { text: given = "", file, isLiteral = false } = message;
    const text = isLiteral
      ? given
      : renderVariables(given, { contactName: ticket.contactName, now, timeZone });
    const media = file ? readyMedia(file) : null;
    const row = newMessageRow(ticket, {
      id: ids.uuid() as MessageId, // our own new id gets its brand
      body: media ? mediaBody(media, text) : text,
      mediaType: media ? mediaTypeOf(media) : textType(quoted),
      details: null,
      media,
      fromMe: true,
      read: true,
      ack: acks.waiting,
      isForwarded: false,
      // Never before what stands there already, also when another process's clock is ahead.
      sentAt: laterOf(now, ticket.lastMessageAt),
      now,
      author: null,
      writer: message.writer ?? null,
      clientId: message.clientId ?? null,
      undoUntil: message.canBeUndone ? dueAt : null,
      quoted,
    });
    const providerId = newProviderId(sources);
    const effect = {
      clearUnread: message.isAnswer ?? false,
      isPersonsAct: message.isPersonsAct ?? false,
    };
    const stored = await insertOutgoing(ctx, tx, { row, connectionId, providerId, ...effect });
    if (!stored) return null;
    if (media) await insertMedia(ctx, tx, row.messageId, media);

    await outbox.enqueueOutbound(tx, ctx, {
      connectionId,
      messageId: row.messageId,
      providerId,
      to,
      body: bodyOf(message, media, text),
      ...(quoted && quote ? { quote: wireQuote(quote, quoted, to) } : {}),
      ...(dueAt ? { dueAt } : {}),
    });
    const after = withLastMessage({ ...ticket, ...stored }, row);
    events.created(tx, { message: row, ticket: after, isHistory: false });
    return { message: row, ticket: after };
  }

  return { send };
}

export type Outgoing = ReturnType<typeof createOutgoing>;

const noQuote: Pick<Sending, "quoted" | "quote"> = { quoted: null, quote: null };

function isQuotable(ctx: Ctx, ticket: TicketRow, quoted: QuotedRow | null): boolean {
  if (quoted === null || quoted.isDeleted || quoted.mediaType === NUMBER_CHANGED) return false;
  return canRead(readerOf(ctx), ticket, { queueId: quoted.messageQueueId });
}

/** Throws ERR_WAPP_WINDOW_CLOSED where the customer's last message is too old for anything but a template. */
export function requireOpenWindow(ticket: TicketRow, now: Date): void {
  const until = freeTextUntil(ticket);
  if (until !== null && until <= now) throw new DomainError("ERR_WAPP_WINDOW_CLOSED");
}

/** What the network gets. */
function bodyOf(
  { template, isAutomatic = false }: OutgoingMessage,
  media: MediaRow | null,
  text: string,
): OutboundBody {
  if (template) return template;
  const isMarked = isAutomatic && text.trim() !== "";
  const written = isMarked ? `${AUTOMATIC_MARK}${text}` : text;
  return media ? fileBody(media, written) : { kind: "text", text: written };
}

function textType(quoted: QuotedRow | null): string {
  return quoted === null ? "conversation" : "extendedTextMessage";
}

function readyMedia({ key, ...facts }: StoredFile): MediaRow {
  return { ...facts, fileKey: key, state: "ready", isViewOnce: false };
}

function fileBody(media: MediaRow, caption: string): OutboundBody {
  const { fileKey, kind, mime, name, bytes, durationMs, waveform } = media;
  const { width, height, thumbnailKey } = media;
  if (fileKey === null) throw new Error("a file without key cannot be sent");
  return {
    kind: "media",
    media: kind,
    file: {
      key: fileKey,
      mime,
      name,
      bytes,
      ...(durationMs === null ? {} : { durationMs }),
      ...(waveform === null ? {} : { waveform }),
      ...(width === null || height === null ? {} : { width, height }),
      ...(thumbnailKey === null ? {} : { thumbnailKey }),
    },
    ...(caption.trim() === "" ? {} : { caption }),
  };
}

/** What the quoted message says goes along, as people would read it. */
function wireQuote(quote: StoredQuote, quoted: QuotedRow, chat: Address): Quote {
  const isPlain = quoted.media === null && quoted.details === null;
  const { id, fromMe, author } = quote;
  return {
    chat,
    id,
    fromMe,
    ...(author === null ? {} : { author }),
    text: isPlain ? quoted.body : cardOf(quoted).text,
  };
}

function laterOf(now: Date, last: Date | null): Date {
  return last !== null && last > now ? last : now;
}
