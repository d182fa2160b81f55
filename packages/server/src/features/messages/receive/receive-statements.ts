import type { ConnectionId, ContactId, MessageId, QueueId, TicketId } from "@balcao/contract";
import type { Ctx } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/db/database.ts";
import type { KeyedAddress, KnownContact } from "../../contacts/index.ts";
import type { TicketRow } from "../../tickets/index.ts";
import { endAwaiting, ticketColumns, ticketNameJoins } from "../../tickets/index.ts";
import { cardOf } from "../last-message.ts";
import type { MessageRow } from "../message-row.ts";
import { PENDING } from "./inbound-content.ts";

/** A contact that owns one of the asked addresses, and its ticket on the connection, locked. */
export type Conversation = { contact: KnownContact; ticket: TicketRow | null };

type ConversationRow = (TicketRow | { id: null }) & {
  knownId: ContactId;
  knownIsGroup: boolean;
  known: KeyedAddress[];
  contactName: string;
  contactNumber: string | null;
  contactEmail: string;
  contactProfilePicUrl: string;
};

/**
 * One statement finds who writes and locks his ticket: none for an unknown person, several to be made one. Whoever has
 * something new to tell about the person locks the addresses before the ticket: unless they are (`isLocked`), only the
 * ticket of a wholly known person is locked.
 */
export async function lockConversation(
  ctx: Ctx,
  tx: Tx,
  connectionId: ConnectionId,
  addresses: readonly KeyedAddress[],
  isLocked: boolean,
): Promise<Conversation[]> {
  const rows = await tx.query<ConversationRow>(lockStatement, [
    ctx.companyId,
    connectionId,
    addresses.map((address) => address.kind),
    addresses.map((address) => address.key),
    isLocked,
  ]);
  return rows.map((row) => ({
    contact: {
      id: row.knownId,
      name: row.contactName,
      number: row.contactNumber,
      email: row.contactEmail,
      profilePicUrl: row.contactProfilePicUrl,
      isGroup: row.knownIsGroup,
      known: row.known,
    },
    ticket: row.id === null ? null : row,
  }));
}

/** What storing a message does to its ticket besides the last message. */
export type TicketEffect = {
  unread: "add" | "clear" | "keep";
  /** It moves up in the lists. */
  touch: boolean;
  /** The first attendance, where the ticket was made for this message. */
  attendanceId: number | null;
  /** The closed ticket waits again, in this queue or in none, in a new attendance. */
  reopen: { queueId: QueueId | null } | null;
  attendant: AttendantEffect;
};

/** The automatic attendant is asked to look at the ticket, is silent in the attendance from here on, or neither. */
export type AttendantEffect = "called" | "silenced" | "untouched";

/** How long the automatic attendant waits for what else a customer writes, so that a burst has one answer. */
export type QuietTimes = {
  /** After each message where the customer has not been asked anything. */
  firstMs: number;
  /** After each message while a menu waits for its answer. */
  answerMs: number;
  /** Since the first message that waits, however many follow it. */
  longestMs: number;
};

export type StoredMessage = {
  row: MessageRow;
  connectionId: ConnectionId;
  providerId: string;
  /** It is the newest of its ticket and stands on the card. */
  isNewest: boolean;
  effect: TicketEffect;
  quiet: QuietTimes;
};

/** What the ticket's changing columns are afterwards. */
export type StoredTicket = {
  unreadMessages: number;
  updatedAt: Date;
  lastCustomerMessageAt: Date | null;
};

/** Besides, whether something waits for the message (`takeEarly`). */
export type StoredEffect = StoredTicket & { hasEarly: boolean };

/**
 * Stores a message and its effect on the locked ticket, in one statement; null when the connection's message of this id
 * is there already, which has no effect then.
 */
export async function storeMessage(
  ctx: Ctx,
  tx: Tx,
  stored: StoredMessage,
): Promise<StoredEffect | null> {
  const { row, effect } = stored;
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
  if (attendant === "called") values.push(...quietSeconds(stored.quiet));
  const [ticket] = await tx.query<StoredEffect>(statement, values);
  return ticket ?? null;
}

function quietSeconds({ firstMs, answerMs, longestMs }: QuietTimes): number[] {
  return [firstMs, answerMs, longestMs].map((ms) => ms / 1_000);
}

/** Inbound messages that somebody has read outside of the product. */
export async function markInboundRead(
  ctx: Ctx,
  tx: Tx,
  ticketId: TicketId,
  now: Date,
): Promise<void> {
  await tx.query(readStatement, [ctx.companyId, ticketId, now]);
}

/** Whether an advertisement has brought a message of the ticket on the day before already. */
export async function isAdIntroduced(
  ctx: Ctx,
  tx: Tx,
  ticketId: TicketId,
  ad: { sourceUrl: string; now: Date },
): Promise<boolean> {
  const rows = await tx.query(adStatement, [ctx.companyId, ticketId, ad.sourceUrl, ad.now]);
  return rows.length > 0;
}

/** The message that stands for one of this id whose content had not come. */
export async function findPlaceholder(
  ctx: Ctx,
  tx: Tx,
  connectionId: ConnectionId,
  providerId: string,
): Promise<MessageId | null> {
  const values = [ctx.companyId, connectionId, providerId];
  const [row] = await tx.query<{ id: MessageId }>(placeholderStatement, values);
  return row?.id ?? null;
}

/** An unread message of the locked ticket is gone. */
export async function countOneLess(ctx: Ctx, tx: Tx, ticketId: TicketId): Promise<void> {
  await tx.query(oneLessStatement, [ctx.companyId, ticketId]);
}

/** Whether the company has group messages ignored (setting CheckMsgIsGroup, which is on unless it was set). */
export async function ignoresGroups(ctx: Ctx, tx: Tx): Promise<boolean> {
  const [setting] = await tx.query<{ value: string }>(groupSettingStatement, [ctx.companyId]);
  return setting?.value !== "disabled";
}

const lockStatement = {
  name: "messages.lock-conversation",
  // The ticket is locked in a step of its own, so that the names joined to it belong to the version that was locked.
  text: `
with matched as materialized (
  select a.contact_id, a.kind, a.key, a.value
  from unnest($3::text[], $4::text[]) as wanted(kind, key)
  join contact_addresses a on a.company_id = $1 and a.kind = wanted.kind and a.key = wanted.key
), known as materialized (
  select contact_id, json_agg(json_build_object('kind', kind, 'key', key, 'value', value)) as addresses
  from matched group by contact_id
), t as materialized (
  select * from tickets
  where company_id = $1 and connection_id = $2 and contact_id in (select contact_id from known)
    and (select count(*) from known) = 1
    and ($5 or (select count(*) from matched) = cardinality($3::text[]))
  for no key update
)
select ${ticketColumns}, c.id as "knownId", c.is_group as "knownIsGroup", known.addresses as known
from known
join contacts c on c.company_id = $1 and c.id = known.contact_id
left join t on t.contact_id = c.id
${ticketNameJoins}
order by c.id`,
};

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
  last_message_ack = case when $16 then $10 else last_message_ack end,
  last_message_failed = last_message_failed and not $16,
  last_customer_message_at = case when $8 then last_customer_message_at else greatest(last_customer_message_at, $14) end,
  unread_messages = case $18 when 'add' then unread_messages + 1 when 'clear' then 0 else unread_messages end,
  updated_at = case when $19 then greatest(updated_at, $15) else updated_at end`;

const returnedTicket = `
returning t.unread_messages as "unreadMessages", t.updated_at as "updatedAt",
  t.last_customer_message_at as "lastCustomerMessageAt",
  exists (select from early_events e
    where e.company_id = $1 and e.connection_id = $4 and e.provider_id = $5) as "hasEarly"`;

/**
 * The automatic attendant's turn at the ticket of a message `m`: begun, or put off by the quiet time, but never beyond the
 * longest one. What was stored before a turn began is over. Seconds: `$24` at first, `$25` while a menu waits, `$26` longest.
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

/** What follows the message besides the ticket's columns. `$23` is the ticket's first attendance, or null. */
const inAttendance = {
  untouched: "",
  called: calledTurn(`
  select m.ticket_id, m.seq, a.id as attendance_id from m
  join tickets t on t.company_id = $1 and t.id = m.ticket_id
  join attendances a on a.company_id = $1 and a.id = case when $23::int is null then t.last_attendance_id else $23 end
  where a.attended_at is null`),
  silenced: `,
attended as (
  update attendances a set attended_at = $15 from m
  where a.company_id = $1 and a.ticket_id = m.ticket_id and a.finished_at is null and a.attended_at is null
)`,
};

const storeText = (attendance: string): string => `
with ${insertMessage}${attendance}
update tickets t set ${ticketFields}, last_attendance_id = coalesce($23, last_attendance_id)
from m where t.company_id = $1 and t.id = m.ticket_id
${returnedTicket}`;

const storeStatements = {
  untouched: { name: "messages.store", text: storeText(inAttendance.untouched) },
  called: { name: "messages.store-and-call", text: storeText(inAttendance.called) },
  silenced: { name: "messages.store-and-silence", text: storeText(inAttendance.silenced) },
};

/** `$23` is the queue in which the ticket waits again, or null. */
const storeAndReopenText = (attendance: string): string => `
with ${insertMessage},
${endAwaiting("(select ticket_id from m)", "$15")},
cycle as (
  insert into attendances (company_id, ticket_id, connection_id, queue_id, queued_at, created_at)
  select $1, ticket_id, $4, $23, $15, $15 from m, ended
  on conflict (ticket_id) where finished_at is null do update set
    user_id = null, queue_id = excluded.queue_id, queued_at = excluded.queued_at, started_at = null,
    attended_at = null
  returning id
)${attendance}
update tickets t set ${ticketFields},
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

const readStatement = {
  name: "messages.read-inbound",
  text: `
update messages set read = true, updated_at = greatest(updated_at, $3)
where company_id = $1 and ticket_id = $2 and not from_me and not read`,
};

const adStatement = {
  name: "messages.ad-introduced",
  text: `
select 1 from messages m
where m.company_id = $1 and m.ticket_id = $2 and m.created_at > $4::timestamptz - interval '1 day'
  and m.details ->> 'kind' = 'ad' and m.details ->> 'sourceUrl' = $3
limit 1`,
};

const placeholderStatement = {
  name: "messages.placeholder",
  text: `
select id from messages
where company_id = $1 and connection_id = $2 and provider_id = $3 and media_type = '${PENDING}'`,
};

const oneLessStatement = {
  name: "tickets.one-unread-less",
  text: "update tickets set unread_messages = greatest(unread_messages - 1, 0) where company_id = $1 and id = $2",
};

const groupSettingStatement = {
  name: "messages.group-setting",
  text: "select value from settings where company_id = $1 and key = 'CheckMsgIsGroup'",
};
