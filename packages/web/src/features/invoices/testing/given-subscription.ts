import type { Charge, Invoice, Plan, Subscription } from "@balcao/contract";
import { charge, invoice, plan, subscription } from "@balcao/contract";

const everything = {
  ...{ useCampaigns: true, useKanban: true, useOpenAi: true, useIntegrations: true },
  ...{ useSchedules: true, useInternalChat: true, useExternalApi: true, useInternal: true },
};

export const team: Plan = plan.parse({
  ...{ id: 2, name: "Equipe", users: 10, connections: 3, queues: 10, value: 199.9 },
  ...everything,
});
export const essential: Plan = plan.parse({
  ...{ id: 1, name: "Essencial", users: 3, connections: 1, queues: 4, value: 99.9 },
  ...{ ...everything, useCampaigns: false, useOpenAi: false, useExternalApi: false },
});

/** The moment of the tests: Thursday, 19/11/2026, 9:00 in the company's calendar. */
export const NOW = new Date("2026-11-19T12:00:00.000Z");
/** The end of the day before. */
export const ENDED = "2026-11-19T02:59:59.999Z";
export const PAID_UNTIL = "2026-12-20T02:59:59.999Z";

/** An open invoice for the due date that has passed. */
export const givenInvoice = (id: number, fields: Partial<Invoice> = {}): Invoice =>
  invoice.parse({
    ...{ id, companyId: 3, detail: "Equipe", value: 199.9, months: 1 },
    ...{ status: "open", dueDate: ENDED, paidAt: null, unclearValue: null, saidPaid: false },
    ...fields,
  });

export const givenCharge = (fields: Partial<Charge> = {}): Charge =>
  charge.parse({
    ...{ id: 5, invoiceId: 1187, txid: "a1", status: "ATIVA", solicitacaoPagador: "#Fatura:1187" },
    calendario: { criacao: NOW.toISOString(), expiracao: 3_600 },
    valor: { original: "199.90" },
    qrcode: { qrcode: "00020101021226630014br.gov.bcb.pix" },
    ...{ bank: "efi", receiver: "Conecta Sul Tecnologia" },
    ...{ expiresAt: "2026-11-19T13:00:00.000Z", saidPaidAt: null, ...fields },
  });

/** Of a company whose subscription ended yesterday. */
export const givenSubscription = (fields: Partial<Subscription> = {}): Subscription =>
  subscription.parse({
    company: {
      ...{ id: 3, name: "Boutique Aurora", status: true, dueDate: ENDED },
      ...{ trialExpiration: null, recurrence: "MENSAL" },
    },
    ...{ plan: team, months: 1, usage: { users: 8, connections: 3, queues: 5 } },
    ...{ stopsAt: "2026-11-22T02:59:59.999Z", invoice: givenInvoice(1187), paidUntil: PAID_UNTIL },
    ...{ canPay: fields.invoice !== null, unclearValue: null },
    ...{ charge: null, bank: "efi", receiver: "Conecta Sul Tecnologia" },
    payer: {
      ...{ firstName: "Renata Almeida", lastName: "", address2: "Rua das Flores, 12" },
      ...{ city: "Florianópolis", state: "SC", zipcode: "88010-000", country: "BR" },
    },
    contact: "financeiro@conectasul.com.br",
    ...fields,
  });

/** The same after the payment: another invoice, for the next due date, is the open one. */
export const givenPaid = (): Subscription =>
  givenSubscription({
    company: { ...givenSubscription().company, dueDate: PAID_UNTIL },
    invoice: givenInvoice(1_240, { dueDate: PAID_UNTIL }),
    paidUntil: "2027-01-20T02:59:59.999Z",
  });
