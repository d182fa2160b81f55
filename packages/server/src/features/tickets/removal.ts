import type { ContactId, MessageId, TicketId } from "@balcao/contract";
import { limits, pageSizes } from "@balcao/contract";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { moveStatements, ROWS_AT_ONCE } from "../../platform/db/references.ts";
import type { DomainEvents } from "../../platform/events.ts";
import type { MediaKey } from "../../platform/media/media-store.ts";
import type { JoinedContacts } from "../contacts/index.ts";
import type { TicketDeps } from "./deps.ts";
import { lockTicket } from "./save-ticket.ts";
import { findTicket } from "./read-tickets.ts";
import type { TicketRow } from "./ticket-row.ts";
import { lockTicketsOfContacts } from "./tickets-of-contact.ts";

/** Messages that one statement deletes: with the rows that refer to them it stays far below the time limit. */
const MESSAGES_DELETED_AT_ONCE = 2_000;

type RemovalDeps = Pick<TicketDeps, "sources" | "domainEvents" | "files">;

export async function removeTicket(
  deps: RemovalDeps & Pick<TicketDeps, "db">,
  ctx: UserCtx,
  id: TicketId,
): Promise<void> {
  await deps.db.transaction(ctx, async (tx) => {
    const ticket = await lockTicket(ctx, tx, id);
    if (!ticket) throw new DomainError("ERR_NO_TICKET_FOUND");
    await removeLocked(deps, ctx, tx, ticket);
  });
}

/** Removes every ticket of a contact that is about to be deleted. */
export async function removeTicketsOfContact(
  deps: RemovalDeps,
  ctx: Ctx,
  tx: Tx,
  contactId: ContactId,
): Promise<void> {
  const rows = await tx.query<{ id: TicketId }>(ofContactStatement, [ctx.companyId, contactId]);
  for (const { id } of rows) {
    const ticket = await lockTicket(ctx, tx, id);
    if (ticket) await removeLocked(deps, ctx, tx, ticket);
  }
}

/**
 * Removes a locked ticket with its messages, their outbound rows, notes, drafts and tags. Its attendances are finished and
 * stay without it: they are the company's figures. Its files are removed after the commit; the sweep finds what is left.
 */
async function removeLocked(
  { sources, domainEvents, files }: RemovalDeps,
  ctx: Ctx,
  tx: Tx,
  ticket: TicketRow,
): Promise<void> {
  const given = [ctx.companyId, ticket.id];
  await tx.query(finishStatement, [...given, sources.clock.now()]);
  for (let deleted = MESSAGES_DELETED_AT_ONCE; deleted === MESSAGES_DELETED_AT_ONCE;) {
    const rows = await tx.query<{ keys: MediaKey[] | null }>(messagesStatement, given);
    deleted = rows.length;
    const keys = rows.flatMap((row) => row.keys ?? []);
    if (keys.length > 0) tx.onCommit(() => void files.removeUnused(ctx.companyId, keys));
  }
  await tx.query(ticketStatement, given);
  await domainEvents.publish(tx, ctx, "ticket.removed", { ticket });
}

const finishStatement = {
  name: "tickets.finish-attendance",
  text: `
update attendances set finished_at = $3 where company_id = $1 and ticket_id = $2 and finished_at is null`,
};

const messagesStatement = {
  name: "tickets.delete-messages",
  text: `
delete from messages m where company_id = $1 and id in (
  select id from messages where company_id = $1 and ticket_id = $2 limit ${MESSAGES_DELETED_AT_ONCE})
returning (
  select array_remove(array[f.file_key, f.thumbnail_key], null) from message_media f
  where f.company_id = m.company_id and f.message_id = m.id) as keys`,
};

const ticketStatement = {
  name: "tickets.delete",
  text: "delete from tickets where company_id = $1 and id = $2",
};

const ofContactStatement = {
  name: "tickets.ids-of-contact",
  text: "select id from tickets where company_id = $1 and contact_id = $2 order by id",
};

/**
 * Moves the tickets of contacts to the contact that is the same person. One of several tickets on a connection stays:
 * the one that an agent serves, else an open one, else a waiting one, else a closed one; among equals the older. The
 * rows that refer to the others move to it, with their drafts, attendances and unread count, and the others are
 * deleted. It keeps its own user, queue and state. All these tickets are locked first, in the order of their ids.
 * Returns the newest messages that moved to another ticket, as many of each as one page shows.
 */
export async function joinTickets(
  ctx: Ctx,
  tx: Tx,
  domainEvents: DomainEvents,
  { keep, drop }: JoinedContacts,
  now: Date,
): Promise<MessageId[]> {
  const { companyId } = ctx;
  const people = [keep, ...drop];
  await lockTicketsOfContacts(ctx, tx, people);
  const pairs = await tx.query<{ stays: TicketId; goes: TicketId }>(pairsStatement, [
    companyId,
    people,
  ]);
  const moved: MessageId[] = [];
  for (const { stays, goes } of pairs) {
    const gone = await findTicket(ctx, tx, goes);
    const newest = await tx.query<{ id: MessageId }>(newestStatement, [companyId, goes]);
    moved.push(...newest.map(({ id }) => id));
    for (const portion of move.portions) {
      for (let count = ROWS_AT_ONCE; count === ROWS_AT_ONCE;) {
        count = (await tx.query(portion, [companyId, goes, stays])).length;
      }
    }
    await tx.query(move.together, [companyId, goes, stays]);
    for (const { values, ...statement } of joinStatements) {
      await tx.query(statement, [companyId, stays, goes, ...values(now)]);
    }
    if (gone) await domainEvents.publish(tx, ctx, "ticket.removed", { ticket: gone });
  }
  await tx.query(moveToContactStatement, [companyId, keep, drop]);
  return moved;
}

/** Tickets without connection have no counterpart; they only move to the other contact. */
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

const move = moveStatements("tickets");

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
    name: "tickets.join-drafts",
    // A user with a draft in both gets both texts.
    text: `
insert into drafts as d (company_id, user_id, ticket_id, body, quoted_message_id, updated_at)
select company_id, user_id, $2, body, quoted_message_id, updated_at
from drafts where company_id = $1 and ticket_id = $3
on conflict (company_id, user_id, ticket_id) do update set
  body = left(d.body || E'\\n' || excluded.body, $4), updated_at = greatest(d.updated_at, excluded.updated_at)`,
    values: () => [limits.draftMax],
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
  last_message_queue_id = case when newer.id is null then t.last_message_queue_id else newer.last_message_queue_id end,
  last_message_ack = case when newer.id is null then t.last_message_ack else newer.last_message_ack end,
  last_message_failed = case when newer.id is null then t.last_message_failed else newer.last_message_failed end,
  waiting_since = case when t.status <> 'closed' then least(t.waiting_since, gone.waiting_since) end,
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

const moveToContactStatement = {
  name: "tickets.move-contact",
  text: "update tickets set contact_id = $2 where company_id = $1 and contact_id = any($3::int[])",
};
