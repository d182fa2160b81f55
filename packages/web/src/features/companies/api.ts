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
import { upload } from "../../api/upload.ts";
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

export type SheetRow = ReplyOf<"POST /companies/spreadsheet">["rows"][number];
export type BatchResult = ReplyOf<"POST /companies/batch">["results"][number];

/** Has a spreadsheet of companies read; nothing is stored. */
export async function readSheet(file: File): Promise<SheetRow[]> {
  const reply = await upload("POST /companies/spreadsheet", {
    params: {},
    files: { file: [file] },
  });
  return reply.rows;
}

/** A company takes a second on a busy server. */
const BATCH_LIMIT_MS = 60_000;

/** Creates a few companies, each by itself. A call that is repeated creates none twice. */
export async function createBatch(
  companies: RequestOf<"POST /companies/batch">["body"]["companies"],
): Promise<BatchResult[]> {
  const body = { companies, language: currentLanguage() };
  const reply = await call("POST /companies/batch", { body }, { limitMs: BATCH_LIMIT_MS });
  return reply.results;
}

type NewCompany = RequestOf<"POST /companies">["body"];
export type CompanyFields = Omit<NewCompany, "password" | "language">;

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

/** The page of a company's invoices. */
export const invoicesAddress = ({ id }: Pick<ManagedCompany, "id">): string =>
  `/financeiro?companyId=${id}`;

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

/** The values of the form; `dueDate` is a day or "". */
export type CompanyValues = Record<
  "name" | "email" | "phone" | "password" | "planId" | "recurrence" | "dueDate",
  string
> & { campaignsEnabled: boolean; access: "invite" | "password" };

export function valuesOf(company: ManagedCompany | null): CompanyValues {
  return {
    name: company?.name ?? "",
    email: company?.email ?? "",
    phone: company?.phone ?? "",
    access: "invite",
    password: "",
    planId: company === null ? "" : String(company.planId),
    recurrence: company?.recurrence ?? "MENSAL",
    dueDate: company?.dueDate ? dayOf(company.dueDate, company.timeZone) : "",
    campaignsEnabled: company?.campaignsEnabled ?? true,
  };
}

export function bodyOf(values: CompanyValues): CompanyFields {
  const { recurrence, dueDate, campaignsEnabled } = values;
  return {
    campaignsEnabled,
    name: values.name.trim(),
    email: values.email.trim(),
    phone: values.phone.trim(),
    planId: Number(values.planId),
    recurrence: isRecurrence(recurrence) ? recurrence : "",
    dueDate: dueDate === "" ? null : dueDate,
  };
}
