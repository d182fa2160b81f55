import type { QuickMessage } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { Switch, Textarea, TextInput } from "@mantine/core";
import "@mantine/core/styles/InlineInput.layer.css";
import "@mantine/core/styles/Switch.layer.css";
import { useMergedRef } from "@mantine/hooks";
import { IconPaperclip } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useRef, useState } from "react";
import { Controller, useForm } from "react-hook-form";
import { useTranslation } from "../../i18n/index.ts";
import { errorText, notifySuccess } from "../../ui/index.ts";
import type { AttachmentChange } from "../../ui/attachment-field.tsx";
import { AttachmentField } from "../../ui/attachment-field.tsx";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { VariableMenu } from "../../ui/variable-menu.tsx";
import { useSession } from "../auth/index.ts";
import { SavedWithoutFile, saveQuickMessage } from "./api.ts";
import classes from "./quick-message-dialog.module.css";

type Props = {
  /** Null: a new one. */
  quickMessage: QuickMessage | null;
  onClose: () => void;
};

const MESSAGE_ROWS = 7;

/** Shortcode, text with variables, for whom, and one attachment. */
export function QuickMessageDialog({ quickMessage, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  const [attachment, setAttachment] = useState<AttachmentChange>({ kind: "keep" });
  // Once the texts are saved, trying the file again must not make a second quick message.
  const [savedId, setSavedId] = useState<number | null>(quickMessage?.id ?? null);
  const { register, handleSubmit, control, setValue, getValues, formState } = useForm({
    defaultValues: {
      shortcode: quickMessage?.shortcode ?? "",
      message: quickMessage?.message ?? "",
      geral: quickMessage?.geral ?? false,
    },
  });
  const save = useMutation({
    mutationFn: (values: { shortcode: string; message: string; geral: boolean }) =>
      saveQuickMessage(savedId, { ...values, status: quickMessage?.status ?? true }, attachment),
    onSuccess: () => {
      notifySuccess(t("quickMessages.saved"));
      onClose();
    },
    onError: (error) => {
      if (error instanceof SavedWithoutFile) setSavedId(error.id);
    },
  });

  const messageField = useRef<HTMLTextAreaElement>(null);
  const { ref: registerMessage, ...messageProps } = register("message");
  const messageRef = useMergedRef(messageField, registerMessage);
  function insert(variable: string): void {
    const field = messageField.current;
    const text = getValues("message");
    const start = field?.selectionStart ?? text.length;
    const end = field?.selectionEnd ?? text.length;
    setValue("message", text.slice(0, start) + variable + text.slice(end), { shouldDirty: true });
    field?.focus();
    field?.setSelectionRange(start + variable.length, start + variable.length);
  }

  const failure = save.error instanceof SavedWithoutFile ? save.error.cause : save.error;
  return (
    <FormDialog
      title={t(quickMessage === null ? "quickMessages.newTitle" : "quickMessages.editTitle")}
      submitLabel={t("common.save")}
      isBusy={save.isPending}
      error={failure === null ? null : errorText(t, failure)}
      onSubmit={(event) => void handleSubmit((values) => save.mutate(values))(event)}
      onClose={onClose}
    >
      <TextInput
        {...register("shortcode", {
          validate: (value) => value.trim() !== "" || t("quickMessages.shortcodeRequired"),
        })}
        label={t("quickMessages.shortcode")}
        description={formState.errors.shortcode ? undefined : t("quickMessages.shortcodeHelp")}
        inputWrapperOrder={["label", "input", "description", "error"]}
        error={formState.errors.shortcode?.message}
        maxLength={limits.shortcodeMax}
        autoComplete="off"
        data-autofocus
      />
      <div className={classes["message"]}>
        <Textarea
          {...messageProps}
          ref={messageRef}
          label={t("quickMessages.message")}
          rows={MESSAGE_ROWS}
          maxLength={limits.messageBodyMax}
        />
        <div className={classes["variables"]}>
          <VariableMenu onChoose={insert} />
        </div>
      </div>
      {can("quick-messages:manage-all") ? (
        <Controller
          control={control}
          name="geral"
          render={({ field: { value, onChange, ref } }) => (
            <Switch
              ref={ref}
              checked={value}
              onChange={(event) => onChange(event.currentTarget.checked)}
              label={t("quickMessages.forEverybody")}
            />
          )}
        />
      ) : null}
      <AttachmentField
        known={quickMessage?.mediaName ?? null}
        change={attachment}
        onChange={setAttachment}
        icon={IconPaperclip}
        attachLabel={t("quickMessages.attach")}
        detachLabel={(name) => t("quickMessages.detach", { name })}
      />
    </FormDialog>
  );
}
