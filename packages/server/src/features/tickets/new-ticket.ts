import type {
  ChannelKind,
  ConnectionId,
  ContactId,
  ErrorData,
  NewTicket,
  QueueId,
  Ticket,
  TicketId,
  TicketStatus,
  UserId,
} from "@balcao/contract";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError, hasPermission } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { holdReferences } from "../../platform/db/records.ts";
import { contacts } from "../../platform/db/schema/index.ts";
import { holdTicketReferences } from "./change-ticket.ts";
import { lockTicket, lockTicketOnConnection, saveTicket } from "./save-ticket.ts";
import type { TicketDeps } from "./deps.ts";
import { findLivingTickets } from "./read-tickets.ts";
import { openAnew } from "./ticket.ts";
import type { ShownTicketRow, TicketRow } from "./ticket-row.ts";
import { readerOf, requireVisible } from "./audience.ts";

/**
 * Opens a ticket with a contact who did not write (wire-contract 6.2); a closed one of the same contact and connection is
 * reopened. Refused while a ticket waits or is served, by any user: of two concurrent calls one succeeds.
 */
export async function createTicket(
  deps: TicketDeps,
  ctx: UserCtx,
  wish: NewTicket,
): Promise<Ticket> {
  const isAdmin = hasPermission(ctx, "tickets:assign-others");
  const { contactId, queueId, whatsappId } = wish;
  if (queueId === null && !isAdmin) throw new DomainError("ERR_QUEUE_REQUIRED");
  const userId = (isAdmin ? wish.userId : null) ?? ctx.actor.userId;

  return deps.db.transaction(ctx, async (tx) => {
    const contact = await tx.query(lockNewStatement, [ctx.companyId, contactId]);
    if (contact.length === 0) throw new DomainError("ERR_NO_CONTACT_FOUND");
    await holdTicketReferences(ctx, tx, wish);
    const connectionId = whatsappId ?? (await pickConnection(ctx, tx, userId));
    // Without a connection in the request, a ticket on any connection counts.
    const [living] = whatsappId === null ? await findLivingTickets(ctx, tx, contactId) : [];
    if (living) throw ticketExists(living);

    const found = await findOrCreateClosedTicket(deps, ctx, tx, contactId, connectionId);
    // The customer wrote at this moment.
    if (found.ticket.status !== "closed") throw ticketExists(found.ticket);
    const begun = await beginTicket(deps, ctx, tx, found, { userId, queueId, connectionId });
    return deps.dto.shown(begun, readerOf(ctx));
  });
}

/**
 * The contact's ticket, locked, for a message that a user sends of their own accord: the one that waits or is served, on this
 * connection if there is one, else one that is opened for the user in this queue. Throws ERR_TICKET_FORBIDDEN when the
 * user may not see the ticket.
 */
export async function takeTicketForSending(
  deps: TicketDeps,
  ctx: UserCtx,
  tx: Tx,
  wish: { contactId: ContactId; connectionId: ConnectionId | null; queueId: QueueId | null },
): Promise<ShownTicketRow> {
  const { contactId, queueId } = wish;
  const { userId } = ctx.actor;
  const contact = await tx.query(lockNewStatement, [ctx.companyId, contactId]);
  if (contact.length === 0) throw new DomainError("ERR_NO_CONTACT_FOUND");
  const living = await findLivingTickets(ctx, tx, contactId);
  const taken =
    living.find(({ connectionId }) => connectionId === wish.connectionId) ?? living.at(0);
  if (taken) return requireVisible(ctx, await lockTicket(ctx, tx, taken.id));
  const connectionId = await pickConnection(ctx, tx, userId);
  const found = await findOrCreateClosedTicket(deps, ctx, tx, contactId, connectionId);
  // The customer wrote at this moment.
  if (found.ticket.status !== "closed") return requireVisible(ctx, found.ticket);
  return beginTicket(deps, ctx, tx, found, { userId, queueId, connectionId });
}

type FoundTicket = { ticket: ShownTicketRow; isNew: boolean };

async function beginTicket(
  { sources, domainEvents }: TicketDeps,
  ctx: UserCtx,
  tx: Tx,
  { ticket, isNew }: FoundTicket,
  holder: { userId: UserId; queueId: QueueId | null; connectionId: ConnectionId },
): Promise<ShownTicketRow> {
  const transition = openAnew(ticket, holder);
  const now = sources.clock.now();
  const saved = { id: ticket.id, transition, now, clearUnread: true, isPersonsAct: true };
  const after = await saveTicket(ctx, tx, saved);
  if (isNew) await domainEvents.publish(tx, ctx, "ticket.updated", { ticket: after });
  else await domainEvents.publish(tx, ctx, "ticket.changed", { before: ticket, after });
  return after;
}

/** Each turn that does not find the ticket makes it; a lost race takes one more. */
const TURNS = 3;

/**
 * The contact's ticket on the connection, locked and in whatever state it is; a closed one without history where there is
 * none yet: what is stored in it reopens nothing. Throws ERR_NO_CONTACT_FOUND, and ERR_CREATING_TICKET when every turn is lost.
 */
export async function findOrCreateClosedTicket(
  { sources: { clock, ids } }: Pick<TicketDeps, "sources">,
  ctx: Ctx,
  tx: Tx,
  contactId: ContactId,
  connectionId: ConnectionId,
): Promise<FoundTicket> {
  let isNew = false;
  for (let turn = 1; turn <= TURNS; turn += 1) {
    const ticket = await lockTicketOnConnection(ctx, tx, contactId, connectionId);
    if (ticket) return { ticket, isNew };
    for (const { isGroup } of await holdReferences(
      ctx,
      tx,
      contacts,
      [contactId],
      "ERR_NO_CONTACT_FOUND",
    )) {
      const made = { uuid: ids.uuid(), contactId, connectionId, isGroup, now: clock.now() };
      isNew = (await insertTicket(ctx, tx, { ...made, status: "closed" }, null)) !== null;
    }
  }
  throw new DomainError("ERR_CREATING_TICKET");
}

/** Lets one transaction at a time open a ticket with the contact, who cannot be deleted meanwhile. */
const lockNewStatement = {
  name: "tickets.lock-new",
  text: `
select pg_advisory_xact_lock(hashtextextended('ticket ' || company_id || ' ' || id, 6202))
from contacts where company_id = $1 and id = $2 for key share`,
};

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

/**
 * Which connection sends where no ticket says so (behaviour 10.4): the user's own, else the company's default, else any,
 * of those that are connected. Throws ERR_NO_DEF_WAPP_FOUND.
 */
export async function pickConnection(
  ctx: Ctx,
  tx: Tx,
  userId: UserId | null,
): Promise<ConnectionId> {
  const [row] = await tx.query<{ id: ConnectionId }>(pickStatement, [ctx.companyId, userId]);
  if (!row) throw new DomainError("ERR_NO_DEF_WAPP_FOUND");
  return row.id;
}

const pickStatement = {
  name: "tickets.pick-connection",
  text: `
select w.id from connections w
left join users u on u.company_id = w.company_id and u.id = $2 and u.connection_id = w.id
where w.company_id = $1 and w.status = 'CONNECTED' and w.deleted_at is null
order by u.id is null, not w.is_default, w.id
limit 1`,
};

type FirstTicket = {
  uuid: string;
  contactId: ContactId;
  connectionId: ConnectionId;
  status: TicketStatus;
  isGroup: boolean;
  now: Date;
};

/** Values that the database added to a new ticket. */
type InsertedTicket = {
  id: TicketId;
  /** Null for a closed one. */
  attendanceId: number | null;
  connectionName: string;
  connectionChannel: ChannelKind;
  /** The connection's only queue. */
  queueId: QueueId | null;
  queueName: string | null;
  queueColor: string | null;
};

/**
 * Inserts the first ticket of a contact on a connection, with its first attendance. Unless it is closed, it gets the
 * connection's queue if there is exactly one. Null when another transaction has just created the ticket, or has stored the
 * message that it is created for (`firstProviderId`; null for none).
 */
export async function insertTicket(
  ctx: Ctx,
  tx: Tx,
  ticket: FirstTicket,
  firstProviderId: string | null,
): Promise<InsertedTicket | null> {
  const [row] = await tx.query<InsertedTicket>(insertStatement, [
    ctx.companyId,
    ticket.uuid,
    ticket.contactId,
    ticket.connectionId,
    ticket.status,
    ticket.isGroup,
    ticket.now,
    firstProviderId,
  ]);
  return row ?? null;
}

const insertStatement = {
  name: "tickets.insert",
  text: `
with t as (
  insert into tickets
    (company_id, uuid, contact_id, connection_id, status, queue_id, is_group, created_at, updated_at, queued_at)
  select $1, $2, $3, $4, $5, (
      select case when count(*) = 1 then min(queue_id) end from connection_queues
      where company_id = $1 and connection_id = $4 and $5 <> 'closed'
    ), $6, $7::timestamptz, $7, $7
  where not exists (
    select from messages where company_id = $1 and connection_id = $4 and provider_id = $8)
  on conflict (company_id, contact_id, connection_id) do nothing
  returning id, queue_id
), cycle as (
  insert into attendances (company_id, ticket_id, connection_id, queue_id, queued_at, started_at, is_first, created_at)
  select $1, t.id, $4, t.queue_id, $7, case when $5 = 'open' then $7::timestamptz end, true, $7
  from t where $5 <> 'closed'
  returning id
)
select t.id, (select id from cycle) as "attendanceId", w.name as "connectionName", w.channel as "connectionChannel",
  q.id as "queueId", q.name as "queueName", q.color as "queueColor"
from t
join connections w on w.company_id = $1 and w.id = $4
left join queues q on q.company_id = $1 and q.id = t.queue_id`,
};
