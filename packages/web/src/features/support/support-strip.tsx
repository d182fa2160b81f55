import { IconAlertTriangle } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { call, renewToken } from "../../api/client.ts";
import { currentSession } from "../../api/session-store.ts";
import type { Visit } from "../../api/session-store.ts";
import { useTranslation } from "../../i18n/index.ts";
import { useNow } from "../../ui/clock.ts";
import { notifyError, NoticeStrip } from "../../ui/index.ts";

const MINUTE_MS = 60_000;

/** Cannot be closed: whoever is in another company must see it. */
export function SupportStrip({ visit }: { visit: Visit }): ReactNode {
  const { t } = useTranslation();
  const nowMs = useNow(MINUTE_MS / 4);
  const leaving = useMutation({ mutationFn: leave, onError: notifyError });
  const minutes = Math.max(Math.ceil((Date.parse(visit.endsAt) - nowMs) / MINUTE_MS), 0);
  return (
    <NoticeStrip
      tone="warn"
      icon={IconAlertTriangle}
      title={t("support.youAreIn", { name: visit.companyName })}
      action={{ label: t("support.leave"), onClick: () => leaving.mutate() }}
    >
      {t("support.minutesLeft", { count: minutes })}
    </NoticeStrip>
  );
}

/** The cookie is still that of the visitor's own session: the renewal brings it back, and the page begins anew. */
async function leave(): Promise<void> {
  await call("DELETE /support", {});
  await renewToken(currentSession()?.token ?? null);
}
