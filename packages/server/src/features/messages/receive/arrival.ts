import type { ConnectionId, IntegrationId, MessageId, QueueId } from "@balcao/contract";
import type { InboundMessage, MediaRef } from "../../../channels/port.ts";
import type { Ctx } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/db/database.ts";
import type { ContactRow } from "../../contacts/index.ts";
import type { TicketRow } from "../../tickets/index.ts";
import { customerWroteAgain, endAwaiting, findOnlyQueue, isFirstOf } from "../../tickets/index.ts";
import type { Deps, GivenRating, QuietTimes } from "../deps.ts";
import { ANSWER_DAYS } from "../deps.ts";
import type { MessageRow, QuotedRow } from "../message.ts";
import {
  AUTOMATIC_MARK,
  CAMPAIGN_MARK,
  cardOf,
  newMessageRow,
  PENDING,
  withLastMessage,
} from "../message.ts";
import { attendedBy, insertMedia, takeEarly } from "../stored-messages.ts";
import type { OpenConversation } from "./conversation.ts";

/** A message's content as it is stored (behaviour 1.2). */
export type StoredContent = Pick<MessageRow, "body" | "details" | "media"> & { mediaType: string };

/** A message from the chat network. */
export type Arrival = Pick<MessageRow, "fromMe" | "isForwarded" | "ack"> & {
  connectionId: ConnectionId;
  conversation: OpenConversation;
  providerId: string;
  content: StoredContent;
  /** The content's file on the network. */
  file: MediaRef | null;
  origin: InboundMessage["origin"];
  /** A customer has written now (`isCustomerCalling`): a closed ticket waits again. */
  isCalling: boolean;
  at: Date;
  unread: TicketEffect["unread"];
  /** The text answers a rating request. */
  rating: GivenRating | null;
  /** Null for a message from the company, and when no author is named. */
  writer: ContactRow | null;
  quoted: QuotedRow | null;
};

/** The effects of a message on its ticket besides the last message. */
type TicketEffect = {
  unread: "add" | "clear" | "keep";
  /** The ticket moves up in the lists. */
  touch: boolean;
  /** The first attendance of a ticket that was created for this message. */
  attendanceId: number | null;
  /** Set when the closed ticket waits again, in a new attendance, in this queue or without queue. */
  reopen: { queueId: QueueId | null } | null;
  /** Whether the automatic attendant gets a turn, is silenced in the attendance, or neither. */
  attendant: "called" | "silenced" | "untouched";
};

/**
 * Stores message, unread count and last message, and makes a closed ticket wait again; one statement for a text.
 * Returns the ticket afterwards; null when the connection has a message with this id, and then nothing changes.
 */
export async function storeArrival(
  deps: Deps,
  ctx: Ctx,
  tx: Tx,
  arrival: Arrival,
): Promise<TicketRow | null> {
  const { sources, outbox, quiet, domainEvents } = deps;
  const { connectionId, conversation, providerId, content, fromMe, origin } = arrival;
  const isHistory = origin === "history";
  const { ticket: before, isNew, attendanceId } = conversation;
  const now = sources.clock.now();
  const isReopened = before.status === "closed" && arrival.isCalling;
  const waiting = isReopened ? await waitAgain(ctx, tx, connectionId, before) : before;

  const sentAt = storedTime(arrival, before.lastMessageAt, now);
  const isNewest = before.lastMessageAt === null || sentAt >= before.lastMessageAt;
  const row = newMessageRow(waiting, {
    ...content,
    id: sources.ids.uuid() as MessageId, // our own new id gets its brand
    fromMe,
    read: arrival.unread !== "add",
    ack: arrival.ack,
    isForwarded: arrival.isForwarded,
    isAutomatic: false,
    sentAt,
    now,
    author: fromMe ? null : arrival.writer,
    writer: null,
    clientId: null,
    undoUntil: null,
    quoted: arrival.quoted,
  });
  const { messageId, media } = row;
  const effect: TicketEffect = {
    unread: arrival.unread,
    touch: !isHistory,
    attendanceId,
    reopen: isReopened ? { queueId: waiting.queueId } : null,
    attendant: attendantEffect(arrival, waiting),
  };
  const stored = await storeMessage(ctx, tx, {
    ...{ row, connectionId, providerId, isNewest, effect, quiet },
  });
  if (!stored && isNew) throw new Error("the same message came by two unknown addresses at once");
  if (!stored) return null;
  if (media !== null && arrival.file !== null) {
    await insertMedia(ctx, tx, messageId, media);
    await outbox.enqueueMediaDownload(tx, ctx, { connectionId, messageId, file: arrival.file });
  }
  if (effect.unread === "clear" && before.unreadMessages > 0) {
    await tx.query(readStatement, [ctx.companyId, before.id, now]);
  }

  const { hasEarly, followsCampaign, helpingIntegrationId, ...effects } = stored;
  const waitingNow: TicketRow = { ...waiting, ...effects };
  const after = isNewest ? withLastMessage(waitingNow, row) : waitingNow;
  await domainEvents.publish(tx, ctx, "message.stored", {
    ...{ message: row, ticket: after, isHistory },
    arrival: {
      before: isNew ? null : before,
      callsAttendant: effect.attendant === "called",
      followsCampaign: followsCampaign && !isHistory,
      rating: arrival.rating,
      ...{ providerId, integrationId: helpingIntegrationId },
    },
  });
  const early = hasEarly ? await takeEarly(ctx, tx, connectionId, providerId) : [];
  for (const event of early) {
    await deps.receive(tx, { companyId: ctx.companyId, connectionId }, event);
  }
  return after;
}

/** The ticket after its customer has written again (`customerWroteAgain`), with the name of its queue. */
async function waitAgain(
  ctx: Ctx,
  tx: Tx,
  connectionId: ConnectionId,
  closed: TicketRow,
): Promise<TicketRow> {
  const queue = await findOnlyQueue(ctx, tx, connectionId);
  const { state } = customerWroteAgain(closed, queue?.id ?? null);
  return {
    ...closed,
    ...state,
    userName: null,
    queueName: queue?.name ?? null,
    queueColor: queue?.color ?? null,
    servedByUserId: null,
    servedByQueueId: null,
  };
}

/**
 * A message in a waiting ticket calls the automatic attendant, unless a bot sent it or it is a refused call, which has
 * its own reply. A message that a person writes on the company's phone silences the attendant.
 */
function attendantEffect(arrival: Arrival, waiting: TicketRow): TicketEffect["attendant"] {
  const { isCalling, origin, content } = arrival;
  if (isCalling) {
    const isWaiting = waiting.status === "pending" && waiting.userId === null && !waiting.isGroup;
    const isAnswered = content.mediaType === "call_log" || content.body.startsWith(AUTOMATIC_MARK);
    // A placeholder does not call: its content will.
    const asks = !isAnswered && content.mediaType !== PENDING;
    return isWaiting && asks ? "called" : "untouched";
  }
  const isPersons = origin === "own-device" && !content.body.startsWith(CAMPAIGN_MARK);
  return isPersons ? "silenced" : "untouched";
}

/**
 * A message's stored time, by which it is sorted: the network's time, but never in the future and, except for history,
 * never before the ticket's last message. So messages keep the order of their arrival although networks send whole
 * seconds, clocks differ and some messages are late; a late one appears at the end, where the agent looks.
 */
export function storedTime(
  message: Pick<InboundMessage, "at" | "origin">,
  lastMessageAt: Date | null,
  now: Date,
): Date {
  const at = message.at > now ? now : message.at;
  if (message.origin === "history" || lastMessageAt === null) return at;
  return at < lastMessageAt ? lastMessageAt : at;
}

type StoredMessage = {
  row: MessageRow;
  connectionId: ConnectionId;
  providerId: string;
  /** It is the newest of its ticket and appears on the card. */
  isNewest: boolean;
  effect: TicketEffect;
  quiet: QuietTimes;
};

/** The ticket's changed columns, and whether events are kept for the message (`takeEarly`). */
type StoredEffect = Pick<
  TicketRow,
  | ("unreadMessages" | "updatedAt" | "lastCustomerMessageAt")
  | ("waitingSince" | "queuedAt" | "isAnswered")
  | ("snoozeId" | "snoozedUntil")
> & {
  hasEarly: boolean;
  followsCampaign: boolean;
  helpingIntegrationId: IntegrationId | null;
};

/**
 * Stores a message and its effect on the locked ticket, in one statement; null when the connection has a message with
 * this id, and then nothing changes.
 */
async function storeMessage(ctx: Ctx, tx: Tx, stored: StoredMessage): Promise<StoredEffect | null> {
  const { row, effect, quiet } = stored;
  const card = cardOf(row);
  const values: unknown[] = [
    ctx.companyId,
    row.messageId,
    row.ticketId,
    stored.connectionId,
    stored.providerId,
    row.authorId,
    row.body,
    row.fromMe,
    row.read,
    row.ack,
    row.mediaType,
    row.quotedId,
    row.messageQueueId,
    row.sentAt,
    row.changedAt,
    stored.isNewest,
    card.text,
    effect.unread,
    effect.touch,
    card.kind,
    row.details && JSON.stringify(row.details),
    row.isForwarded,
  ];
  const { reopen, attendant } = effect;
  const statement = (reopen ? storeAndReopenStatements : storeStatements)[attendant];
  values.push(reopen ? reopen.queueId : effect.attendanceId);
  if (attendant === "called") {
    const { firstMs, answerMs, longestMs } = quiet;
    values.push(...[firstMs, answerMs, longestMs].map((ms) => ms / 1_000));
  }
  const [ticket] = await tx.query<StoredEffect>(statement, values);
  return ticket ?? null;
}

const insertMessage = `
m as (
  insert into messages
    (company_id, id, ticket_id, connection_id, provider_id, contact_id, body, from_me, read, ack, media_type,
     quoted_message_id, queue_id, created_at, updated_at, details, is_forwarded)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $21, $22)
  on conflict (company_id, connection_id, provider_id) do nothing
  returning ticket_id, seq
)`;

const ticketFields = `
  last_message = case when $16 then $17 else last_message end,
  last_message_kind = case when $16 then $20 else last_message_kind end,
  last_message_id = case when $16 then $2 else last_message_id end,
  last_message_at = case when $16 then $14 else last_message_at end,
  last_message_from_me = case when $16 then $8 else last_message_from_me end,
  last_message_queue_id = case when $16 then $13 else last_message_queue_id end,
  last_message_ack = case when $16 then $10 else last_message_ack end,
  last_message_failed = last_message_failed and not $16,
  last_customer_message_at = case when $8 then last_customer_message_at else greatest(last_customer_message_at, $14) end,
  unread_messages = case $18 when 'add' then unread_messages + 1 when 'clear' then 0 else unread_messages end,
  updated_at = case when $19 then greatest(updated_at, $15) else updated_at end`;

const returnedTicket = `
returning t.unread_messages as "unreadMessages", t.updated_at as "updatedAt", t.waiting_since as "waitingSince",
  t.queued_at as "queuedAt", t.is_answered as "isAnswered",
  t.last_customer_message_at as "lastCustomerMessageAt",
  t.snooze_id as "snoozeId", t.snoozed_until as "snoozedUntil",
  exists (select from early_events e
    where e.company_id = $1 and e.connection_id = $4 and e.provider_id = $5) as "hasEarly",
  not $8::bool and exists (select from campaign_recipients r
    where r.company_id = $1 and r.contact_id = t.contact_id
      and r.sent_at > $14::timestamptz - interval '${ANSWER_DAYS} days') as "followsCampaign",
  case
    when $8::bool or t.status <> 'pending' or t.user_id is not null then null
    when t.use_integration and num_nonnulls(t.prompt_id, t.integration_id) > 0 then t.integration_id
    when t.queue_id is not null then
      (select q.integration_id from queues q where q.company_id = $1 and q.id = t.queue_id)
    else (select w.integration_id from connections w where w.company_id = $1 and w.id = $4)
  end as "helpingIntegrationId"`;

/**
 * Starts the automatic attendant's turn for the ticket of a message `m`, or postpones it by the quiet time, but never
 * beyond the longest one. A new turn ignores older messages. Seconds: `$24` first, `$25` while a menu waits, `$26`
 * longest.
 */
function calledTurn(called: string): string {
  return `,
called as (${called}),
turn as (
  insert into attendant_turns as k (company_id, ticket_id, attendance_id, due_at, waiting_since, handled_seq)
  select $1, ticket_id, attendance_id, $15::timestamptz + make_interval(secs => least($24::float8, $26::float8)), $15,
    seq - 1
  from called
  on conflict (company_id, ticket_id) do update set
    due_at = least(
      $15 + make_interval(secs => case when k.last_menu_at is not null and k.attendance_id = excluded.attendance_id
        then $25::float8 else $24 end),
      coalesce(k.waiting_since, $15) + make_interval(secs => $26)),
    waiting_since = coalesce(k.waiting_since, $15),
    handled_seq = case when k.due_at is null then excluded.handled_seq else k.handled_seq end,
    attempts = case when k.due_at is null then 0 else k.attempts end
)`;
}

/** A customer's message begins a wait if it is new; history and ratings do not. A person's message on the phone ends it. */
const waitAfter = {
  begins: `waiting_since = case when not $8 and $19 and t.status <> 'closed' then coalesce(t.waiting_since, $14)
    else t.waiting_since end`,
  ends: "waiting_since = null, is_answered = true",
};

/**
 * The statement's steps beside the message and the ticket's columns. `$23` is the ticket's first attendance, or null.
 */
const inAttendance = {
  untouched: "",
  called: calledTurn(`
  select m.ticket_id, m.seq, a.id as attendance_id from m
  join tickets t on t.company_id = $1 and t.id = m.ticket_id
  join attendances a on a.company_id = $1 and a.id = case when $23::int is null then t.last_attendance_id else $23 end
  where a.attended_at is null`),
  silenced: `,
attended as (
  ${attendedBy("$15", "$14")}
)`,
};

const storeText = (attendance: string, wait: string = waitAfter.begins): string => `
with ${insertMessage}${attendance}
update tickets t set ${ticketFields}, ${wait}, last_attendance_id = coalesce($23, last_attendance_id)
from m where t.company_id = $1 and t.id = m.ticket_id
${returnedTicket}`;

const storeStatements = {
  untouched: { name: "messages.store", text: storeText(inAttendance.untouched) },
  called: { name: "messages.store-and-call", text: storeText(inAttendance.called) },
  silenced: {
    name: "messages.store-and-silence",
    text: storeText(inAttendance.silenced, waitAfter.ends),
  },
};

/** `$23` is the queue in which the ticket waits again, or null. */
const storeAndReopenText = (attendance: string): string => `
with ${insertMessage},
${endAwaiting("(select ticket_id from m)", "$15")},
cycle as (
  insert into attendances (company_id, ticket_id, connection_id, queue_id, queued_at, is_first, created_at)
  select $1, ticket_id, $4, $23, $15, ${isFirstOf("m.ticket_id")}, $15 from m, ended
  on conflict (ticket_id) where finished_at is null do update set
    user_id = null, queue_id = excluded.queue_id, queued_at = excluded.queued_at, started_at = null,
    attended_at = null
  returning id
)${attendance}
update tickets t set ${ticketFields},
  waiting_since = $14, queued_at = $15, is_answered = false,
  status = 'pending', user_id = null, queue_id = $23, chatbot = false, queue_option_id = null,
  use_integration = false, prompt_id = null, integration_id = null, last_attendance_id = cycle.id,
  served_user_id = null, served_queue_id = null
from m, cycle where t.company_id = $1 and t.id = m.ticket_id
${returnedTicket}`;

const storeAndReopen = { name: "messages.store-and-reopen", text: storeAndReopenText("") };
const storeAndReopenStatements = {
  untouched: storeAndReopen,
  silenced: storeAndReopen,
  called: {
    name: "messages.store-reopen-and-call",
    text: storeAndReopenText(
      calledTurn("select m.ticket_id, m.seq, cycle.id as attendance_id from m, cycle"),
    ),
  },
};

/** Marks inbound messages as read that were read outside of the product. */
const readStatement = {
  name: "messages.read-inbound",
  text: `
update messages set read = true, updated_at = greatest(updated_at, $3)
where company_id = $1 and ticket_id = $2 and not from_me and not read`,
};
