import "@mantine/core/styles/ModalBase.layer.css";
import "@mantine/core/styles/Modal.layer.css";
import "@mantine/core/styles/Overlay.layer.css";
import { Button, Modal } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { errorText } from "../error-text.ts";
import classes from "./question-dialog.module.css";
import { useFocusBack } from "./use-focus-back.ts";

type Props = {
  opened: boolean;
  /** Names what it is about. */
  title: string;
  text: string;
  confirm: string;
  /** It cannot be undone. */
  isDestructive?: boolean;
  isBusy?: boolean;
  error?: Error | null;
  onConfirm: () => void;
  onClose: () => void;
};

/** Asks before something is done. */
export function QuestionDialog(props: Props): ReactNode {
  const { opened, title, text, confirm, isDestructive = false, isBusy = false, error } = props;
  const { t } = useTranslation();
  // It is fetched with the first question; a dialog that was never closed before gives no focus back to its opener.
  const isMounted = useMounted();
  useFocusBack(opened);
  return (
    <Modal.Root opened={isMounted && opened} onClose={props.onClose} size={480} centered>
      <Modal.Overlay />
      <Modal.Content>
        <Modal.Body className={classes["question"]}>
          <Modal.Title className={classes["title"]}>{title}</Modal.Title>
          <p className={classes["text"]}>{text}</p>
          {error ? (
            <p className={classes["failure"]} role="alert">
              {errorText(t, error)}
            </p>
          ) : null}
          <div className={classes["actions"]}>
            <Button
              variant="default"
              data-autofocus={isDestructive || undefined}
              onClick={props.onClose}
            >
              {t("common.cancel")}
            </Button>
            <Button
              {...(isDestructive ? { color: "bad" } : {})}
              data-autofocus={isDestructive ? undefined : true}
              loading={isBusy}
              onClick={props.onConfirm}
            >
              {confirm}
            </Button>
          </div>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
