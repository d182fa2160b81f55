import "@mantine/core/styles/Modal.layer.css";
import "@mantine/core/styles/ModalBase.layer.css";
import "@mantine/core/styles/Overlay.layer.css";
import type { Message } from "@balcao/contract";
import { Modal } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useState } from "react";
import { useTranslation } from "../../../i18n/index.ts";
import { Button } from "../../../ui/button.tsx";
import { QuestionDialog } from "../../../ui/dialogs/question-dialog.tsx";
import { notifyError } from "../../../ui/index.ts";
import { deleteMessage, retryMessage } from "../api.ts";
import { previewText } from "../bubble/message-content.ts";
import question from "../../../ui/dialogs/question-dialog.module.css";
import classes from "./message-questions.module.css";

type Props = {
  /** Null: closed. */
  message: Message | null;
  onClose: () => void;
};

/** Asks before a message is deleted for everyone. */
export function DeleteMessageDialog({ message, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const isMounted = useMounted();
  const [isBusy, setIsBusy] = useState(false);

  async function confirm(): Promise<void> {
    if (!message) return;
    setIsBusy(true);
    try {
      await deleteMessage(message);
      onClose();
    } catch (error) {
      notifyError(error);
    }
    setIsBusy(false);
  }

  return (
    <Modal.Root opened={isMounted && message !== null} onClose={onClose} size={480} centered>
      <Modal.Overlay />
      <Modal.Content>
        <Modal.Body className={question["question"]}>
          <Modal.Title className={question["title"]}>{t("messages.deleteTitle")}</Modal.Title>
          <p className={classes["quote"]}>{message ? previewText(t, message) : ""}</p>
          <p className={question["text"]}>{t("messages.deleteText")}</p>
          <div className={question["actions"]}>
            <Button variant="default" onClick={onClose}>
              {t("common.cancel")}
            </Button>
            <Button color="bad" data-autofocus loading={isBusy} onClick={() => void confirm()}>
              {t("messages.delete")}
            </Button>
          </div>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

type SendAgainQuestionProps = {
  /** Null: closed. */
  message: Message | null;
  onClose: () => void;
};

/** Asks before a message is sent again that the customer may have already. */
export function SendAgainQuestion({ message, onClose }: SendAgainQuestionProps): ReactNode {
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
