import { tz } from "@date-fns/tz";
import { format } from "date-fns/format";

/** What decides whether a company may work. */
export type Subscription = {
  isSuper: boolean;
  companyStatus: boolean;
  dueDate: Date | null;
};

/** `active`, or why not. Super users keep their access: they run the installation (wire-contract 3.5). */
export function subscriptionState(
  { isSuper, companyStatus, dueDate }: Subscription,
  now: Date,
): "active" | "disabled" | "expired" {
  if (isSuper) return "active";
  if (!companyStatus) return "disabled";
  return dueDate !== null && dueDate.getTime() <= now.getTime() ? "expired" : "active";
}

/** The due date as the refusal prints it, on the company's calendar: DD/MM/YYYY. */
export function dueDateText(dueDate: Date, timeZone: string): string {
  return format(dueDate, "dd/MM/yyyy", { in: tz(timeZone) });
}
