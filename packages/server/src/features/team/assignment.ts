import type { CompanyId, TicketId, UserId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import { systemCtx } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { DomainEvents, EventPayloads } from "../../platform/events.ts";
import { DueWorker } from "../../platform/jobs/due-worker.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Sources } from "../../platform/sources.ts";
import type { TicketRow, TicketsFeature } from "../tickets/index.ts";
import { lockTicket } from "../tickets/index.ts";

// Waiting tickets of a queue come to its users (ADR 34). A ticket is assigned in the transaction that lets it wait, else by
// the worker as soon as a user has room. Company by company: one lock, taken after every other, makes one decision at a
// time, so that it counts every open ticket.

export type AssignmentDeps = {
  db: Database;
  wake: Wake;
  sources: Pick<Sources, "ids">;
  log: Logger;
  domainEvents: DomainEvents;
  tickets: Pick<TicketsFeature, "assign">;
  /** Between two looks for waiting tickets when nothing wakes it. */
  lookEveryMs?: number;
};

/** Wakes the processes that assign: a ticket waits, or a user has room. */
const ASSIGNMENT_TOPIC = "assignment";
const LOOK_EVERY_MS = 5_000;
const WAKE_IN_MS = 10;
const BETWEEN_LOOKS_MS = 100;
const COMPANIES_AT_ONCE = 2;
/** Tickets that one run assigns; the rest follows in the next one, after other companies. */
const TICKETS_AT_ONCE = 50;

/** Assigns tickets when they begin to wait, and wakes the worker when room comes free. */
export function subscribeAssignment(deps: AssignmentDeps): void {
  const { domainEvents, wake } = deps;
  const look = (): void => wake.send(ASSIGNMENT_TOPIC);
  const assign = async (ctx: Ctx, tx: Tx, ticket: TicketRow): Promise<void> => {
    if ((await assignTicket(deps, ctx, tx, ticket)) === "waits") tx.onCommit(look);
  };
  domainEvents.on("ticket.waits", (ctx, tx, { ticket }) => assign(ctx, tx, ticket));
  domainEvents.on("message.stored", async (ctx, tx, { ticket, arrival }) => {
    // A called attendant says that the ticket waits when its turn is over: its texts come first.
    const begins = arrival && !arrival.callsAttendant && arrival.before?.status !== "pending";
    if (begins) await assign(ctx, tx, ticket);
  });
  domainEvents.afterCommit("ticket.changed", (_ctx, change) => {
    if (mayBeAssignedNow(change)) look();
  });
  domainEvents.afterCommit("ticket.removed", look);
  domainEvents.afterCommit("user.capacityChanged", look);
  domainEvents.afterCommit("queue.assignmentChanged", look);
}

/** A user has room again, or the ticket waits: many of them change at once without an own `ticket.waits`. */
function mayBeAssignedNow({ before, after }: EventPayloads["ticket.changed"]): boolean {
  const wasServed = before.status === "open" && before.userId !== null;
  const isServedByAnother = after.status !== "open" || after.userId !== before.userId;
  return (wasServed && isServedByAnother) || (after.status === "pending" && after.queueId !== null);
}

/** `by-hand`: the queue does not assign, or the ticket does not wait for a person. `waits`: nobody has room for it now. */
type Outcome = "assigned" | "waits" | "by-hand";

/**
 * Gives a locked ticket that waits in a queue with assignment to the user whose turn it is: online, available, with room, not
 * the one from whom it came back, and not before a ticket that has waited longer for the same user. The company's lock is
 * held until the transaction ends, so this is its last step.
 */
async function assignTicket(
  { tickets }: Pick<AssignmentDeps, "tickets">,
  ctx: Ctx,
  tx: Tx,
  ticket: TicketRow,
): Promise<Outcome> {
  const { id, status, queueId, connectionId, chatbot } = ticket;
  const isWaiting = status === "pending" && connectionId !== null && !chatbot;
  if (!isWaiting || queueId === null) return "by-hand";
  const locked = await tx.query(lockStatement, [ctx.companyId, queueId]);
  if (locked.length === 0) return "by-hand";
  const values = [ctx.companyId, queueId, id];
  const [chosen] = await tx.query<{ userId: UserId }>(takeTurnStatement, values);
  if (!chosen) return "waits";
  await tickets.assign(ctx, tx, ticket, chosen.userId);
  return "assigned";
}

/** Assigns tickets that wait already, the longest wait of a company first. Any number of processes may run it. */
export function createAssignmentWorker(deps: AssignmentDeps): DueWorker<{ companyId: CompanyId }> {
  const { db, wake, log, lookEveryMs = LOOK_EVERY_MS } = deps;
  return new DueWorker<{ companyId: CompanyId }>({
    name: "assignment",
    log,
    lookEveryMs,
    betweenLooksMs: BETWEEN_LOOKS_MS,
    wokenBy: { wake, topic: ASSIGNMENT_TOPIC, inMs: WAKE_IN_MS },
    async look(limit, held) {
      const values = [limit + held];
      type Due = { companyId: CompanyId };
      return { due: await db.readAcrossCompanies<Due>(dueStatement, values) };
    },
    work: {
      atOnce: COMPANIES_AT_ONCE,
      batch: 4 * COMPANIES_AT_ONCE,
      idOf: ({ companyId }) => companyId,
      companyOf: ({ companyId }) => companyId,
      run: ({ companyId }, signal) => assignWaiting(deps, companyId, signal),
    },
  });
}

async function assignWaiting(
  deps: AssignmentDeps,
  companyId: CompanyId,
  signal: AbortSignal,
): Promise<"again" | void> {
  const ctx = systemCtx(companyId, "assignment", deps.sources.ids.uuid());
  for (let count = 0; count < TICKETS_AT_ONCE; count += 1) {
    if (signal.aborted) return undefined;
    const outcome = await deps.db.transaction(ctx, (tx) => assignNext(deps, ctx, tx));
    // No user has room, or the ticket changed meanwhile, which wakes us again.
    if (outcome !== "assigned") return undefined;
  }
  return "again";
}

async function assignNext(deps: AssignmentDeps, ctx: Ctx, tx: Tx): Promise<Outcome> {
  const [next] = await tx.query<{ id: TicketId }>(nextStatement, [ctx.companyId]);
  const ticket = next && (await lockTicket(ctx, tx, next.id));
  return ticket ? assignTicket(deps, ctx, tx, ticket) : "by-hand";
}

// By hand: one round trip each, and the planner begins at the few queues with assignment.

const isAssigned = `q.assignment <> 'manual' and q.deleted_at is null`;

/** A ticket `t` waits for a person: neither for the chatbot nor for the attendant's turn, and it can be answered. */
const waits = `t.status = 'pending' and not t.chatbot and t.connection_id is not null
    and not exists (select from attendant_turns k
      where k.company_id = t.company_id and k.ticket_id = t.id and k.due_at is not null)`;

/** Since when a ticket `t` waits in its queue, by its attendance `a`. */
const waitingSince = "coalesce(a.queued_at, a.created_at)";
const ofAttendance = "a.company_id = t.company_id and a.id = t.last_attendance_id";

/** A user `u` takes tickets; `has.open` are the present ones. */
const openOf = `lateral (
    select count(*)::int as open from tickets o
    where o.company_id = u.company_id and o.user_id = u.id and o.status = 'open') has`;
const takesTickets = `u.deleted_at is null and u.online and u.availability = 'available' and has.open < u.ticket_limit`;

/** The company's lock of assignment, if the queue assigns. The statements after it see every decision before it. */
const lockStatement = {
  name: "team.lock-assignment",
  text: `
select pg_advisory_xact_lock(hashtextextended('assignment ' || q.company_id, 6203))
from queues q where q.company_id = $1 and q.id = $2 and ${isAssigned}`,
};

/**
 * Chooses the user and counts the turn. The row of the user is locked: somebody who pauses at this moment is either given the
 * ticket before, or not at all.
 */
const takeTurnStatement = {
  name: "team.take-turn",
  text: `
with chosen as (
  select u.id
  from tickets t
  join attendances a on ${ofAttendance}
  join queues q on q.company_id = t.company_id and q.id = t.queue_id and ${isAssigned}
  join user_queues uq on uq.company_id = q.company_id and uq.queue_id = q.id
  join users u on u.company_id = uq.company_id and u.id = uq.user_id and u.id is distinct from t.returned_by
  cross join ${openOf}
  where t.company_id = $1 and t.queue_id = $2 and t.id = $3 and ${waits} and ${takesTickets}
    and not exists (
      select from user_queues ouq
      join queues oq on oq.company_id = ouq.company_id and oq.id = ouq.queue_id
        and oq.assignment <> 'manual' and oq.deleted_at is null
      join lateral (
        select from tickets t
        join attendances oa on oa.company_id = t.company_id and oa.id = t.last_attendance_id
        where t.company_id = oq.company_id and t.queue_id = oq.id and t.id <> $3 and ${waits}
          and t.returned_by is distinct from u.id
          and (coalesce(oa.queued_at, oa.created_at), t.id) < (${waitingSince}, $3)
      ) longer on true
      where ouq.company_id = $1 and ouq.user_id = u.id)
  order by case when q.assignment = 'load' then has.open else 0 end, uq.last_turn, u.id
  limit 1
  for no key update of u
)
update user_queues uq set last_turn = (
    select max(last_turn) + 1 from user_queues where company_id = $1 and queue_id = $2)
from chosen
where uq.company_id = $1 and uq.queue_id = $2 and uq.user_id = chosen.id
returning uq.user_id as "userId"`,
};

/** Users with room, by the queues that assign to them and in which tickets wait. */
const free = (ofCompany: string): string => `
asked as materialized (
  select q.company_id, q.id from queues q
  where ${ofCompany}${isAssigned} and exists (
    select from tickets t where t.company_id = q.company_id and t.queue_id = q.id and ${waits})
),
free as materialized (
  select uq.company_id, uq.queue_id, u.id as user_id
  from asked
  join user_queues uq on uq.company_id = asked.company_id and uq.queue_id = asked.id
  join users u on u.company_id = uq.company_id and u.id = uq.user_id
  cross join ${openOf}
  where ${takesTickets}
)`;

/** The ticket that has waited longest of those that somebody can take; one that is changing right now is passed over. */
const nextStatement = {
  name: "team.next-waiting",
  text: `
with ${free("q.company_id = $1 and ")}
select t.id
from tickets t join attendances a on ${ofAttendance}
where t.company_id = $1 and t.queue_id in (select queue_id from free) and ${waits}
  and exists (select from free where free.queue_id = t.queue_id and free.user_id is distinct from t.returned_by)
order by ${waitingSince}, t.id
limit 1
for no key update of t skip locked`,
};

/** The companies with a ticket that somebody can take. */
const dueStatement = {
  name: "team.due",
  text: `
with ${free("")}
select distinct free.company_id as "companyId"
from free
where exists (
  select from tickets t
  where t.company_id = free.company_id and t.queue_id = free.queue_id and ${waits}
    and t.returned_by is distinct from free.user_id)
limit $1`,
};
