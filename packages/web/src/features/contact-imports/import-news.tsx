import type { ContactImport } from "@balcao/contract";
import { formatNumber } from "../../i18n/format.ts";
import { i18n, withTexts } from "../../i18n/index.ts";
import { useCompanyEvent } from "../../realtime/index.ts";
import { useLocation } from "../../router/index.tsx";
import { notifySuccess } from "../../ui/index.ts";
import { useSession } from "../auth/index.ts";
import { ownImport } from "./import-mark.tsx";

/** Shows on every page how far an import of the user is, and tells when it is done. Renders nothing; mounted once, in the shell. */
export function ImportNews(): null {
  const { user } = useSession();
  const { pathname } = useLocation();
  useCompanyEvent("contactImport", (event) => {
    if (event.action === "delete" || event.record.user.id !== user.id) return;
    const { record } = event;
    const wasRunning = ownImport.get() !== null;
    ownImport.set(record.state === "running" ? percentOf(record) : null);
    if (record.state !== "done" || !wasRunning || pathname === addressOf(record)) return;
    const values = { name: record.fileName, ...counted(countImported(record)) };
    withTexts("rare", Promise.resolve())
      .then(() => notifySuccess(i18n.t("imports.toast", values)))
      .catch(reportError);
  });
  return null;
}

/** How many contacts an import has written. */
export function countImported({ added, filled }: Pick<ContactImport, "added" | "filled">): number {
  return added + filled;
}

/** How much of it is done, in whole percent; 100 only when all is. */
export function percentOf({ done, rows }: Pick<ContactImport, "done" | "rows">): number {
  return rows === 0 ? 100 : Math.floor((100 * done) / rows);
}

/** Where an import is shown. */
export function addressOf({
  id,
  contactListId,
}: Pick<ContactImport, "id" | "contactListId">): string {
  return `${startAddress(contactListId)}/${id}`;
}

/** Where an import into the address book (null) or into a list begins. */
export function startAddress(contactListId: number | null): string {
  return contactListId === null ? "/contacts/import" : `/contact-lists/${contactListId}/import`;
}

/** A number for a text that counts: its plural form goes by `count`, and `n` is what is written. */
export const counted = (count: number): { count: number; n: string } => ({
  ...{ count, n: formatNumber(count) },
});
