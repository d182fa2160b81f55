// Without schemas: the browser needs them too.

/** How often a company pays, with the months that one payment is for (spec 4). */
export const recurrenceMonths = {
  MENSAL: 1,
  BIMESTRAL: 2,
  TRIMESTRAL: 3,
  SEMESTRAL: 6,
  ANUAL: 12,
} as const;
export type Recurrence = keyof typeof recurrenceMonths;
export const recurrences = Object.keys(recurrenceMonths) as Recurrence[];

/** Reais as forms and people write them: "97,5", "1.234", "1.234,50", "R$ 199.90". Null: that is no amount. */
export function reaisOf(typed: string): number | null {
  const text = typed.replace("R$", "").trim();
  // A point before three digits stands for thousands, in any other place for the decimals.
  const isGrouped = /^\d{1,3}(\.\d{3})+(,\d{1,2})?$/.test(text);
  const plain = (isGrouped ? text.replaceAll(".", "") : text).replace(",", ".");
  return /^\d+(\.\d{1,2})?$/.test(plain) ? Number(plain) : null;
}

/** `due`: in the next five days; `down`: with a connection that is lost. */
export const companyStates = ["due", "overdue", "down", "trial", "suspended"] as const;
export type CompanyState = (typeof companyStates)[number];

export const companyOrders = [
  ...(["dueDate", "name", "plan", "users", "messages", "fileBytes"] as const),
  "lastSeenAt",
] as const;
export type CompanyOrder = (typeof companyOrders)[number];

/** The columns of a spreadsheet of companies, in the order of the template. */
export const companySheetColumns = [
  ...(["name", "email", "phone", "plan", "dueDate", "recurrence", "campaigns"] as const),
] as const;
export type CompanySheetColumn = (typeof companySheetColumns)[number];

/** Why a cell keeps its company from being created. `repeated`: a row above has the same. */
export const companyCellFaults = [
  ...(["missing", "short", "long", "invalid", "unknown", "taken", "repeated"] as const),
] as const;
export type CompanyCellFault = (typeof companyCellFaults)[number];
