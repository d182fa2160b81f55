import type { TagId, Ticket, TicketId } from "@balcao/contract";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { holdReferences } from "../../platform/db/records.ts";
import { tags } from "../../platform/db/schema/index.ts";
import { readerOf, requireVisible } from "./audience.ts";
import type { TicketDeps } from "./deps.ts";
import { findTicket } from "./read-tickets.ts";
import { lockTicket } from "./save-ticket.ts";
import type { TicketRow } from "./ticket-row.ts";
import { ticketColumns, ticketJoins } from "./ticket-row.ts";

/** Makes these the only tags of a ticket; nothing changes if one of them does not exist. */
export function replaceTicketTags(
  { db, dto, domainEvents }: TicketDeps,
  ctx: Ctx,
  ticketId: TicketId,
  tagIds: readonly number[],
): Promise<Ticket> {
  return db.transaction(ctx, async (tx) => {
    const ticket = requireVisible(ctx, await lockTicket(ctx, tx, ticketId));
    const held = await holdReferences(ctx, tx, tags, tagIds, "ERR_NO_TAG_FOUND");
    await tx.query(replaceStatement, [ctx.companyId, ticketId, held.map(({ id }) => id)]);
    const after = { ...ticket, tags: held.map(({ id, name, color }) => ({ id, name, color })) };
    await domainEvents.publish(tx, ctx, "ticket.updated", { ticket: after });
    return dto.shown(after, readerOf(ctx));
  });
}

/** Adds tags to those that the ticket has. */
export function addTicketTags(
  { db, dto, domainEvents }: TicketDeps,
  ctx: UserCtx,
  ticketId: TicketId,
  tagIds: readonly TagId[],
): Promise<Ticket> {
  return db.transaction(ctx, async (tx) => {
    requireVisible(ctx, await lockTicket(ctx, tx, ticketId));
    await holdReferences(ctx, tx, tags, tagIds, "ERR_NO_TAG_FOUND");
    await tx.query(addStatement, [ctx.companyId, ticketId, tagIds]);
    const ticket = requireVisible(ctx, await findTicket(ctx, tx, ticketId));
    await domainEvents.publish(tx, ctx, "ticket.updated", { ticket });
    return dto.shown(ticket, readerOf(ctx));
  });
}

/** A change of a tag that more tickets have publishes no event per ticket: clients drop the tag by its own event. */
const TICKETS_PUBLISHED_MAX = 50;

/** Makes a change that takes a tag from its tickets, or gives it back to them, and publishes these as they are afterwards. */
export async function publishTagged<Outcome>(
  { domainEvents }: Pick<TicketDeps, "domainEvents">,
  ctx: Ctx,
  tx: Tx,
  tagId: TagId,
  change: () => Promise<Outcome>,
): Promise<Outcome> {
  const limit = TICKETS_PUBLISHED_MAX + 1;
  const tagged = await tx.query<{ id: TicketId }>(taggedStatement, [ctx.companyId, tagId, limit]);
  const outcome = await change();
  if (tagged.length === 0 || tagged.length > TICKETS_PUBLISHED_MAX) return outcome;
  const values = [ctx.companyId, tagged.map(({ id }) => id)];
  for (const ticket of await tx.query<TicketRow>(ticketsStatement, values)) {
    await domainEvents.publish(tx, ctx, "ticket.updated", { ticket });
  }
  return outcome;
}

// By hand: one round trip. A hidden tag stays, because its deletion may be undone.
const replaceStatement = {
  name: "tickets.replace-tags",
  text: `
with gone as (
  delete from ticket_tags tt where tt.company_id = $1 and tt.ticket_id = $2 and tt.tag_id <> all($3)
    and exists (select from tags g where g.company_id = $1 and g.id = tt.tag_id and g.deleted_at is null)
)
insert into ticket_tags (company_id, ticket_id, tag_id)
select $1, $2, tag_id from unnest($3::int[]) as tag_id
on conflict do nothing`,
};

const addStatement = {
  name: "tickets.add-tags",
  text: `
insert into ticket_tags (company_id, ticket_id, tag_id)
select $1, $2, tag_id from unnest($3::int[]) as tag_id
on conflict do nothing`,
};

const taggedStatement = {
  name: "tickets.tagged",
  text: `select ticket_id as id from ticket_tags where company_id = $1 and tag_id = $2 limit $3`,
};

const ticketsStatement = {
  name: "tickets.by-ids",
  text: `select ${ticketColumns} from tickets t ${ticketJoins} where t.company_id = $1 and t.id = any($2)`,
};
