import type { Draft, MessageId, TicketId, UserId } from "@balcao/contract";
import { toIsoOrNull } from "../../platform/db/row-dates.ts";
import type { UserCtx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { TicketSight } from "../tickets/index.ts";
import { sightColumns } from "../tickets/index.ts";

/** The draft of one user in one ticket; without body where there is none. */
export type DraftRow = {
  ticketId: TicketId;
  body: string | null;
  quotedMessageId: MessageId | null;
  draftedAt: Date | null;
};
/** A draft with what decides who may see its ticket. */
export type SeenDraft = DraftRow & TicketSight;

const DRAFTS_LISTED_MAX = 200;

export async function listDrafts(ctx: UserCtx, tx: Tx): Promise<DraftRow[]> {
  return tx.query(listStatement, [ctx.companyId, ctx.actor.userId, DRAFTS_LISTED_MAX]);
}

/** Undefined when there is no such ticket; likewise below. */
export async function findDraft(
  ctx: UserCtx,
  tx: Tx,
  ticketId: TicketId,
): Promise<SeenDraft | undefined> {
  const [row] = await tx.query<SeenDraft>(findStatement, keyOf(ctx, ticketId));
  return row;
}

/**
 * Keeps the draft; a quoted message that is not of the ticket is left out. The one that arrives last stands. It is kept
 * before anybody has looked who asks: the caller judges by the row, and rolls back when the actor may not see the ticket;
 * likewise below.
 */
export async function saveDraft(
  ctx: UserCtx,
  tx: Tx,
  draft: { ticketId: TicketId; body: string; quotedMessageId: MessageId | null; now: Date },
): Promise<SeenDraft | undefined> {
  const { body, quotedMessageId, now } = draft;
  const values = [...keyOf(ctx, draft.ticketId), body, quotedMessageId, now];
  const [row] = await tx.query<SeenDraft>(saveStatement, values);
  return row;
}

export async function deleteDraft(
  ctx: UserCtx,
  tx: Tx,
  ticketId: TicketId,
): Promise<SeenDraft | undefined> {
  const [row] = await tx.query<SeenDraft>(deleteStatement, keyOf(ctx, ticketId));
  return row;
}

export function toDraftDto(row: DraftRow): Draft {
  return {
    ticketId: row.ticketId,
    body: row.body ?? "",
    quotedMsgId: row.quotedMessageId,
    updatedAt: toIsoOrNull(row.draftedAt),
  };
}

function keyOf(ctx: UserCtx, ticketId: TicketId): [number, UserId, TicketId] {
  return [ctx.companyId, ctx.actor.userId, ticketId];
}

const draftColumns = `d.body, d.quoted_message_id as "quotedMessageId", d.updated_at as "draftedAt"`;

const listStatement = {
  name: "drafts.list",
  text: `
select d.ticket_id as "ticketId", ${draftColumns}
from drafts d
where d.company_id = $1 and d.user_id = $2
order by d.updated_at desc, d.ticket_id desc
limit $3`,
};

const findStatement = {
  name: "drafts.find",
  text: `
select t.id as "ticketId", ${draftColumns}, ${sightColumns}
from tickets t
left join drafts d on d.company_id = t.company_id and d.user_id = $2 and d.ticket_id = t.id
where t.company_id = $1 and t.id = $3`,
};

const saveStatement = {
  name: "drafts.save",
  text: `
with t as (
  select * from tickets where company_id = $1 and id = $3
), d as (
  insert into drafts (company_id, user_id, ticket_id, body, quoted_message_id, updated_at)
  select t.company_id, $2, t.id, $4, (
      select m.id from messages m where m.company_id = $1 and m.id = $5 and m.ticket_id = t.id
    ), $6 from t
  on conflict (company_id, user_id, ticket_id) do update
    set body = excluded.body, quoted_message_id = excluded.quoted_message_id, updated_at = excluded.updated_at
  returning *
)
select t.id as "ticketId", ${draftColumns}, ${sightColumns}
from t cross join d`,
};

const deleteStatement = {
  name: "drafts.delete",
  text: `
with d as (
  delete from drafts where company_id = $1 and user_id = $2 and ticket_id = $3
)
select t.id as "ticketId", null as body, null as "quotedMessageId", null as "draftedAt", ${sightColumns}
from tickets t
where t.company_id = $1 and t.id = $3`,
};
