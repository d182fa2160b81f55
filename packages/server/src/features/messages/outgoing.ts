import type {
  CampaignId,
  ConnectionId,
  ErrorCode,
  MessageId,
  TicketId,
  UserId,
  VariableValues,
} from "@balcao/contract";
import { acks, renderVariables } from "@balcao/contract";
import { addSeconds } from "date-fns/addSeconds";
import type {
  Address,
  OutboundBody,
  OutboundMedia,
  OutboundTemplate,
  Quote,
} from "../../channels/port.ts";
import type { Ctx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { OutboundPriority } from "../../platform/db/schema/messages.ts";
import type { EventPayloads } from "../../platform/events.ts";
import type { Sources } from "../../platform/sources.ts";
import type { StoredFile } from "../media/index.ts";
import type { TicketRow } from "../tickets/index.ts";
import { canRead, freeTextUntil, readerOf } from "../tickets/index.ts";
import type { Bound, MessagesDeps } from "./deps.ts";
import type { MediaRow, MessageRow, QuotedRow } from "./message.ts";
import {
  AUTOMATIC_MARK,
  CAMPAIGN_MARK,
  cardOf,
  mediaBody,
  mediaTypeOf,
  newMessageRow,
  NUMBER_CHANGED,
  quotedColumn,
  readyMedia,
  staysOffCard,
  withLastMessage,
} from "./message.ts";
import { attendedBy, insertMedia } from "./stored-messages.ts";

/** A message to send: a text, a file with the text as its caption, or a template that renders the text. */
export type OutgoingMessage = {
  text?: string;
  file?: StoredFile;
  template?: OutboundTemplate;
  /** Variables are not replaced. */
  isLiteral?: boolean;
  /** The values of the variables `{{queue}}` and `{{user}}`. */
  names?: NonNullable<VariableValues["names"]>;
  /** A message of the same ticket that the sender may read. */
  quoted?: MessageId | null;
  clientId?: string | null;
  /** The agent who sends it. */
  writer?: { id: UserId; name: string };
  /** Sent by the ticket's agent: the ticket counts as read. */
  isAnswer?: boolean;
  /** Its urgency in the connection's queue: the attendant's for automatic messages, else the agent's. */
  priority?: OutboundPriority;
  /** It is sent after this delay. */
  delaySeconds?: number;
  /** Its sender can undo it during the delay. */
  canBeUndone?: boolean;
  /** It was written in another conversation. */
  isForwarded?: boolean;
  /** An automatic message: carries a mark on the network, by which other installations on the number recognise it. */
  isAutomatic?: boolean;
  /** A person of the company writes now: the automatic attendant leaves the waiting ticket to people. */
  isPersonsAct?: boolean;
  /** The destination, if the caller has read it already. */
  destination?: Destination;
  /** The campaign that sends it. Its text carries the mark of such messages on the network. */
  campaignId?: CampaignId;
  /** When it was decided to send it: customers wrote later messages without having seen it. Default: now. */
  decidedAt?: Date;
};

/** The address of a ticket's contact, null when it has none, and the company's time zone. */
export type Destination = { to: Address | null; timeZone: string };

/** `sendMessage` for other features. */
export type Outgoing = { send: Bound<typeof sendMessage> };

/** `sendAutomatically` for other features. */
export type SendAutomatically = Bound<typeof sendAutomatically>;

/** A message's id on the network, chosen before sending, so that a second attempt is the same message. */
export function newProviderId({ random }: Pick<Sources, "random">): string {
  return `3EB0${random.hex(9).toUpperCase()}`;
}

/**
 * Sends a message of the company; all of them are sent here. Stores it in the ticket, whose row is locked, puts it on
 * the card and queues it for the connection; the ticket's state does not change. Null when a message with its client id
 * exists: the request is a repetition. Throws ERR_WAPP_NOT_INITIALIZED, ERR_WAPP_WINDOW_CLOSED,
 * ERR_WAPP_INVALID_CONTACT and, for a message that cannot be quoted, ERR_FETCH_WAPP_MSG.
 */
export async function sendMessage(
  deps: MessagesDeps,
  ctx: Ctx,
  tx: Tx,
  ticket: TicketRow,
  message: OutgoingMessage,
): Promise<{ message: MessageRow; ticket: TicketRow } | null> {
  const { clock, ids } = deps.sources;
  const { connectionId } = ticket;
  if (connectionId === null) throw new DomainError("ERR_WAPP_NOT_INITIALIZED");
  if (!message.template) requireOpenWindow(ticket, clock.now());
  const quotedId = message.quoted ?? null;
  const { destination } = message;
  const { to, timeZone, quoted, quote } =
    destination && quotedId === null
      ? { ...destination, quoted: null, quote: null }
      : { ...(await findSendContext(ctx, tx, ticket.id, quotedId)), ...destination };
  if (to === null) throw new DomainError("ERR_WAPP_INVALID_CONTACT");
  if (quotedId !== null && !isQuotable(ctx, ticket, quoted)) {
    throw new DomainError("ERR_FETCH_WAPP_MSG");
  }

  const now = message.decidedAt ?? clock.now();
  const { delaySeconds = 0, text: given = "", file, isLiteral = false, names = {} } = message;
  const dueAt = delaySeconds > 0 ? addSeconds(now, delaySeconds) : null;
  const text = isLiteral
    ? given
    : renderVariables(given, { contactName: ticket.contactName, now, timeZone, names });
  const media = file ? readyMedia(file) : null;
  const textType = quoted === null ? "conversation" : "extendedTextMessage";
  const row = newMessageRow(ticket, {
    id: ids.uuid() as MessageId, // our own new id gets its brand
    body: media ? mediaBody(media, text) : text,
    mediaType: media ? mediaTypeOf(media) : textType,
    details: null,
    media,
    fromMe: true,
    read: true,
    ack: acks.waiting,
    isForwarded: message.isForwarded ?? false,
    // Scheduled messages are a user's.
    isAutomatic: !message.writer && message.priority !== "schedule",
    // Never before the ticket's last message, even if another process's clock is ahead.
    sentAt: laterOf(now, ticket.lastMessageAt),
    now,
    author: null,
    writer: message.writer ?? null,
    clientId: message.clientId ?? null,
    undoUntil: message.canBeUndone ? dueAt : null,
    quoted,
  });
  const providerId = newProviderId(deps.sources);
  const { isAnswer = false, isPersonsAct = false, campaignId = null } = message;
  const isOffCard = staysOffCard(ticket, { isPersonsAct });
  const effect = { isAnswer, isPersonsAct, isOffCard, campaignId };
  const stored = await insertOutgoing(ctx, tx, row, connectionId, providerId, effect);
  if (!stored) return null;
  if (media) await insertMedia(ctx, tx, row.messageId, media);

  await deps.outbox.enqueueOutbound(tx, ctx, {
    connectionId,
    messageId: row.messageId,
    providerId,
    to,
    body: bodyOf(message, media, text),
    ...(quoted && quote ? { quote: wireQuote(quote, quoted, to) } : {}),
    ...(dueAt ? { dueAt } : {}),
    priority: message.priority ?? (message.isAutomatic ? "attendant" : "agent"),
  });
  const after = isOffCard
    ? { ...ticket, ...stored, lastMessageAt: row.sentAt }
    : withLastMessage({ ...ticket, ...stored }, row);
  const event = { message: row, ticket: after, isHistory: false };
  await deps.domainEvents.publish(tx, ctx, "message.stored", event);
  return { message: row, ticket: after };
}

/**
 * Sends an automatic text, with its variables replaced and the mark of such texts (behaviour 0.2, 3), to a ticket whose
 * row is locked. Returns the ticket afterwards; null when nothing is sent, because the text is blank or the ticket has
 * no connection, address or open window.
 */
export async function sendAutomatically(
  deps: MessagesDeps,
  ctx: Ctx,
  tx: Tx,
  ticket: TicketRow,
  text: string,
  delaySeconds = 0,
): Promise<TicketRow | null> {
  if (text.trim() === "") return null;
  const sending = sendMessage(deps, ctx, tx, ticket, { text, isAutomatic: true, delaySeconds });
  return (await unlessUnsendable(sending))?.ticket ?? null;
}

/**
 * Sends the text that tells a customer of a transfer; where it cannot be sent, the ticket is transferred all the same.
 */
export async function sendTransferText(
  deps: MessagesDeps,
  ctx: Ctx,
  tx: Tx,
  { ticket, ...message }: EventPayloads["ticket.transferred"],
): Promise<void> {
  await unlessUnsendable(sendMessage(deps, ctx, tx, ticket, message));
}

/** Null for a ticket that has nobody or nothing to send a text by; that is found out before anything is written. */
async function unlessUnsendable<T>(sending: Promise<T>): Promise<T | null> {
  try {
    return await sending;
  } catch (error) {
    if (error instanceof DomainError && unsendable.has(error.code)) return null;
    throw error;
  }
}

const unsendable: ReadonlySet<ErrorCode> = new Set([
  "ERR_WAPP_NOT_INITIALIZED",
  "ERR_WAPP_INVALID_CONTACT",
  "ERR_WAPP_WINDOW_CLOSED",
]);

function isQuotable(ctx: Ctx, ticket: TicketRow, quoted: QuotedRow | null): boolean {
  if (quoted === null || quoted.isDeleted || quoted.mediaType === NUMBER_CHANGED) return false;
  return canRead(readerOf(ctx), ticket, quoted.messageQueueId);
}

/** Throws ERR_WAPP_WINDOW_CLOSED when the customer's last message is so old that only a template may be sent. */
export function requireOpenWindow(ticket: TicketRow, now: Date): void {
  const until = freeTextUntil(ticket);
  if (until !== null && until <= now) throw new DomainError("ERR_WAPP_WINDOW_CLOSED");
}

/** The content for the network. */
function bodyOf(
  { template, isAutomatic = false, isForwarded = false, campaignId }: OutgoingMessage,
  media: MediaRow | null,
  text: string,
): OutboundBody {
  if (template) return template;
  const mark = campaignId !== undefined ? CAMPAIGN_MARK : isAutomatic ? AUTOMATIC_MARK : "";
  const written = text.trim() === "" ? text : `${mark}${text}`;
  const body = media ? fileBody(media, written) : { kind: "text" as const, text: written };
  return isForwarded ? { ...body, isForwarded } : body;
}

function fileBody(media: MediaRow, caption: string): OutboundMedia {
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

/** The quoted message for the network, with the text that users read. */
function wireQuote(quote: StoredQuote, quoted: QuotedRow, chat: Address): Quote {
  const isPlain = quoted.media === null && quoted.details === null;
  const { author, ...ref } = quote;
  const text = isPlain ? quoted.body : cardOf(quoted).text;
  return { chat, ...ref, ...(author === null ? {} : { author }), text };
}

function laterOf(now: Date, last: Date | null): Date {
  return last !== null && last > now ? last : now;
}

/** The destination and the quoted message of a send. */
type SendContext = Destination & {
  /** The quoted message of the same ticket; null when it does not exist. */
  quoted: QuotedRow | null;
  /** The quoted message's ids on the network. */
  quote: StoredQuote | null;
};

/** A message's ids on the network; it has an author only in groups. */
export type StoredQuote = { id: string; fromMe: boolean; author: Address | null };

async function findSendContext(
  ctx: Ctx,
  tx: Tx,
  ticketId: TicketId,
  quotedId: MessageId | null,
): Promise<SendContext> {
  const values = [ctx.companyId, ticketId, quotedId];
  const [row] = await tx.query<SendContext>(sendingStatement, values);
  if (!row) throw new Error("the ticket is gone");
  return row;
}

/** The destination of an agent's message. `isStopped`: the ticket's connection does not run until a person acts (ADR 25). */
export type AgentDestination = Destination & { isStopped: boolean };

/** The current destination of a ticket's contact; null when the ticket does not exist. */
export async function findDestination(
  ctx: Ctx,
  tx: Tx,
  ticketId: TicketId,
): Promise<AgentDestination | null> {
  const [row] = await tx.query<AgentDestination>(destinationStatement, [ctx.companyId, ticketId]);
  return row ?? null;
}

/** The columns of a ticket that a message of the company changes beside its card. */
type SentEffect = Pick<TicketRow, "unreadMessages" | "updatedAt" | "waitingSince" | "isAnswered">;

/**
 * Stores a message of the company and puts it on the ticket's card, unless it stays off it; a person's message ends the
 * customer's wait. Null when a message with its client id exists: the
 * request is a repetition.
 */
async function insertOutgoing(
  ctx: Ctx,
  tx: Tx,
  row: MessageRow,
  connectionId: ConnectionId,
  providerId: string,
  {
    isAnswer,
    isPersonsAct,
    isOffCard,
    campaignId,
  }: Record<"isAnswer" | "isPersonsAct" | "isOffCard", boolean> & {
    campaignId: CampaignId | null;
  },
): Promise<SentEffect | null> {
  const card = cardOf(row);
  const [ticket] = await tx.query<SentEffect>(insertStatement, [
    ...[ctx.companyId, row.messageId, row.ticketId, connectionId, providerId],
    ...[row.writerId, row.clientId, row.body, row.ack, row.mediaType, row.quotedId],
    ...[row.messageQueueId, row.sentAt, card.text, isAnswer, card.kind, row.undoUntil],
    ...[isPersonsAct, row.isForwarded, isOffCard, row.isAutomatic, campaignId],
  ]);
  return ticket ?? null;
}

/**
 * The address to which messages for a contact are sent: a group's, else a phone number, else a private one; null when
 * it has none. Among several phones it is the shown one, whose last eight digits do not depend on the ninth digit.
 */
const addressOf = (company: string, contact: string): string => `(
    select json_build_object('kind', a.kind, 'value', a.value) from contact_addresses a
    join contacts ac on ac.company_id = a.company_id and ac.id = a.contact_id
    where a.company_id = ${company} and a.contact_id = ${contact}
    order by array_position(array['group', 'pn', 'lid', 'bsuid'], a.kind), a.value is distinct from ac.number,
      right(a.value, 8) is distinct from right(ac.number, 8), a.key limit 1)`;

/** The destination of a row `t` of tickets; for a contact without addresses its number. */
export const contactAddress = (
  t: string,
): string => `coalesce(${addressOf(`${t}.company_id`, `${t}.contact_id`)}, (
    select json_build_object('kind', case when ${t}.is_group then 'group' else 'pn' end, 'value', n.number)
    from contacts n where n.company_id = ${t}.company_id and n.id = ${t}.contact_id and n.number is not null
  ))`;

/** The ids on the network of a row `o` of messages in a ticket `t`. */
export const wireMessage = (o: string, t: string): string => `json_build_object(
    'id', ${o}.provider_id, 'fromMe', ${o}.from_me,
    'author', case when ${t}.is_group and not ${o}.from_me
      then ${addressOf(`${o}.company_id`, `${o}.contact_id`)} end)`;

const destinationColumns = `${contactAddress("t")} as "to",
  (select time_zone from companies where id = $1) as "timeZone"`;

const destinationStatement = {
  name: "messages.reach",
  text: `
select ${destinationColumns}, exists (
  select from connections w where w.company_id = $1 and w.id = t.connection_id
    and (w.status = 'qrcode' or (w.status = 'DISCONNECTED' and w.close_reason is not null) or w.deleted_at is not null)
  ) as "isStopped"
from tickets t where t.company_id = $1 and t.id = $2`,
};

const sendingStatement = {
  name: "messages.sending",
  text: `
select ${destinationColumns},
  ${quotedColumn("o.ticket_id = m.ticket_id")},
  (select ${wireMessage("o", "t")} from messages o
    where o.company_id = $1 and o.id = $3 and o.ticket_id = t.id) as quote
from tickets t
cross join lateral (
  select t.company_id, t.id as ticket_id, $3::uuid as quoted_message_id) m
where t.company_id = $1 and t.id = $2`,
};

const insertStatement = {
  name: "messages.send",
  text: `
with m as (
  insert into messages
    (company_id, id, ticket_id, connection_id, provider_id, user_id, client_id, body, from_me, read, ack,
     media_type, quoted_message_id, queue_id, created_at, updated_at, undo_until, is_forwarded, is_automatic,
     campaign_id)
  values ($1, $2, $3, $4, $5, $6, $7, $8, true, true, $9, $10, $11, $12, $13, $13, $17, $19, $21, $22)
  on conflict (company_id, client_id) where client_id is not null do nothing
  returning ticket_id
), attended as (
  ${attendedBy("$13", "$13")} and $18
)
update tickets t set
  last_message = case when $20 then last_message else $14 end,
  last_message_kind = case when $20 then last_message_kind else $16 end,
  last_message_id = case when $20 then last_message_id else $2 end,
  last_message_at = $13, last_message_from_me = last_message_from_me or not $20,
  last_message_queue_id = case when $20 then last_message_queue_id else $12 end,
  last_message_ack = case when $20 then last_message_ack else $9 end,
  last_message_failed = last_message_failed and $20,
  waiting_since = case when $18 then null else waiting_since end,
  is_answered = is_answered or $18,
  unread_messages = case when $15 then 0 else unread_messages end,
  updated_at = greatest(updated_at, $13)
from m where t.company_id = $1 and t.id = m.ticket_id
returning t.unread_messages as "unreadMessages", t.updated_at as "updatedAt", t.waiting_since as "waitingSince",
  t.is_answered as "isAnswered"`,
};
