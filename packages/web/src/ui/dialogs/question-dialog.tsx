import "@mantine/core/styles/ModalBase.layer.css";
import "@mantine/core/styles/Modal.layer.css";
import "@mantine/core/styles/Overlay.layer.css";
import { Modal } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { errorText } from "../error-text.ts";
import classes from "./question-dialog.module.css";
import { useFocusBack } from "./use-focus-back.ts";
import { Button } from "../button.tsx";

type Props = {
  opened: boolean;
  /** Names the object in question. */
  title: string;
  text: string;
  confirm: string;
  /** It cannot be undone. */
  isDestructive?: boolean;
  isBusy?: boolean;
  error?: Error | null;
  /** A field between the text and the buttons. */
  children?: ReactNode;
  onConfirm: () => void;
  onClose: () => void;
};

/** Asks before an action. */
export function QuestionDialog(props: Props): ReactNode {
  const { opened, title, text, confirm, isDestructive = false, isBusy = false, error } = props;
  const { t } = useTranslation();
  // The library returns the focus only after a dialog that was once mounted closed.
  const isMounted = useMounted();
  useFocusBack(opened);
  return (
    <Modal.Root opened={isMounted && opened} onClose={props.onClose} size={480} centered>
      <Modal.Overlay />
      <Modal.Content>
        <Modal.Body className={classes["question"]}>
          <Modal.Title className={classes["title"]}>{title}</Modal.Title>
          <p className={classes["text"]}>{text}</p>
          {props.children ? <div className={classes["field"]}>{props.children}</div> : null}
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

type ActionProps = Pick<
  Props,
  "title" | "text" | "confirm" | "isDestructive" | "children" | "onClose"
> & {
  run: () => Promise<unknown>;
  /** Called when it is done, before the question closes. */
  onDone: () => void;
  /** The text is still loading. */
  isReading?: boolean;
  /** Why the text could not be read. */
  readError?: Error | null;
};

/** Asks before an action, runs it and closes. An error is shown in the question. */
export function ActionQuestion(props: ActionProps): ReactNode {
  const { run, onDone, isReading = false, readError = null, ...question } = props;
  const action = useMutation({
    mutationFn: run,
    onSuccess: () => {
      onDone();
      question.onClose();
    },
  });
  return (
    <QuestionDialog
      {...question}
      opened
      isBusy={isReading || action.isPending}
      error={action.error ?? readError}
      onConfirm={() => action.mutate()}
    />
  );
}
