import type {
  BankKind,
  ChargeId,
  CompanyId,
  OpenCharge,
  PaymentFault,
  PaymentId,
  UnclearPayment,
  UserId,
} from "@balcao/contract";
import { pageSizes } from "@balcao/contract";
import { tz } from "@date-fns/tz";
import { format } from "date-fns/format";
import { and, eq } from "drizzle-orm";
import type { UserCtx } from "../../platform/context.ts";
import type { Database, PreparedStatement, Tx } from "../../platform/db/database.ts";
import { readPage, requireRow, toIso, toIsoOrNull } from "../../platform/db/records.ts";
import { charges, companies, invoices, payments, plans } from "../../platform/db/schema/index.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { Clock } from "../../platform/sources.ts";
import type { MailsFeature } from "../mails/index.ts";
import { holdCompany } from "./checkout.ts";
import type { Reminder } from "./invoices.ts";
import { note, paidUntil, reconcileAcrossCompanies, takeReminders } from "./invoices.ts";

export type PaymentsDeps = {
  db: Database;
  clock: Clock;
  realtime: Realtime;
  /** Connections of a company start or stop with the transaction. */
  connectionsChanged(tx: Tx): void;
  mails: Pick<MailsFeature, "add">;
  publicUrl: string | null;
};

/** Money that came in, as a bank or a person tells it. */
export type Transfer = {
  chargeId: ChargeId;
  bank: BankKind;
  /** The bank's id of it: the same transfer counts once, however often it is told. */
  transferId: string;
  valueCents: number;
  receivedAt: Date;
  /** The super user who confirms it; null for a bank. */
  actorName: string | null;
};

/**
 * Takes a payment, once. With the charge's value and an invoice that is still open it pays it: the due date moves by the
 * invoice's months, and the next invoice is made. Otherwise a person settles it. Throws ERR_NO_CHARGE_FOUND.
 */
export async function receivePayment(deps: PaymentsDeps, transfer: Transfer): Promise<void> {
  const { chargeId, bank, transferId, valueCents, receivedAt, actorName } = transfer;
  await deps.db.acrossCompanies(async (tx) => {
    const found = await tx.orm
      .select({ companyId: charges.companyId })
      .from(charges)
      .where(eq(charges.id, chargeId));
    const { companyId } = requireRow(found, "ERR_NO_CHARGE_FOUND");
    const company = requireRow([await holdCompany(tx, companyId)].flatMap((row) => row ?? []));
    const { charge, invoice } = await chargeOf(tx, companyId, chargeId);
    const fault = faultOf(transfer, charge, invoice);
    const added = await tx.orm
      .insert(payments)
      .values({
        ...{ companyId, chargeId, bank, transferId, valueCents, receivedAt, fault },
        state: fault === null ? "accepted" : "unclear",
        createdAt: deps.clock.now(),
      })
      .onConflictDoNothing()
      .returning();
    const payment = added[0];
    if (!payment) return;
    if (fault === null) {
      await accept(deps, tx, { company, charge, invoice, payment, actorName });
      return;
    }
    await note(tx, {
      ...{ companyId, action: "payment-unclear", invoiceId: invoice.id, paymentId: payment.id },
      ...{ valueCents, actorName, createdAt: deps.clock.now() },
    });
    tellPayment(deps, tx, company);
  });
}

/** A super user takes an unclear payment as the invoice's, or notes that it was given back. */
export async function settleAcrossCompanies(
  deps: PaymentsDeps,
  ctx: UserCtx,
  { id, as }: { id: PaymentId; as: "accepted" | "returned" },
): Promise<undefined> {
  const { name: actorName, userId } = ctx.actor;
  await deps.db.acrossCompanies(async (tx) => {
    const found = await tx.orm
      .select({ companyId: payments.companyId })
      .from(payments)
      .where(eq(payments.id, id));
    const { companyId } = requireRow(found, "ERR_NO_PAYMENT_FOUND");
    const company = requireRow([await holdCompany(tx, companyId)].flatMap((row) => row ?? []));
    const now = deps.clock.now();
    const settled = await tx.orm
      .update(payments)
      .set({ state: as, settledBy: userId satisfies UserId, settledAt: now })
      .where(and(eq(payments.id, id), eq(payments.state, "unclear")))
      .returning();
    // Another super user was faster.
    const payment = requireRow(settled, "ERR_NO_PAYMENT_FOUND");
    const { charge, invoice } = await chargeOf(tx, companyId, payment.chargeId);
    if (as === "accepted") {
      await accept(deps, tx, { company, charge, invoice, payment, actorName });
      return;
    }
    // Its PIX is over: money that comes for it now would be taken for the transfer that was given back.
    await tx.orm
      .update(charges)
      .set({ expiresAt: now, saidPaidAt: null })
      .where(and(eq(charges.companyId, companyId), eq(charges.id, charge.id)));
    await note(tx, {
      ...{ companyId, action: "payment-returned", invoiceId: invoice.id, paymentId: id },
      ...{ valueCents: payment.valueCents, actorName, createdAt: now },
    });
    tellPayment(deps, tx, company);
  });
  return undefined;
}

type ChargeRow = typeof charges.$inferSelect;
type InvoiceRow = typeof invoices.$inferSelect;
type CompanyRow = typeof companies.$inferSelect;

async function chargeOf(tx: Tx, companyId: CompanyId, chargeId: ChargeId) {
  const rows = await tx.orm
    .select({ charge: charges, invoice: invoices })
    .from(charges)
    .innerJoin(
      invoices,
      and(eq(invoices.companyId, charges.companyId), eq(invoices.id, charges.invoiceId)),
    )
    .where(and(eq(charges.companyId, companyId), eq(charges.id, chargeId)));
  return requireRow(rows, "ERR_NO_CHARGE_FOUND");
}

/** Why a payment needs a person; null when it pays the invoice. */
function faultOf(
  { valueCents }: Pick<Transfer, "valueCents">,
  charge: Pick<ChargeRow, "valueCents">,
  invoice: Pick<InvoiceRow, "status" | "valueCents">,
): PaymentFault | null {
  if (invoice.status === "paid") return "again";
  if (invoice.status === "cancelled") return "cancelled";
  const isWhole = valueCents === charge.valueCents && valueCents === invoice.valueCents;
  return isWhole ? null : "value";
}

type Accepted = {
  company: CompanyRow;
  charge: ChargeRow;
  invoice: InvoiceRow;
  payment: typeof payments.$inferSelect;
  actorName: string | null;
};

/**
 * Pays the invoice of the charge. Where that is over, a person has taken the money for the one that is open now; without one
 * it buys the same time. From a plan that costs nothing to the chosen one, the time begins now. The company's lock is held.
 */
async function accept(
  deps: PaymentsDeps,
  tx: Tx,
  { company, charge, payment, actorName, ...charged }: Accepted,
): Promise<void> {
  const now = deps.clock.now();
  const { id: companyId } = company;
  const isOpen = and(eq(invoices.companyId, companyId), eq(invoices.status, "open"));
  const [before] = await tx.orm
    .select({ open: invoices, priceCents: plans.valueCents })
    .from(companies)
    .leftJoin(plans, eq(plans.id, companies.planId))
    .leftJoin(invoices, isOpen)
    .where(eq(companies.id, companyId));
  const open = before?.open;
  const invoice = open ?? charged.invoice;
  const isFree = before?.priceCents === 0;
  const chosenId = invoice.isChosen && (open || isFree) ? invoice.planId : null;
  const planId = chosenId ?? company.planId;
  const dueDate = isFree && chosenId !== null ? null : company.dueDate;
  const dueAfter = paidUntil({ ...company, dueDate }, invoice.months, now);
  const paidAt = payment.receivedAt;
  await tx.orm.update(charges).set({ paidAt }).where(eq(charges.id, charge.id));
  if (open) {
    await tx.orm
      .update(invoices)
      .set({ status: "paid", paidAt, updatedAt: now })
      .where(and(eq(invoices.companyId, companyId), eq(invoices.id, open.id)));
  }
  const saved = await tx.orm
    .update(companies)
    .set({ dueDate: dueAfter, planId, trialExpiration: null, updatedAt: now })
    .where(eq(companies.id, companyId))
    .returning();
  await note(tx, {
    ...{ companyId, action: "payment", invoiceId: invoice.id, paymentId: payment.id },
    ...{ valueCents: payment.valueCents, dueBefore: company.dueDate, dueAfter },
    ...{ actorName, createdAt: now },
  });
  if (await reconcileAcrossCompanies(tx, { companyId }, now)) deps.connectionsChanged(tx);
  const { name, email, timeZone } = company;
  const { valueCents } = payment;
  const facts = { companyId, company: name, email, plan: invoice.detail, valueCents, timeZone };
  await mailAbout(deps, tx, "invoice-paid", { ...facts, dueDate: dueAfter });
  tellPayment(deps, tx, { ...requireRow(saved), status: company.status || company.unpaid });
}

/** Tells each company once that its invoice is due soon. */
export async function remindAcrossCompanies(
  deps: Pick<PaymentsDeps, "db" | "clock" | "mails" | "publicUrl">,
): Promise<void> {
  await deps.db.acrossCompanies(async (tx) => {
    for (const reminder of await takeReminders(tx, deps.clock.now())) {
      await mailAbout(deps, tx, "invoice-due", reminder);
    }
  });
}

/** To the company's own address. Its language is not known; the product's first one is taken. */
function mailAbout(
  { mails, publicUrl }: Pick<PaymentsDeps, "mails" | "publicUrl">,
  tx: Tx,
  kind: "invoice-due" | "invoice-paid",
  { companyId, company, email, plan, valueCents, dueDate, timeZone }: Reminder,
): Promise<void> {
  const day = format(dueDate, "dd/MM/yyyy", { in: tz(timeZone) });
  const url = publicUrl === null ? null : `${publicUrl}/financeiro`;
  return mails.add(tx, {
    ...{ companyId, to: { name: company, address: email }, language: "pt", kind },
    data: { company, plan, valueCents, dueDate: day, url },
  });
}

/** Tells the company's open pages with the commit. */
function tellPayment(
  { realtime }: PaymentsDeps,
  tx: Tx,
  { id, status, dueDate }: Pick<CompanyRow, "id" | "status" | "dueDate">,
): void {
  const company = { id, status, dueDate: toIsoOrNull(dueDate) };
  tx.onCommit(() =>
    realtime.publish(id, "payment", { action: "CONCLUIDA", company }, [rooms.main(id)]),
  );
}

/** A super user says what arrived for a charge. Its transfer has the charge's id, so a second press changes nothing. */
export async function confirmCharge(
  deps: PaymentsDeps,
  ctx: UserCtx,
  { id, value }: { id: ChargeId; value: number },
): Promise<undefined> {
  const rows = await deps.db.acrossCompanies((tx) =>
    tx.orm
      .select({ txid: charges.txid, bank: charges.bank })
      .from(charges)
      .where(eq(charges.id, id)),
  );
  const { txid, bank } = requireRow(rows, "ERR_NO_CHARGE_FOUND");
  await receivePayment(deps, {
    ...{ chargeId: id, bank, transferId: txid, valueCents: Math.round(value * 100) },
    ...{ receivedAt: deps.clock.now(), actorName: ctx.actor.name },
  });
  return undefined;
}

type Listed = { total: number; companyId: CompanyId; companyName: string };
type OpenRow = Listed &
  Pick<OpenCharge, "id" | "invoiceId" | "detail" | "bank" | "txid"> & {
    valueCents: number;
    createdAt: Date;
    expiresAt: Date | null;
    saidPaidAt: Date | null;
  };

/** One page of the charges of all companies that can be paid now, or whose payer says that they are paid. */
export async function listOpenChargesAcrossCompanies(
  { db, clock }: Pick<PaymentsDeps, "db" | "clock">,
  pageNumber: number,
) {
  const { rows, ...totals } = await db.acrossCompanies((tx) =>
    readPage(pageNumber, pageSizes.openCharges, (limit, offset) =>
      tx.query<OpenRow>(openChargesStatement, [clock.now(), limit, offset]),
    ),
  );
  const list = rows.map(({ total: _total, companyId, companyName, valueCents, ...row }) => ({
    ...row,
    company: { id: companyId, name: companyName },
    value: valueCents / 100,
    createdAt: toIso(row.createdAt),
    expiresAt: toIsoOrNull(row.expiresAt),
    saidPaidAt: toIsoOrNull(row.saidPaidAt),
  }));
  return { charges: list, ...totals };
}

type UnclearRow = Listed &
  Pick<UnclearPayment, "id" | "invoiceId" | "detail" | "fault"> & {
    valueCents: number;
    expectedCents: number;
    receivedAt: Date;
  };

/** One page of the payments that wait for a person, of all companies. */
export async function listUnclearAcrossCompanies(
  { db }: Pick<PaymentsDeps, "db">,
  pageNumber: number,
) {
  const { rows, ...totals } = await db.acrossCompanies((tx) =>
    readPage(pageNumber, pageSizes.unclearPayments, (limit, offset) =>
      tx.query<UnclearRow>(unclearStatement, [limit, offset]),
    ),
  );
  const list = rows.map((row) => ({
    ...{ id: row.id, invoiceId: row.invoiceId, detail: row.detail, fault: row.fault },
    company: { id: row.companyId, name: row.companyName },
    ...{ value: row.valueCents / 100, expected: row.expectedCents / 100 },
    receivedAt: toIso(row.receivedAt),
  }));
  return { payments: list, ...totals };
}

const openChargesStatement: PreparedStatement = {
  name: "billing.open-charges",
  text: `
select g.id, g.invoice_id as "invoiceId", i.detail, g.value_cents as "valueCents", g.bank, g.txid, g.created_at as "createdAt",
  g.expires_at as "expiresAt", g.said_paid_at as "saidPaidAt", c.id as "companyId", c.name as "companyName",
  count(*) over ()::int as total
from charges g
join invoices i on i.company_id = g.company_id and i.id = g.invoice_id and i.status = 'open'
join companies c on c.id = g.company_id
where g.paid_at is null and g.code <> '' and (g.expires_at is null or g.expires_at > $1 or g.said_paid_at is not null)
  and not exists (select from payments y where y.company_id = g.company_id and y.charge_id = g.id and y.state = 'unclear')
order by g.said_paid_at nulls last, g.created_at desc, g.id
limit $2 offset $3`,
};

const unclearStatement: PreparedStatement = {
  name: "billing.unclear",
  text: `
select y.id, i.id as "invoiceId", i.detail, y.value_cents as "valueCents", g.value_cents as "expectedCents", coalesce(y.fault, 'value') as fault,
  y.received_at as "receivedAt", c.id as "companyId", c.name as "companyName", count(*) over ()::int as total
from payments y
join charges g on g.company_id = y.company_id and g.id = y.charge_id
join invoices i on i.company_id = g.company_id and i.id = g.invoice_id
join companies c on c.id = y.company_id
where y.state = 'unclear'
order by y.created_at, y.id
limit $1 offset $2`,
};
