import type { CompanyId, QueueId, TicketId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { PreparedStatement, Tx } from "../../platform/db/database.ts";

/** A ticket whose time is over, as far as a look without its lock can tell. */
export type DueTicket = { companyId: CompanyId; ticketId: TicketId };

export type Batch = {
  now: Date;
  /** The last one of the batch before; 0 at first. */
  after: number;
  limit: number;
};

/** Open tickets whose customers have not answered for as long as their connections wait (behaviour 2.10). */
export async function findInactiveAcrossCompanies(tx: Tx, batch: Batch): Promise<DueTicket[]> {
  return findDue(tx, inactiveStatement, batch);
}

/** Tickets that have waited without a queue for as long as their connections let them (behaviour 2.11). */
export async function findUnqueuedAcrossCompanies(tx: Tx, batch: Batch): Promise<DueTicket[]> {
  return findDue(tx, unqueuedStatement, batch);
}

/** What a locked ticket's customer is told when it closes by itself; null where its time is not over, or not any more. */
export async function findInactiveMessage(
  ctx: Ctx,
  tx: Tx,
  ticketId: TicketId,
  now: Date,
): Promise<string | null> {
  const [row] = await tx.query<{ message: string }>(inactiveMessageStatement, [
    now,
    ctx.companyId,
    ticketId,
  ]);
  return row?.message ?? null;
}

/** Where a locked ticket goes that has waited too long; null where it has not, or not any more. */
export async function findTransferQueue(
  ctx: Ctx,
  tx: Tx,
  ticketId: TicketId,
  now: Date,
): Promise<QueueId | null> {
  const [row] = await tx.query<{ queueId: QueueId }>(transferQueueStatement, [
    now,
    ctx.companyId,
    ticketId,
  ]);
  return row?.queueId ?? null;
}

async function findDue(
  tx: Tx,
  statement: PreparedStatement,
  { now, after, limit }: Batch,
): Promise<DueTicket[]> {
  return tx.query<DueTicket>(statement, [now, after, limit]);
}

/** `$1` is now. Written as the partial indexes of connections and tickets have it. */
const inactive = `
from connections w
join tickets t on t.company_id = w.company_id and t.connection_id = w.id
where w.deleted_at is null and w.expires_ticket_minutes > 0
  and t.status = 'open' and t.last_message_from_me and not t.is_group
  and t.last_message_at <= $1::timestamptz - make_interval(mins => w.expires_ticket_minutes)`;

const unqueued = `
from connections w
join tickets t on t.company_id = w.company_id and t.connection_id = w.id
join attendances a on a.ticket_id = t.id and a.finished_at is null
where w.deleted_at is null and w.time_to_transfer_minutes > 0 and w.transfer_queue_id is not null
  and t.status = 'pending' and t.queue_id is null and a.company_id = t.company_id
  and a.queued_at <= $1::timestamptz - make_interval(mins => w.time_to_transfer_minutes)`;

const inBatch = "and t.id > $2 order by t.id limit $3";
const ofTicket = "and t.company_id = $2 and t.id = $3";

export const inactiveStatement = {
  name: "ticket-timers.inactive",
  text: `select t.company_id as "companyId", t.id as "ticketId" ${inactive} ${inBatch}`,
};

export const unqueuedStatement = {
  name: "ticket-timers.unqueued",
  text: `select t.company_id as "companyId", t.id as "ticketId" ${unqueued} ${inBatch}`,
};

const inactiveMessageStatement = {
  name: "ticket-timers.inactive-message",
  text: `select w.expires_inactive_message as message ${inactive} ${ofTicket}`,
};

const transferQueueStatement = {
  name: "ticket-timers.transfer-queue",
  text: `select w.transfer_queue_id as "queueId" ${unqueued} ${ofTicket}`,
};
