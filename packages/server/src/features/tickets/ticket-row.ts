import type {
  AutomaticTextKey,
  ChannelKind,
  CompanyId,
  ConnectionId,
  ContactId,
  ErrorCode,
  ExtraInfo,
  IntegrationId,
  LastMessageKind,
  PromptId,
  QueueId,
  Ticket,
  TicketId,
  TicketStatus,
  UserId,
} from "@balcao/contract";
import { limits } from "@balcao/contract";
import { addHours } from "date-fns/addHours";
import { toIso, toIsoOrNull } from "../../platform/db/records.ts";
import type { MediaKey } from "../../platform/media/media-store.ts";
import type { ContactRow } from "../contacts/index.ts";
import { pictureUrl } from "../contacts/index.ts";
import type { SignFile } from "../media/index.ts";
import type { Reader } from "./audience.ts";
import { canRead, withoutLastMessage } from "./audience.ts";

/** A ticket with the names that stand beside its ids. */
export type TicketRow = {
  id: TicketId;
  uuid: string;
  companyId: CompanyId;
  status: TicketStatus;
  userId: UserId | null;
  queueId: QueueId | null;
  /** Null also where it was deleted: rules ask for this one. */
  connectionId: ConnectionId | null;
  /** The one whose name is shown, deleted or not. */
  namedConnectionId: ConnectionId | null;
  contactId: ContactId;
  isGroup: boolean;
  chatbot: boolean;
  queueOptionId: number | null;
  useIntegration: boolean;
  promptId: PromptId | null;
  integrationId: IntegrationId | null;
  unreadMessages: number;
  lastMessage: string;
  lastMessageKind: LastMessageKind;
  lastMessageAt: Date | null;
  lastMessageFromMe: boolean;
  lastMessageAck: number;
  lastMessageFailed: boolean;
  lastMessageUnconfirmed: boolean;
  /** The queue whose agents read the last message. For a deleted queue it is the successor, or null. */
  lastMessageQueueId: QueueId | null;
  lastCustomerMessageAt: Date | null;
  /** When the first customer message arrived that no person has answered; null when nobody waits. */
  waitingSince: Date | null;
  /** Since when it is in its queue. */
  queuedAt: Date | null;
  /** A person of the company has written in the newest attendance. */
  isAnswered: boolean;
  /** Put off until `snoozedUntil`, or (null) until the customer writes. */
  snoozeId: number | null;
  snoozedUntil: Date | null;
  createdAt: Date;
  updatedAt: Date;
  /** The last user and queue of a closed ticket; null while it waits or is served. */
  servedByUserId: UserId | null;
  servedByQueueId: QueueId | null;
  /** The names of the user and queue that have it, or have served it. */
  userName: string | null;
  queueName: string | null;
  queueColor: string | null;
  connectionName: string | null;
  connectionChannel: ChannelKind | null;
  contactName: string;
  contactNumber: string | null;
  contactEmail: string;
  contactPictureKey: MediaKey | null;
  contactOptedOut: boolean;
  /** Null for none. */
  tags: Ticket["tags"] | null;
};

/** A ticket with its contact's additional fields, in the order of their ids; null for none. */
export type ShownTicketRow = TicketRow & { extraInfo: ExtraInfo[] | null };

/** Characters of a message that stand on the ticket's card: events of tickets stay small (architecture 5). */
export const LAST_MESSAGE_MAX = 500;

/** The ticket's own columns from an alias of the table, named as in `TicketRow`. */
const ownColumns = (t: string) => `
  ${t}.id, ${t}.uuid, ${t}.company_id as "companyId", ${t}.status, ${t}.user_id as "userId",
  ${t}.queue_id as "queueId", ${t}.connection_id as "namedConnectionId", ${t}.contact_id as "contactId",
  ${t}.is_group as "isGroup", ${t}.chatbot, ${t}.queue_option_id as "queueOptionId",
  ${t}.use_integration as "useIntegration", ${t}.prompt_id as "promptId",
  ${t}.integration_id as "integrationId", ${t}.unread_messages as "unreadMessages",
  ${t}.last_message as "lastMessage", ${t}.last_message_kind as "lastMessageKind", ${t}.last_message_at as "lastMessageAt",
  ${t}.last_message_from_me as "lastMessageFromMe", ${t}.last_message_ack as "lastMessageAck",
  ${t}.last_message_failed as "lastMessageFailed",
  ${t}.snooze_id as "snoozeId", ${t}.snoozed_until as "snoozedUntil",
  ${t}.last_customer_message_at as "lastCustomerMessageAt", ${t}.waiting_since as "waitingSince",
  ${t}.queued_at as "queuedAt", ${t}.is_answered as "isAnswered", ${t}.created_at as "createdAt", ${t}.updated_at as "updatedAt"`;

/** Looked up only where the last message is the company's own and no phone has acknowledged it. */
const isLastUnconfirmed = `case when t.last_message_from_me and t.last_message_ack < 2 then exists (
    select from messages m
    where m.company_id = t.company_id and m.id = t.last_message_id
      and m.failed_code = '${"ERR_MESSAGE_UNCONFIRMED" satisfies ErrorCode}')
  else false end`;

/** Select list of `TicketRow` for a row `t` of tickets joined by `ticketJoins`. */
export const ticketColumns = `${ownColumns("t")},
  t.served_user_id as "servedByUserId", t.served_queue_id as "servedByQueueId",
  ${isLastUnconfirmed} as "lastMessageUnconfirmed",
  case when lq.deleted_at is null then t.last_message_queue_id else lq.successor_id end as "lastMessageQueueId",
  u.name as "userName", q.name as "queueName", q.color as "queueColor", w.name as "connectionName",
  case when w.deleted_at is null then w.id end as "connectionId",
  case when w.deleted_at is null then w.channel end as "connectionChannel",
  c.name as "contactName", c.number as "contactNumber", c.email as "contactEmail",
  c.picture_key as "contactPictureKey", c.opted_out_at is not null as "contactOptedOut",
  (select json_agg(json_build_object('id', g.id, 'name', g.name, 'color', g.color) order by g.id)
     from ticket_tags tt
     join tags g on g.company_id = tt.company_id and g.id = tt.tag_id and g.deleted_at is null
    where tt.company_id = t.company_id and tt.ticket_id = t.id) as tags`;

/** Select list of `ShownTicketRow`, over the same joins. */
export const shownTicketColumns = `${ticketColumns},
  (select json_agg(json_build_object('id', x.id, 'name', x.name, 'value', x.value, 'contactId', x.contact_id) order by x.id)
     from contact_extra_info x
    where x.company_id = t.company_id and x.contact_id = t.contact_id) as "extraInfo"`;

/** Joins that `ticketColumns` needs beside `t` and its contact `c`; for a `t` that may be missing too. */
export const ticketNameJoins = `
  left join users u on u.company_id = t.company_id and u.id = coalesce(t.user_id, t.served_user_id)
  left join queues q on q.company_id = t.company_id and q.id = coalesce(t.queue_id, t.served_queue_id)
  left join queues lq on lq.company_id = t.company_id and lq.id = t.last_message_queue_id
  left join connections w on w.company_id = t.company_id and w.id = t.connection_id`;

/** Joins that `ticketColumns` needs beside `t`. */
export const ticketJoins = `
  join contacts c on c.company_id = t.company_id and c.id = t.contact_id ${ticketNameJoins}`;

/**
 * Until when anything may be written to the ticket's customer; afterwards only a template. Null on channels without
 * such a rule. For a customer who has not written, it is the ticket's creation: the window has never been open.
 */
export function freeTextUntil(
  ticket: Pick<TicketRow, "connectionChannel" | "lastCustomerMessageAt" | "createdAt">,
): Date | null {
  const { connectionChannel, lastCustomerMessageAt, createdAt } = ticket;
  if (connectionChannel !== "cloud-api") return null;
  if (lastCustomerMessageAt === null) return createdAt;
  return addHours(lastCustomerMessageAt, limits.freeTextWindowHours);
}

/** Makes tickets as lists, replies and events carry them; the form is the same for all (wire-contract 2.7). */
export type TicketDto = ReturnType<typeof createTicketDto>;

export function createTicketDto(sign: SignFile) {
  /** A reader who may not read the last message gets neither its text nor its kind. */
  function ofReader(row: TicketRow, reader: Reader): Ticket {
    const ticket = whole(row);
    return canRead(reader, row, row.lastMessageQueueId) ? ticket : withoutLastMessage(ticket);
  }

  /** The form of single tickets: with the contact's additional fields, where they were read. */
  function shown(row: TicketRow & Partial<ShownTicketRow>, reader: Reader): Ticket {
    const ticket = ofReader(row, reader);
    if (row.extraInfo === undefined) return ticket;
    return { ...ticket, contact: { ...ticket.contact, extraInfo: row.extraInfo ?? [] } };
  }

  /** For readers of all queues. */
  function whole(row: TicketRow): Ticket {
    const { companyId, connectionId, namedConnectionId } = row;
    return {
      id: row.id,
      uuid: row.uuid,
      status: row.status,
      unreadMessages: row.unreadMessages,
      lastMessage: row.lastMessage,
      lastMessageKind: row.lastMessageKind,
      lastMessageAt: toIsoOrNull(row.lastMessageAt),
      lastMessageFromMe: row.lastMessageFromMe,
      lastMessageAck: row.lastMessageAck,
      lastMessageFailed: row.lastMessageFailed,
      lastMessageUnconfirmed: row.lastMessageUnconfirmed,
      isGroup: row.isGroup,
      chatbot: row.chatbot,
      useIntegration: row.useIntegration,
      userId: row.userId,
      queueId: row.queueId,
      whatsappId: connectionId,
      promptId: row.promptId,
      integrationId: row.integrationId,
      queueOptionId: row.queueOptionId,
      contactId: row.contactId,
      companyId,
      contact: {
        id: row.contactId,
        name: row.contactName,
        number: row.contactNumber ?? "",
        email: row.contactEmail,
        profilePicUrl: pictureUrl(sign, companyId, row.contactPictureKey),
        optedOut: row.contactOptedOut,
      },
      ...holderOf(row),
      ...serversOf(row),
      whatsapp:
        namedConnectionId === null
          ? null
          : { id: namedConnectionId, name: row.connectionName ?? "" },
      tags: row.tags ?? [],
      freeTextUntil: toIsoOrNull(freeTextUntil(row)),
      waitingSince: toIsoOrNull(row.waitingSince),
      queuedAt: toIsoOrNull(row.queuedAt),
      isAnswered: row.isAnswered,
      snooze: row.snoozeId === null ? null : { until: toIsoOrNull(row.snoozedUntil) },
      createdAt: toIso(row.createdAt),
      updatedAt: toIso(row.updatedAt),
    };
  }

  return { ofReader, shown, whole };
}

/** The user and queue that have the ticket, in the form of the contract. */
export function holderOf(row: TicketRow): Pick<Ticket, "user" | "queue"> {
  const { userId, queueId } = row;
  return {
    user: userId === null ? null : { id: userId, name: row.userName ?? "" },
    queue:
      queueId === null
        ? null
        : { id: queueId, name: row.queueName ?? "", color: row.queueColor ?? "" },
  };
}

/** The user and queue that served a closed ticket last. */
function serversOf(row: TicketRow): Pick<Ticket, "servedUser" | "servedQueue"> {
  const { servedByUserId: userId, servedByQueueId: queueId } = row;
  const { user, queue } = holderOf({ ...row, userId, queueId });
  return { servedUser: user, servedQueue: queue };
}

/** The queue and user of a ticket, before or after a change. */
export type Holder = { queueId: QueueId | null; userId: UserId | null };
export type NamedHolder = Holder & { queueName: string | null; userName: string | null };

/** Which text the customer of a transferred ticket gets, with the names in it (behaviour 2.7). */
export type TransferText = {
  key: Extract<AutomaticTextKey, `transfer${string}`>;
  names: { queue?: string; user?: string };
};

/** Null when it is no transfer. */
export function transferText(before: Holder, after: NamedHolder): TransferText | null {
  const { queueName: queue, userName: user } = after;
  const isQueued = queue !== null && after.queueId !== before.queueId;
  const isOtherQueue = before.queueId !== null && isQueued;
  const isOtherUser = before.userId !== null && user !== null && after.userId !== before.userId;
  const isSameQueue = after.queueId === before.queueId;
  const isSameUser = after.userId === before.userId;
  const isGivenBack = before.userId !== null && after.userId === null;

  if (isOtherQueue && isOtherUser) return { key: "transferToBoth", names: { queue, user } };
  if ((isOtherQueue && isSameUser) || (isQueued && isGivenBack)) {
    return { key: "transferToQueue", names: { queue } };
  }
  return isOtherUser && isSameQueue ? { key: "transferToUser", names: { user } } : null;
}

/** The row of a ticket that was made a moment ago, without asking for what is known. */
export function newTicketRow(
  made: Pick<TicketRow, "companyId" | "uuid" | "status" | "connectionId" | "isGroup"> & {
    now: Date;
  } & Pick<
      TicketRow,
      "id" | "queueId" | "queueName" | "queueColor" | "connectionName" | "connectionChannel"
    >,
  contact: ContactRow,
): TicketRow {
  const { now, ...fields } = made;
  return {
    ...fields,
    namedConnectionId: fields.connectionId,
    userId: null,
    contactId: contact.id,
    chatbot: false,
    queueOptionId: null,
    useIntegration: false,
    promptId: null,
    integrationId: null,
    unreadMessages: 0,
    lastMessage: "",
    lastMessageKind: "text",
    lastMessageAt: null,
    lastMessageFromMe: false,
    lastMessageAck: 0,
    lastMessageFailed: false,
    lastMessageUnconfirmed: false,
    lastMessageQueueId: null,
    lastCustomerMessageAt: null,
    waitingSince: null,
    queuedAt: now,
    isAnswered: false,
    snoozeId: null,
    snoozedUntil: null,
    createdAt: now,
    updatedAt: now,
    servedByUserId: null,
    servedByQueueId: null,
    userName: null,
    contactName: contact.name,
    contactNumber: contact.number,
    contactEmail: contact.email,
    contactPictureKey: contact.pictureKey,
    contactOptedOut: contact.isOptedOut,
    tags: null,
  };
}
