import "@mantine/core/styles/Tabs.layer.css";
import type { Queue, QueueOption, ScheduleEntry } from "@balcao/contract";
import { Tabs, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Suspense, useState } from "react";
import { flushSync } from "react-dom";
import type { FieldErrors, UseFormReturn } from "react-hook-form";
import { Controller, useForm, useWatch } from "react-hook-form";
import { ApiError } from "../../api/client.ts";
import { useTranslation } from "../../i18n/index.ts";
import type { AttachmentChange } from "../../ui/attachment-field.tsx";
import { NameField, nameRule } from "../../ui/dialogs/name-field.tsx";
import { DialogFrame } from "../../ui/dialogs/dialog-frame.tsx";
import { DraftNotice, useFormDraft } from "../../ui/dialogs/form-draft.tsx";
import { EmptyState, errorText, notifySuccess } from "../../ui/index.ts";
import { focusWrongTime, OpeningHours } from "../../ui/opening-hours/opening-hours.tsx";
import { useSetting } from "../settings/index.ts";
import { SavedWithoutFile, saveQueue } from "./api.ts";
import type { BotFile } from "./chatbot-preview.tsx";
import { fileOf } from "./chatbot-preview.tsx";
import { ChatbotEditor } from "./chatbot-editor.tsx";
import classes from "./queue-dialog.module.css";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Button } from "../../ui/button.tsx";
import { checkHours } from "../../ui/opening-hours/hours-rules.ts";
import type { QueueBody } from "./api.ts";
import { ColorField, freeColor, normalColor } from "../../ui/color-field.tsx";
import { limits } from "@balcao/contract/limits";
import { IconDeviceFloppy, IconPaperclip } from "@tabler/icons-react";
import { AttachmentField } from "../../ui/attachment-field.tsx";
import { MessageField } from "../../ui/text-with-variables.tsx";

const OptionRemoval = lazyPart(
  async () => (await import("./option-removal.tsx")).OptionRemoval,
  "over",
);
const TrialDialog = lazyPart(async () => (await import("./trial-dialog.tsx")).TrialDialog, "over");

type QueueDialogProps = {
  /** Null: a new one. */
  queue: Queue | null;
  /** All queues of the company. */
  queues: readonly Queue[];
  onClose: () => void;
};

/** A dialog over this one; it closes first. */
type Overlay = { kind: "remove"; option: QueueOption } | { kind: "try" };

const FORM_ID = "queue-form";

/** All settings of a queue. The texts are saved together, the chatbot at each change. */
export function QueueDialog({ queue: opened, queues, onClose }: QueueDialogProps): ReactNode {
  const { t } = useTranslation();
  const hasHours = useSetting("scheduleType") === "queue";
  // A new queue becomes this one once its texts are saved.
  const [queue, setQueue] = useState(opened);
  const [tab, setTab] = useState<QueueTab>("general");
  const [file, setFile] = useState<AttachmentChange>({ kind: "keep" });
  const [overlay, setOverlay] = useState<Overlay | null>(null);
  const others = queues.filter(({ id }) => id !== queue?.id);
  const form = useForm<QueueValues>({
    defaultValues: valuesOf(queue, others),
    shouldFocusError: false,
  });
  const draft = useFormDraft(form, valuesOf(opened, others));
  const greetingMessage = useWatch({ control: form.control, name: "greetingMessage" });
  const hasChanges = form.formState.isDirty || file.kind !== "keep";

  // The chatbot is saved at each change; for a new queue the panel has its own button.
  const isSavedElsewhere = queue === null ? tab !== "general" : tab === "chatbot" && !hasChanges;

  function show(field: keyof QueueValues): void {
    // A hidden field takes no focus.
    flushSync(() => setTab(tabOf(field)));
    if (field === "schedules") focusWrongTime();
    else form.setFocus(field);
  }

  const save = useMutation({
    mutationFn: ({ values }: { values: QueueValues; next: "close" | "stay" }) =>
      saveQueue(queue?.id ?? null, bodyOf(values, hasHours && queue !== null), file),
    onSuccess: (saved, { next }) => {
      draft.end();
      notifySuccess(t("queues.saved"));
      if (next === "close") onClose();
      else goOnWith(saved);
    },
    onError: (error) => {
      if (error instanceof SavedWithoutFile) goOnWith(error.queue, file);
      const field = error instanceof ApiError ? fieldOfError(error.code) : null;
      if (field === null) return;
      form.setError(field, { message: errorText(t, error) });
      show(field);
    },
  });

  function goOnWith(saved: Queue, fileLeft: AttachmentChange = { kind: "keep" }): void {
    draft.end();
    setQueue(saved);
    setFile(fileLeft);
    form.reset(valuesOf(saved, others));
  }

  function onInvalid(errors: FieldErrors<QueueValues>): void {
    const fields = Object.keys(form.getValues()) as (keyof QueueValues)[]; // the form's own keys
    const first = fields.find((field) => errors[field] !== undefined);
    if (first !== undefined) show(first);
  }

  function submit(next: "close" | "stay"): void {
    void form.handleSubmit((values) => save.mutate({ values, next }), onInvalid)();
  }

  const failure = save.error instanceof SavedWithoutFile ? save.error.cause : save.error;
  const saveFirst = (text: string): ReactNode => (
    <SaveFirst text={text} isBusy={save.isPending} onSave={() => submit("stay")} />
  );
  return (
    <>
      <DialogFrame
        opened
        size={tab === "chatbot" && queue !== null ? 960 : 640}
        title={queue === null ? t("queues.newTitle") : t("queues.editTitle", { name: queue.name })}
        onClose={() => {
          if (overlay === null) onClose();
        }}
      >
        <Tabs
          value={tab}
          onChange={(next) => setTab(queueTabs.find((one) => one === next) ?? "general")}
        >
          <Tabs.List>
            <Tabs.Tab value="general">{t("queues.general")}</Tabs.Tab>
            <Tabs.Tab value="chatbot">{t("queues.chatbot")}</Tabs.Tab>
            {hasHours ? <Tabs.Tab value="hours">{t("queues.hours")}</Tabs.Tab> : null}
          </Tabs.List>
          <form
            noValidate
            id={FORM_ID}
            onSubmit={(event) => {
              event.preventDefault();
              submit("close");
            }}
          >
            <Tabs.Panel value="general" className="bc-form bc-panel">
              <DraftNotice onDrop={draft.onDrop} />
              <GeneralFields
                form={form}
                queue={queue}
                others={others}
                file={file}
                onFile={setFile}
              />
            </Tabs.Panel>
            {hasHours ? (
              <Tabs.Panel value="hours" className="bc-form bc-panel">
                {queue === null ? saveFirst(t("queues.saveForHours")) : <HoursFields form={form} />}
              </Tabs.Panel>
            ) : null}
          </form>
          <Tabs.Panel value="chatbot" className="bc-form bc-panel">
            {queue === null ? saveFirst(t("queues.saveForChatbot")) : null}
            {queue !== null && tab === "chatbot" ? (
              <ChatbotEditor
                queueId={queue.id}
                name={queue.name}
                queue={{ greetingMessage, file: greetingFile(queue, file) }}
                onRemove={(option) => setOverlay({ kind: "remove", option })}
                onTry={() => setOverlay({ kind: "try" })}
              />
            ) : null}
          </Tabs.Panel>
        </Tabs>
        {failure === null ? null : (
          <p className={classes["error"]} role="alert">
            {errorText(t, failure)}
          </p>
        )}
        <div className={classes["actions"]}>
          <Button
            variant="default"
            onClick={() => {
              draft.end();
              onClose();
            }}
          >
            {t(isSavedElsewhere && queue !== null ? "common.close" : "common.cancel")}
          </Button>
          {isSavedElsewhere ? null : (
            <Button type="submit" form={FORM_ID} loading={save.isPending}>
              {t("common.save")}
            </Button>
          )}
        </div>
      </DialogFrame>
      <Suspense fallback={null}>
        {overlay?.kind === "remove" ? (
          <OptionRemoval option={overlay.option} onClose={() => setOverlay(null)} />
        ) : null}
        {overlay?.kind === "try" && queue !== null ? (
          <TrialDialog
            queue={queue}
            hasUnsavedTexts={form.formState.isDirty}
            onClose={() => setOverlay(null)}
          />
        ) : null}
      </Suspense>
    </>
  );
}

function tabOf(field: keyof QueueValues): QueueTab {
  return field === "schedules" || field === "outOfHoursMessage" ? "hours" : "general";
}

/** The file as it will be once the dialog is saved. */
function greetingFile(queue: Queue, change: AttachmentChange): BotFile | null {
  if (change.kind === "remove") return null;
  if (change.kind === "keep") return fileOf(queue);
  return { name: change.file.name, mime: null, url: null };
}

/** The dialog's fields as they are typed. */
type QueueValues = {
  name: string;
  color: string;
  orderQueue: string;
  greetingMessage: string;
  schedules: ScheduleEntry[];
  outOfHoursMessage: string;
};

const queueTabs = ["general", "chatbot", "hours"] as const;
type QueueTab = (typeof queueTabs)[number];

/** A queue's values; null is a new one, with a colour that none of the others has. */
function valuesOf(queue: Queue | null, others: readonly Queue[]): QueueValues {
  return {
    name: queue?.name ?? "",
    color: queue?.color ?? freeColor(others.map(({ color }) => color)),
    orderQueue: queue?.orderQueue?.toString() ?? "",
    greetingMessage: queue?.greetingMessage ?? "",
    schedules: queue?.schedules ?? [],
    outOfHoursMessage: queue?.outOfHoursMessage ?? "",
  };
}

/** What is written of the values; opening hours only where the dialog shows them. */
function bodyOf(values: QueueValues, hasHours: boolean): QueueBody {
  const { name, color, orderQueue, greetingMessage, schedules, outOfHoursMessage } = values;
  return {
    name: name.trim(),
    color: normalColor(color),
    orderQueue: orderQueue.trim(),
    greetingMessage,
    ...(hasHours ? { outOfHoursMessage, schedules: checkHours(schedules).value } : {}),
  };
}

/** The field that a refusal of the server is about. */
function fieldOfError(code: string): "name" | "color" | null {
  if (code === "ERR_QUEUE_INVALID_NAME" || code === "ERR_QUEUE_NAME_ALREADY_EXISTS") return "name";
  if (code === "ERR_QUEUE_INVALID_COLOR" || code === "ERR_QUEUE_COLOR_ALREADY_EXISTS") {
    return "color";
  }
  return null;
}

type GeneralFieldsProps = {
  form: UseFormReturn<QueueValues>;
  queue: Queue | null;
  others: readonly Queue[];
  file: AttachmentChange;
  onFile: (change: AttachmentChange) => void;
};

const GREETING_ROWS = 4;
const ORDER_DIGITS = 4;

/** What the queue is called and how it looks, and what the customer reads first. */
function GeneralFields({ form, queue, others, file, onFile }: GeneralFieldsProps): ReactNode {
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
      <MessageField
        control={control}
        name="greetingMessage"
        label={t("queues.greeting")}
        description={t("queues.greetingHelp")}
        rows={GREETING_ROWS}
      />
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

const MESSAGE_ROWS = 3;

/** When the queue is attended to, and what is said outside of these hours. */
function HoursFields({ form }: { form: UseFormReturn<QueueValues> }): ReactNode {
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

type Props = { text: string; isBusy: boolean; onSave: () => void };

/** What of a queue needs it to be there. */
function SaveFirst({ text, isBusy, onSave }: Props): ReactNode {
  const { t } = useTranslation();
  return (
    <EmptyState
      icon={IconDeviceFloppy}
      title={t("queues.saveFirst")}
      text={text}
      action={
        <Button loading={isBusy} onClick={onSave}>
          {t("queues.saveAndGoOn")}
        </Button>
      }
    />
  );
}
