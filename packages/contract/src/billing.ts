import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import type { PlanId } from "./ids.ts";
import { askedCompanyId, chargeId, companyId, invoiceId, paymentId } from "./ids.ts";
import { limits } from "./limits.ts";
import { plan } from "./plans.ts";
import { emptyReply, isoDate, pageNumber, searchParam, text } from "./primitives.ts";

export const invoiceStatuses = ["open", "paid", "cancelled"] as const;
export type InvoiceStatus = (typeof invoiceStatuses)[number];

/** The invoice of a company for a due date (wire-contract 2.3); `value` is in reais. */
export const invoice = z.object({
  id: invoiceId,
  companyId,
  /** The name of the plan. */
  detail: z.string(),
  value: z.number(),
  /** The months that it is for. */
  months: z.number(),
  status: z.enum(invoiceStatuses),
  dueDate: isoDate,
  paidAt: isoDate.nullable(),
  /** Reais that came in for it and wait for a person; null without such payments. */
  unclearValue: z.number().nullable(),
  /** Its payer says that it is paid, and nobody has confirmed it yet. */
  saidPaid: z.boolean(),
});
export type Invoice = z.output<typeof invoice>;

/**
 * `simulated`: a super user pays in place of a bank. `by-hand`: a PIX key, and a super user confirms what arrived. The others are
 * banks with an API.
 */
export const bankKinds = ["simulated", "by-hand", "efi", "asaas"] as const;
export type BankKind = (typeof bankKinds)[number];

/** Why a person has to look at a payment: it has another value, its invoice was cancelled, or was paid already. */
export const paymentFaults = ["value", "cancelled", "again"] as const;
export type PaymentFault = (typeof paymentFaults)[number];

/** `unclear` waits for a person, who takes it as the payment (`accepted`) or gives it back (`returned`). */
export type PaymentState = "accepted" | "unclear" | "returned";

/** Kinds of events in the ledger: they moved money or a due date. */
export type BillingAction =
  | "invoice-made"
  | "invoice-changed"
  | "invoice-cancelled"
  | "payment"
  | "payment-unclear"
  | "payment-returned"
  | "due-date"
  | "plan"
  | "stopped"
  | "restored";

export const payerCountries = ["BR", "usa"] as const;

/** The one who pays, under the names of the checkout form (wire-contract 5.25). */
const payerFields = {
  /** The full name. */
  firstName: text(limits.payerTextMax).trim().min(1),
  lastName: text(limits.payerTextMax).trim().default(""),
  address2: text(limits.payerTextMax).trim().min(1),
  city: text(limits.payerTextMax).trim().min(1),
  state: text(limits.payerTextMax).trim().default(""),
  zipcode: text(20).trim().min(1),
  country: z.enum(payerCountries),
};
export const payer = z.object(payerFields);
export type Payer = z.output<typeof payer>;

/** A PIX to be paid, with the fields that clients of the family read. */
export const charge = z.object({
  id: chargeId,
  invoiceId,
  txid: z.string(),
  status: z.enum(["ATIVA", "CONCLUIDA"]),
  calendario: z.object({ criacao: isoDate, expiracao: z.number().nullable() }),
  /** Two decimals after a point. */
  valor: z.object({ original: z.string() }),
  solicitacaoPagador: z.string(),
  /** The text of the QR code, which is drawn by the client. */
  qrcode: z.object({ qrcode: z.string() }),
  bank: z.enum(bankKinds),
  receiver: z.string(),
  /** Null: it holds until it is paid. */
  expiresAt: isoDate.nullable(),
  /** When the payer said that it is paid. */
  saidPaidAt: isoDate.nullable(),
});
export type Charge = z.output<typeof charge>;

/** The reply for the page of the company's payments. */
export const subscription = z.object({
  company: z.object({
    id: companyId,
    name: z.string(),
    status: z.boolean(),
    dueDate: isoDate.nullable(),
    trialExpiration: isoDate.nullable(),
    recurrence: z.string(),
  }),
  plan,
  /** The months that one payment is for. */
  months: z.number(),
  usage: z.object({ users: z.number(), connections: z.number(), queues: z.number() }),
  /** When connections stop, if nothing is paid until then; null without an invoice. */
  stopsAt: isoDate.nullable(),
  /** The one that is to be paid; null without a plan that costs something. */
  invoice: invoice.nullable(),
  /** Whether a plan can be chosen and paid. Without an invoice, the first choice makes one. */
  canPay: z.boolean(),
  /** Reais of all payments that wait for a person, also for invoices that are over; null without any. */
  unclearValue: z.number().nullable(),
  /** The last due day when that is paid now. */
  paidUntil: isoDate.nullable(),
  /** The PIX of that invoice that still holds. */
  charge: charge.nullable(),
  payer: payer.nullable(),
  bank: z.enum(bankKinds),
  receiver: z.string(),
  /** The address for questions; may be empty. */
  contact: z.string(),
});
export type Subscription = z.output<typeof subscription>;

/** The tier that the checkout chose: its plan, or the JSON text of an object with it. */
const chosenPlan = z
  .union([z.number(), z.string().max(5_000)])
  .transform((value, context) => {
    if (typeof value === "number") return value;
    try {
      const parsed: unknown = JSON.parse(value);
      return typeof parsed === "object" && parsed !== null && "planId" in parsed
        ? Number(parsed.planId)
        : Number(parsed);
    } catch {
      context.addIssue({ code: "custom", message: "no JSON" });
      return z.NEVER;
    }
  })
  .pipe(z.number().int().positive())
  .transform((id) => id as PlanId);

const pay = { auth: "bearer", permission: "invoices:pay", openToExpired: true } as const;
const manage = { auth: "bearer", permission: "billing:manage" } as const;

const bankRefusals = ["ERR_BANK_AWAY", "ERR_BANK_REFUSED"] as const;

/** Only hints are read from a notification: the bank is asked what came in. */
const notified = {
  auth: "none",
  params: z.object({ key: text(100) }),
  body: z.looseObject({
    /** The product reads their `txid`. */
    pix: z.array(z.looseObject({})).max(1_000).optional(),
    /** From another bank; the product reads its `pixQrCodeId`. */
    payment: z.looseObject({}).optional(),
  }),
  reply: z.object({ ok: z.literal(true) }),
  errors: ["ERR_ROUTE_NOT_FOUND"],
} as const;

const efiAccess = z.object({
  clientId: text(200).trim().min(1),
  clientSecret: text(200).trim().min(1),
  /** A p12 file, or a PEM text with certificate and key; base64. */
  certificate: z.base64().min(1).max(40_000),
  passphrase: text(200).default(""),
  sandbox: z.boolean().default(false),
});
export type EfiAccess = z.output<typeof efiAccess>;
const asaasAccess = z.object({
  apiKey: text(500).trim().min(1),
  sandbox: z.boolean().default(false),
});
export type AsaasAccess = z.output<typeof asaasAccess>;

const settings = z.object({
  bank: z.enum(bankKinds),
  /** Name and city of the receiver, as a bank shows them to the payer. */
  receiver: text(25).trim(),
  city: text(15).trim(),
  /** Needed for `by-hand`. */
  pixKey: text(77).trim(),
  contact: z.union([z.email().max(limits.emailMax), z.literal("")]),
});
/** Credentials that are not sent stay. */
const settingsChange = settings.extend({
  efi: efiAccess.optional(),
  asaas: asaasAccess.optional(),
});
export type BillingSettingsChange = z.output<typeof settingsChange>;

/** The settings without the secret parts of the credentials. */
const shownSettings = settings.extend({
  efi: z
    .object({ clientId: z.string(), sandbox: z.boolean(), certificateUntil: isoDate.nullable() })
    .nullable(),
  asaas: z.object({ keyEnd: z.string(), sandbox: z.boolean() }).nullable(),
  /** Where the bank can tell of payments; null while the installation has no public address. */
  notifyUrl: z.string().nullable(),
});
export type BillingSettings = z.output<typeof shownSettings>;

/** A charge that a super user can confirm, or pay at the simulated bank. */
export const openCharge = z.object({
  id: chargeId,
  company: z.object({ id: companyId, name: z.string() }),
  invoiceId,
  detail: z.string(),
  value: z.number(),
  bank: z.enum(bankKinds),
  txid: z.string(),
  createdAt: isoDate,
  expiresAt: isoDate.nullable(),
  saidPaidAt: isoDate.nullable(),
});
export type OpenCharge = z.output<typeof openCharge>;

/** A payment that a person has to settle. */
export const unclearPayment = z.object({
  id: paymentId,
  company: z.object({ id: companyId, name: z.string() }),
  invoiceId,
  detail: z.string(),
  value: z.number(),
  /** The value of the charge, in reais. */
  expected: z.number(),
  fault: z.enum(paymentFaults),
  receivedAt: isoDate,
});
export type UnclearPayment = z.output<typeof unclearPayment>;

/** A bank's notification. */
export type BankNotice = z.output<typeof notified.body>;

export const billingEndpoints = defineEndpoints({
  "GET /invoices/all": {
    ...pay,
    summary:
      "One page of the company's invoices: the open one, those whose payment is checked, then the newest due date. Super users may ask for another company's",
    query: z.object({ searchParam, pageNumber, companyId: askedCompanyId }),
    reply: z.object({ invoices: z.array(invoice), count: z.number(), hasMore: z.boolean() }),
    errors: [],
  },
  "GET /subscription": {
    ...pay,
    summary: "Plan, use, the open invoice and its PIX",
    reply: subscription,
    errors: [],
  },
  "POST /subscription": {
    ...pay,
    summary:
      "The PIX of an invoice; one that still holds is given again. The price is the invoice's, or that of the chosen plan, whatever was sent",
    body: z.object({
      ...payerFields,
      plan: chosenPlan.optional(),
      /** Left out by a company whose plan costs nothing: the chosen plan makes the invoice. */
      invoiceId: invoiceId.optional(),
    }),
    reply: charge,
    errors: [
      "ERR_NO_INVOICE_FOUND",
      "ERR_INVOICE_PAID",
      "ERR_NO_PLAN_FOUND",
      "ERR_PIX_KEY_MISSING",
      "ERR_BANK_ACCESS_MISSING",
      ...bankRefusals,
    ],
  },
  "POST /subscription/:invoiceId/said-paid": {
    ...pay,
    summary: "Tells the provider that a PIX was paid whose bank tells nothing",
    params: z.object({ invoiceId }),
    reply: charge,
    errors: ["ERR_NO_INVOICE_FOUND", "ERR_INVOICE_PAID"],
  },
  "POST /subscription/webhook/:key": {
    ...notified,
    summary: "A bank says that something was paid; `key` is known to the bank alone",
  },
  "POST /subscription/webhook/:key/pix": {
    ...notified,
    summary: "The same, for a bank that adds this to the address that it was given",
  },
  "GET /billing/settings": {
    ...manage,
    summary: "How companies pay the provider; super users only",
    reply: shownSettings,
    errors: [],
  },
  "PUT /billing/settings": {
    ...manage,
    summary: "Changes how companies pay; charges that are open stay as they are. Super users only",
    body: settingsChange,
    reply: shownSettings,
    errors: ["ERR_PIX_KEY_MISSING", "ERR_BANK_ACCESS_MISSING", "ERR_BANK_CERTIFICATE"],
  },
  "POST /billing/settings/test": {
    ...manage,
    summary:
      "Asks the bank whether it takes the credentials, and tells it where to notify; super users only",
    reply: z.object({ notifyUrl: z.string().nullable() }),
    errors: [...bankRefusals, "ERR_PIX_KEY_MISSING", "ERR_BANK_ACCESS_MISSING"],
  },
  "GET /billing/charges": {
    ...manage,
    summary:
      "Charges that wait to be paid, those first whose payer says that it is; super users only",
    query: z.object({ pageNumber }),
    reply: z.object({ charges: z.array(openCharge), count: z.number(), hasMore: z.boolean() }),
    errors: [],
  },
  "POST /billing/charges/:chargeId/pay": {
    ...manage,
    summary: "Confirms that a charge was paid, with the value that arrived; super users only",
    params: z.object({ chargeId }),
    body: z.object({ value: z.number().positive().max(limits.planValueMax) }),
    reply: emptyReply,
    errors: ["ERR_NO_CHARGE_FOUND"],
  },
  "GET /billing/payments": {
    ...manage,
    summary: "Payments that a person has to settle, the oldest first; super users only",
    query: z.object({ pageNumber }),
    reply: z.object({ payments: z.array(unclearPayment), count: z.number(), hasMore: z.boolean() }),
    errors: [],
  },
  "POST /billing/payments/:paymentId/settle": {
    ...manage,
    summary:
      "Takes an unclear payment as the invoice's, or notes that it was given back; super users only",
    params: z.object({ paymentId }),
    body: z.object({ as: z.enum(["accepted", "returned"]) }),
    reply: emptyReply,
    errors: ["ERR_NO_PAYMENT_FOUND"],
  },
});
