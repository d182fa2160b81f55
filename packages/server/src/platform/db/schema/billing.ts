import type {
  BankKind,
  BillingAction,
  ChargeId,
  InvoiceId,
  InvoiceStatus,
  Payer,
  PaymentFault,
  PaymentId,
  PaymentState,
  PlanId,
} from "@balcao/contract";
import { sql } from "drizzle-orm";
import {
  boolean,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  unique,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import {
  companyIdColumn,
  createdAt,
  dependsOn,
  identity,
  moment,
  sealed,
  updatedAt,
  userReference,
} from "./columns.ts";
import { companies, plans } from "./companies.ts";

/** The invoices of companies, one for each due date (behaviour 9.4). */
export const invoices = pgTable(
  "invoices",
  {
    id: identity().$type<InvoiceId>(),
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    planId: integer("plan_id")
      .$type<PlanId>()
      .references(() => plans.id, { onDelete: "set null" }),
    /** The name that the plan had. */
    detail: text("detail").notNull(),
    valueCents: integer("value_cents").notNull(),
    /** The months that it is for. */
    months: integer("months").notNull(),
    /** The plan was chosen with the checkout: with the payment it becomes the company's. */
    isChosen: boolean("is_chosen").notNull().default(false),
    dueDate: moment("due_date").notNull(),
    status: text("status").$type<InvoiceStatus>().notNull(),
    paidAt: moment("paid_at"),
    /** When the company was told that it is due soon. */
    remindedAt: moment("reminded_at"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique("invoices_company_id").on(table.companyId, table.id),
    uniqueIndex("invoices_due")
      .on(table.companyId, table.dueDate)
      .where(sql`status <> 'cancelled'`),
    uniqueIndex("invoices_open")
      .on(table.companyId)
      .where(sql`status = 'open'`),
    index("invoices_newest").on(table.companyId, table.dueDate, table.id),
    index("invoices_plan").on(table.planId),
  ],
);

/** A PIX that a bank was asked for, to pay an invoice. */
export const charges = pgTable(
  "charges",
  {
    id: identity().$type<ChargeId>(),
    companyId: companyIdColumn(),
    invoiceId: integer("invoice_id").$type<InvoiceId>().notNull(),
    bank: text("bank").$type<BankKind>().notNull(),
    /** Ours; the bank knows the charge by it. */
    txid: text("txid").notNull().unique(),
    /** The bank's own id of it, where it has one. */
    bankId: text("bank_id"),
    valueCents: integer("value_cents").notNull(),
    /** The text of the QR code. Empty until the bank has answered. */
    code: text("code").notNull().default(""),
    /** Null: it holds until it is paid. */
    expiresAt: moment("expires_at"),
    paidAt: moment("paid_at"),
    /** The payer says that it is paid; for banks that tell nothing. */
    saidPaidAt: moment("said_paid_at"),
    /** The last time that the bank was asked whether it is paid. */
    askedAt: moment("asked_at"),
    createdAt: createdAt(),
  },
  (table) => [
    dependsOn("charges_invoice", table.companyId, table.invoiceId, invoices),
    unique("charges_company_id").on(table.companyId, table.id),
    index("charges_invoice_index").on(table.companyId, table.invoiceId),
    index("charges_unpaid")
      .on(table.createdAt)
      .where(sql`paid_at is null`),
  ],
);

/** Money that came in, once for each transfer of a bank. */
export const payments = pgTable(
  "payments",
  {
    id: identity().$type<PaymentId>(),
    /** The company of the charge. */
    companyId: companyIdColumn(),
    chargeId: integer("charge_id").$type<ChargeId>().notNull(),
    bank: text("bank").$type<BankKind>().notNull(),
    /** The bank's id of the transfer. */
    transferId: text("transfer_id").notNull(),
    valueCents: integer("value_cents").notNull(),
    receivedAt: moment("received_at").notNull(),
    /** `unclear` waits for a person. */
    state: text("state").$type<PaymentState>().notNull(),
    fault: text("fault").$type<PaymentFault>(),
    settledBy: userReference({ onRemove: "keep" }, "settled_by"),
    settledAt: moment("settled_at"),
    createdAt: createdAt(),
  },
  (table) => [
    unique("payments_transfer").on(table.bank, table.transferId),
    foreignKey({
      name: "payments_charge",
      columns: [table.companyId, table.chargeId],
      foreignColumns: [charges.companyId, charges.id],
    }).onDelete("cascade"),
    index("payments_charge_index").on(table.companyId, table.chargeId),
    index("payments_received").on(table.receivedAt),
    index("payments_unclear")
      .on(table.createdAt)
      .where(sql`state = 'unclear'`),
  ],
);

/** Each event that moved money or a due date. Rows are only added. */
export const billingEvents = pgTable(
  "billing_events",
  {
    id: identity(),
    companyId: companyIdColumn().references(() => companies.id, { onDelete: "cascade" }),
    action: text("action").$type<BillingAction>().notNull(),
    invoiceId: integer("invoice_id").$type<InvoiceId>(),
    paymentId: integer("payment_id").$type<PaymentId>(),
    valueCents: integer("value_cents"),
    dueBefore: moment("due_before"),
    dueAfter: moment("due_after"),
    /** The super user who did it; null for banks and jobs. */
    actorName: text("actor_name"),
    createdAt: createdAt(),
  },
  (table) => [index("billing_events_company").on(table.companyId, table.id)],
);

/** The person or business that pays for a company, as the checkout asked for it last. */
export const payers = pgTable("payers", {
  companyId: companyIdColumn()
    .primaryKey()
    .references(() => companies.id, { onDelete: "cascade" }),
  data: jsonb("data").$type<Payer>().notNull(),
  updatedAt: updatedAt(),
});

/** How the provider is paid; one row for the installation. */
export const billingSettings = pgTable("billing_settings", {
  id: integer("id").primaryKey(),
  bank: text("bank").$type<BankKind>().notNull(),
  receiver: text("receiver").notNull(),
  city: text("city").notNull(),
  pixKey: text("pix").notNull(),
  /** The address for questions about invoices. */
  contact: text("contact").notNull(),
  /** Credentials of the bank. */
  secrets: sealed("secrets"),
  updatedAt: updatedAt(),
});
