import type { ContactId, TicketId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { TicketEvents } from "./events.ts";
import { findTicket } from "./repository.ts";

export type JoinedContacts = { keep: ContactId; drop: ContactId };

/**
 * Gives a contact's tickets to the contact that turned out to be the same person. Where both have one on a connection,
 * the livelier one (open before pending before closed) takes the other's messages, notes, tags and attendances, and the other
 * is no more.
 */
export async function joinTickets(
  ctx: Ctx,
  tx: Tx,
  events: TicketEvents,
  contacts: JoinedContacts,
  now: Date,
): Promise<void> {
  const { keep, drop } = contacts;
  const pairs = await tx.query<{ stays: TicketId; goes: TicketId }>(pairsStatement, [
    ctx.companyId,
    keep,
    drop,
  ]);
  for (const { stays, goes } of pairs) {
    const gone = await findTicket(ctx, tx, goes);
    for (const statement of joinStatements) {
      await tx.query(statement, [ctx.companyId, stays, goes, ...(statement.usesNow ? [now] : [])]);
    }
    if (gone) events.removed(tx, gone);
  }
  await tx.query(moveStatement, [ctx.companyId, keep, drop]);
}

const pairsStatement = {
  name: "tickets.pairs",
  text: `
with shared as (
  select id, connection_id, status, updated_at from tickets
  where company_id = $1 and contact_id in ($2, $3) and connection_id is not null
  order by id for update
), ranked as (
  select id, connection_id, row_number() over (
    partition by connection_id
    order by case status when 'open' then 1 when 'pending' then 2 else 3 end, updated_at desc, id) as place
  from shared
)
select s.id as stays, g.id as goes
from ranked s join ranked g on g.connection_id = s.connection_id and g.place = 2
where s.place = 1`,
};

/** In this order; `$2` stays, `$3` goes. */
const joinStatements = [
  {
    name: "tickets.join-messages",
    text: "update messages set ticket_id = $2 where company_id = $1 and ticket_id = $3",
    usesNow: false,
  },
  {
    name: "tickets.join-attendances",
    // Only one may be unfinished.
    text: `
update attendances set ticket_id = $2, finished_at = coalesce(finished_at, $4)
where company_id = $1 and ticket_id = $3`,
    usesNow: true,
  },
  {
    name: "tickets.join-tags",
    text: `
insert into ticket_tags (company_id, ticket_id, tag_id)
select company_id, $2, tag_id from ticket_tags where company_id = $1 and ticket_id = $3
on conflict do nothing`,
    usesNow: false,
  },
  {
    name: "tickets.join-notes",
    text: `
with scheduled as (
  update schedules set ticket_id = $2 where company_id = $1 and ticket_id = $3
), drafted as (
  update drafts d set ticket_id = $2 where company_id = $1 and ticket_id = $3 and not exists (
    select from drafts k where k.company_id = $1 and k.user_id = d.user_id and k.ticket_id = $2)
)
update ticket_notes set ticket_id = $2 where company_id = $1 and ticket_id = $3`,
    usesNow: false,
  },
  {
    name: "tickets.join-remove",
    text: `
with gone as (
  delete from tickets where company_id = $1 and id = $3 returning *
), newer as (
  select g.* from gone g join tickets k on k.company_id = $1 and k.id = $2
  where g.last_message_id is not null and (k.last_message_at is null or g.last_message_at > k.last_message_at)
)
update tickets t set
  unread_messages = case when t.status = 'closed' then 0 else t.unread_messages + gone.unread_messages end,
  last_message = case when newer.id is null then t.last_message else newer.last_message end,
  last_message_kind = case when newer.id is null then t.last_message_kind else newer.last_message_kind end,
  last_message_id = case when newer.id is null then t.last_message_id else newer.last_message_id end,
  last_message_at = case when newer.id is null then t.last_message_at else newer.last_message_at end,
  last_message_from_me = case when newer.id is null then t.last_message_from_me else newer.last_message_from_me end,
  last_message_ack = case when newer.id is null then t.last_message_ack else newer.last_message_ack end,
  last_message_failed = case when newer.id is null then t.last_message_failed else newer.last_message_failed end
from gone left join newer on true
where t.company_id = $1 and t.id = $2`,
    usesNow: false,
  },
];

const moveStatement = {
  name: "tickets.move-contact",
  text: "update tickets set contact_id = $2 where company_id = $1 and contact_id = $3",
};
