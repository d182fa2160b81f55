import type { ContactId, MessageId, TicketId } from "@balcao/contract";
import { limits, pageSizes } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { TicketEvents } from "./events.ts";
import { findTicket, findTicketsOfContact } from "./repository.ts";
import type { TicketRow } from "./ticket-row.ts";

/** Messages that one statement moves: far below the time a statement may take. */
const MESSAGES_AT_ONCE = 5_000;

/** `drop` turned out to be the same person as `keep`. */
export type JoinedContacts = { keep: ContactId; drop: readonly ContactId[] };

/** Messages that a ticket took from another one: the newest of them, as many as one page shows. */
export type MovedMessages = { ticketId: TicketId; messageIds: readonly MessageId[] };

/**
 * Gives the tickets of contacts to the contact that turned out to be the same person. Where several have one on a
 * connection, one stays: the one that an agent serves, else an open one, else a waiting one, else a closed one; among
 * equals the older. It takes messages, notes, tags, drafts, schedules, attendances and the unread count of the others,
 * which are no more; it keeps its own user, queue and state. All tickets concerned are locked first, in the order of their
 * ids. The caller tells the tickets afterwards (`tellTicketsOf`), when the contact is what it will be.
 */
export async function joinTickets(
  ctx: Ctx,
  tx: Tx,
  events: TicketEvents,
  contacts: JoinedContacts,
  now: Date,
): Promise<MovedMessages[]> {
  const { keep, drop } = contacts;
  const { companyId } = ctx;
  const people = [keep, ...drop];
  await tx.query(lockStatement, [companyId, people]);
  const pairs = await tx.query<{ stays: TicketId; goes: TicketId }>(pairsStatement, [
    companyId,
    people,
  ]);
  const moved: MovedMessages[] = [];
  for (const { stays, goes } of pairs) {
    const gone = await findTicket(ctx, tx, goes);
    const newest = await tx.query<{ id: MessageId }>(newestStatement, [companyId, goes]);
    moved.push({ ticketId: stays, messageIds: newest.map(({ id }) => id) });
    for (let count = MESSAGES_AT_ONCE; count === MESSAGES_AT_ONCE;) {
      count = (await tx.query(joinMessages, [companyId, stays, goes])).length;
    }
    for (const { values, ...statement } of joinStatements) {
      await tx.query(statement, [companyId, stays, goes, ...values(now)]);
    }
    if (gone) events.removed(tx, gone);
  }
  await tx.query(moveStatement, [companyId, keep, drop]);
  return moved;
}

/** A contact looks different on the cards of all its tickets, or has others than before. Answers them. */
export async function tellTicketsOf(
  ctx: Ctx,
  tx: Tx,
  events: TicketEvents,
  contactId: ContactId,
): Promise<TicketRow[]> {
  const tickets = await findTicketsOfContact(ctx, tx, contactId);
  for (const ticket of tickets) events.updated(tx, ticket);
  return tickets;
}

const lockStatement = {
  name: "tickets.lock-of-contacts",
  text: `
select id from tickets where company_id = $1 and contact_id = any($2::int[]) order by id for update`,
};

/** Without a connection nothing is shared: such tickets only change hands. */
const pairsStatement = {
  name: "tickets.pairs",
  text: `
with ranked as (
  select id, connection_id, row_number() over (
    partition by connection_id
    order by case
      when status = 'open' and user_id is not null then 1
      when status = 'open' then 2
      when status = 'pending' then 3
      else 4 end, id) as place
  from tickets
  where company_id = $1 and contact_id = any($2::int[]) and connection_id is not null
)
select s.id as stays, g.id as goes
from ranked s join ranked g on g.connection_id = s.connection_id and g.place > 1
where s.place = 1
order by g.id`,
};

const newestStatement = {
  name: "tickets.newest-messages",
  text: `
select id from messages where company_id = $1 and ticket_id = $2
order by created_at desc, seq desc limit ${pageSizes.messages}`,
};

/** `$2` stays, `$3` goes. */
const joinMessages = {
  name: "tickets.join-messages",
  text: `
update messages set ticket_id = $2 where company_id = $1 and id in (
  select id from messages where company_id = $1 and ticket_id = $3 limit ${MESSAGES_AT_ONCE})
returning 1`,
};

const nothing = (): unknown[] => [];

/** In this order; `$2` stays, `$3` goes. */
const joinStatements = [
  {
    name: "tickets.join-attendances",
    // Only one may be unfinished.
    text: `
update attendances set ticket_id = $2, finished_at = coalesce(finished_at, $4)
where company_id = $1 and ticket_id = $3`,
    values: (now: Date) => [now],
  },
  {
    name: "tickets.join-tags",
    text: `
insert into ticket_tags (company_id, ticket_id, tag_id)
select company_id, $2, tag_id from ticket_tags where company_id = $1 and ticket_id = $3
on conflict do nothing`,
    values: nothing,
  },
  {
    name: "tickets.join-drafts",
    // Whoever has begun to write in both finds both texts.
    text: `
insert into drafts as d (company_id, user_id, ticket_id, body, quoted_message_id, updated_at)
select company_id, user_id, $2, body, quoted_message_id, updated_at
from drafts where company_id = $1 and ticket_id = $3
on conflict (company_id, user_id, ticket_id) do update set
  body = left(d.body || E'\\n' || excluded.body, $4), updated_at = greatest(d.updated_at, excluded.updated_at)`,
    values: () => [limits.draftMax],
  },
  {
    name: "tickets.join-notes",
    text: `
with scheduled as (
  update schedules set ticket_id = $2 where company_id = $1 and ticket_id = $3
)
update ticket_notes set ticket_id = $2 where company_id = $1 and ticket_id = $3`,
    values: nothing,
  },
  {
    name: "tickets.join-remove",
    text: `
with gone as (
  delete from tickets where company_id = $1 and id = $3 returning *
), newer as (
  select g.* from gone g join tickets k on k.company_id = $1 and k.id = $2
  where g.last_message_id is not null and (k.last_message_at is null or g.last_message_at > k.last_message_at)
), newest_attendance as (
  select max(id) as id from attendances where company_id = $1 and ticket_id = $2
), served as (
  select user_id, queue_id from attendances where company_id = $1 and id = (select id from newest_attendance)
)
update tickets t set
  unread_messages = case when t.status = 'closed' then 0 else t.unread_messages + gone.unread_messages end,
  last_message = case when newer.id is null then t.last_message else newer.last_message end,
  last_message_kind = case when newer.id is null then t.last_message_kind else newer.last_message_kind end,
  last_message_id = case when newer.id is null then t.last_message_id else newer.last_message_id end,
  last_message_at = case when newer.id is null then t.last_message_at else newer.last_message_at end,
  last_message_from_me = case when newer.id is null then t.last_message_from_me else newer.last_message_from_me end,
  last_message_ack = case when newer.id is null then t.last_message_ack else newer.last_message_ack end,
  last_message_failed = case when newer.id is null then t.last_message_failed else newer.last_message_failed end,
  last_customer_message_at = greatest(t.last_customer_message_at, gone.last_customer_message_at),
  last_attendance_id = case when t.status = 'closed' then newest_attendance.id else t.last_attendance_id end,
  served_user_id = case when t.status = 'closed' then (select user_id from served) end,
  served_queue_id = case when t.status = 'closed' then (select queue_id from served) end,
  updated_at = greatest(t.updated_at, gone.updated_at)
from newest_attendance, gone left join newer on true
where t.company_id = $1 and t.id = $2`,
    values: nothing,
  },
];

const moveStatement = {
  name: "tickets.move-contact",
  text: "update tickets set contact_id = $2 where company_id = $1 and contact_id = any($3::int[])",
};
