import type { ContactId, MessageDetails, MessageId } from "@balcao/contract";
import { acks } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Sources } from "../../platform/sources.ts";
import type { NumberChange } from "../contacts/index.ts";
import { findTicketsOfContact } from "../tickets/index.ts";
import type { MessageEvents } from "./events.ts";
import { NUMBER_CHANGED } from "./marks.ts";
import { findMessages } from "./message-repository.ts";

export type NumberChangesDeps = { sources: Pick<Sources, "clock" | "ids">; events: MessageEvents };

/** Shows in all conversations of a contact that it is written to at another number from now on, and who changed that. */
export type ShowNumberChange = (
  ctx: Ctx,
  tx: Tx,
  contactId: ContactId,
  change: NumberChange,
) => Promise<void>;

/**
 * The line is a row of messages without queue: everybody who sees the ticket reads it. Closed tickets get it too, because
 * they are written in again. The ticket's card stays as it is.
 */
export function createNumberChanges({ sources, events }: NumberChangesDeps): ShowNumberChange {
  return async (ctx, tx, contactId, { from, to }) => {
    const tickets = await findTicketsOfContact(ctx, tx, contactId);
    const lines = tickets.map(({ id }) => ({ id: sources.ids.uuid(), ticketId: id }));
    if (lines.length === 0) return;
    const details: MessageDetails = { kind: "number-changed", from: from ?? "", to };
    const text =
      from === null
        ? `O contato recebeu o número ${to}`
        : `O número do contato mudou de ${from} para ${to}`;
    await tx.query(insertStatement, [
      ctx.companyId,
      JSON.stringify(lines),
      ctx.actor.kind === "user" ? ctx.actor.userId : null,
      ctx.actor.kind === "user" ? `${ctx.actor.name}: ${text}` : text,
      JSON.stringify(details),
      sources.clock.now(),
    ]);
    const ids = lines.map(({ id }) => id as MessageId); // our own new ids get their brand
    for (const message of await findMessages(ctx, tx, ids)) {
      const ticket = tickets.find(({ id }) => id === message.ticketId);
      if (ticket) events.created(tx, { message, ticket, isHistory: true });
    }
  };
}

const insertStatement = {
  name: "messages.number-changed",
  // Never before what stands there already.
  text: `
insert into messages
  (company_id, id, ticket_id, connection_id, provider_id, user_id, body, from_me, read, ack, media_type, details,
   created_at, updated_at)
select $1, line.id, t.id, t.connection_id, 'line-' || line.id, $3, $4, true, true, ${acks.server},
  '${NUMBER_CHANGED}', $5, greatest($6, t.last_message_at), $6
from jsonb_to_recordset($2::jsonb) as line(id uuid, "ticketId" int)
join tickets t on t.company_id = $1 and t.id = line."ticketId"`,
};
