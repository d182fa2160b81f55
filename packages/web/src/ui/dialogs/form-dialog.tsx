import { Button } from "@mantine/core";
import type { FormEventHandler, ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { DialogFrame } from "./dialog-frame.tsx";
import classes from "./form-dialog.module.css";

type Props = {
  title: string;
  /** Width in px; 480 unless told. */
  size?: 480 | 640;
  /** Null: there is only something to read. */
  submitLabel: string | null;
  isBusy: boolean;
  /** What the server refused, in words; fields have their own errors. */
  error: string | null;
  onSubmit: FormEventHandler<HTMLFormElement>;
  onClose: () => void;
  children: ReactNode;
};

/** A dialog with one form, full screen under 600 px. Mount it to open it: it starts with what it is given. */
export function FormDialog(props: Props): ReactNode {
  const { title, size = 480, submitLabel, isBusy, error, onSubmit, onClose, children } = props;
  const { t } = useTranslation();
  return (
    <DialogFrame opened size={size} onClose={onClose} title={title}>
      <form noValidate className={classes["form"]} onSubmit={onSubmit}>
        {children}
        {error === null ? null : (
          <p className={classes["error"]} role="alert">
            {error}
          </p>
        )}
        <div className={classes["actions"]}>
          <Button variant="default" onClick={onClose}>
            {t(submitLabel === null ? "common.close" : "common.cancel")}
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
