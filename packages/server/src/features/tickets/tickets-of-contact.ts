import type { ContactId, TicketId } from "@balcao/contract";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Placeholder } from "./audience.ts";
import { visibleToCaller } from "./audience.ts";

type ServedTicket = { id: TicketId; uuid: string; contactId: ContactId };

/** Tickets of these contacts that are served on one connection, by id. */
export function findServedTogether(
  { companyId }: Ctx,
  tx: Tx,
  contactIds: readonly ContactId[],
): Promise<ServedTicket[]> {
  return tx.query<ServedTicket>(servedTogetherStatement, [companyId, contactIds]);
}

/** Locks all tickets of these contacts, in the order of their ids. */
export async function lockTicketsOfContacts(
  { companyId }: Ctx,
  tx: Tx,
  contactIds: readonly ContactId[],
): Promise<void> {
  await tx.query(lockStatement, [companyId, contactIds]);
}

/** The contact's ticket with the newest message among those that the user may see. */
export async function findNewestVisible(
  ctx: UserCtx,
  tx: Tx,
  contactId: ContactId,
): Promise<TicketId | null> {
  const values: unknown[] = [ctx.companyId, contactId];
  const placeholder: Placeholder = (value) => `$${values.push(value)}`;
  const text = `
select t.id from tickets t
where t.company_id = $1 and t.contact_id = $2 and ${visibleToCaller(ctx, placeholder)}
order by t.last_message_at desc nulls last, t.id desc limit 1`;
  const [row] = await tx.query<{ id: TicketId }>({ name: "", text }, values);
  return row?.id ?? null;
}

const servedTogetherStatement = {
  name: "tickets.served-together",
  text: `
select t.id, t.uuid, t.contact_id as "contactId" from tickets t
where t.company_id = $1 and t.contact_id = any($2::int[]) and t.status = 'open'
  and exists (
    select from tickets o where o.company_id = $1 and o.contact_id = any($2::int[])
      and o.status = 'open' and o.connection_id = t.connection_id and o.id <> t.id)
order by t.id`,
};

const lockStatement = {
  name: "tickets.lock-of-contacts",
  text: `
select id from tickets where company_id = $1 and contact_id = any($2::int[]) order by id for update`,
};
