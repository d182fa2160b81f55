import { i18n, withLaterTexts } from "../../i18n/index.ts";
import { useCompanyEvent } from "../../realtime/index.ts";
import { useLocation } from "../../router/index.tsx";
import { notifySuccess } from "../../ui/index.ts";
import { useSession } from "../auth/index.ts";
import { ownImport } from "./import-mark.tsx";
import { addressOf, counted, countImported, percentOf } from "./rules.ts";

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
    withLaterTexts(Promise.resolve())
      .then(() => notifySuccess(i18n.t("imports.toast", values)))
      .catch(reportError);
  });
  return null;
}
