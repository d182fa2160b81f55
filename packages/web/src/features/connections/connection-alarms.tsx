import { useEffect, useRef } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { epochMs } from "../../ui/clock.ts";
import { notifyError } from "../../ui/index.ts";
import { useSession } from "../auth/index.ts";
import { useConnections } from "./api.ts";

/** Older alarms show no toast: the menu's triangle and the table show them. */
const NEWS_MS = 5 * 60_000;

/** Shows admins a toast when a connection has been lost for a minute. Rendered once, in the shell. */
export function ConnectionAlarms(): null {
  const { can } = useSession();
  const { t } = useTranslation();
  const isAdmin = can("connections:manage");
  const connections = useConnections({ enabled: isAdmin });
  const told = useRef(new Set<string>());
  useEffect(() => {
    if (!isAdmin) return;
    for (const { id, name, alarmedAt } of connections) {
      const alarm = `${id} ${alarmedAt}`;
      if (alarmedAt === null || told.current.has(alarm)) continue;
      told.current.add(alarm);
      if (epochMs() - Date.parse(alarmedAt) < NEWS_MS)
        notifyError(t("shell.connectionAlarm", { name }));
    }
  }, [connections, isAdmin, t]);
  return null;
}
