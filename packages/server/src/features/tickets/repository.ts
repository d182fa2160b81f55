import type {
  ConnectionId,
  ContactId,
  QueueId,
  Ticket,
  TicketId,
  TicketListQuery,
  UserId,
} from "@balcao/contract";
import { pageSizes } from "@balcao/contract";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { CountsQuery } from "./list-statement.ts";
import { countsStatement, listStatement } from "./list-statement.ts";
import type { ShownTicketRow, TicketRow } from "./ticket-row.ts";
import { shownTicketColumns, ticketColumns, ticketJoins } from "./ticket-row.ts";
import type { HitColumns } from "./ticket-search.ts";
import type { TicketSight } from "./visibility.ts";
import { canSee, sightColumns } from "./visibility.ts";

/** One page of a list, newest change first, whether more follow, and how many rows all pages have (`cappedCount`). */
export async function listTickets(
  ctx: Ctx,
  tx: Tx,
  query: TicketListQuery,
): Promise<{ rows: (TicketRow & HitColumns)[]; hasMore: boolean; total: number }> {
  const { statement, values } = listStatement(ctx, query);
  type Row = { total: number } & HitColumns & (TicketRow | { id: null });
  const read = await tx.query<Row>(statement, values);
  const rows = read.filter((row) => row.id !== null);
  const hasMore = rows.length > pageSizes.tickets;
  return { rows: rows.slice(0, pageSizes.tickets), hasMore, total: read[0]?.total ?? 0 };
}

export async function countTickets(
  ctx: Ctx,
  tx: Tx,
  query: CountsQuery,
): Promise<{ open: number; pending: number }> {
  const { statement, values } = countsStatement(ctx, query);
  const [row] = await tx.query<{ open: number; pending: number }>(statement, values);
  return row ?? { open: 0, pending: 0 };
}

export async function findTicket(
  ctx: Ctx,
  tx: Tx,
  id: TicketId,
): Promise<ShownTicketRow | undefined> {
  const [row] = await tx.query<ShownTicketRow>(findStatement, [ctx.companyId, id]);
  return row;
}

export async function findTicketByUuid(
  ctx: Ctx,
  tx: Tx,
  uuid: string,
): Promise<ShownTicketRow | undefined> {
  const [row] = await tx.query<ShownTicketRow>(findByUuidStatement, [ctx.companyId, uuid]);
  return row;
}

/** What decides who may see the ticket, and nothing else. */
export async function findSight(ctx: Ctx, tx: Tx, id: TicketId): Promise<TicketSight | undefined> {
  const [row] = await tx.query<TicketSight>(sightStatement, [ctx.companyId, id]);
  return row;
}

/**
 * The ticket, locked until the transaction ends: whoever changes it stands in line here. The row is as the one before
 * left it. The newest attendance is read again where it matters, because the statement began before the wait.
 */
export async function lockTicket(
  ctx: Ctx,
  tx: Tx,
  id: TicketId,
): Promise<ShownTicketRow | undefined> {
  const [row] = await tx.query<ShownTicketRow>(lockStatement, [ctx.companyId, id]);
  if (row?.status !== "closed") return row;
  const [sight] = await tx.query<TicketSight>(sightStatement, [ctx.companyId, id]);
  return { ...row, ...sight };
}

/** Tickets that one statement locks or writes: with their names and attendances far below the time that it may take. */
const TICKETS_AT_ONCE = 200;

/** Some of the tickets that wait or are served and have this user, queue or connection, locked; none when all are done. */
export async function lockLivingTickets(
  ctx: Ctx,
  tx: Tx,
  of: { userId: UserId } | { queueId: QueueId } | { connectionId: ConnectionId },
): Promise<ShownTicketRow[]> {
  const values = [ctx.companyId, Object.values(of)[0], TICKETS_AT_ONCE];
  if ("userId" in of) return tx.query<ShownTicketRow>(lockLivingStatements.user, values);
  if ("queueId" in of) return tx.query<ShownTicketRow>(lockLivingStatements.queue, values);
  return tx.query<ShownTicketRow>(lockLivingStatements.connection, values);
}

/** Locks the ticket of the same contact on another connection; undefined when there is none. */
export async function lockTicketOnConnection(
  ctx: Ctx,
  tx: Tx,
  contactId: ContactId,
  connectionId: ConnectionId,
): Promise<ShownTicketRow | undefined> {
  const [found] = await tx.query<{ id: TicketId }>(onConnectionStatement, [
    ctx.companyId,
    contactId,
    connectionId,
  ]);
  return found && lockTicket(ctx, tx, found.id);
}

/**
 * Lets one transaction at a time open a ticket with the contact, who cannot be deleted meanwhile. Answers whether there is
 * such a contact.
 */
export async function lockNewTickets(ctx: Ctx, tx: Tx, contactId: ContactId): Promise<boolean> {
  const rows = await tx.query(lockNewStatement, [ctx.companyId, contactId]);
  return rows.length > 0;
}

/** The contact's tickets that wait or are served, on all connections, newest first. */
export async function findLivingTickets(
  ctx: Ctx,
  tx: Tx,
  contactId: ContactId,
): Promise<TicketRow[]> {
  return tx.query<TicketRow>(livingStatement, [ctx.companyId, contactId]);
}

/**
 * Throws ERR_CONTACT_NUMBER_FORBIDDEN unless the user may see every ticket of the contact that waits or is served:
 * another number redirects these conversations.
 */
export async function requireAllLivingVisible(
  ctx: UserCtx,
  tx: Tx,
  contactId: ContactId,
): Promise<void> {
  const living = await findLivingTickets(ctx, tx, contactId);
  if (!living.every((ticket) => canSee(ctx, ticket))) {
    throw new DomainError("ERR_CONTACT_NUMBER_FORBIDDEN");
  }
}

/** Locks all tickets of the contact, in the order of their ids. */
export async function lockTicketsOfContact(ctx: Ctx, tx: Tx, contactId: ContactId): Promise<void> {
  await tx.query(lockOfContactStatement, [ctx.companyId, contactId]);
}

/** All tickets of the contact, in the order of their ids. */
export async function findTicketsOfContact(
  ctx: Ctx,
  tx: Tx,
  contactId: ContactId,
): Promise<TicketRow[]> {
  return tx.query<TicketRow>(ofContactStatement, [ctx.companyId, contactId]);
}

/** What a change may refer to, looked up in the company; a name is null where there is no such row. */
export type References = {
  userId: UserId | null;
  queueId: QueueId | null;
  connectionId: ConnectionId | null;
};

/** Which of the given ids exist in the company. */
export async function findReferences(
  ctx: Ctx,
  tx: Tx,
  ids: References,
): Promise<{ user: boolean; queue: boolean; connection: boolean }> {
  const [row] = await tx.query<{ user: boolean; queue: boolean; connection: boolean }>(
    referencesStatement,
    [ctx.companyId, ids.userId, ids.queueId, ids.connectionId],
  );
  return row ?? { user: false, queue: false, connection: false };
}

/** The connection's queue when it has exactly one. */
export async function findOnlyQueue(
  ctx: Ctx,
  tx: Tx,
  connectionId: ConnectionId,
): Promise<Ticket["queue"]> {
  const rows = await tx.query<NonNullable<Ticket["queue"]>>(onlyQueueStatement, [
    ctx.companyId,
    connectionId,
  ]);
  const [only] = rows;
  return rows.length === 1 && only ? only : null;
}

const selectTicket = `select ${shownTicketColumns} from tickets t ${ticketJoins}`;

const findStatement = {
  name: "tickets.find",
  text: `${selectTicket} where t.company_id = $1 and t.id = $2`,
};

const findByUuidStatement = {
  name: "tickets.find-by-uuid",
  text: `${selectTicket} where t.company_id = $1 and t.uuid = $2`,
};

const sightStatement = {
  name: "tickets.sight",
  text: `
select ${sightColumns} from tickets t where t.company_id = $1 and t.id = $2`,
};

const lockStatement = {
  name: "tickets.lock",
  // The lock comes first, in its own step: names joined to the row must belong to the version that was locked.
  text: `
with t as materialized (
  select * from tickets where company_id = $1 and id = $2 for no key update
)
select ${shownTicketColumns} from t ${ticketJoins}`,
};

const lockLiving = (what: "user" | "queue" | "connection") => ({
  name: `tickets.lock-living-of-${what}`,
  text: `
with t as materialized (
  select * from tickets
  where company_id = $1 and ${what}_id = $2 and status in ('open', 'pending')
  order by id limit $3
  for no key update
)
select ${shownTicketColumns} from t ${ticketJoins} order by t.id`,
});
const lockLivingStatements = {
  user: lockLiving("user"),
  queue: lockLiving("queue"),
  connection: lockLiving("connection"),
};

const onConnectionStatement = {
  name: "tickets.on-connection",
  text: "select id from tickets where company_id = $1 and contact_id = $2 and connection_id = $3",
};

const lockNewStatement = {
  name: "tickets.lock-new",
  text: `
select pg_advisory_xact_lock(hashtextextended('ticket ' || company_id || ' ' || id, 6202))
from contacts where company_id = $1 and id = $2 for key share`,
};

const livingStatement = {
  name: "tickets.living",
  text: `${selectTicket}
where t.company_id = $1 and t.contact_id = $2 and t.status in ('open', 'pending')
order by t.id desc`,
};

const lockOfContactStatement = {
  name: "tickets.lock-of-contact",
  text: `
select id from tickets where company_id = $1 and contact_id = $2 order by id for no key update`,
};

const ofContactStatement = {
  name: "tickets.all-of-contact",
  text: `
select ${ticketColumns} from tickets t ${ticketJoins}
where t.company_id = $1 and t.contact_id = $2 order by t.id`,
};

const referencesStatement = {
  name: "tickets.references",
  // Whoever is given a ticket is not deleted meanwhile.
  text: `
select
  exists (select from users where company_id = $1 and id = $2 and deleted_at is null for key share) as "user",
  exists (select from queues where company_id = $1 and id = $3 and deleted_at is null) as "queue",
  exists (select from connections where company_id = $1 and id = $4 and deleted_at is null) as "connection"`,
};

const onlyQueueStatement = {
  name: "tickets.only-queue",
  text: `
select q.id, q.name, q.color
from connection_queues cq
join queues q on q.company_id = cq.company_id and q.id = cq.queue_id
where cq.company_id = $1 and cq.connection_id = $2
limit 2`,
};
