import { useMutation } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { useRef } from "react";
import type { DefaultValues, FieldErrors, FieldValues, Path, UseFormReturn } from "react-hook-form";
import { useForm } from "react-hook-form";
import { ApiError } from "../../api/client.ts";
import { useTranslation } from "../../i18n/index.ts";
import { errorText } from "../error-text.ts";
import { notifySuccess } from "../toasts.tsx";
import { useFormDraft } from "./form-draft.tsx";

type Options<Values extends FieldValues, Saved extends { id: number }> = {
  /** Null: a new one. */
  id: number | null;
  values: Values;
  /** Saves a new record, or at least the changed fields of a known one (`id`). */
  save: (id: number | null, values: Values, changed: Partial<Values>) => Promise<Saved>;
  /** Saves the record's file, once the record is there. */
  saveFile?: (id: number) => Promise<void>;
  /** The toast after saving; null where `onSaved` says it. */
  savedText: string | null;
  /** Errors of the server that belong to a field. */
  fieldErrors?: Readonly<Partial<Record<string, Path<Values>>>>;
  /** The text of an error, where the common one does not say enough. */
  textOf?: (error: Error) => string;
  /** Shows and focuses an invalid field, for forms with tabs. */
  reveal?: (field: Path<Values>) => void;
  /** Instead of closing. */
  onSaved?: (saved: Saved) => void;
  onClose: () => void;
};

type RecordForm<Values extends FieldValues> = UseFormReturn<Values> & {
  errors: FieldErrors<Values>;
  dialog: {
    submitLabel: string;
    isBusy: boolean;
    error: string | null;
    onSubmit: (event: FormEvent) => void;
    /** Keeps what was typed as a draft. */
    onClose: () => void;
    onCancel: () => void;
    /** Null: the form shows no draft. */
    onDropDraft: (() => void) | null;
  };
};

/** The form of one record: its values, saving, errors and draft. Spread `dialog` into a FormDialog. */
export function useRecordForm<Values extends FieldValues, Saved extends { id: number }>(
  options: Options<Values, Saved>,
): RecordForm<Values> {
  const { id, values, save, saveFile, fieldErrors = {}, reveal, onClose } = options;
  const { t } = useTranslation();
  const { textOf = (error: Error) => errorText(t, error) } = options;
  // A second try after the file failed must not create a second record.
  const savedId = useRef(id);
  const form = useForm<Values>({
    // The library's type makes all fields optional, which a generic type cannot prove.
    defaultValues: values as DefaultValues<Values>,
    shouldFocusError: reveal === undefined,
  });
  const draft = useFormDraft(form, values);
  const fieldOf = (error: Error | null): Path<Values> | undefined =>
    error instanceof ApiError ? fieldErrors[error.code] : undefined;
  const saving = useMutation({
    mutationFn: async (next: Values) => {
      const saved = await save(savedId.current, next, draft.changedIn(next));
      savedId.current = saved.id;
      draft.end();
      await saveFile?.(saved.id);
      return saved;
    },
    onSuccess: (saved) => {
      if (options.savedText !== null) notifySuccess(options.savedText);
      (options.onSaved ?? onClose)(saved);
    },
    onError: (error) => {
      const field = fieldOf(error);
      if (!field) return;
      form.setError(field, { message: textOf(error) }, { shouldFocus: reveal === undefined });
      reveal?.(field);
    },
  });

  function onInvalid(errors: FieldErrors<Values>): void {
    const fields = Object.keys(values) as Path<Values>[]; // the form's own keys
    const first = fields.find((field) => Object.hasOwn(errors, field));
    if (first !== undefined) reveal?.(first);
  }
  const { error } = saving;
  return {
    ...form,
    errors: form.formState.errors,
    dialog: {
      submitLabel: t("common.save"),
      isBusy: saving.isPending,
      error: error === null || fieldOf(error) !== undefined ? null : textOf(error),
      onSubmit: (event: FormEvent) =>
        void form.handleSubmit((next) => saving.mutate(next), onInvalid)(event),
      onClose,
      onCancel() {
        draft.end();
        onClose();
      },
      onDropDraft: draft.onDrop,
    },
  };
}
