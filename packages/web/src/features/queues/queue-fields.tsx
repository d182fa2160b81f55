import type { Assignment, ErrorCode, Queue, ScheduleEntry } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { assignments } from "@balcao/contract/team";
import { TextInput } from "@mantine/core";
import { IconPaperclip } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { UseFormReturn } from "react-hook-form";
import { Controller, useWatch } from "react-hook-form";
import { SegmentedField } from "../../ui/dialogs/segmented-field.tsx";
import { useTranslation } from "../../i18n/index.ts";
import type { AttachmentChange } from "../../ui/attachment-field.tsx";
import { AttachmentField } from "../../ui/attachment-field.tsx";
import { ColorField, freeColor, normalColor } from "../../ui/color-field.tsx";
import { NameField, nameRule } from "../../ui/dialogs/name-field.tsx";
import { checkHours } from "../../ui/opening-hours/hours-rules.ts";
import { OpeningHours } from "../../ui/opening-hours/opening-hours.tsx";
import { MessageField } from "../../ui/text-with-variables.tsx";
import { FirstAnswerField, firstAnswerIds, firstAnswerOf } from "../prompts/index.ts";
import type { QueueBody } from "./api.ts";
import classes from "./queues.module.css";

/** The values of the form: a number is held as text. */
export type QueueValues = {
  name: string;
  color: string;
  orderQueue: string;
  assignment: Assignment;
  /** The agent or integration that answers first (`features/prompts`). */
  firstAnswer: string;
  greetingMessage: string;
  firstAnswerMinutes: string;
  nextAnswerMinutes: string;
  schedules: ScheduleEntry[];
  outOfHoursMessage: string;
};

export const queueTabs = ["general", "chatbot", "hours"] as const;
export type QueueTab = (typeof queueTabs)[number];

/** The values of a queue. Null is a new one, with a colour that no other queue has. */
export function valuesOf(queue: Queue | null, others: readonly Queue[]): QueueValues {
  return {
    name: queue?.name ?? "",
    color: queue?.color ?? freeColor(others.map(({ color }) => color)),
    orderQueue: queue?.orderQueue?.toString() ?? "",
    assignment: queue?.assignment ?? "manual",
    firstAnswer: firstAnswerOf(queue),
    greetingMessage: queue?.greetingMessage ?? "",
    firstAnswerMinutes: queue?.firstAnswerMinutes?.toString() ?? "",
    nextAnswerMinutes: queue?.nextAnswerMinutes?.toString() ?? "",
    schedules: queue?.schedules ?? [],
    outOfHoursMessage: queue?.outOfHoursMessage ?? "",
  };
}

/**
 * The request body, with what the dialog shows: a known queue has its greeting in the draft of its chatbot, and its opening hours
 * only where the company uses them.
 */
export function bodyOf(
  values: QueueValues,
  { isNew, hasHours }: { isNew: boolean; hasHours: boolean },
): QueueBody {
  const { name, color, orderQueue, greetingMessage, schedules, outOfHoursMessage } = values;
  return {
    assignment: values.assignment,
    ...firstAnswerIds(values.firstAnswer),
    name: name.trim(),
    color: normalColor(color),
    orderQueue: orderQueue.trim(),
    firstAnswerMinutes: values.firstAnswerMinutes.trim(),
    nextAnswerMinutes: values.nextAnswerMinutes.trim(),
    ...(isNew ? { greetingMessage } : {}),
    ...(hasHours && !isNew ? { outOfHoursMessage, schedules: checkHours(schedules).value } : {}),
  };
}

/** The field that an error of the server belongs to. */
export const fieldsOfErrors = {
  ERR_QUEUE_INVALID_NAME: "name",
  ERR_QUEUE_NAME_ALREADY_EXISTS: "name",
  ERR_QUEUE_INVALID_COLOR: "color",
  ERR_QUEUE_COLOR_ALREADY_EXISTS: "color",
} as const satisfies Partial<Record<ErrorCode, keyof QueueValues>>;

/** The tab of a field. */
export function tabOf(field: string): QueueTab {
  return field === "schedules" || field === "outOfHoursMessage" ? "hours" : "general";
}

type GeneralFieldsProps = {
  form: UseFormReturn<QueueValues>;
  queue: Queue | null;
  others: readonly Queue[];
  file: AttachmentChange;
  onFile: (change: AttachmentChange) => void;
};

const targetFields = ["firstAnswerMinutes", "nextAnswerMinutes"] as const;

/** Empty, or whole minutes up to a day. */
function isTarget(value: string): boolean {
  const text = value.trim();
  const minutes = Number(text);
  return text === "" || (/^\d+$/.test(text) && minutes >= 1 && minutes <= limits.targetMinutesMax);
}

const GREETING_ROWS = 4;
const ORDER_DIGITS = 4;

/** Name, order, colour, and the file that follows the greeting; of a new queue its greeting too. */
export function GeneralFields({
  form,
  queue,
  others,
  file,
  onFile,
}: GeneralFieldsProps): ReactNode {
  const { t } = useTranslation();
  const { register, control } = form;
  const { errors } = form.formState;
  const min = limits.nameMin;

  return (
    <>
      <div className={classes["pair"]}>
        <NameField
          {...register("name", nameRule(t("queues.required"), t("queues.nameShort", { min }), min))}
          label={t("queues.name")}
          error={errors.name?.message}
        />
        <TextInput
          {...register("orderQueue", {
            validate: (value) => /^\d{0,4}$/.test(value.trim()) || t("queues.orderWrong"),
          })}
          label={t("queues.order")}
          error={errors.orderQueue?.message}
          inputMode="numeric"
          maxLength={ORDER_DIGITS}
          autoComplete="off"
        />
      </div>
      <ColorField
        control={control}
        name="color"
        others={others}
        takenText={(name) => t("queues.colorOf", { name })}
      />
      <AssignmentField form={form} />
      <FirstAnswerField
        control={control}
        name="firstAnswer"
        description={t("prompts.first.ofQueue")}
      />
      {queue === null ? (
        <MessageField
          control={control}
          name="greetingMessage"
          label={t("queues.greeting")}
          description={t("queues.greetingHelp")}
          rows={GREETING_ROWS}
        />
      ) : null}
      <fieldset className={classes["targets"]}>
        <legend>{t("queues.targets")}</legend>
        <p className={classes["targetsHelp"]}>{t("queues.targetsHelp")}</p>
        <div className={classes["halves"]}>
          {targetFields.map((field) => (
            <TextInput
              key={field}
              {...register(field, {
                validate: (value) =>
                  isTarget(value) || t("queues.targetWrong", { max: limits.targetMinutesMax }),
              })}
              label={t(`queues.${field}`)}
              error={errors[field]?.message}
              inputMode="numeric"
              autoComplete="off"
            />
          ))}
        </div>
      </fieldset>
      <div className={classes["file"]}>
        <span className={classes["fileLabel"]}>{t("queues.file")}</span>
        <div className={classes["fileRow"]}>
          <AttachmentField
            known={queue?.mediaName ?? null}
            change={file}
            onChange={onFile}
            icon={IconPaperclip}
            attachLabel={t("queues.attach")}
            detachLabel={(name) => t("queues.detach", { name })}
          />
          {queue?.mediaPath && file.kind === "keep" ? (
            <a
              className={classes["see"]}
              href={queue.mediaPath}
              target="_blank"
              rel="noopener noreferrer"
            >
              {t("queues.seeFile")}
            </a>
          ) : null}
        </div>
      </div>
    </>
  );
}

/** How waiting tickets come to the users of the queue. */
function AssignmentField({ form }: { form: UseFormReturn<QueueValues> }): ReactNode {
  const { t } = useTranslation();
  const assignment = useWatch({ control: form.control, name: "assignment" });
  return (
    <SegmentedField
      control={form.control}
      name="assignment"
      label={t("queues.assignment")}
      description={t(`queues.assignmentHelp.${assignment}`)}
      choices={assignments.map((value) => ({ value, label: t(`queues.assignments.${value}`) }))}
    />
  );
}

const MESSAGE_ROWS = 3;

/** Opening hours and the message outside of them. */
export function HoursFields({ form }: { form: UseFormReturn<QueueValues> }): ReactNode {
  const { t } = useTranslation();
  const { control, formState } = form;
  return (
    <>
      <Controller
        control={control}
        name="schedules"
        rules={{ validate: (value) => !checkHours(value).hasErrors || t("queues.hoursWrong") }}
        render={({ field: { value, onChange } }) => (
          <OpeningHours
            value={value}
            onChange={onChange}
            errors={formState.errors.schedules ? checkHours(value).errors : undefined}
          />
        )}
      />
      <MessageField
        control={control}
        name="outOfHoursMessage"
        label={t("queues.outOfHours")}
        description={t("queues.outOfHoursHelp")}
        rows={MESSAGE_ROWS}
      />
    </>
  );
}
