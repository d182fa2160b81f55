import type { ReactNode } from "react";
import { useEffect, useRef, useState } from "react";
import type { FieldValues, UseFormReturn } from "react-hook-form";
import { useTranslation } from "../../i18n/index.ts";
import { useDraft } from "../drafts.ts";
import classes from "./form-dialog.module.css";

/**
 * Keeps the input of a form that closes without saving, and restores it when the same record is opened again. The browser
 * asks before it leaves a form with unsaved input.
 */
export function useFormDraft<Values extends FieldValues>(
  form: UseFormReturn<Values>,
  values: Values,
) {
  const { dirtyFields, isDirty } = form.formState;
  const draft = useDraft<Values>();
  const [isShown, setShown] = useState(draft.known !== undefined);
  const isDone = useRef(false);
  const first = useRef({ values, draft: draft.known });
  const leave = useRef((): void => undefined);

  /** The fields that differ from the record. */
  function changedIn(all: Values): Partial<Values> {
    const changed: Partial<Values> = { ...all };
    for (const key in changed) if (!Object.hasOwn(dirtyFields, key)) delete changed[key];
    return changed;
  }

  useEffect(() => {
    leave.current = () =>
      draft.keep(isDirty && !isDone.current ? changedIn(form.getValues()) : null);
  });
  useEffect(() => {
    const start = first.current;
    if (start.draft) form.reset({ ...start.values, ...start.draft }, { keepDefaultValues: true });
    return () => leave.current();
  }, [form]);
  useEffect(() => {
    if (!isDirty) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isDirty]);

  function drop(): void {
    form.reset();
    setShown(false);
  }
  return {
    changedIn,
    /** The input is saved or cancelled: closing keeps nothing. */
    end(): void {
      isDone.current = true;
    },
    onDrop: isShown ? drop : null,
  };
}

/** Says that the form shows a draft. */
export function DraftNotice({ onDrop }: { onDrop: (() => void) | null }): ReactNode {
  const { t } = useTranslation();
  if (onDrop === null) return null;
  return (
    <p className={classes["draft"]} role="status">
      {t("common.draft")}{" "}
      <button type="button" onClick={onDrop}>
        {t("common.dropDraft")}
      </button>
    </p>
  );
}
