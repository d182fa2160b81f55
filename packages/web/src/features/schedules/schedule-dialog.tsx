import type { Schedule } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { TextInput } from "@mantine/core";
import { IconPhoto, IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useState } from "react";
import { Controller } from "react-hook-form";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { epochMs } from "../../ui/clock.ts";
import type { AttachmentChange } from "../../ui/attachment-field.tsx";
import { AttachmentField } from "../../ui/attachment-field.tsx";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { useRecordForm } from "../../ui/dialogs/use-record-form.ts";
import { formatPhone } from "../../ui/phone-number.ts";
import { MessageField } from "../../ui/text-with-variables.tsx";
import { useSession } from "../auth/index.ts";
import type { Scope } from "./api.ts";
import { savePicture, saveSchedule } from "./api.ts";
import { localTime } from "./schedule-words.ts";
import type { Person } from "./contact-select.tsx";
import { ContactSelect } from "./contact-select.tsx";
import { RepeatFields, repeatOf, repeatProblem, repeatValues, sendsMax } from "./repeat-fields.tsx";
import { DeleteQuestion, ScopeChoice } from "./series-questions.tsx";
import { ScheduleStyles } from "./schedule-styles.tsx";

type Props = {
  /** Null: it is chosen in the dialog. */
  contact: Person | null;
  /** A known one to change; null for a new one. */
  schedule?: Schedule | null;
  /** The unsent text of the composer, for "send later". */
  initialText?: string;
  /** `YYYY-MM-DDTHH:mm` of the company for a new one; default: in an hour. */
  initialTime?: string | undefined;
  onSaved?: () => void;
  onClose: () => void;
};

const PICTURES = "image/png,image/jpeg";

/** A scheduled message to a contact. The title has its status; a sent one is read-only. */
export function ScheduleDialog(props: Props): ReactNode {
  const { contact, schedule = null, initialText = "", onSaved, onClose } = props;
  const { t } = useTranslation();
  const { timeZone } = useSession().user.company;
  const isSent = schedule !== null && (schedule.sentAt !== null || schedule.status === "AGENDADA");
  const series = schedule?.series ?? null;
  const [picture, setPicture] = useState<AttachmentChange>({ kind: "keep" });
  const [scope, setScope] = useState<Scope>("one");
  const [isDeleting, setDeleting] = useState(false);
  const [openedAtMs] = useState(epochMs);
  const time = schedule
    ? localTime(Date.parse(schedule.sendAt), timeZone)
    : (props.initialTime ?? localTime(openedAtMs + limits.scheduleAheadMs, timeZone));
  const repeats = series === null || scope === "following";
  const { register, control, errors, watch, setValue, dialog } = useRecordForm({
    id: schedule?.id ?? null,
    values: {
      body: schedule?.body ?? initialText,
      person: contact,
      sendAt: time,
      repeat: repeatValues(series?.repeat ?? null, time.slice(0, 10)),
    },
    save: (id, { body, person, sendAt, repeat }) =>
      saveSchedule(
        id,
        {
          ...{ body, sendAt, contactId: person?.id ?? 0 },
          ...(repeats ? { repeat: repeatOf(repeat) } : {}),
        },
        scope,
      ),
    // A new series gets the file for all its messages.
    saveFile: (id) => savePicture(id, picture, series === null ? "following" : scope),
    fieldErrors: { ERR_SCHEDULE_PAST: "sendAt" },
    savedText: t("schedules.saved"),
    onSaved() {
      onSaved?.();
      onClose();
    },
    onClose,
  });
  const status = schedule === null ? null : t(`schedules.status.${schedule.status}`);
  const title = t(schedule === null ? "schedules.newTitle" : "schedules.editTitle");
  const day = watch("sendAt").slice(0, 10);
  return (
    <FormDialog
      {...dialog}
      title={status === null ? title : `${title} · ${status}`}
      submitLabel={isSent ? null : t("schedules.submit")}
      startAction={
        schedule === null ? null : (
          <Button
            variant="subtle"
            className="sc-remove"
            leftSection={<IconTrash size={15} stroke={1.7} aria-hidden="true" />}
            onClick={() => setDeleting(true)}
          >
            {t("schedules.remove")}
          </Button>
        )
      }
    >
      <ScheduleStyles />
      {schedule !== null && series !== null && !isSent ? (
        <ScopeChoice sendAt={schedule.sendAt} value={scope} onChange={setScope} />
      ) : null}
      {contact === null ? (
        <Controller
          control={control}
          name="person"
          rules={{ validate: (value) => value !== null || t("schedules.contactRequired") }}
          render={({ field, fieldState }) => (
            <ContactSelect
              chosen={field.value}
              onChoose={field.onChange}
              inputRef={field.ref}
              error={fieldState.error?.message}
            />
          )}
        />
      ) : (
        <p className="bc-small">
          {t("schedules.to", { name: contact.name })}
          {contact.number ? ` · ${formatPhone(contact.number)}` : null}
        </p>
      )}
      <MessageField
        control={control}
        name="body"
        validate={(value) =>
          value.trim().length >= limits.scheduleBodyMin || t("schedules.bodyShort")
        }
        label={t("schedules.body")}
        rows={5}
        readOnly={isSent}
        data-autofocus={contact !== null}
      />
      <TextInput
        {...register("sendAt", {
          validate: (value) => {
            if (value === "") return t("schedules.required");
            // One that waits for a connection may keep its time.
            const isKept = schedule?.status === "PENDENTE" && value === time;
            return isKept || value > localTime(epochMs(), timeZone) || t("schedules.past");
          },
          onChange: (event: { target: { value: string } }) => {
            const next = event.target.value.slice(0, 10);
            const { every } = watch("repeat");
            if (every === "never" && next !== "") setValue("repeat", repeatValues(null, next));
          },
        })}
        type="datetime-local"
        label={t("schedules.sendAt")}
        min={isSent ? undefined : localTime(openedAtMs, timeZone)}
        readOnly={isSent}
        error={errors.sendAt?.message}
      />
      {isSent && series === null ? null : (
        <Controller
          control={control}
          name="repeat"
          rules={{
            validate: (value) => {
              const problem = repeats ? repeatProblem(value, day) : undefined;
              return (
                problem === undefined ||
                t(`schedules.repeat.problems.${problem}`, { max: sendsMax })
              );
            },
          }}
          render={({ field, fieldState }) => (
            <RepeatFields
              values={field.value}
              day={day}
              onChange={isSent || !repeats ? null : field.onChange}
              error={fieldState.error?.message}
            />
          )}
        />
      )}
      <AttachmentField
        known={schedule?.mediaName ?? null}
        change={picture}
        onChange={isSent ? null : setPicture}
        icon={IconPhoto}
        attachLabel={t("schedules.attach")}
        detachLabel={(name) => t("schedules.detach", { name })}
        accept={PICTURES}
      />
      {schedule !== null && isDeleting ? (
        <DeleteQuestion
          schedule={schedule}
          scope={series !== null && !isSent ? scope : "one"}
          onDeleted={dialog.onCancel}
          onClose={() => setDeleting(false)}
        />
      ) : null}
    </FormDialog>
  );
}
