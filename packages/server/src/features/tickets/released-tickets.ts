import type { ConnectionId, QueueId, TicketId, UserId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { TicketDeps } from "./deps.ts";
import type { Transition } from "./ticket.ts";
import { changeTicket, losesConnection } from "./ticket.ts";
import type { ShownTicketRow } from "./ticket-row.ts";
import { shownTicketColumns, ticketJoins } from "./ticket-row.ts";

// The tickets of a user, queue or connection that is about to be deleted change in the same transaction.

type ReleaseDeps = Pick<TicketDeps, "sources" | "domainEvents">;

/** The number of tickets that the user serves (behaviour 8.7). */
export async function countOpenTickets(ctx: Ctx, tx: Tx, userId: UserId): Promise<number> {
  const [row] = await tx.query<{ count: number }>(countStatement, [ctx.companyId, userId]);
  return row?.count ?? 0;
}

/** The user's open tickets wait again in their queues, as if the user had returned each of them. */
export async function releaseTicketsOfUser(
  deps: ReleaseDeps,
  ctx: Ctx,
  tx: Tx,
  userId: UserId,
): Promise<void> {
  const by = { userId, mayAssignOthers: true };
  await releaseTickets(deps, ctx, tx, { userId }, (portion) => {
    const returned = portion.map((before): ContinuedTicket => {
      const outcome = changeTicket(before, { status: "pending" }, by, null);
      if (outcome.result !== "changed") throw new Error("the user's ticket cannot be returned");
      return { id: before.id, transition: outcome.transition };
    });
    // An agent has served them, so the automatic attendant stays silent.
    return saveContinued(ctx, tx, returned, { now: deps.sources.clock.now(), isPersonsAct: true });
  });
}

/**
 * The waiting and open tickets move to another queue, or to none, and keep state and user. The automatic attendant starts
 * over before the first menu; tickets that nobody served stay so.
 */
export async function releaseTicketsOfQueue(
  deps: ReleaseDeps,
  ctx: Ctx,
  tx: Tx,
  queueId: QueueId,
  targetQueueId: QueueId | null,
): Promise<void> {
  await releaseTickets(deps, ctx, tx, { queueId }, (portion) => {
    const ids = portion.map(({ id }) => id);
    const values = [ctx.companyId, ids, targetQueueId, deps.sources.clock.now()];
    return tx.query<ShownTicketRow>(moveStatement, values);
  });
}

/**
 * Open tickets wait again, and waiting tickets lose the connection; a transfer gives them another one. Closed ones keep it,
 * for its name only (behaviour 10.4).
 */
export async function releaseTicketsOfConnection(
  deps: ReleaseDeps,
  ctx: Ctx,
  tx: Tx,
  connectionId: ConnectionId,
): Promise<void> {
  await releaseTickets(deps, ctx, tx, { connectionId }, (portion) => {
    const lost = portion.map((before) => ({ id: before.id, transition: losesConnection(before) }));
    return saveContinued(ctx, tx, lost, { now: deps.sources.clock.now(), isPersonsAct: false });
  });
}

/** Releases the tickets in portions; `save` returns the new rows. */
async function releaseTickets(
  { domainEvents }: ReleaseDeps,
  ctx: Ctx,
  tx: Tx,
  of: LivingOf,
  save: (portion: readonly ShownTicketRow[]) => Promise<ShownTicketRow[]>,
): Promise<void> {
  for (;;) {
    const portion = await lockLivingTickets(ctx, tx, of);
    if (portion.length === 0) return;
    const saved = new Map(
      (await save(portion)).map((row): [TicketId, ShownTicketRow] => [row.id, row]),
    );
    for (const before of portion) {
      const after = saved.get(before.id);
      if (!after) throw new Error("a locked ticket is gone");
      await domainEvents.publish(tx, ctx, "ticket.changed", { before, after });
    }
  }
}

/** Tickets that one statement locks or writes, far within its time limit. */
const TICKETS_AT_ONCE = 200;

type LivingOf = { userId: UserId } | { queueId: QueueId } | { connectionId: ConnectionId };

/** Locks some of the tickets that wait or are served and have this user, queue or connection. */
async function lockLivingTickets(ctx: Ctx, tx: Tx, of: LivingOf): Promise<ShownTicketRow[]> {
  const values = [ctx.companyId, Object.values(of)[0], TICKETS_AT_ONCE];
  if ("userId" in of) return tx.query<ShownTicketRow>(lockLivingStatements.user, values);
  if ("queueId" in of) return tx.query<ShownTicketRow>(lockLivingStatements.queue, values);
  return tx.query<ShownTicketRow>(lockLivingStatements.connection, values);
}

/** A locked ticket that goes on waiting or being served in its present attendance. */
type ContinuedTicket = { id: TicketId; transition: Transition };

/** Writes many locked tickets in one statement; returns the new rows. */
async function saveContinued(
  ctx: Ctx,
  tx: Tx,
  saved: readonly ContinuedTicket[],
  { now, isPersonsAct }: { now: Date; isPersonsAct: boolean },
): Promise<ShownTicketRow[]> {
  const given = saved.map(({ id, transition: { state, attendance } }) => {
    if (attendance?.kind !== "continue") throw new Error("the attendance does not go on");
    return { ...state, id, isQueuedNow: attendance.isQueuedNow, started: attendance.started };
  });
  const values = [ctx.companyId, JSON.stringify(given), now, isPersonsAct];
  return tx.query<ShownTicketRow>(saveContinuedStatement, values);
}

const countStatement = {
  name: "tickets.count-open-of-user",
  text: "select count(*)::int as count from tickets where company_id = $1 and user_id = $2 and status = 'open'",
};

/** In another queue the waiting time counts from now, as after every transfer. */
const moveStatement = {
  name: "tickets.move-from-queue",
  text: `
with cycle as (
  update attendances set queue_id = $3, queued_at = case when $3::int is null then queued_at else $4 end
  where company_id = $1 and ticket_id = any ($2::int[]) and finished_at is null
),
t as (
  update tickets set
    queue_id = $3, queued_at = $4, chatbot = false, queue_option_id = null, updated_at = greatest(updated_at, $4)
  where company_id = $1 and id = any ($2::int[])
  returning *
)
select ${shownTicketColumns} from t ${ticketJoins}`,
};

/**
 * In the order of all locks of tickets. A plain `id` would let the planner go through the primary key, and so through the
 * closed tickets of years, until it has enough of the few that are living.
 */
const lockLiving = (what: "user" | "queue" | "connection") => ({
  name: `tickets.lock-living-of-${what}`,
  text: `
with t as materialized (
  select * from tickets
  where company_id = $1 and ${what}_id = $2 and status in ('open', 'pending')
  order by id + 0 limit $3
  for no key update
)
select ${shownTicketColumns} from t ${ticketJoins} order by t.id`,
});
const lockLivingStatements = {
  user: lockLiving("user"),
  queue: lockLiving("queue"),
  connection: lockLiving("connection"),
};

const saveContinuedStatement = {
  name: "tickets.save-continued",
  text: `
with s as materialized (
  select * from jsonb_to_recordset($2::jsonb) as s (
    id int, status text, "userId" int, "queueId" int, "connectionId" int, chatbot boolean, "queueOptionId" int,
    "useIntegration" boolean, "promptId" int, "integrationId" int, "isQueuedNow" boolean, started text)
), continued as (
  update attendances a set
    user_id = s."userId", queue_id = s."queueId", connection_id = s."connectionId",
    queued_at = case when s."isQueuedNow" then $3 else a.queued_at end,
    started_at = case s.started when 'now' then $3 when 'reset' then null else a.started_at end,
    rating_at = case when s.started = 'now' then null else a.rating_at end,
    rated = a.rated and s.started <> 'now',
    attended_at = case when $4 then coalesce(a.attended_at, $3) else a.attended_at end
  from s where a.company_id = $1 and a.ticket_id = s.id and a.finished_at is null
  returning a.id, a.ticket_id
), begun as (
  insert into attendances
    (company_id, ticket_id, user_id, queue_id, connection_id, queued_at, started_at, attended_at, created_at)
  select $1, s.id, s."userId", s."queueId", s."connectionId", $3, case when s.started = 'now' then $3::timestamptz end,
    case when $4 then $3::timestamptz end, $3
  from s where not exists (select from continued where ticket_id = s.id)
  returning id, ticket_id
), t as (
  update tickets k set
    status = s.status, user_id = s."userId", queue_id = s."queueId", connection_id = s."connectionId",
    queued_at = case when k.queue_id is distinct from s."queueId" then $3 else k.queued_at end,
    chatbot = s.chatbot, queue_option_id = s."queueOptionId", use_integration = s."useIntegration",
    prompt_id = s."promptId", integration_id = s."integrationId", last_attendance_id = cycle.id,
    updated_at = greatest(k.updated_at, $3)
  from s join (select * from continued union all select * from begun) cycle on cycle.ticket_id = s.id
  where k.company_id = $1 and k.id = s.id
  returning k.*
)
select ${shownTicketColumns} from t ${ticketJoins}`,
};
