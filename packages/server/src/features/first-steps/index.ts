import type { FirstSteps } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import type { Database, PreparedStatement } from "../../platform/db/database.ts";
import { isoText, requireRow } from "../../platform/db/records.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Clock } from "../../platform/sources.ts";

type FirstStepsDeps = { db: Database; clock: Clock };

/** What a new company has done of its first steps (docs/provider.md E). Nothing is stored: each step is a fact of the company. */
export function createFirstStepsFeature(deps: FirstStepsDeps) {
  return {
    register(routes: Routes): void {
      routes.handle("GET /first-steps", ({ ctx }) => showFirstSteps(deps, ctx));
    },
  };
}

function showFirstSteps({ db, clock }: FirstStepsDeps, ctx: UserCtx): Promise<FirstSteps> {
  const values = [ctx.companyId, ctx.actor.userId, clock.now()];
  return db.transaction(ctx, async (tx) =>
    requireRow(await tx.query<FirstSteps>(stepsStatement, values), "ERR_NO_COMPANY_FOUND"),
  );
}

// By hand: one statement for all facts. `schedules` is empty until somebody saves hours; the default ones are not stored. A
// connection that was ever linked has one of its two moments. After a payment the due date is later than the trial's end.
const stepsStatement: PreparedStatement = {
  name: "first-steps.show",
  text: `
select json_build_object(
    'connection', (
      select json_build_object('name', w.name, 'number', w.number) from connections w
      where w.company_id = $1 and w.deleted_at is null
        and (w.status = 'CONNECTED' or w.connected_at is not null or w.disconnected_at is not null)
      order by w.is_default desc, w.id limit 1),
    'queue', (
      select json_build_object('name', q.name) from queues q
      where q.company_id = $1 and q.deleted_at is null
      order by q.order_queue nulls last, q.id limit 1),
    'hours', case
      when c.schedules <> '[]' then 'company'
      when exists (select from settings s where s.company_id = $1 and s.key = 'scheduleType' and s.value = 'queue')
        and exists (select from queues q where q.company_id = $1 and q.deleted_at is null and q.schedules <> '[]')
        then 'queue' end,
    'team', (
      select json_build_object('name', (array_agg(u.name order by u.id desc))[1], 'others', count(*) - 1) from users u
      where u.company_id = $1 and u.deleted_at is null and u.id <> $2
      having count(*) > 0),
    'simulator', (
      select json_build_object('name', o.name) from connections w
      join tickets t on t.company_id = $1 and t.connection_id = w.id
      join contacts o on o.company_id = $1 and o.id = t.contact_id
      where w.company_id = $1 and w.channel = 'simulator' and exists (
        select from messages a where a.company_id = $1 and a.ticket_id = t.id and a.from_me and exists (
          select from messages m where m.company_id = $1 and m.ticket_id = t.id and not m.from_me
            and (m.created_at, m.seq) < (a.created_at, a.seq)))
      limit 1)
  ) as steps,
  c.holidays,
  case when c.trial_expiration > $3 and c.due_date <= c.trial_expiration then json_build_object(
    'endsAt', ${isoText("c.due_date")}, 'plan', p.name, 'value', p.value_cents / 100.0) end as trial
from companies c join plans p on p.id = c.plan_id
where c.id = $1`,
};
