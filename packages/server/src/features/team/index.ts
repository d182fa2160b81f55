import type { ReplyOf } from "@balcao/contract";
import { limits } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { isoText, requireRow } from "../../platform/db/records.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { AssignmentDeps } from "./assignment.ts";
import { createAssignmentWorker, subscribeAssignment } from "./assignment.ts";

export type TeamDeps = AssignmentDeps;

/** Tells which users work now and with how many tickets, and assigns waiting tickets to them. */
export function createTeamFeature(deps: TeamDeps) {
  subscribeAssignment(deps);
  return {
    register(routes: Routes): void {
      routes.handle("GET /team", ({ ctx }) => showTeam(deps, ctx));
    },
    /** Assigns tickets that wait already. */
    assignment: createAssignmentWorker(deps),
  };
}

type Team = ReplyOf<"GET /team">;

/** Everybody may see it: a transfer is a choice between people and queues. */
function showTeam({ db }: Pick<TeamDeps, "db">, ctx: UserCtx): Promise<Team> {
  const values = [ctx.companyId, limits.teamMax];
  return db.transaction(ctx, async (tx) => requireRow(await tx.query<Team>(teamStatement, values)));
}

// By hand: one statement for all loads. Each count reads an index of tickets that are served or wait, or of today's attendances.
const teamStatement = {
  name: "team.show",
  text: `
with served as (
  select t.user_id, count(*)::int as open from tickets t
  where t.company_id = $1 and t.status = 'open' and t.user_id is not null
  group by t.user_id
), waiting as (
  select t.queue_id, count(*)::int as waiting, min(coalesce(t.waiting_since, t.queued_at)) as oldest
  from tickets t
  where t.company_id = $1 and t.status = 'pending' and t.queue_id is not null
  group by t.queue_id
), came as (
  select a.queue_id, count(*)::int as all, count(*) filter (where m.missed)::int as missed
  from companies c
  join attendances a on a.company_id = c.id
    and a.queued_at >= date_trunc('day', now() at time zone c.time_zone) at time zone c.time_zone
  cross join lateral (select exists (select from target_misses m where m.company_id = $1
    and m.ticket_id = a.ticket_id and m.queue_id = a.queue_id and m.kind = 'first'
    and m.started_at >= a.queued_at) as missed) m
  where c.id = $1 and (a.attended_at is not null or m.missed)
  group by a.queue_id
), people as (
  select u.* from users u where u.company_id = $1 and u.deleted_at is null
  order by f_norm(u.name), u.id limit $2
)
select
  (select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'name', p.name, 'online', p.online,
      'availability', p.availability, 'pauseReason', p.pause_reason,
      'availabilitySince', ${isoText("p.availability_since")},
      'openTickets', coalesce(s.open, 0), 'ticketLimit', p.ticket_limit,
      'queueIds', (select coalesce(jsonb_agg(uq.queue_id order by uq.queue_id), '[]') from user_queues uq
        where uq.company_id = $1 and uq.user_id = p.id)) order by f_norm(p.name), p.id), '[]')
    from people p left join served s on s.user_id = p.id) as people,
  (select coalesce(jsonb_agg(jsonb_build_object('id', q.id, 'waiting', coalesce(w.waiting, 0),
      'oldestSince', ${isoText("w.oldest")},
      'withinTarget', case when q.first_answer_minutes is not null
        then floor(100.0 * (e.all - e.missed) / e.all) end) order by q.order_queue nulls last, q.id), '[]')
    from queues q left join waiting w on w.queue_id = q.id left join came e on e.queue_id = q.id
    where q.company_id = $1 and q.deleted_at is null) as queues`,
};
