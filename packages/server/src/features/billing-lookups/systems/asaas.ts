import { z } from "zod";
import type { Bill, BillingAccess, Reach } from "./call.ts";
import { callSystem, optional, readAnswer, reais, SystemFailed, word, words } from "./call.ts";

export type AsaasAccess = {
  token: string;
  /** Takes the place of the system's own address. */
  url: string | null;
};

const PRODUCTION = "https://api.asaas.com";
const SANDBOX = "https://api-sandbox.asaas.com";
const SANDBOX_KEY = "$aact_hmlg_";

const customers = z.object({
  data: z.array(
    z.object({ id: z.string().min(1), name: words(200), deleted: z.boolean().nullish() }),
  ),
});
const payments = z.object({
  data: z.array(
    z.object({
      id: z.string().min(1),
      invoiceNumber: word,
      value: reais,
      dueDate: z.string(),
      description: words(500),
      invoiceUrl: word,
    }),
  ),
});
type Payment = z.output<typeof payments>["data"][number];
const pixCode = z.object({ success: z.boolean().nullish(), payload: words(1_000) });
const barCode = z.object({ identificationField: words(200) });

/** Asaas: the payment that is overdue, else the next one, whichever is due first. */
export function openAsaas(reach: Reach, { token, url }: AsaasAccess): BillingAccess {
  const base = `${url ?? (token.startsWith(SANDBOX_KEY) ? SANDBOX : PRODUCTION)}/v3`;

  async function ask<T>(form: z.ZodType<T>, path: string, signal: AbortSignal): Promise<T> {
    const headers = { access_token: token, "user-agent": "Balcao" };
    return readAnswer(form, await callSystem(reach, { url: base + path, headers }, signal));
  }

  async function findPayment(customer: string, signal: AbortSignal): Promise<Payment | undefined> {
    for (const status of ["OVERDUE", "PENDING"]) {
      const query = `customer=${encodeURIComponent(customer)}&status=${status}&limit=100`;
      const { data } = await ask(payments, `/payments?${query}`, signal);
      const [first] = data.toSorted((one, other) => one.dueDate.localeCompare(other.dueDate));
      if (first) return first;
    }
    return undefined;
  }

  async function toBill(payment: Payment, signal: AbortSignal): Promise<Bill> {
    const path = `/payments/${encodeURIComponent(payment.id)}`;
    const [pix, bar] = await Promise.all([
      optional(ask(pixCode, `${path}/pixQrCode`, signal), signal),
      optional(ask(barCode, `${path}/identificationField`, signal), signal),
    ]);
    const { value, dueDate, description, invoiceUrl } = payment;
    return {
      ...{ number: payment.invoiceNumber || payment.id, value, dueDate, description },
      link: invoiceUrl.startsWith("https://") ? invoiceUrl : "",
      line: bar?.identificationField ?? "",
      pix: pix && pix.success !== false ? pix.payload : "",
    };
  }

  return {
    async findBill(document, signal) {
      const { data } = await ask(customers, `/customers?cpfCnpj=${document}`, signal);
      const found = data.find(({ deleted }) => deleted !== true);
      if (!found) return null;
      const payment = await findPayment(found.id, signal);
      const bill = payment ? await toBill(payment, signal) : null;
      return { name: found.name, bill, unblock: null };
    },
    findBlocked: null,
    async check(signal) {
      // A key that is not set would be sent as an empty header.
      if (token === "") throw new SystemFailed("access");
      await ask(customers, "/customers?limit=1", signal);
    },
  };
}
