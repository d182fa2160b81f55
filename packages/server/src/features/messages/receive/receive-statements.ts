import type { ConnectionId, ContactId, QueueId, TicketId } from "@balcao/contract";
import type { Ctx } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/db/database.ts";
import type { KeyedAddress, KnownContact } from "../../contacts/index.ts";
import type { TicketRow } from "../../tickets/index.ts";
import { ticketColumns, ticketNameJoins } from "../../tickets/index.ts";
import { cardOf } from "../last-message.ts";
import type { MessageRow } from "../message-row.ts";

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
};

export type StoredMessage = {
  row: MessageRow;
  connectionId: ConnectionId;
  providerId: string;
  /** It is the newest of its ticket and stands on the card. */
  isNewest: boolean;
  effect: TicketEffect;
};

/** What the ticket's changing columns are afterwards. */
export type StoredTicket = {
  unreadMessages: number;
  updatedAt: Date;
  lastCustomerMessageAt: Date | null;
};

/**
 * Stores a message and its effect on the locked ticket, in one statement; null when the connection's message of this id
 * is there already, which has no effect then.
 */
export async function storeMessage(
  ctx: Ctx,
  tx: Tx,
  stored: StoredMessage,
): Promise<StoredTicket | null> {
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
  const [ticket] = effect.reopen
    ? await tx.query<StoredTicket>(storeAndReopenStatement, [...values, effect.reopen.queueId])
    : await tx.query<StoredTicket>(storeStatement, [...values, effect.attendanceId]);
  return ticket ?? null;
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
  returning ticket_id
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
  t.last_customer_message_at as "lastCustomerMessageAt"`;

const storeStatement = {
  name: "messages.store",
  text: `
with ${insertMessage}
update tickets t set ${ticketFields}, last_attendance_id = coalesce($23, last_attendance_id)
from m where t.company_id = $1 and t.id = m.ticket_id
${returnedTicket}`,
};

const storeAndReopenStatement = {
  name: "messages.store-and-reopen",
  text: `
with ${insertMessage},
cycle as (
  insert into attendances (company_id, ticket_id, connection_id, queue_id, queued_at, created_at)
  select $1, ticket_id, $4, $23, $15, $15 from m
  on conflict (ticket_id) where finished_at is null do update set
    user_id = null, queue_id = excluded.queue_id, queued_at = excluded.queued_at, started_at = null
  returning id
)
update tickets t set ${ticketFields},
  status = 'pending', user_id = null, queue_id = $23, chatbot = false, queue_option_id = null,
  use_integration = false, prompt_id = null, integration_id = null, last_attendance_id = cycle.id
from m, cycle where t.company_id = $1 and t.id = m.ticket_id
${returnedTicket}`,
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

const groupSettingStatement = {
  name: "messages.group-setting",
  text: "select value from settings where company_id = $1 and key = 'CheckMsgIsGroup'",
};
