import type { Schedule } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { TextInput } from "@mantine/core";
import { IconPhoto } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useState } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { epochMs } from "../../ui/clock.ts";
import type { AttachmentChange } from "../../ui/attachment-field.tsx";
import { AttachmentField } from "../../ui/attachment-field.tsx";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { useRecordForm } from "../../ui/dialogs/use-record-form.ts";
import { MessageField } from "../../ui/text-with-variables.tsx";
import { useSession } from "../auth/index.ts";
import { savePicture, saveSchedule } from "./api.ts";

type Props = {
  contact: { id: number; name: string };
  /** A known one to change; null for a new one. */
  schedule?: Schedule | null;
  /** The unsent text of the composer, for "send later". */
  initialText?: string;
  onSaved?: () => void;
  onClose: () => void;
};

const PICTURES = "image/png,image/jpeg";

/** A scheduled message to a contact. The title has its status; a sent one is read-only. */
export function ScheduleDialog(props: Props): ReactNode {
  const { contact, schedule = null, initialText = "", onSaved, onClose } = props;
  const { t } = useTranslation();
  const { user } = useSession();
  const { timeZone } = user.company;
  const isSent = schedule !== null && schedule.sentAt !== null;
  const [picture, setPicture] = useState<AttachmentChange>({ kind: "keep" });
  const [openedAtMs] = useState(epochMs);
  const sendAtMs = schedule ? Date.parse(schedule.sendAt) : openedAtMs + limits.scheduleAheadMs;
  const { register, control, errors, dialog } = useRecordForm({
    id: schedule?.id ?? null,
    values: { body: schedule?.body ?? initialText, sendAt: localTime(sendAtMs, timeZone) },
    save: (id, values) => saveSchedule(id, { ...values, contactId: contact.id }),
    saveFile: (id) => savePicture(id, picture),
    savedText: t("schedules.saved"),
    onSaved() {
      onSaved?.();
      onClose();
    },
    onClose,
  });
  const status = schedule === null ? null : t(`schedules.status.${schedule.status}`);
  const title = t(schedule === null ? "schedules.newTitle" : "schedules.editTitle");
  return (
    <FormDialog
      {...dialog}
      title={status === null ? title : `${title} · ${status}`}
      submitLabel={isSent ? null : t("schedules.submit")}
    >
      <p className="bc-small">{t("schedules.to", { name: contact.name })}</p>
      <MessageField
        control={control}
        name="body"
        validate={(value) =>
          value.trim().length >= limits.scheduleBodyMin || t("schedules.bodyShort")
        }
        label={t("schedules.body")}
        rows={5}
        readOnly={isSent}
        data-autofocus
      />
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

/** The instant in `timeZone` as `YYYY-MM-DDTHH:mm`, the format of a date-time field. */
export function localTime(epochMs: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).formatToParts(new Date(epochMs));
  const part = (type: Intl.DateTimeFormatPartTypes): string =>
    parts.find((one) => one.type === type)?.value ?? "";
  return `${part("year")}-${part("month")}-${part("day")}T${part("hour")}:${part("minute")}`;
}
