import type { ConnectionId, ContactId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Sources } from "../../platform/sources.ts";
import { lockTicketOnConnection } from "./repository.ts";
import type { ShownTicketRow } from "./ticket-row.ts";
import { insertTicket } from "./write-repository.ts";

export type FoundTicket = { ticket: ShownTicketRow; isNew: boolean };

/** Each turn that does not find the ticket makes it; a lost race takes one more. */
const TURNS = 3;

/**
 * The contact's ticket on the connection, locked and in whatever state it is; a closed one without history where there is
 * none yet. Throws ERR_NO_CONTACT_FOUND.
 */
export async function findOrCreateClosed(
  ctx: Ctx,
  tx: Tx,
  { clock, ids }: Pick<Sources, "clock" | "ids">,
  contactId: ContactId,
  connectionId: ConnectionId,
): Promise<FoundTicket> {
  let isNew = false;
  for (let turn = 1; turn <= TURNS; turn += 1) {
    const ticket = await lockTicketOnConnection(ctx, tx, contactId, connectionId);
    if (ticket) return { ticket, isNew };
    const [contact] = await tx.query<{ isGroup: boolean }>(contactStatement, [
      ctx.companyId,
      contactId,
    ]);
    if (!contact) throw new DomainError("ERR_NO_CONTACT_FOUND");
    const made = {
      uuid: ids.uuid(),
      contactId,
      connectionId,
      status: "closed" as const,
      isGroup: contact.isGroup,
      now: clock.now(),
    };
    isNew = (await insertTicket(ctx, tx, made, null)) !== null;
  }
  throw new Error("the contact's ticket keeps changing under our hands");
}

const contactStatement = {
  name: "tickets.contact-is-group",
  // The contact stays until its ticket is there.
  text: `select is_group as "isGroup" from contacts where company_id = $1 and id = $2 for key share`,
};
