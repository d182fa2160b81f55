import type { ConnectionId, ErrorData, NewTicket, QueueId, Ticket, UserId } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError, hasPermission } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Sources } from "../../platform/sources.ts";
import { findOrCreateClosed } from "./closed-ticket.ts";
import type { TicketEvents } from "./events.ts";
import { requireReferences } from "./references.ts";
import { findLivingTickets, lockNewTickets } from "./repository.ts";
import { pickConnection } from "./sending-connection.ts";
import { openAnew } from "./ticket.ts";
import type { TicketRow } from "./ticket-row.ts";
import { toShownTicketDto } from "./ticket-row.ts";
import { saveTicket } from "./write-repository.ts";

export type NewTicketDeps = {
  db: Database;
  sources: Pick<Sources, "clock" | "ids">;
  events: TicketEvents;
};

/** Tickets that the company opens itself, with people who did not write (wire-contract 6.2). */
export function createNewTickets({ db, sources, events }: NewTicketDeps) {
  /**
   * Opens a ticket with a contact; a closed one of the same contact and connection goes on, with its id. One that waits or
   * is served is in the way, whoever has it: of two who do this at once, one succeeds.
   */
  async function open(ctx: UserCtx, wish: NewTicket): Promise<Ticket> {
    const isAdmin = hasPermission(ctx, "tickets:assign-others");
    const { contactId, queueId } = wish;
    if (queueId === null && !isAdmin) throw new DomainError("ERR_QUEUE_REQUIRED");
    const userId = (isAdmin ? wish.userId : null) ?? ctx.actor.userId;

    return db.transaction(ctx, async (tx) => {
      if (!(await lockNewTickets(ctx, tx, contactId)))
        throw new DomainError("ERR_NO_CONTACT_FOUND");
      const { whatsappId } = wish;
      await requireReferences(ctx, tx, { userId: wish.userId, queueId, connectionId: whatsappId });
      const connectionId = whatsappId ?? (await pickConnection(ctx, tx, userId));
      // Who names no connection means the contact, wherever it is.
      const [living] = whatsappId === null ? await findLivingTickets(ctx, tx, contactId) : [];
      if (living) throw ticketExists(living);

      const found = await findOrCreateClosed(ctx, tx, sources, contactId, connectionId);
      // The customer wrote at this moment.
      if (found.ticket.status !== "closed") throw ticketExists(found.ticket);
      return toShownTicketDto(await begin(ctx, tx, found, { userId, queueId, connectionId }));
    });
  }

  async function begin(
    ctx: UserCtx,
    tx: Tx,
    { ticket, isNew }: { ticket: TicketRow; isNew: boolean },
    holder: { userId: UserId; queueId: QueueId | null; connectionId: ConnectionId },
  ) {
    const transition = openAnew(ticket, holder);
    const now = sources.clock.now();
    const saved = { id: ticket.id, transition, now, clearUnread: true, isPersonsAct: true };
    const after = await saveTicket(ctx, tx, saved);
    if (isNew) events.updated(tx, after);
    else events.changed(tx, ticket, after);
    return after;
  }

  return { open };
}

export type NewTickets = ReturnType<typeof createNewTickets>;

/** Clients of the family read the names of user and queue without looking whether there are any. */
function ticketExists(ticket: TicketRow): DomainError<"ERR_TICKET_EXISTS"> {
  const data: ErrorData["ERR_TICKET_EXISTS"] = {
    id: ticket.id,
    uuid: ticket.uuid,
    status: ticket.status,
    userId: ticket.userId,
    queueId: ticket.queueId,
    contactId: ticket.contactId,
    whatsappId: ticket.connectionId,
    user: { id: ticket.userId, name: ticket.userName ?? "" },
    queue: {
      id: ticket.queueId,
      name: ticket.queueName ?? "Sem fila",
      color: ticket.queueColor ?? "",
    },
  };
  return new DomainError("ERR_TICKET_EXISTS", data);
}
