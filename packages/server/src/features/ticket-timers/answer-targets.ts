import type {
  AnswerTarget,
  CompanyId,
  CountedHours,
  HolidayCalendar,
  QueueId,
  QueueTargets,
  ScheduleEntry,
  TicketId,
  UserId,
} from "@balcao/contract";
import { schedulesOrDefault, targetLeftMs, targetOf } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import { systemCtx } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { isUnavailable } from "../../platform/db/database.ts";
import { holds } from "../../platform/db/records.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { Sources } from "../../platform/sources.ts";
import type { TicketRow } from "../tickets/index.ts";
import { lockTicket } from "../tickets/index.ts";

/** Tickets that one query returns. */
const TICKETS_AT_ONCE = 200;

export type AnswerTargetsDeps = {
  db: Database;
  sources: Pick<Sources, "clock" | "ids">;
  log: Logger;
  realtime: Realtime;
};

/** The targets of queues: an answer that does not come in time is kept for reports and told to supervisors, once. */
export const createAnswerTargets = (deps: AnswerTargetsDeps) => ({
  check: (signal?: AbortSignal): Promise<void> => checkTargets(deps, signal),
});

/** A waiting ticket whose target may be over by the clock; opening hours decide. Read without lock. */
type Candidate = QueueTargets & {
  companyId: CompanyId;
  ticketId: TicketId;
  queueId: QueueId;
  waitingSince: Date;
  queuedAt: Date | null;
  isAnswered: boolean;
  scheduleType: string | null;
  queueSchedules: ScheduleEntry[];
  companySchedules: ScheduleEntry[];
  holidays: HolidayCalendar;
  timeZone: string;
};

/** Any process may run it at any time. */
async function checkTargets(deps: AnswerTargetsDeps, signal?: AbortSignal): Promise<void> {
  let after = 0;
  for (;;) {
    const values = [deps.sources.clock.now(), after, TICKETS_AT_ONCE];
    const found = await deps.db.acrossCompanies((tx) => tx.query<Candidate>(dueStatement, values));
    for (const one of found) {
      signal?.throwIfAborted();
      // Hours are counted before the lock: outside of them the same tickets are found each minute.
      if (isMissed(one, targetOf({ ...one, ...neither }, one), deps.sources.clock.now())) {
        await record(deps, one);
      }
    }
    const last = found.at(-1);
    if (last === undefined || found.length < TICKETS_AT_ONCE) return;
    after = last.ticketId;
  }
}

/** The query leaves out groups and tickets that the chatbot holds. */
const neither = { isGroup: false, chatbot: false };

function isMissed(
  candidate: Candidate,
  target: AnswerTarget | null,
  now: Date,
): target is AnswerTarget {
  return target !== null && targetLeftMs(target, now, hoursOf(candidate)) <= 0;
}

/** The hours that the company's setting names. */
function hoursOf(candidate: Candidate): CountedHours {
  const { scheduleType, queueSchedules, companySchedules, timeZone, holidays } = candidate;
  const by = { timeZone, holidays };
  if (scheduleType === "queue") return { days: schedulesOrDefault(queueSchedules), ...by };
  if (scheduleType === "company") return { days: schedulesOrDefault(companySchedules), ...by };
  return { days: null, ...by };
}

/** Under the ticket's lock, because it may have been answered or moved since the query. */
async function record(deps: AnswerTargetsDeps, candidate: Candidate): Promise<void> {
  const { companyId, ticketId, queueId } = candidate;
  const ctx = systemCtx(companyId, "ticket-timers", deps.sources.ids.uuid());
  try {
    await deps.db.transaction(ctx, async (tx) => {
      const ticket = await lockTicket(ctx, tx, ticketId);
      if (!ticket || ticket.queueId !== queueId) return;
      const now = deps.sources.clock.now();
      const target = targetOf(ticket, candidate);
      if (!isMissed(candidate, target, now)) return;
      const supervisorIds = await keepMiss(ctx, tx, ticket, queueId, target, now);
      if (supervisorIds) tellMiss(deps, tx, ticket, target, supervisorIds);
    });
  } catch (error) {
    if (isUnavailable(error)) throw error;
    // The next run finds it again; the other tickets go on.
    deps.log.error({ err: error, companyId, ticketId }, "a missed target was not recorded");
  }
}

/** The users to tell; null when the miss was recorded before. */
async function keepMiss(
  ctx: Ctx,
  tx: Tx,
  ticket: TicketRow,
  queueId: QueueId,
  { kind, minutes, startedAt }: AnswerTarget,
  now: Date,
): Promise<UserId[] | null> {
  const values = [ctx.companyId, ticket.id, queueId, ticket.userId, kind, minutes, startedAt, now];
  const [kept] = await tx.query<{ supervisorIds: UserId[] }>(keepStatement, values);
  return kept?.supervisorIds ?? null;
}

function tellMiss(
  { realtime }: AnswerTargetsDeps,
  tx: Tx,
  ticket: TicketRow,
  { kind, minutes }: AnswerTarget,
  supervisorIds: readonly UserId[],
): void {
  const { companyId, id, uuid, status, queueId, queueName, queueColor } = ticket;
  if (queueId === null) return;
  const told = {
    action: "create",
    ...{ kind, minutes, ticket: { id, uuid, status }, contact: { name: ticket.contactName } },
    queue: { id: queueId, name: queueName ?? "", color: queueColor ?? "" },
  } as const;
  const to = supervisorIds.map((userId) => rooms.user(companyId, userId));
  tx.onCommit(() => realtime.publish(companyId, "targetMiss", told, to));
}

// By hand: the conditions match the partial index of queues. `$1` is now.
const dueStatement = {
  name: "ticket-timers.targets",
  text: `
select t.company_id as "companyId", t.id as "ticketId", q.id as "queueId", t.waiting_since as "waitingSince",
  t.queued_at as "queuedAt", t.is_answered as "isAnswered", q.first_answer_minutes as "firstAnswerMinutes",
  q.next_answer_minutes as "nextAnswerMinutes", s.value as "scheduleType", q.schedules as "queueSchedules",
  c.schedules as "companySchedules", c.holidays, c.time_zone as "timeZone"
from queues q
join tickets t on t.company_id = q.company_id and t.queue_id = q.id and t.status in ('pending', 'open')
join companies c on c.id = q.company_id
left join settings s on s.company_id = q.company_id and s.key = 'scheduleType'
cross join lateral (
  select greatest(t.waiting_since, t.queued_at) as started_at,
    case when t.is_answered then q.next_answer_minutes else q.first_answer_minutes end as minutes) target
where q.deleted_at is null and (q.first_answer_minutes is not null or q.next_answer_minutes is not null)
  and t.waiting_since is not null and not t.chatbot and not t.is_group
  and target.started_at <= $1::timestamptz - make_interval(mins => target.minutes)
  and not exists (
    select from target_misses m
    where m.company_id = t.company_id and m.ticket_id = t.id and m.queue_id = q.id
      and m.started_at = target.started_at)
  and t.id > $2
order by t.id limit $3`,
};

const keepStatement = {
  name: "ticket-timers.keep-miss",
  text: `
with kept as (
  insert into target_misses (company_id, ticket_id, queue_id, user_id, kind, minutes, started_at, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict (company_id, ticket_id, queue_id, started_at) do nothing
  returning id
)
select array(
  select u.id from users u
  where u.company_id = $1 and u.deleted_at is null and (${holds("u", "tickets:see-all")} or (${holds("u", "tickets:spy")}
    and exists (select from user_queues uq
      where uq.company_id = $1 and uq.user_id = u.id and uq.queue_id = $3)))
  order by u.id) as "supervisorIds"
from kept`,
};
