import type { Charge, Company, Invoice, Plan, RequestOf, Subscription } from "@balcao/contract";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { updateSessionCompany } from "../../api/session-store.ts";
import { dayKey, formatMoney } from "../../i18n/format.ts";
import type { TFunction } from "../../i18n/index.ts";
import { currentLanguage } from "../../i18n/index.ts";
import { localeTags } from "../../i18n/languages.ts";
import { livePages } from "../../realtime/live-list.ts";
import { onCompanyEvent, readAgain } from "../../realtime/live.ts";
import { epochMs, nowIso } from "../../ui/clock.ts";

/** The own company's invoices, or those of one that a super user names. */
type Asked = { words: string; companyId?: Company["id"] };

/** The invoices of a company: the open one first, then those with an unclear payment, then the newest due dates. */
export const invoicePages = livePages<Invoice, Asked>({
  key: ["invoices"],
  identify: ({ id }) => id,
  async read({ words: searchParam, companyId }, pageNumber, signal) {
    const query = { searchParam, pageNumber, companyId };
    const { invoices: rows, ...totals } = await call("GET /invoices/all", { query }, { signal });
    return { rows, ...totals };
  },
});

/** One invoice of the own company by its number; null when there is none. */
export const useInvoice = (id: number) =>
  useQuery({
    queryKey: ["invoices", "one", id],
    async queryFn({ signal }): Promise<Invoice | null> {
      const query = { searchParam: String(id), pageNumber: "1" };
      const { invoices } = await call("GET /invoices/all", { query }, { signal });
      return invoices.find((one) => one.id === id) ?? null;
    },
  });

const subscriptionQuery = queryOptions({
  queryKey: ["subscription"],
  queryFn: ({ signal }) => readSubscription(signal),
  staleTime: 0,
});

/** The company's plan, its use and what is to be paid; read again every `everyMs` while the page is visible. */
export function useSubscription(options: { enabled?: boolean; everyMs?: number | undefined } = {}) {
  const { enabled = true, everyMs = false } = options;
  return useQuery({ ...subscriptionQuery, enabled, refetchInterval: everyMs });
}

/** Also moves the due date of the session, which opens the product after a payment, without a reload. */
async function readSubscription(signal?: AbortSignal): Promise<Subscription> {
  const known = queryClient.getQueryData(subscriptionQuery.queryKey);
  const reply = await call("GET /subscription", {}, { signal });
  updateSessionCompany(reply.company);
  if (known !== undefined && stateOf(known) !== stateOf(reply)) invoicePages.readAgain();
  return reply;
}

/** What of it the list of invoices shows. */
const stateOf = ({ invoice, company }: Subscription): string =>
  JSON.stringify([invoice, company.dueDate]);

onCompanyEvent("payment", () => {
  invoicePages.readAgain();
  void readAgain(subscriptionQuery);
});

type Payer = Omit<RequestOf<"POST /subscription">["body"], "plan" | "invoiceId">;
/** What a company pays for a plan. */
export type Offer = Pick<Plan, "id" | "name" | "users" | "connections" | "queues"> & {
  price: number;
};

/**
 * Asks for the PIX of an invoice, under all names that the specification gives the form. Without an invoice, that of the
 * chosen plan is made.
 */
export async function startPayment(
  invoiceId: Invoice["id"] | undefined,
  payer: Payer,
  offer: Offer,
): Promise<Charge> {
  const { id: planId, name: title, price, users, connections, queues } = offer;
  const body = {
    ...payer,
    useAddressForPaymentDetails: false,
    ...{ nameOnCard: "", cardNumber: "", cvv: "" },
    plan: JSON.stringify({ title, planId, price, users, connections, queues }),
    ...{ price, users, connections, invoiceId },
  };
  const charge = await call("POST /subscription", { body });
  keepCharge(charge);
  // The invoice may be for another plan now.
  void readAgain(subscriptionQuery);
  return charge;
}

/** Tells the provider that a PIX was paid whose bank tells nothing. */
export async function sayPaid(invoiceId: Invoice["id"]): Promise<void> {
  keepCharge(await call("POST /subscription/:invoiceId/said-paid", { params: { invoiceId } }));
  // The invoice says so too, for as long as nobody has confirmed it.
  void readAgain(subscriptionQuery);
}

function keepCharge(charge: Charge): void {
  queryClient.setQueryData(subscriptionQuery.queryKey, (known) => known && { ...known, charge });
}

/** The plans that are offered, the cheapest first; undefined while unknown. */
export const useOfferedPlans = () =>
  useQuery({
    queryKey: ["plans", "offered"],
    queryFn: ({ signal }): Promise<Plan[]> => call("GET /plans/list", {}, { signal }),
    meta: { live: false },
  });

/** Whether the PIX of an invoice can still be paid. */
export function isPayable(charge: Charge | null, invoiceId: Invoice["id"]): boolean {
  if (charge?.invoiceId !== invoiceId) return false;
  return charge.expiresAt === null || Date.parse(charge.expiresAt) > epochMs();
}

/** A payment of it waits for a person. */
export const isChecked = ({ status, unclearValue, saidPaid }: Invoice): boolean =>
  status !== "paid" && (unclearValue !== null || saidPaid);

/** What waits for a person before anything else is paid; null without such a payment. */
export function checkWords(t: TFunction, { invoice, unclearValue }: Subscription) {
  const text = t("checkout.unclearText");
  if (invoice !== null && invoice.unclearValue !== null) {
    const values = {
      received: formatMoney(invoice.unclearValue),
      expected: formatMoney(invoice.value),
    };
    return { tone: "warn", title: t("checkout.unclear", values), text } as const;
  }
  if (unclearValue !== null) {
    const value = formatMoney(unclearValue);
    return { tone: "warn", title: t("invoices.unclear", { value }), text } as const;
  }
  return invoice?.saidPaid ? saidPaidWords(t) : null;
}

export const saidPaidWords = (t: TFunction) =>
  ({ tone: "info", title: t("checkout.checking"), text: t("checkout.checkingText") }) as const;

/** "Plano Equipe"; a plan that is called so already is not said twice. */
export function planWords(t: TFunction, name: string): string {
  return /^plan[oe]?\b/i.test(name) ? name : t("invoices.planNamed", { name });
}

/** "Plano Equipe, novembro de 2026", or until when several months last. */
export function invoiceWords(t: TFunction, { detail, months, dueDate, paidAt }: Invoice): string {
  const plan = planWords(t, detail);
  if (months === 1) return t("invoices.forMonth", { plan, month: monthWords(dueDate) });
  // A late payment counts from the day of the payment on (behaviour 9.4).
  const from = paidAt !== null && paidAt > dueDate ? paidAt : dueDate;
  return t("invoices.forMonths", { plan, count: months, month: monthWords(from, months) });
}

/** "novembro de 2026": the month of a moment in the company's calendar, or some months later. */
function monthWords(iso: string, later = 0): string {
  const [year = 0, month = 1] = dayKey(iso).split("-").map(Number);
  const style = { month: "long", year: "numeric", timeZone: "UTC" } as const;
  const at = new Date(Date.UTC(year, month - 1 + later, 15));
  return new Intl.DateTimeFormat(localeTags[currentLanguage()], style).format(at);
}

/** "16/10": the day and month of a moment in the company's calendar; with the year when it is not this one. */
export function shortDay(iso: string): string {
  const day = dayKey(iso);
  const isThisYear = day.slice(0, 4) === dayKey(nowIso()).slice(0, 4);
  const style = {
    ...({ day: "2-digit", month: "2-digit", timeZone: "UTC" } as const),
    ...(isThisYear ? {} : { year: "numeric" as const }),
  };
  return new Intl.DateTimeFormat(localeTags[currentLanguage()], style).format(
    new Date(`${day}T12:00:00Z`),
  );
}
