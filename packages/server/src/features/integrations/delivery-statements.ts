// The statements of deliveries.ts, by hand: each takes rows of many companies in one round trip.

/** At most `$2` of each company, without those that are held here; the oldest of all, `$5`. */
export const lockStatement = {
  name: "deliveries.lock-due",
  text: `
with recursive company (id) as (
  select min(company_id) from deliveries where state = 'waiting'
  union all
  select (select min(d.company_id) from deliveries d where d.state = 'waiting' and d.company_id > company.id)
  from company where company.id is not null
)
select d.id
from company
left join unnest($3::int[], $4::int[]) as held (company_id, count) on held.company_id = company.id
cross join lateral (
  select due.id, due.due_at from deliveries due
  where due.company_id = company.id and due.state = 'waiting' and due.due_at <= $1
  order by due.due_at, due.id
  limit greatest(0, $2::int - coalesce(held.count, 0))
  for update skip locked
) d
where company.id is not null
order by d.due_at limit $5`,
};

const olderOf = (receiver: string): string => `
  select o.id, o.due_at from deliveries o
  where o.company_id = d.company_id and o.${receiver} = d.${receiver} and o.ticket_id = d.ticket_id
    and o.state = 'waiting' and o.id < d.id
  order by o.id limit 1`;

export const judgeStatement = {
  name: "deliveries.judge",
  text: `
select d.id, d.company_id as "companyId", d.integration_id as "integrationId", d.webhook_id as "webhookId",
  d.ticket_id as "ticketId", d.event_id as "eventId", d.body, d.tries, d.due_at as "dueAt",
  coalesce(i.url, w.url) as url, coalesce(i.secret, w.secret) as secret,
  case when i.id is not null then i.previous_secret else w.previous_secret end as "previousSecret",
  case when i.id is not null then i.previous_until else w.previous_until end as "previousUntil",
  coalesce(i.stopped_at, w.stopped_at) as "stoppedAt",
  coalesce(of_integration.due_at, of_webhook.due_at) as "olderDueAt"
from deliveries d
left join integrations i on i.company_id = d.company_id and i.id = d.integration_id
left join webhooks w on w.company_id = d.company_id and w.id = d.webhook_id
left join lateral (${olderOf("integration_id")}) of_integration on true
left join lateral (${olderOf("webhook_id")}) of_webhook on true
where d.id = any ($1::int[])
order by d.due_at, d.id`,
};

/** While it is tried, it has no duration. */
export const moveStatement = {
  name: "deliveries.move",
  text: `
update deliveries d set due_at = m.due_at, tries = d.tries + m.is_claimed::int,
  took_ms = case when m.is_claimed then null else d.took_ms end
from unnest($1::int[], $2::timestamptz[], $3::bool[]) as m (id, due_at, is_claimed)
where d.id = m.id`,
};

export const nextStatement = {
  name: "deliveries.next",
  text: `
with recursive company (id) as (
  select min(company_id) from deliveries where state = 'waiting'
  union all
  select (select min(d.company_id) from deliveries d where d.state = 'waiting' and d.company_id > company.id)
  from company where company.id is not null
)
select min(d.due_at) as at
from company
cross join lateral (
  select due_at from deliveries
  where company_id = company.id and state = 'waiting' and due_at > $1
  order by due_at limit 1
) d`,
};

export const recordStatement = {
  name: "deliveries.record",
  text: `
update deliveries set state = $3, due_at = $4, status = $5, fault = $6, answer = $7, took_ms = $8, tried_at = $9,
  url = $10
where id = $1 and state = 'waiting' and due_at = $2
returning id`,
};

/** The same statement about each kind of receiver. */
const ofBoth = (
  name: string,
  text: (table: string, column: string) => string,
): Record<"integrations" | "webhooks", { name: string; text: string }> => ({
  integrations: { name: `deliveries.${name}`, text: text("integrations", "integration_id") },
  webhooks: { name: `deliveries.webhook-${name}`, text: text("webhooks", "webhook_id") },
});

/** Written even if it is due already: a look that judges it at this moment has to see it changed. */
export const successorStatements = ofBoth(
  "successor",
  (_, column) => `
update deliveries set due_at = $4
where id = (
    select id from deliveries
    where company_id = $1 and ${column} = $2 and ticket_id = $3 and state = 'waiting'
    order by id limit 1)
  and (tries = 0 or took_ms is not null)`,
);

/** Written even if it is due already, for the same reason. */
export const dueNowStatements = ofBoth(
  "due-now",
  (_, column) => `
update deliveries set due_at = $3
where company_id = $1 and ${column} = $2 and state = 'waiting' and (tries = 0 or took_ms is not null)`,
);

export const soonerStatements = ofBoth(
  "sooner",
  (_, column) => `
update deliveries set due_at = $3
where company_id = $1 and ${column} = $2 and state = 'waiting' and due_at > $3 and tries <= $4 and took_ms is not null`,
);

export const resumeStatements = ofBoth(
  "resume",
  (table) => `
update ${table} set failing_since = null, stopped_at = null where company_id = $1 and id = $2`,
);

export const worksStatements = ofBoth(
  "works",
  (table) => `
with before as (
  select failing_since from ${table} where company_id = $1 and id = $2 and failing_since is not null
  for no key update
)
update ${table} set failing_since = null from before where company_id = $1 and id = $2
returning before.failing_since as since`,
);

export const failsStatements = ofBoth(
  "fails",
  (table) => `
with before as (select failing_since, stopped_at from ${table} where company_id = $1 and id = $2 for no key update)
update ${table} r set failing_since = coalesce(r.failing_since, $3),
  stopped_at = coalesce(r.stopped_at, case when r.failing_since <= $4 then $3::timestamptz end)
from before
where r.company_id = $1 and r.id = $2
returning before.failing_since is null or (before.stopped_at is null and r.stopped_at is not null) as "isNew",
  before.stopped_at is null and r.stopped_at is not null as "isStopped", r.name`,
);

export const goneStatements = ofBoth(
  "gone",
  (table) => `
update ${table} set stopped_at = $3, failing_since = coalesce(failing_since, $3)
where company_id = $1 and id = $2 and stopped_at is null
returning name`,
);

const againText = (column: string): string => `
update deliveries set state = 'waiting', due_at = $3
where company_id = $1 and id = any ($2::int[]) and ${column} is not null and state <> 'waiting'
returning id`;
export const integrationsAgain = { name: "deliveries.again", text: againText("integration_id") };
export const webhooksAgain = { name: "deliveries.webhook-again", text: againText("webhook_id") };

export const giveBackStatement = {
  name: "deliveries.give-back",
  text: `
update deliveries set due_at = $1, tries = tries - 1, took_ms = 0
from unnest($2::int[], $3::timestamptz[]) as claim (claimed_id, claimed_at)
where deliveries.id = claimed_id and state = 'waiting' and due_at = claimed_at`,
};

export const sweepOldStatement = {
  name: "deliveries.sweep-old",
  text: `
delete from deliveries where id in (
  select id from deliveries where created_at < $1 order by created_at limit $2 for update skip locked)
returning id`,
};

export const sweepManyStatement = {
  name: "deliveries.sweep-many",
  text: `
delete from deliveries where id in (
  select d.id from companies n
  cross join lateral (
    select id from deliveries where company_id = n.id order by id desc offset $1 limit 1
  ) oldest
  join deliveries d on d.company_id = n.id and d.id <= oldest.id
  limit $2)
returning id`,
};
