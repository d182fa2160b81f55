import type {
  Company,
  CompanyOrder,
  CompanyState,
  ManagedCompany,
  Recurrence,
  ReplyOf,
  RequestOf,
} from "@balcao/contract";
import { recurrenceMonths } from "@balcao/contract/company-choices";
import { call } from "../../api/client.ts";
import { createSessionStore } from "../../api/session-store.ts";
import { currentLanguage } from "../../i18n/index.ts";
import { localeTags } from "../../i18n/languages.ts";
import { livePages } from "../../realtime/live-list.ts";
import { useStore } from "../../store/index.ts";

export const isRecurrence = (text: string): text is Recurrence =>
  Object.hasOwn(recurrenceMonths, text);

export type CompanyQuery = Readonly<{
  words: string;
  state: CompanyState | null;
  order: CompanyOrder;
  descending: boolean;
}>;
export type Totals = ReplyOf<"GET /companies">["totals"];

const totals = createSessionStore<Totals | null>(null);

/** The figures of all companies, whatever is searched; null while unknown. */
export const useTotals = (): Totals | null => useStore(totals);

/** The companies of the installation, as the server searches and orders them. No event tells of other companies. */
export const companyPages = livePages<ManagedCompany, CompanyQuery>({
  key: ["companies", "page"],
  identify: ({ id }) => id,
  async read({ words, state, order, descending }, pageNumber, signal) {
    const query = {
      ...{ searchParam: words, pageNumber, order },
      descending: descending ? ("true" as const) : ("false" as const),
      ...(state === null ? {} : { state }),
    };
    const reply = await call("GET /companies", { query }, { signal });
    const { companies: rows, totals: known, ...rest } = reply;
    totals.set(known);
    return { rows, ...rest };
  },
});

type NewCompany = RequestOf<"POST /companies">["body"];
export type CompanyFields = Omit<NewCompany, "password">;

export async function addCompany(body: NewCompany): Promise<Company> {
  const saved = await call("POST /companies", { body });
  companyPages.readAgain();
  return saved;
}

/** Changes what is given. */
export async function changeCompany(
  companyId: number,
  body: RequestOf<"PUT /companies/:companyId">["body"],
): Promise<Company> {
  const saved = await call("PUT /companies/:companyId", { params: { companyId }, body });
  companyPages.readAgain();
  return saved;
}

/** Suspends a company, with the reason, or lets it work again (null). */
export async function setSuspended(companyId: number, reason: string | null): Promise<void> {
  const change = reason === null ? {} : { suspensionReason: reason };
  await changeCompany(companyId, { status: reason === null, ...change });
}

/** A deletion takes minutes when the company has millions of messages. */
const DELETION_LIMIT_MS = 10 * 60_000;

/** Deletes a company. One whose deletion was cut off is suspended. */
export async function deleteCompany(companyId: number): Promise<void> {
  const options = { limitMs: DELETION_LIMIT_MS };
  try {
    await call("DELETE /companies/:companyId", { params: { companyId } }, options);
  } finally {
    companyPages.readAgain();
  }
}

/** What a company pays at once: its plan's price for the months of its recurrence. */
export function priceOf(monthly: number, recurrence: string): number {
  const months = isRecurrence(recurrence) ? recurrenceMonths[recurrence] : 1;
  return Math.round(monthly * months * 100) / 100;
}

// Days are `YYYY-MM-DD`.

/** The day of a moment in a time zone. */
export function dayOf(iso: string, timeZone: string): string {
  const style = { timeZone, year: "numeric", month: "2-digit", day: "2-digit" } as const;
  const parts = new Intl.DateTimeFormat("en-CA", style).formatToParts(new Date(iso));
  const part = (type: Intl.DateTimeFormatPartTypes): string =>
    parts.find((one) => one.type === type)?.value ?? "";
  return `${part("year")}-${part("month")}-${part("day")}`;
}

/** "19/11/2026", or "19/11". */
export function dayWords(day: string, isShort = false): string {
  const style = { day: "2-digit", month: "2-digit", timeZone: "UTC" } as const;
  const whole = isShort ? style : { ...style, year: "numeric" as const };
  return new Intl.DateTimeFormat(localeTags[currentLanguage()], whole).format(
    new Date(`${day}T12:00:00Z`),
  );
}

/** The same day some months later, or the last day of that month. */
export function addMonths(day: string, count: number): string {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  // Day 0 is the last day of the month before.
  const last = new Date(Date.UTC(year, month + count, 0)).getUTCDate();
  const at = new Date(Date.UTC(year, month - 1 + count, Math.min(date, last)));
  return at.toISOString().slice(0, 10);
}
