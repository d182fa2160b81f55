import type { Connection } from "@balcao/contract";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { ActionQuestion } from "../../ui/dialogs/question-dialog.tsx";
import { notifyInfo, notifySuccess } from "../../ui/index.ts";
import { disconnect, restartAll } from "./live-connections.ts";
import { isLinkedByPhone } from "./connection-state.tsx";

type Props = { connection: Connection; onClose: () => void };

/** Asks before a connection's session is ended. */
export function DisconnectQuestion({ connection, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const { id, name, channel } = connection;
  return (
    <ActionQuestion
      isDestructive
      title={t("connections.disconnectTitle", { name })}
      text={t(
        isLinkedByPhone(channel) ? "connections.disconnectText" : "connections.disconnectCloudText",
      )}
      confirm={t("connections.actions.disconnect")}
      run={() => disconnect(id)}
      onDone={() => notifySuccess(t("connections.disconnected", { name }))}
      onClose={onClose}
    />
  );
}

/** Asks before all sessions of the company start anew. */
export function RestartQuestion({ onClose }: { onClose: () => void }): ReactNode {
  const { t } = useTranslation();
  return (
    <ActionQuestion
      title={t("connections.restartTitle")}
      text={t("connections.restartText")}
      confirm={t("connections.restartConfirm")}
      run={restartAll}
      onDone={() => notifyInfo(t("connections.restarted"))}
      onClose={onClose}
    />
  );
}
