import type {
  CompanyId,
  ContactId,
  ContactRef,
  Message,
  MessageId,
  QueueId,
  TicketId,
} from "@balcao/contract";
import { toIso } from "../../platform/db/row-dates.ts";
import type { TicketRow } from "../tickets/index.ts";

/** The quoted message as the wire has it, without what it quotes itself. */
export type QuotedMessage = NonNullable<Message["quotedMsg"]>;

/** A message with its author, queue and quoted message; the names differ from a ticket's, so one row can carry both. */
export type MessageRow = {
  messageId: MessageId;
  ticketId: TicketId;
  messageCompanyId: CompanyId;
  body: string;
  fromMe: boolean;
  read: boolean;
  ack: number;
  failedCode: string | null;
  clientId: string | null;
  mediaType: string | null;
  isDeleted: boolean;
  isEdited: boolean;
  isForwarded: boolean;
  messageQueueId: QueueId | null;
  messageQueueName: string | null;
  messageQueueColor: string | null;
  authorId: ContactId | null;
  authorName: string | null;
  authorNumber: string | null;
  authorEmail: string | null;
  authorProfilePicUrl: string | null;
  quotedId: MessageId | null;
  /** Null also where the reader may not read it. */
  quoted: QuotedMessage | null;
  sentAt: Date;
  changedAt: Date;
};

/** Select list of `MessageRow` for a row `m` of messages joined by `messageJoins`, and `quotedColumn`. */
export const messageColumns = `
  m.id as "messageId", m.ticket_id as "ticketId", m.company_id as "messageCompanyId", m.body,
  m.from_me as "fromMe", m.read, m.ack, m.failed_code as "failedCode", m.client_id as "clientId",
  m.media_type as "mediaType", m.is_deleted as "isDeleted", m.is_edited as "isEdited",
  m.is_forwarded as "isForwarded", m.queue_id as "messageQueueId", mq.name as "messageQueueName",
  mq.color as "messageQueueColor", mc.id as "authorId", mc.name as "authorName",
  mc.number as "authorNumber", mc.email as "authorEmail", mc.profile_pic_url as "authorProfilePicUrl",
  m.quoted_message_id as "quotedId", m.created_at as "sentAt", m.updated_at as "changedAt"`;

/** What `messageColumns` reads beside `m`. */
export const messageJoins = `
  left join contacts mc on mc.company_id = m.company_id and mc.id = m.contact_id
  left join queues mq on mq.company_id = m.company_id and mq.id = m.queue_id`;

/** Everybody who hears of a message in its queue may read a quoted one of the same queue, or of none. */
export const readableBesideMessage = "(o.queue_id is null or o.queue_id = m.queue_id)";

/** The quoted message `o` of `m` as column `quoted`, null unless `condition` holds. */
export const quotedColumn = (condition: string): string => `
  case when m.quoted_message_id is not null then (
    select ${quotedJson} from messages o
    left join contacts oc on oc.company_id = o.company_id and oc.id = o.contact_id
    left join queues oq on oq.company_id = o.company_id and oq.id = o.queue_id
    where o.company_id = m.company_id and o.id = m.quoted_message_id and ${condition}
  ) end as quoted`;

const isoText = (moment: string): string =>
  `to_char(${moment} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const quotedJson = `
  json_build_object(
    'id', o.id, 'ticketId', o.ticket_id, 'companyId', o.company_id, 'contactId', o.contact_id,
    'body', o.body, 'fromMe', o.from_me, 'read', o.read, 'isDeleted', o.is_deleted,
    'isEdited', o.is_edited, 'isForwarded', o.is_forwarded, 'ack', o.ack,
    'failedCode', o.failed_code, 'clientId', o.client_id, 'mediaType', o.media_type,
    'mediaUrl', null, 'quotedMsgId', o.quoted_message_id, 'queueId', o.queue_id,
    'contact', case when oc.id is not null then json_build_object(
      'id', oc.id, 'name', oc.name, 'number', coalesce(oc.number, ''), 'email', oc.email,
      'profilePicUrl', oc.profile_pic_url) end,
    'queue', case when oq.id is not null then json_build_object(
      'id', oq.id, 'name', oq.name, 'color', oq.color) end,
    'createdAt', ${isoText("o.created_at")}, 'updatedAt', ${isoText("o.updated_at")})`;

/** The message as pages and events carry it (wire-contract 2.8). */
export function toMessageDto(row: MessageRow): Message {
  return {
    id: row.messageId,
    ticketId: row.ticketId,
    companyId: row.messageCompanyId,
    contactId: row.authorId,
    body: row.body,
    fromMe: row.fromMe,
    read: row.read,
    isDeleted: row.isDeleted,
    isEdited: row.isEdited,
    isForwarded: row.isForwarded,
    ack: row.ack,
    failedCode: row.failedCode,
    clientId: row.clientId,
    mediaType: row.mediaType,
    mediaUrl: null,
    quotedMsgId: row.quotedId,
    quotedMsg: row.quoted,
    queueId: row.messageQueueId,
    contact: authorOf(row),
    queue:
      row.messageQueueId === null
        ? null
        : {
            id: row.messageQueueId,
            name: row.messageQueueName ?? "",
            color: row.messageQueueColor ?? "",
          },
    createdAt: toIso(row.sentAt),
    updatedAt: toIso(row.changedAt),
  };
}

function authorOf(row: MessageRow): ContactRef | null {
  if (row.authorId === null) return null;
  return {
    id: row.authorId,
    name: row.authorName ?? "",
    number: row.authorNumber ?? "",
    email: row.authorEmail ?? "",
    profilePicUrl: row.authorProfilePicUrl ?? "",
  };
}

/** A message that is about to be stored; everything else of it is the same for all new ones. */
export type NewMessage = {
  id: MessageId;
  body: string;
  fromMe: boolean;
  read: boolean;
  ack: number;
  sentAt: Date;
  now: Date;
  /** Null for what the company wrote. */
  author: ContactRef | null;
  clientId: string | null;
  quoted: QuotedMessage | null;
};

/** The row that a new message of a ticket gets, without asking the database for what is known. */
export function newMessageRow(ticket: TicketRow, message: NewMessage): MessageRow {
  const { author, quoted } = message;
  return {
    messageId: message.id,
    ticketId: ticket.id,
    messageCompanyId: ticket.companyId,
    body: message.body,
    fromMe: message.fromMe,
    read: message.read,
    ack: message.ack,
    failedCode: null,
    clientId: message.clientId,
    mediaType: quoted === null ? "conversation" : "extendedTextMessage",
    isDeleted: false,
    isEdited: false,
    isForwarded: false,
    messageQueueId: ticket.queueId,
    messageQueueName: ticket.queueName,
    messageQueueColor: ticket.queueColor,
    authorId: author?.id ?? null,
    authorName: author?.name ?? null,
    authorNumber: author?.number ?? null,
    authorEmail: author?.email ?? null,
    authorProfilePicUrl: author?.profilePicUrl ?? null,
    quotedId: quoted?.id ?? null,
    quoted: quoted !== null && isReadableBeside(ticket.queueId, quoted) ? quoted : null,
    sentAt: message.sentAt,
    changedAt: message.now,
  };
}

/** `readableBesideMessage` without the database. */
function isReadableBeside(queueId: QueueId | null, quoted: QuotedMessage): boolean {
  return quoted.queueId === null || quoted.queueId === queueId;
}
