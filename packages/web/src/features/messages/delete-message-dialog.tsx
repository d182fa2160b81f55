import "@mantine/core/styles/Modal.layer.css";
import "@mantine/core/styles/ModalBase.layer.css";
import "@mantine/core/styles/Overlay.layer.css";
import type { Message } from "@balcao/contract";
import { Button, Modal } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import type { ReactNode } from "react";
import { useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { notifyError } from "../../ui/index.ts";
import { deleteMessage } from "./api.ts";
import classes from "./delete-message-dialog.module.css";
import { previewText } from "./message-content.ts";

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
        <Modal.Body className={classes["body"]}>
          <Modal.Title className={classes["title"]}>{t("messages.deleteTitle")}</Modal.Title>
          <p className={classes["quote"]}>{message ? previewText(t, message) : ""}</p>
          <p className={classes["text"]}>{t("messages.deleteText")}</p>
          <div className={classes["actions"]}>
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
