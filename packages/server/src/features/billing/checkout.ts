import type {
  BankKind,
  Charge,
  CompanyId,
  InputOf,
  InvoiceId,
  PlanId,
  Subscription,
} from "@balcao/contract";
import { addDays } from "date-fns/addDays";
import { and, eq, isNull, sql } from "drizzle-orm";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { requireRow, toIso, toIsoOrNull } from "../../platform/db/records.ts";
import { charges, companies, invoices, payers, plans } from "../../platform/db/schema/index.ts";
import { toPlan } from "../plans/index.ts";
import {
  checkedColumns,
  GRACE_DAYS,
  makeChosenInvoice,
  monthsOf,
  paidUntil,
  reconcileAcrossCompanies,
  toInvoice,
} from "./invoices.ts";
import type { SettingsDeps } from "./settings.ts";
import { readPayeeAcrossCompanies } from "./settings.ts";

export type CheckoutDeps = SettingsDeps;

type ChargeRow = typeof charges.$inferSelect;

/** Plan, use, the open invoice and its charge: one statement, and one for the provider's settings. */
export async function showSubscription(deps: CheckoutDeps, ctx: UserCtx): Promise<Subscription> {
  const [settings, rows] = await Promise.all([
    readPayeeAcrossCompanies(deps),
    deps.db.transaction(ctx, (tx) =>
      tx.orm
        .select({
          company: companies,
          plan: plans,
          invoice: invoices,
          payer: payers.data,
          charge: charges,
          months: sql<number>`${sql.raw(monthsOf("companies.recurrence"))}`,
          ...checkedColumns,
          allUnclearCents,
          canChoose,
          usage: sql<Subscription["usage"]>`jsonb_build_object(
            'users', (select count(*) from users u where u.company_id = ${companies.id} and u.deleted_at is null),
            'connections', (select count(*) from connections w where w.company_id = ${companies.id} and w.deleted_at is null),
            'queues', (select count(*) from queues q where q.company_id = ${companies.id} and q.deleted_at is null))`,
        })
        .from(companies)
        .innerJoin(plans, eq(plans.id, companies.planId))
        .leftJoin(invoices, and(eq(invoices.companyId, companies.id), eq(invoices.status, "open")))
        .leftJoin(payers, eq(payers.companyId, companies.id))
        .leftJoin(charges, eq(charges.id, newestCharge))
        .where(eq(companies.id, ctx.companyId)),
    ),
  ]);
  const row = requireRow(rows);
  const { company, plan, invoice, unclearCents, saidPaid, allUnclearCents: allCents } = row;
  const now = deps.clock.now();
  const { id, name, status, recurrence } = company;
  const isHeld = row.charge && invoice && holds(row.charge, invoice, settings.bank, now);
  const canPay = invoice !== null || row.canChoose;
  // Without a price, the company is not stopped, and its due date was not paid for.
  const hasPrice = plan.valueCents > 0;
  const until = { ...company, dueDate: hasPrice ? company.dueDate : null };
  return {
    company: {
      ...{ id, name, status, recurrence },
      dueDate: toIsoOrNull(company.dueDate),
      trialExpiration: toIsoOrNull(company.trialExpiration),
    },
    plan: toPlan(row.plan),
    months: row.months,
    usage: row.usage,
    stopsAt: invoice && hasPrice ? toIso(addDays(invoice.dueDate, GRACE_DAYS)) : null,
    invoice: invoice && toInvoice({ ...invoice, unclearCents, saidPaid }),
    canPay,
    unclearValue: allCents === null ? null : allCents / 100,
    paidUntil: canPay ? toIso(paidUntil(until, invoice?.months ?? row.months, now)) : null,
    charge: isHeld && row.charge ? toCharge(row.charge, settings.receiver) : null,
    payer: row.payer,
    ...{ bank: settings.bank, receiver: settings.receiver, contact: settings.contact },
  };
}

/** The last charge of the invoice in the outer query. */
const newestCharge = sql`(
  select x.id from charges x where x.company_id = ${invoices.companyId} and x.invoice_id = ${invoices.id}
  order by x.id desc limit 1)`;

/** The sum that came in from the company in the outer query and waits for a person. */
const allUnclearCents = sql<number | null>`(
  select sum(y.value_cents)::int from payments y where y.company_id = ${companies.id} and y.state = 'unclear')`;

/** Whether the company in the outer query, whose plan costs nothing, can choose one that does. */
const canChoose = sql<boolean>`(${plans.valueCents} = 0
  and exists (select from plans p where p.use_internal and p.value_cents > 0)
  and not exists (select from users u where u.company_id = ${companies.id} and u.super and u.deleted_at is null))`;

/**
 * The PIX of an open invoice. A charge of the same value that still holds is given again, also to another admin. Another
 * plan first gives the invoice its price, or makes it for a company whose plan costs nothing; the company has that plan with
 * the payment. The price that the browser sent is not read (behaviour 9.5, F40).
 */
export async function openCharge(
  deps: CheckoutDeps,
  ctx: UserCtx,
  { invoiceId, plan, ...payer }: InputOf<"POST /subscription">["body"],
): Promise<Charge> {
  const { db, clock, random } = deps;
  const settings = await readPayeeAcrossCompanies(deps);
  const { bank } = settings;
  const { companyId } = ctx;
  const charge = await db.acrossCompanies(async (tx) => {
    const now = clock.now();
    await holdCompany(tx, companyId);
    const isOffered =
      plan === undefined || (await choosePlan(tx, { companyId, invoiceId, plan, now }));
    const invoice = await requireOpenInvoice(tx, companyId, invoiceId);
    if (!isOffered) throw new DomainError("ERR_NO_PLAN_FOUND");
    await tx.orm
      .insert(payers)
      .values({ companyId, data: payer, updatedAt: now })
      .onConflictDoUpdate({ target: payers.companyId, set: { data: payer, updatedAt: now } });
    const known = await tx.orm
      .select()
      .from(charges)
      .where(and(eq(charges.companyId, companyId), eq(charges.invoiceId, invoice.id)))
      .orderBy(sql`${charges.id} desc`)
      .limit(1);
    const last = known[0];
    if (last && holds(last, invoice, bank, now)) return last;
    const made = await tx.orm
      .insert(charges)
      .values({
        ...{ companyId, invoiceId: invoice.id, bank, txid: random.hex(16), createdAt: now },
        valueCents: invoice.valueCents,
      })
      .returning();
    return requireRow(made);
  });
  if (charge.code !== "") return toCharge(charge, settings.receiver);
  // Outside the transaction, which a slow bank must not keep open. What is cut off here is asked for again by the same txid.
  const { txid, valueCents } = charge;
  const detail = `#Fatura:${charge.invoiceId}`;
  const wish = { txid, valueCents, detail, now: clock.now() };
  const made = await deps.banks[bank].createCharge(settings, wish);
  // Two admins may have asked at the same moment: the first answer stays, so that both see the code that is asked for later.
  const isSame = eq(charges.id, charge.id);
  const saved = await db.acrossCompanies(async ({ orm }) => {
    await orm
      .update(charges)
      .set(made)
      .where(and(isSame, eq(charges.code, "")));
    return orm.select().from(charges).where(isSame);
  });
  return toCharge(requireRow(saved), settings.receiver);
}

/** The payer says that a charge was paid; the provider sees it. */
export async function sayPaid(
  deps: CheckoutDeps,
  ctx: UserCtx,
  invoiceId: InvoiceId,
): Promise<Charge> {
  const { receiver } = await readPayeeAcrossCompanies(deps);
  const now = deps.clock.now();
  const { companyId } = ctx;
  const rows = await deps.db.transaction(ctx, async (tx) => {
    await requireOpenInvoice(tx, companyId, invoiceId);
    return tx.orm
      .update(charges)
      .set({ saidPaidAt: sql`coalesce(${charges.saidPaidAt}, ${now})` })
      .where(
        and(
          eq(charges.companyId, companyId),
          eq(charges.invoiceId, invoiceId),
          isNull(charges.paidAt),
          sql`${charges.id} = (select max(x.id) from charges x where x.company_id = ${companyId} and x.invoice_id = ${invoiceId})`,
        ),
      )
      .returning();
  });
  return toCharge(requireRow(rows, "ERR_NO_INVOICE_FOUND"), receiver);
}

/** Whether a charge can still be paid for an invoice as it is now. */
function holds(
  charge: ChargeRow,
  invoice: { valueCents: number },
  bank: BankKind,
  now: Date,
): boolean {
  return (
    charge.bank === bank &&
    charge.paidAt === null &&
    charge.valueCents === invoice.valueCents &&
    (charge.expiresAt === null || charge.expiresAt > now)
  );
}

/** All that moves a company's money or due date holds this lock. */
export async function holdCompany(
  tx: Tx,
  id: CompanyId,
): Promise<typeof companies.$inferSelect | undefined> {
  const [row] = await tx.orm
    .select()
    .from(companies)
    .where(eq(companies.id, id))
    .for("no key update");
  return row;
}

/** An open invoice by its id, or the company's open one. */
async function requireOpenInvoice(tx: Tx, companyId: CompanyId, id: InvoiceId | undefined) {
  const isMeant = id === undefined ? eq(invoices.status, "open") : eq(invoices.id, id);
  const rows = await tx.orm
    .select()
    .from(invoices)
    .where(and(eq(invoices.companyId, companyId), isMeant));
  const invoice = requireRow(rows, "ERR_NO_INVOICE_FOUND");
  if (invoice.status === "paid") throw new DomainError("ERR_INVOICE_PAID");
  if (invoice.status === "cancelled") throw new DomainError("ERR_NO_INVOICE_FOUND");
  return invoice;
}

type Choice = {
  companyId: CompanyId;
  invoiceId: InvoiceId | undefined;
  plan: PlanId;
  now: Date;
};

/** The plan of the open invoice: the company's own, or one that is offered. False: it is neither. */
async function choosePlan(tx: Tx, { companyId, invoiceId, plan, now }: Choice): Promise<boolean> {
  const [found] = await tx.query<{ isOwn: boolean }>(sql`
    select c.plan_id = p.id as "isOwn" from plans p, companies c
    where p.id = ${plan} and c.id = ${companyId} and (p.use_internal and p.value_cents > 0 or c.plan_id = p.id)
    for key share of p`);
  if (!found) return false;
  const isOpen = and(eq(invoices.companyId, companyId), eq(invoices.status, "open"));
  const chosen = await tx.orm
    .update(invoices)
    .set({ planId: plan, isChosen: !found.isOwn, updatedAt: now })
    .where(invoiceId === undefined ? isOpen : and(isOpen, eq(invoices.id, invoiceId)))
    .returning({ id: invoices.id });
  if (chosen.length > 0) await reconcileAcrossCompanies(tx, { companyId }, now);
  else if (invoiceId === undefined) await makeChosenInvoice(tx, { companyId, plan, now });
  return true;
}

/** A charge under the names that clients of the family read. */
function toCharge(row: ChargeRow, receiver: string): Charge {
  const { id, invoiceId, txid, bank, expiresAt, createdAt } = row;
  const lastsMs = expiresAt && expiresAt.getTime() - createdAt.getTime();
  return {
    ...{ id, invoiceId, txid, bank, receiver },
    status: row.paidAt === null ? "ATIVA" : "CONCLUIDA",
    calendario: {
      criacao: toIso(createdAt),
      expiracao: lastsMs === null ? null : Math.round(lastsMs / 1_000),
    },
    valor: { original: (row.valueCents / 100).toFixed(2) },
    solicitacaoPagador: `#Fatura:${invoiceId}`,
    qrcode: { qrcode: row.code },
    expiresAt: toIsoOrNull(expiresAt),
    saidPaidAt: toIsoOrNull(row.saidPaidAt),
  };
}
