import type { Message } from "@balcao/contract";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { QuestionDialog } from "../../ui/dialogs/question-dialog.tsx";
import { retryMessage } from "./api.ts";

type Props = {
  /** Null: closed. */
  message: Message | null;
  onClose: () => void;
};

/** Asks before a message is sent again that the customer may have already. */
export function SendAgainQuestion({ message, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const retry = useMutation({
    mutationFn: (again: Message) => retryMessage(again, { confirmed: true }),
    onSuccess: onClose,
  });
  return (
    <QuestionDialog
      opened={message !== null}
      title={t("messages.sendAgainTitle")}
      text={t("messages.sendAgainText")}
      confirm={t("messages.sendAgain")}
      isBusy={retry.isPending}
      error={retry.error}
      onConfirm={() => {
        if (message !== null) retry.mutate(message);
      }}
      onClose={() => {
        retry.reset();
        onClose();
      }}
    />
  );
}
