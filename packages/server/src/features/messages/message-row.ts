import type {
  CompanyId,
  ContactId,
  ContactRef,
  ErrorCode,
  MediaKind,
  MediaState,
  MessageDetails,
  MessageId,
  QueueId,
  Reaction,
  TicketId,
  UserId,
} from "@balcao/contract";
import type { TicketRow } from "../tickets/index.ts";

/** The file of a message as it is stored: by its keys, which only become addresses where they leave the server. */
export type MediaRow = {
  kind: MediaKind;
  state: MediaState;
  fileKey: string | null;
  thumbnailKey: string | null;
  name: string;
  mime: string;
  bytes: number;
  width: number | null;
  height: number | null;
  durationMs: number | null;
  waveform: readonly number[] | null;
  isViewOnce: boolean;
};

/** A message with its author, queue, file and reactions, in columns whose types JSON can carry too. */
type MessageColumns = {
  messageId: MessageId;
  ticketId: TicketId;
  messageCompanyId: CompanyId;
  body: string;
  fromMe: boolean;
  read: boolean;
  ack: number;
  failedCode: string | null;
  isUnconfirmed: boolean;
  changeFailedCode: string | null;
  clientId: string | null;
  mediaType: string | null;
  details: MessageDetails | null;
  media: MediaRow | null;
  reactions: readonly Reaction[] | null;
  isDeleted: boolean;
  isEdited: boolean;
  isForwarded: boolean;
  /** Whose agents read it: of a deleted queue its successor, or none. */
  messageQueueId: QueueId | null;
  /** The one whose name is shown, deleted or not. */
  messageNamedQueueId: QueueId | null;
  messageQueueName: string | null;
  messageQueueColor: string | null;
  authorId: ContactId | null;
  authorName: string | null;
  authorNumber: string | null;
  authorEmail: string | null;
  authorProfilePicUrl: string | null;
  /** The agent who wrote it in the product. */
  writerId: UserId | null;
  writerName: string | null;
  quotedId: MessageId | null;
};

/** The quoted message; its times are texts, as the wire has them. */
export type QuotedRow = MessageColumns & { sentAt: string; changedAt: string };

/** The names differ from a ticket's, so that one row can carry both. */
export type MessageRow = MessageColumns & {
  undoUntil: Date | null;
  /** Null also where the reader may not read it. */
  quoted: QuotedRow | null;
  sentAt: Date;
  changedAt: Date;
};

/** Stands in `failed_code` while nobody can say whether a message was sent. */
export const UNCONFIRMED = "ERR_MESSAGE_UNCONFIRMED" satisfies ErrorCode;

const columnsOf = (m: string): string => `
  ${m}.id as "messageId", ${m}.ticket_id as "ticketId", ${m}.company_id as "messageCompanyId", ${m}.body,
  ${m}.from_me as "fromMe", ${m}.read, ${m}.ack,
  nullif(${m}.failed_code, '${UNCONFIRMED}') as "failedCode",
  coalesce(${m}.failed_code = '${UNCONFIRMED}', false) as "isUnconfirmed",
  ${m}.change_failed_code as "changeFailedCode", ${m}.client_id as "clientId",
  ${m}.media_type as "mediaType", ${m}.details, ${m}.is_deleted as "isDeleted", ${m}.is_edited as "isEdited",
  ${m}.is_forwarded as "isForwarded", ${m}.queue_id as "messageNamedQueueId",
  case when ${m}_queue.deleted_at is null then ${m}.queue_id else ${m}_queue.successor_id end as "messageQueueId", ${m}_queue.name as "messageQueueName",
  ${m}_queue.color as "messageQueueColor", ${m}_author.id as "authorId", ${m}_author.name as "authorName",
  ${m}_author.number as "authorNumber", ${m}_author.email as "authorEmail",
  ${m}_author.profile_pic_url as "authorProfilePicUrl",
  ${m}_writer.id as "writerId", ${m}_writer.name as "writerName",
  ${m}.quoted_message_id as "quotedId",
  case when ${m}_media.message_id is not null then json_build_object(
    'kind', ${m}_media.kind, 'state', ${m}_media.state, 'fileKey', ${m}_media.file_key,
    'thumbnailKey', ${m}_media.thumbnail_key, 'name', ${m}_media.name, 'mime', ${m}_media.mime,
    'bytes', ${m}_media.bytes, 'width', ${m}_media.width, 'height', ${m}_media.height,
    'durationMs', ${m}_media.duration_ms, 'waveform', ${m}_media.waveform,
    'isViewOnce', ${m}_media.is_view_once) end as media,
  (select json_agg(json_build_object(
      'emoji', r.emoji, 'fromMe', r.contact_id is null, 'contactId', r.contact_id,
      'name', coalesce(rc.name, ru.name, '')) order by r.created_at, r.author)
     from message_reactions r
     left join contacts rc on rc.company_id = r.company_id and rc.id = r.contact_id
     left join users ru on ru.company_id = r.company_id and ru.id = r.user_id
    where r.company_id = ${m}.company_id and r.message_id = ${m}.id) as reactions`;

const joinsOf = (m: string): string => `
  left join contacts ${m}_author on ${m}_author.company_id = ${m}.company_id and ${m}_author.id = ${m}.contact_id
  left join users ${m}_writer on ${m}_writer.company_id = ${m}.company_id and ${m}_writer.id = ${m}.user_id
  left join queues ${m}_queue on ${m}_queue.company_id = ${m}.company_id and ${m}_queue.id = ${m}.queue_id
  left join message_media ${m}_media on ${m}_media.company_id = ${m}.company_id and ${m}_media.message_id = ${m}.id`;

/** Select list of `MessageRow` for a row `m` of messages joined by `messageJoins`, and `quotedColumn`. */
export const messageColumns = `${columnsOf("m")},
  m.undo_until as "undoUntil", m.created_at as "sentAt", m.updated_at as "changedAt"`;

/** What `messageColumns` reads beside `m`. */
export const messageJoins = joinsOf("m");

/** Everybody who hears of a message in its queue may read a quoted one of the same queue, or of none. */
export const readableBesideMessage = `(o.queue_id is null or o.queue_id = m.queue_id
  or (o_queue.deleted_at is not null and (o_queue.successor_id is null or o_queue.successor_id = m.queue_id)))`;

const isoText = (moment: string): string =>
  `to_char(${moment} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The quoted message `o` of `m` as column `quoted`, null unless `condition` holds. */
export const quotedColumn = (condition: string): string => `
  case when m.quoted_message_id is not null then (
    select row_to_json(q) from (
      select ${columnsOf("o")}, ${isoText("o.created_at")} as "sentAt", ${isoText("o.updated_at")} as "changedAt"
      from messages o ${joinsOf("o")}
      where o.company_id = m.company_id and o.id = m.quoted_message_id and ${condition}
    ) q
  ) end as quoted`;

/** A message that is about to be stored; everything else of it is the same for all new ones. */
export type NewMessage = {
  id: MessageId;
  body: string;
  mediaType: string | null;
  details: MessageDetails | null;
  media: MediaRow | null;
  fromMe: boolean;
  read: boolean;
  ack: number;
  isForwarded: boolean;
  sentAt: Date;
  now: Date;
  /** Null for what the company wrote. */
  author: ContactRef | null;
  /** The agent who wrote it in the product. */
  writer: { id: UserId; name: string } | null;
  clientId: string | null;
  undoUntil: Date | null;
  quoted: QuotedRow | null;
};

/** The row that a new message of a ticket gets, without asking the database for what is known. */
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
    reactions: null,
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
    authorProfilePicUrl: author?.profilePicUrl ?? null,
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
