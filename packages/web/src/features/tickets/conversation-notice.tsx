import { IconLoader, IconPlugConnectedX } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense } from "react";
import { useNavigate } from "react-router";
import { useTranslation, withPageTexts } from "../../i18n/index.ts";
import { LiveNotice } from "../../realtime/index.ts";
import { NoticeStrip, notifyError } from "../../ui/index.ts";
import { useSession } from "../auth/index.ts";
import { useConnection, useIsDown, useReconnect } from "../connections/index.ts";
import type { HoursTicket } from "./hours-notice.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";

const HoursNotice = lazyPart(
  async () => (await withPageTexts(import("./hours-notice.tsx"))).HoursNotice,
);

type Props = { ticket: HoursTicket & { whatsappId: number | null } };

/** What stands in the way of the conversation: one thing at a time, the worst first (ui.md section 3, notices). */
export function ConversationNotice({ ticket }: Props): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  const connection = useConnection(ticket.whatsappId);
  const isDown = useIsDown(connection);
  const reconnect = useReconnect();
  const navigate = useNavigate();
  if (!connection || !isDown) {
    return (
      <Suspense fallback={<LiveNotice />}>
        <HoursNotice ticket={ticket} />
      </Suspense>
    );
  }

  const { name, status } = connection;
  if (status === "OPENING" || status === "PAIRING") {
    return (
      <NoticeStrip tone="warn" icon={IconLoader} title={t("tickets.connectionStarting", { name })}>
        {t("tickets.connectionStartingText")}
      </NoticeStrip>
    );
  }
  // A code that waits to be scanned is not brought forward by starting once more.
  const action =
    status === "qrcode"
      ? { label: t("tickets.seeConnections"), onClick: () => void navigate("/connections") }
      : {
          label: t("tickets.reconnect"),
          onClick: () => reconnect.mutate(connection.id, { onError: notifyError }),
        };
  return (
    <NoticeStrip
      tone="bad"
      icon={IconPlugConnectedX}
      title={t("tickets.connectionDown", { name })}
      action={can("connections:manage") ? action : undefined}
    >
      {t("tickets.connectionDownText")}
    </NoticeStrip>
  );
}
