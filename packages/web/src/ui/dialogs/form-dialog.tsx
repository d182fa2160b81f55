import type { FormEventHandler, ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { DialogFrame } from "./dialog-frame.tsx";
import { DraftNotice } from "./form-draft.tsx";
import classes from "./form-dialog.module.css";
import { Button } from "../button.tsx";

type Props = {
  title: ReactNode;
  /** Width in px; default 480. */
  size?: 480 | 640 | 960;
  /** At the side of the page, in its whole height. */
  isSide?: boolean;
  /** A question about the form is over it. */
  isCovered?: boolean;
  /** Null: the dialog is only read. */
  submitLabel: string | null;
  /** Default: Cancel, or Close where the dialog is only read. */
  cancelLabel?: string;
  isBusy: boolean;
  /** The server's error as text; fields show their own. */
  error: string | null;
  onSubmit: FormEventHandler<HTMLFormElement>;
  onClose: () => void;
  /** Closes without a draft; default `onClose`. */
  onCancel?: () => void;
  /** Drops the draft that the form shows; null when it shows none. */
  onDropDraft?: (() => void) | null;
  /** A button at the other end of the line of buttons. */
  startAction?: ReactNode;
  children: ReactNode;
};

/** A dialog with one form, full screen under 600 px. Mounting opens it. */
export function FormDialog(props: Props): ReactNode {
  const { title, size = 480, submitLabel, isBusy, error, onSubmit, onClose, children } = props;
  const { onCancel = onClose, onDropDraft = null, isSide = false, isCovered = false } = props;
  const { t } = useTranslation();
  return (
    <DialogFrame
      opened
      size={size}
      isSide={isSide}
      isCovered={isCovered}
      onClose={onClose}
      title={title}
    >
      <form noValidate className={classes["form"]} onSubmit={onSubmit}>
        <DraftNotice onDrop={onDropDraft} />
        {children}
        {error === null ? null : (
          <p className="bc-failure" role="alert">
            {error}
          </p>
        )}
        <div className={classes["actions"]}>
          {props.startAction ? <div className={classes["start"]}>{props.startAction}</div> : null}
          <Button variant="default" onClick={onCancel}>
            {props.cancelLabel ?? t(submitLabel === null ? "common.close" : "common.cancel")}
          </Button>
          {submitLabel === null ? null : (
            <Button type="submit" loading={isBusy}>
              {submitLabel}
            </Button>
          )}
        </div>
      </form>
    </DialogFrame>
  );
}
