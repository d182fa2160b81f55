import type { Schedule } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { Textarea, TextInput } from "@mantine/core";
import { useMergedRef } from "@mantine/hooks";
import { IconPhoto } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useRef, useState } from "react";
import { useForm } from "react-hook-form";
import { useTranslation } from "../../i18n/index.ts";
import { epochMs } from "../../ui/clock.ts";
import { errorText, notifySuccess } from "../../ui/index.ts";
import type { AttachmentChange } from "../../ui/attachment-field.tsx";
import { AttachmentField } from "../../ui/attachment-field.tsx";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { VariableMenu } from "../../ui/variable-menu.tsx";
import { useSession } from "../auth/index.ts";
import { SavedWithoutPicture, saveSchedule } from "./api.ts";
import { localTime } from "./local-time.ts";
import classes from "./schedule-dialog.module.css";

type Props = {
  contact: { id: number; name: string };
  /** A known one to change; null for a new one. */
  schedule?: Schedule | null;
  /** What was being written, for "send later". */
  initialText?: string;
  onSaved?: () => void;
  onClose: () => void;
};

const PICTURES = "image/png,image/jpeg";

/** A message to a contact at a later moment. The title says its status; what was sent is only read. */
export function ScheduleDialog(props: Props): ReactNode {
  const { contact, schedule = null, initialText = "", onSaved, onClose } = props;
  const { t } = useTranslation();
  const { user } = useSession();
  const { timeZone } = user.company;
  const isSent = schedule !== null && schedule.sentAt !== null;
  const [picture, setPicture] = useState<AttachmentChange>({ kind: "keep" });
  // Once the message is saved, trying the picture again must not make a second one.
  const [savedId, setSavedId] = useState<number | null>(schedule?.id ?? null);
  const [openedAtMs] = useState(epochMs);
  const { register, handleSubmit, getValues, setValue, formState } = useForm({
    defaultValues: {
      body: schedule?.body ?? initialText,
      sendAt: localTime(
        schedule ? Date.parse(schedule.sendAt) : openedAtMs + limits.scheduleAheadMs,
        timeZone,
      ),
    },
  });
  const { errors } = formState;
  const save = useMutation({
    mutationFn: (values: { body: string; sendAt: string }) =>
      saveSchedule(savedId, { ...values, contactId: contact.id }, picture),
    onSuccess: () => {
      notifySuccess(t("schedules.saved"));
      onSaved?.();
      onClose();
    },
    onError: (error) => {
      if (error instanceof SavedWithoutPicture) setSavedId(error.id);
    },
  });
  const failure = save.error instanceof SavedWithoutPicture ? save.error.cause : save.error;

  const field = useRef<HTMLTextAreaElement>(null);
  const { ref: registerBody, ...bodyProps } = register("body", {
    validate: (value) => value.trim().length >= limits.scheduleBodyMin || t("schedules.bodyShort"),
  });
  const bodyRef = useMergedRef(field, registerBody);
  function insert(variable: string): void {
    const text = getValues("body");
    const start = field.current?.selectionStart ?? text.length;
    const end = field.current?.selectionEnd ?? text.length;
    setValue("body", text.slice(0, start) + variable + text.slice(end));
    field.current?.focus();
    field.current?.setSelectionRange(start + variable.length, start + variable.length);
  }

  const status = schedule === null ? null : t(`schedules.status.${schedule.status}`);
  const title = t(schedule === null ? "schedules.newTitle" : "schedules.editTitle");
  return (
    <FormDialog
      title={status === null ? title : `${title} · ${status}`}
      submitLabel={isSent ? null : t("schedules.submit")}
      isBusy={save.isPending}
      error={failure === null ? null : errorText(t, failure)}
      onSubmit={(event) => void handleSubmit((values) => save.mutate(values))(event)}
      onClose={onClose}
    >
      <p className={classes["contact"]}>{t("schedules.to", { name: contact.name })}</p>
      <div>
        <Textarea
          {...bodyProps}
          ref={bodyRef}
          label={t("schedules.body")}
          rows={5}
          maxLength={limits.messageBodyMax}
          readOnly={isSent}
          error={errors.body?.message}
          data-autofocus
        />
        {isSent ? null : (
          <div className={classes["variables"]}>
            <VariableMenu onChoose={insert} />
          </div>
        )}
      </div>
      <TextInput
        {...register("sendAt", {
          validate: (value) => {
            if (value === "") return t("schedules.required");
            return value > localTime(epochMs(), timeZone) || t("schedules.past");
          },
        })}
        type="datetime-local"
        label={t("schedules.sendAt")}
        min={isSent ? undefined : localTime(openedAtMs, timeZone)}
        readOnly={isSent}
        error={errors.sendAt?.message}
      />
      <AttachmentField
        known={schedule?.mediaName ?? null}
        change={picture}
        onChange={isSent ? null : setPicture}
        icon={IconPhoto}
        attachLabel={t("schedules.attach")}
        detachLabel={(name) => t("schedules.detach", { name })}
        accept={PICTURES}
      />
    </FormDialog>
  );
}
