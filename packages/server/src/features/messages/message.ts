import type {
  CompanyId,
  ErrorCode,
  LastMessageKind,
  MediaKind,
  MessageDetails,
  MessageId,
  QueueId,
  Reaction,
  UserId,
} from "@balcao/contract";
import { limits } from "@balcao/contract";
import { isoText } from "../../platform/db/records.ts";
import type { messageMedia, messages } from "../../platform/db/schema/index.ts";
import type { MediaKey } from "../../platform/media/media-store.ts";
import type { ContactRow } from "../contacts/index.ts";
import type { StoredFile } from "../media/index.ts";
import type { TicketRow } from "../tickets/index.ts";
import { LAST_MESSAGE_MAX } from "../tickets/index.ts";

/** The first character of messages that bots of the product family send; people hardly ever type it (behaviour 0.2). */
export const AUTOMATIC_MARK = "\u200e";
/** The first characters of their campaign messages. */
export const CAMPAIGN_MARK = "\u200c ";

/** The media type of the line about a contact's new number; it was never on the network. */
export const NUMBER_CHANGED = "number_changed";
/** The media type of a message whose content has not arrived. */
export const PENDING = "ciphertext";

/** The `failed_code` of a message that may have been sent. */
export const UNCONFIRMED = "ERR_MESSAGE_UNCONFIRMED" satisfies ErrorCode;

/** The file of a message as it is stored: with keys, which become addresses when they leave the server. */
export type MediaRow = Omit<
  typeof messageMedia.$inferSelect,
  "companyId" | "messageId" | "createdAt" | "transcript"
>;

export type PollVote = NonNullable<Extract<MessageDetails, { kind: "poll" }>["votes"]>[number];

/** A message with its author, queue, file and reactions, in columns whose types JSON can carry. */
type MessageColumns = Pick<
  typeof messages.$inferSelect,
  | ("ticketId" | "body" | "fromMe" | "read" | "ack" | "failedCode" | "changeFailedCode")
  | (
      | "clientId"
      | "mediaType"
      | "details"
      | "isDeleted"
      | "isEdited"
      | "isForwarded"
      | "isAutomatic"
    )
> & {
  messageId: MessageId;
  messageCompanyId: CompanyId;
  isUnconfirmed: boolean;
  media: MediaRow | null;
  transcript: string | null;
  reactions: readonly Reaction[] | null;
  /** The last vote of each person in a poll. Null without votes, and for other messages. */
  votes: readonly PollVote[] | null;
  /** The queue whose agents can read it; for a deleted queue its successor, or none. */
  messageQueueId: QueueId | null;
  /** The queue whose name is shown, also when deleted. */
  messageNamedQueueId: QueueId | null;
  messageQueueName: string | null;
  messageQueueColor: string | null;
  authorId: ContactRow["id"] | null;
  authorName: string | null;
  authorNumber: string | null;
  authorEmail: string | null;
  authorPictureKey: MediaKey | null;
  /** The agent who wrote it in the product. */
  writerId: UserId | null;
  writerName: string | null;
  quotedId: MessageId | null;
};

/** The quoted message; its times are texts, as the wire has them. */
export type QuotedRow = MessageColumns & { sentAt: string; changedAt: string };

/** A message. Its column names differ from a ticket's, so that one row can carry both. */
export type MessageRow = MessageColumns & {
  undoUntil: Date | null;
  /** Null also when the reader may not read it. */
  quoted: QuotedRow | null;
  sentAt: Date;
  changedAt: Date;
};

const columnsOf = (m: string): string => `
  ${m}.id as "messageId", ${m}.ticket_id as "ticketId", ${m}.company_id as "messageCompanyId", ${m}.body,
  ${m}.from_me as "fromMe", ${m}.read, ${m}.ack,
  nullif(${m}.failed_code, '${UNCONFIRMED}') as "failedCode",
  coalesce(${m}.failed_code = '${UNCONFIRMED}', false) as "isUnconfirmed",
  ${m}.change_failed_code as "changeFailedCode", ${m}.client_id as "clientId",
  ${m}.media_type as "mediaType", ${m}.details, ${m}.is_deleted as "isDeleted", ${m}.is_edited as "isEdited",
  ${m}.is_forwarded as "isForwarded", ${m}.is_automatic as "isAutomatic", ${m}.queue_id as "messageNamedQueueId",
  case when ${m}_queue.deleted_at is null then ${m}.queue_id else ${m}_queue.successor_id end as "messageQueueId", ${m}_queue.name as "messageQueueName",
  ${m}_queue.color as "messageQueueColor", ${m}_author.id as "authorId", ${m}_author.name as "authorName",
  ${m}_author.number as "authorNumber", ${m}_author.email as "authorEmail",
  ${m}_author.picture_key as "authorPictureKey",
  ${m}_writer.id as "writerId", ${m}_writer.name as "writerName",
  ${m}.quoted_message_id as "quotedId",
  case when ${m}_media.message_id is not null then json_build_object(
    'kind', ${m}_media.kind, 'state', ${m}_media.state, 'fileKey', ${m}_media.file_key,
    'thumbnailKey', ${m}_media.thumbnail_key, 'name', ${m}_media.name, 'mime', ${m}_media.mime,
    'bytes', ${m}_media.bytes, 'width', ${m}_media.width, 'height', ${m}_media.height,
    'durationMs', ${m}_media.duration_ms, 'waveform', ${m}_media.waveform,
    'isViewOnce', ${m}_media.is_view_once) end as media,
  ${m}_media.transcript,
  (select json_agg(json_build_object(
      'emoji', r.emoji, 'fromMe', r.contact_id is null, 'contactId', r.contact_id,
      'name', coalesce(rc.name, ru.name, '')) order by r.created_at, r.author)
     from message_reactions r
     left join contacts rc on rc.company_id = r.company_id and rc.id = r.contact_id
     left join users ru on ru.company_id = r.company_id and ru.id = r.user_id
    where r.company_id = ${m}.company_id and r.message_id = ${m}.id) as reactions,
  case when ${m}.details ->> 'kind' = 'poll' then (
    select json_agg(json_build_object('options', v.details -> 'options', 'fromMe', v.from_me,
      'contactId', v.contact_id, 'name', coalesce(vc.name, '')) order by v.created_at, v.seq)
    from (
      select distinct on (v.contact_id) v.* from messages v
      where v.company_id = ${m}.company_id and v.quoted_message_id = ${m}.id and not v.is_deleted
        and v.details ->> 'kind' = 'poll-vote'
      order by v.contact_id, v.created_at desc, v.seq desc
    ) v
    left join contacts vc on vc.company_id = v.company_id and vc.id = v.contact_id) end as votes`;

const joinsOf = (m: string): string => `
  left join contacts ${m}_author on ${m}_author.company_id = ${m}.company_id and ${m}_author.id = ${m}.contact_id
  left join users ${m}_writer on ${m}_writer.company_id = ${m}.company_id and ${m}_writer.id = ${m}.user_id
  left join queues ${m}_queue on ${m}_queue.company_id = ${m}.company_id and ${m}_queue.id = ${m}.queue_id
  left join message_media ${m}_media on ${m}_media.company_id = ${m}.company_id and ${m}_media.message_id = ${m}.id`;

/** Select list of `MessageRow` for a row `m` of messages joined by `messageJoins`, and `quotedColumn`. */
export const messageColumns = `${columnsOf("m")},
  m.undo_until as "undoUntil", m.created_at as "sentAt", m.updated_at as "changedAt"`;

/** The joins of `messageColumns`. */
export const messageJoins = joinsOf("m");

/** Whether all readers of `m` may read `o`: it belongs to the same queue, or to none. */
export const readableBesideMessage = `(o.queue_id is null or o.queue_id = m.queue_id
  or (o_queue.deleted_at is not null and (o_queue.successor_id is null or o_queue.successor_id = m.queue_id)))`;

/** The quoted message `o` of `m` as column `quoted`, null unless `condition` holds. */
export const quotedColumn = (condition: string): string => `
  case when m.quoted_message_id is not null then (
    select row_to_json(q) from (
      select ${columnsOf("o")}, ${isoText("o.created_at")} as "sentAt", ${isoText("o.updated_at")} as "changedAt"
      from messages o ${joinsOf("o")}
      where o.company_id = m.company_id and o.id = m.quoted_message_id and ${condition}
    ) q
  ) end as quoted`;

/** The fields in which new messages differ. */
export type NewMessage = Pick<
  MessageRow,
  | ("body" | "mediaType" | "details" | "media" | "fromMe" | "read" | "ack" | "isForwarded")
  | ("isAutomatic" | "sentAt" | "clientId" | "undoUntil" | "quoted")
> & {
  id: MessageId;
  now: Date;
  /** Null for a message from the company. */
  author: ContactRow | null;
  /** The agent who wrote it in the product. */
  writer: { id: UserId; name: string } | null;
};

/** The row of a new message of a ticket, without reading the database. */
export function newMessageRow(ticket: TicketRow, message: NewMessage): MessageRow {
  const { id, author, writer, quoted, now, ...fields } = message;
  return {
    ...fields,
    messageId: id,
    ticketId: ticket.id,
    messageCompanyId: ticket.companyId,
    failedCode: null,
    isUnconfirmed: false,
    changeFailedCode: null,
    transcript: null,
    reactions: null,
    votes: null,
    isDeleted: false,
    isEdited: false,
    messageQueueId: ticket.queueId,
    messageNamedQueueId: ticket.queueId,
    messageQueueName: ticket.queueName,
    messageQueueColor: ticket.queueColor,
    authorId: author?.id ?? null,
    authorName: author?.name ?? null,
    authorNumber: author?.number ?? null,
    authorEmail: author?.email ?? null,
    authorPictureKey: author?.pictureKey ?? null,
    writerId: writer?.id ?? null,
    writerName: writer?.name ?? null,
    quotedId: quoted?.messageId ?? null,
    quoted: quoted !== null && isReadableBeside(ticket.queueId, quoted) ? quoted : null,
    changedAt: now,
  };
}

/** `readableBesideMessage` without the database. */
function isReadableBeside(queueId: QueueId | null, quoted: QuotedRow): boolean {
  return quoted.messageQueueId === null || quoted.messageQueueId === queueId;
}

/** The media of a message whose file is stored. */
export function readyMedia({ key, ...facts }: StoredFile, isViewOnce = false): MediaRow {
  return { ...facts, fileKey: key, state: "ready", isViewOnce };
}

/** The body of a message whose file is unavailable (behaviour 1.8). */
export const UNAVAILABLE_BODY = "[Mídia não disponível]";

/** Names for files without one, and the text on a ticket's card for such a file. */
const mediaTexts: Record<MediaKind, { file: string; card: string }> = {
  image: { file: "imagem", card: "Imagem" },
  video: { file: "video", card: "Vídeo" },
  audio: { file: "audio", card: "Áudio" },
  voice: { file: "audio", card: "Áudio" },
  document: { file: "documento", card: "Documento" },
  sticker: { file: "figurinha", card: "Figurinha" },
};

type NamedMedia = Pick<MediaRow, "kind" | "name">;

/** The text of a file's message: the caption, else its name; a fixed one for audio and stickers (behaviour 1.2). */
export function mediaBody({ kind, name }: NamedMedia, caption: string): string {
  if (kind === "sticker") return "sticker";
  if (caption.trim() !== "") return caption;
  return kind === "audio" || kind === "voice" ? "Áudio" : name;
}

/** The caption in a file's body; null when the body only names the file. */
export function captionOf(body: string, media: NamedMedia): string | null {
  return body === mediaBody(media, "") || body === UNAVAILABLE_BODY ? null : body;
}

/** The text of a file on the card: the caption, its own name, or the name of its kind. */
function mediaCard(body: string, media: NamedMedia): string {
  const { file, card } = mediaTexts[media.kind];
  const isNameless = mediaBody(media, "") !== media.name || media.name.startsWith(`${file}.`);
  return captionOf(body, media) ?? (isNameless ? card : media.name);
}

/** The first half of the content type; a sticker is an image, a voice message an audio (wire-contract 2.8). */
export function mediaTypeOf({ kind, mime }: Pick<MediaRow, "kind" | "mime">): string {
  if (kind === "document") return /^[a-z]+(?=\/)/.exec(mime)?.[0] ?? "application";
  if (kind === "sticker") return "image";
  return kind === "voice" ? "audio" : kind;
}

const extensions: Readonly<Record<string, string>> = {
  "audio/mpeg": "mp3",
  "image/jpeg": "jpg",
  "video/quicktime": "mov",
};

/** The file's own name without folders, or one made for it. */
export function mediaName(kind: MediaKind, mime: string, ownName = ""): string {
  const base = ownName.split(/[/\\]/).at(-1)?.trim() ?? "";
  if (base !== "") return Array.from(base).slice(0, limits.fileNameMax).join("");
  const type = mime.split(";", 1)[0]?.trim() ?? "";
  const subtype = /\/([a-z0-9]{1,8})$/.exec(type)?.[1] ?? "bin";
  return `${mediaTexts[kind].file}.${extensions[type] ?? subtype}`;
}

/** The last message on a ticket's card: its kind, shown as an icon, and its text. */
export type Card = { kind: LastMessageKind; text: string };

/** The part of a message that its card is made of. */
export type CardFacts = Pick<
  MessageRow | QuotedRow,
  "body" | "details" | "isDeleted" | "mediaType"
> & {
  media: NamedMedia | null;
};

/** Words for kinds that are stored as `[kind] text` (behaviour 1.2), by the beginning of the kind. */
const otherWords: readonly (readonly [RegExp, string])[] = [
  [/^(product|catalog)/i, "Produto"],
  [/^order/i, "Pedido"],
  [/^groupInvite/i, "Convite para um grupo"],
  [/event/i, "Evento"],
  [/payment|invoice/i, "Pagamento"],
];

/** The words and the text of a message of such a kind; null for all others. */
export function otherText({
  body,
  mediaType,
}: Pick<CardFacts, "body" | "mediaType">): { words: string; text: string } | null {
  const mark = `[${mediaType}]`;
  if (mediaType === null || !body.startsWith(mark)) return null;
  const words = otherWords.find(([names]) => names.test(mediaType))?.[1];
  return {
    words: words ?? "Mensagem que só aparece no celular",
    text: body.slice(mark.length).trim(),
  };
}

/** A message as its ticket's card shows it, without the parts of its body that only machines read. */
export function cardOf(message: CardFacts): Card {
  const { kind, text } = wholeCard(message);
  return { kind, text: beginning(text) };
}

function wholeCard({ body: whole, details, media, isDeleted, mediaType }: CardFacts): Card {
  if (isDeleted) return { kind: "text", text: "🚫 _Mensagem Apagada_" };
  const body = writtenBody({ body: whole, details });
  if (media !== null) {
    return { kind: media.kind, text: mediaCard(body || mediaBody(media, ""), media) };
  }
  switch (details?.kind) {
    case "location": {
      const place = details.isLive ? "Localização em tempo real" : "Localização";
      return { kind: "location", text: details.name || details.address || place };
    }
    case "contacts":
      return { kind: "contact", text: details.contacts.map(({ name }) => name).join(", ") };
    case "poll":
      return { kind: "poll", text: details.question };
    case "poll-vote":
      return { kind: "poll", text: body };
    case "call":
      return { kind: "call", text: body };
    case "ad":
      return { kind: "text", text: body || details.title };
    case undefined: {
      const other = otherText({ body, mediaType });
      return { kind: "text", text: other === null ? body : other.text || other.words };
    }
    case "choice":
    case "view-once":
    case "number-changed":
      return { kind: "text", text: body };
  }
}

type Ad = Pick<Extract<MessageDetails, { kind: "ad" }>, "title" | "body" | "sourceUrl">;

/** The beginning of an advertisement's first message (behaviour 1.2). */
export function adIntroduction(ad: Ad): string {
  return `*${ad.title}*\n${ad.body}\n${ad.sourceUrl}\n\n`;
}

/** Empty when the body does not begin with it. */
function introductionOf(body: string, ad: Ad): string {
  const introduction = adIntroduction(ad);
  return body.startsWith(introduction) ? introduction : "";
}

/** A message's text without the advertisement before it. */
export function writtenBody({ body, details }: Pick<CardFacts, "body" | "details">): string {
  return details?.kind === "ad" ? body.slice(introductionOf(body, details).length) : body;
}

/** The body after an edit by its author; null when the message has no text. */
export function bodyWithText(
  { body, details }: Pick<CardFacts, "body" | "details">,
  text: string,
): string | null {
  if (details === null) return text;
  return details.kind === "ad" ? introductionOf(body, details) + text : null;
}

/** Cuts at whole characters, which take at most two units each. */
function beginning(text: string): string {
  if (text.length <= LAST_MESSAGE_MAX) return text;
  return Array.from(text.slice(0, LAST_MESSAGE_MAX * 2))
    .slice(0, LAST_MESSAGE_MAX)
    .join("");
}

/**
 * Whether a new message of the company stays off the ticket's card: while a customer waits, the card shows the customer's
 * words until a person answers.
 */
export function staysOffCard(
  ticket: TicketRow,
  { isPersonsAct }: { isPersonsAct: boolean },
): boolean {
  return ticket.waitingSince !== null && !isPersonsAct;
}

/** The ticket after its newest message was stored. */
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
    lastMessageQueueId: message.messageQueueId,
  };
}
