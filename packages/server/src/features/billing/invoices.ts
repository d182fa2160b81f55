import type { BillingAction, CompanyId, Invoice, InvoiceId, PlanId } from "@balcao/contract";
import { limits, pageSizes, recurrenceMonths } from "@balcao/contract";
import { tz } from "@date-fns/tz";
import { addMonths } from "date-fns/addMonths";
import { constructFrom } from "date-fns/constructFrom";
import { endOfDay } from "date-fns/endOfDay";
import { max } from "date-fns/max";
import { and, desc, eq, getTableColumns, or, sql } from "drizzle-orm";
import type { UserCtx } from "../../platform/context.ts";
import type { Database, PreparedStatement, Tx } from "../../platform/db/database.ts";
import { contains, listTotal, readPage, toIso, toIsoOrNull } from "../../platform/db/records.ts";
import { billingEvents, invoices } from "../../platform/db/schema/index.ts";
import type { Clock } from "../../platform/sources.ts";

/** Days that a company goes on receiving messages after its due date (behaviour 9.4). */
export const GRACE_DAYS = 3;

/** Days in which a company whose plan costs nothing can pay for a plan that it chose. */
const CHOICE_DAYS = 7;

/** The companies that a change concerns: one, those of a plan, or all. */
export type Concerned = { companyId: CompanyId } | { planId: PlanId } | "all";

/** A company as its billing sees it. */
export type BilledCompany = {
  dueDate: Date | null;
  timeZone: string;
};

/**
 * Gives each company exactly one open invoice for its due date, at the price of its plan or of the one that was chosen at the
 * checkout, or none where nothing is to be paid; stops those that are three days late, once for each due date, and lets those
 * work again that are not late any more (behaviour 9.4). A company whose plan costs nothing has an invoice only for a plan that
 * it chose, until that is due, and is not stopped for it. Runs each hour for all, and with each change of plan, due date or
 * payment for the companies concerned. True: the connections of some company start or stop.
 */
export async function reconcileAcrossCompanies(
  tx: Tx,
  concerned: Concerned,
  now: Date,
): Promise<boolean> {
  const isAll = concerned === "all";
  const companyId = !isAll && "companyId" in concerned ? concerned.companyId : null;
  const planId = !isAll && "planId" in concerned ? concerned.planId : null;
  // A company that is being changed is left out: its change does this itself.
  const locked = await tx.query<{ id: CompanyId }>(isAll ? lockFreeStatement : lockStatement, [
    companyId,
    planId,
  ]);
  if (locked.length === 0) return false;
  // In a second statement, which sees what the last holder of the locks has done.
  const ids = locked.map(({ id }) => id);
  const done = await tx.query<{ action: BillingAction }>(reconcileStatement, [now, ids]);
  return done.some(({ action }) => action === "stopped" || action === "restored");
}

/** The last day of the time that a payment buys, from the due date on or from today if that is over. */
export function paidUntil({ dueDate, timeZone }: BilledCompany, months: number, now: Date): Date {
  const zone = { in: tz(timeZone) };
  const from = dueDate === null ? now : max([dueDate, now]);
  // A date of the kind of `now`: one in a time zone is written otherwise.
  return constructFrom(now, endOfDay(addMonths(from, months, zone), zone));
}

/** The companies whose invoice is due within the days of the warning, and that were not told yet: each once for a due date. */
export type Reminder = {
  companyId: CompanyId;
  company: string;
  email: string;
  plan: string;
  valueCents: number;
  dueDate: Date;
  timeZone: string;
};

export function takeReminders(tx: Tx, now: Date): Promise<Reminder[]> {
  return tx.query<Reminder>(remindStatement, [now, limits.subscriptionWarningDays]);
}

/** Adds a line to the ledger. */
export async function note(tx: Tx, event: typeof billingEvents.$inferInsert): Promise<void> {
  await tx.orm.insert(billingEvents).values(event);
}

/** The plan that the provider gives a company is the one it pays for, whatever its checkout chose. */
export async function forgetChoice(tx: Tx, companyId: CompanyId): Promise<void> {
  await tx.orm
    .update(invoices)
    .set({ isChosen: false })
    .where(and(eq(invoices.companyId, companyId), eq(invoices.status, "open")));
}

/**
 * The open invoice of a company whose plan costs nothing, for a paid plan that it chose. The company's lock is held. Nothing
 * for the provider, and for companies whose own plan has a price.
 */
export async function makeChosenInvoice(
  tx: Tx,
  { companyId, plan, now }: { companyId: CompanyId; plan: PlanId; now: Date },
): Promise<void> {
  const made = await tx.query<{ id: InvoiceId; valueCents: number; dueDate: Date }>(
    chosenStatement,
    [...[companyId, plan, now, CHOICE_DAYS]],
  );
  for (const { id, valueCents, dueDate: dueAfter } of made) {
    const event = { companyId, action: "invoice-made", createdAt: now } as const;
    await note(tx, { ...event, invoiceId: id, valueCents, dueAfter });
  }
}

type InvoiceRow = typeof invoices.$inferSelect;

/** The payments of an invoice that a person has to check. */
type Checked = {
  /** The sum that came in and is unclear; null without any. */
  unclearCents: number | null;
  saidPaid: boolean;
};

/** Columns of `Checked`, of the invoice in a query of the table `invoices`. */
export const checkedColumns = {
  unclearCents: sql<number | null>`(
    select sum(y.value_cents)::int from charges g join payments y on y.company_id = g.company_id and y.charge_id = g.id
    where g.company_id = invoices.company_id and g.invoice_id = invoices.id and y.state = 'unclear')`,
  saidPaid: sql<boolean>`(invoices.status = 'open' and exists (
    select from charges g where g.company_id = invoices.company_id and g.invoice_id = invoices.id
      and g.said_paid_at is not null and g.paid_at is null))`,
};

/** An invoice on the wire. */
export function toInvoice(row: InvoiceRow & Checked): Invoice {
  const { id, companyId, detail, valueCents, months, status, unclearCents, saidPaid } = row;
  return {
    ...{ id, companyId, detail, months, status, saidPaid, value: valueCents / 100 },
    dueDate: toIso(row.dueDate),
    paidAt: toIsoOrNull(row.paidAt),
    unclearValue: unclearCents === null ? null : unclearCents / 100,
  };
}

/** One page of a company's invoices: the open one, those with an unclear payment, then the newest due dates. */
export async function listInvoices(
  { db }: { db: Database; clock: Clock },
  {
    company,
    searchParam,
    pageNumber,
  }: { company: Pick<UserCtx, "companyId">; searchParam: string; pageNumber: number },
) {
  const number = /^\d{1,9}$/.test(searchParam) ? (Number(searchParam) as InvoiceId) : null;
  const byText = contains(invoices.detail, searchParam);
  const { rows, ...totals } = await db.transaction(company, (tx) =>
    readPage(pageNumber, pageSizes.invoices, (limit, offset) =>
      tx.orm
        .select({ ...getTableColumns(invoices), ...checkedColumns, total: listTotal })
        .from(invoices)
        .where(number === null ? byText : or(eq(invoices.id, number), byText))
        .orderBy(
          sql`${invoices.status} <> 'open', ${checkedColumns.unclearCents} is null`,
          ...[desc(invoices.dueDate), desc(invoices.id)],
        )
        .limit(limit)
        .offset(offset),
    ),
  );
  return { invoices: rows.map(toInvoice), ...totals };
}

const remindStatement: PreparedStatement = {
  name: "billing.remind",
  text: `
update invoices i set reminded_at = $1
from companies c join plans p on p.id = c.plan_id and p.value_cents > 0
where c.id = i.company_id and i.status = 'open' and i.reminded_at is null
  and i.due_date > $1 and i.due_date < $1::timestamptz + $2::int * interval '1 day'
returning c.id as "companyId", c.name as company, c.email, i.detail as plan, i.value_cents as "valueCents", i.due_date as "dueDate",
  c.time_zone as "timeZone"`,
};

const concernedWhere = `($1::int is null or c.id = $1) and ($2::int is null or c.plan_id = $2)`;

const lockStatement: PreparedStatement = {
  name: "billing.lock",
  text: `select c.id from companies c where ${concernedWhere} order by c.id for no key update`,
};

const lockFreeStatement: PreparedStatement = {
  name: "billing.lock-free",
  text: `select c.id from companies c where ${concernedWhere} order by c.id for no key update skip locked`,
};

/** The months of a recurrence; one for a company without. */
export const monthsOf = (recurrence: string): string =>
  `case ${recurrence} ${Object.entries(recurrenceMonths)
    .map(([name, months]) => `when '${name}' then ${months}`)
    .join(" ")} else 1 end`;

const isProvider = `exists (select from users u where u.company_id = c.id and u.super and u.deleted_at is null)`;

// A due date is free when no other invoice counts for it.
const chosenStatement: PreparedStatement = {
  name: "billing.chosen",
  text: `
insert into invoices (company_id, plan_id, detail, value_cents, months, is_chosen, due_date, status, created_at, updated_at)
select c.id, p.id, p.name, p.value_cents * m.months, m.months, true, d.due, 'open', $3, $3
from companies c
join plans own on own.id = c.plan_id and own.value_cents = 0
join plans p on p.id = $2 and p.value_cents > 0
cross join lateral (select ${monthsOf("c.recurrence")} as months) m
cross join lateral (
  select e.due
  from generate_series($4::int, $4::int + 60) as later
  cross join lateral (
    select (($3::timestamptz at time zone c.time_zone)::date + later + 1)::timestamp at time zone c.time_zone - interval '1 ms' as due
  ) e
  where not exists (select from invoices i where i.company_id = c.id and i.due_date = e.due and i.status <> 'cancelled')
  order by later limit 1) d
where c.id = $1 and not ${isProvider}
returning id, value_cents as "valueCents", due_date as "dueDate"`,
};

const reconcileStatement: PreparedStatement = {
  name: "billing.reconcile",
  text: `
with held as (
  select c.id, c.plan_id, c.due_date, c.status, c.unpaid, c.stopped_for, ${monthsOf("c.recurrence")} as months,
    ${isProvider} as is_provider,
    exists (select from plans p where p.id = c.plan_id and p.value_cents > 0) as has_price,
    exists (select from invoices i where i.company_id = c.id and i.due_date = c.due_date and i.status = 'paid') as is_paid,
    o.id as open_id, o.due_date as open_due, case when o.is_chosen then coalesce(o.plan_id, c.plan_id) else c.plan_id end as billed_plan
  from companies c left join invoices o on o.company_id = c.id and o.status = 'open'
  where c.id = any($2::int[])
), wanted as (
  select h.*, h.has_price and h.is_paid as is_over, p.name as detail, p.value_cents * h.months as value,
    case when h.has_price then h.due_date else h.open_due end as due,
    not h.is_provider and p.value_cents > 0
      and case when h.has_price then h.due_date is not null else h.open_due > $1 end as is_billed
  from held h join plans p on p.id = h.billed_plan
), cancelled as (
  update invoices i set status = 'cancelled', updated_at = $1
  from wanted w where i.company_id = w.id and i.id = w.open_id and (not w.is_billed or w.is_over)
  returning i.company_id, i.id, i.value_cents, i.due_date
), changed as (
  update invoices i set due_date = w.due, value_cents = w.value, detail = w.detail, months = w.months, plan_id = w.billed_plan,
    reminded_at = case when i.due_date = w.due then i.reminded_at end, updated_at = $1
  from wanted w where i.company_id = w.id and i.id = w.open_id and w.is_billed and not w.is_over
    and (i.due_date, i.value_cents, i.detail, i.months, i.plan_id) is distinct from (w.due, w.value, w.detail, w.months, w.billed_plan)
  returning i.company_id, i.id, i.value_cents, i.due_date
), made as (
  insert into invoices (company_id, plan_id, detail, value_cents, months, due_date, status, created_at, updated_at)
  select w.id, w.billed_plan, w.detail, w.value, w.months, w.due, 'open', $1, $1
  from wanted w where w.is_billed and w.open_id is null and not w.is_over
  returning company_id, id, value_cents, due_date
), stopped as (
  update companies c set status = false, unpaid = true, stopped_for = c.due_date, updated_at = $1
  from wanted w where c.id = w.id and w.has_price and w.is_billed and not w.is_over and w.status
    and w.due_date + interval '${GRACE_DAYS} days' < $1 and w.stopped_for is distinct from w.due_date
  returning c.id, c.due_date
), restored as (
  update companies c set status = true, unpaid = false, updated_at = $1
  from wanted w where c.id = w.id and w.unpaid and (w.due_date is null or w.due_date > $1 or not (w.has_price and w.is_billed))
  returning c.id, c.due_date
), events as (
  select 'invoice-cancelled' as action, company_id, id as invoice_id, value_cents, due_date from cancelled
  union all select 'invoice-changed', company_id, id, value_cents, due_date from changed
  union all select 'invoice-made', company_id, id, value_cents, due_date from made
  union all select 'stopped', id, null, null, due_date from stopped
  union all select 'restored', id, null, null, due_date from restored
)
insert into billing_events (action, company_id, invoice_id, value_cents, due_after, created_at)
select action, company_id, invoice_id, value_cents, due_date, $1 from events
returning action`,
};
