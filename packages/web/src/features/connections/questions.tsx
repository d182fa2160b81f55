import type { Connection } from "@balcao/contract";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { QuestionDialog } from "../../ui/dialogs/question-dialog.tsx";
import { notifyInfo, notifySuccess } from "../../ui/index.ts";
import { deleteConnection, disconnect, restartAll } from "./api.ts";
import { isLinkedByPhone } from "./connection-rules.ts";

export type Question =
  | { kind: "disconnect" | "delete"; connection: Connection }
  | { kind: "restart" };

type Props = { question: Question; onClose: () => void };

/** Asks before a connection is taken out of service. */
export function Questions({ question, onClose }: Props): ReactNode {
  if (question.kind === "restart") return <RestartQuestion onClose={onClose} />;
  const { kind, connection } = question;
  if (kind === "delete") return <DeleteQuestion connection={connection} onClose={onClose} />;
  return <DisconnectQuestion connection={connection} onClose={onClose} />;
}

type OneProps = { connection: Connection; onClose: () => void };

function DisconnectQuestion({ connection, onClose }: OneProps): ReactNode {
  const { t } = useTranslation();
  const { id, name, channel } = connection;
  const ending = useMutation({
    mutationFn: () => disconnect(id),
    onSuccess: () => {
      notifySuccess(t("connections.disconnected", { name }));
      onClose();
    },
  });
  return (
    <QuestionDialog
      opened
      isDestructive
      title={t("connections.disconnectTitle", { name })}
      text={t(
        isLinkedByPhone(channel) ? "connections.disconnectText" : "connections.disconnectCloudText",
      )}
      confirm={t("connections.actions.disconnect")}
      isBusy={ending.isPending}
      error={ending.error}
      onConfirm={() => ending.mutate()}
      onClose={onClose}
    />
  );
}

function DeleteQuestion({ connection, onClose }: OneProps): ReactNode {
  const { t } = useTranslation();
  const { id, name } = connection;
  const removal = useMutation({
    mutationFn: () => deleteConnection(id),
    onSuccess: () => {
      notifySuccess(t("connections.deleted"));
      onClose();
    },
  });
  return (
    <QuestionDialog
      opened
      isDestructive
      title={t("connections.deleteTitle", { name })}
      text={t("connections.deleteText")}
      confirm={t("connections.deleteConfirm")}
      isBusy={removal.isPending}
      error={removal.error}
      onConfirm={() => removal.mutate()}
      onClose={onClose}
    />
  );
}

function RestartQuestion({ onClose }: { onClose: () => void }): ReactNode {
  const { t } = useTranslation();
  const restart = useMutation({
    mutationFn: restartAll,
    onSuccess: () => {
      notifyInfo(t("connections.restarted"));
      onClose();
    },
  });
  return (
    <QuestionDialog
      opened
      title={t("connections.restartTitle")}
      text={t("connections.restartText")}
      confirm={t("connections.restartConfirm")}
      isBusy={restart.isPending}
      error={restart.error}
      onConfirm={() => restart.mutate()}
      onClose={onClose}
    />
  );
}
