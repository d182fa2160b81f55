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

/** `due`: in the next five days; `down`: with a connection that is lost. */
export const companyStates = ["due", "overdue", "down", "trial", "suspended"] as const;
export type CompanyState = (typeof companyStates)[number];

export const companyOrders = ["dueDate", "name", "plan", "users", "lastSeenAt"] as const;
export type CompanyOrder = (typeof companyOrders)[number];
