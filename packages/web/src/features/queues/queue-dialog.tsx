import "@mantine/core/styles/Tabs.layer.css";
import type { Queue, QueueOption } from "@balcao/contract";
import { Button, Tabs } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Suspense, useState } from "react";
import { flushSync } from "react-dom";
import type { FieldErrors } from "react-hook-form";
import { useForm, useWatch } from "react-hook-form";
import { ApiError } from "../../api/client.ts";
import { useTranslation } from "../../i18n/index.ts";
import type { AttachmentChange } from "../../ui/attachment-field.tsx";
import { DialogFrame } from "../../ui/dialogs/dialog-frame.tsx";
import { errorText, notifySuccess } from "../../ui/index.ts";
import { focusWrongTime } from "../../ui/opening-hours/opening-hours.tsx";
import { useSetting } from "../settings/index.ts";
import { SavedWithoutFile, saveQueue } from "./api.ts";
import type { BotFile } from "./chatbot-conversation.ts";
import { fileOf } from "./chatbot-conversation.ts";
import { ChatbotEditor } from "./chatbot-editor.tsx";
import { GeneralFields } from "./general-fields.tsx";
import { HoursFields } from "./hours-fields.tsx";
import classes from "./queue-dialog.module.css";
import type { QueueTab, QueueValues } from "./queue-values.ts";
import { bodyOf, fieldOfError, queueTabs, valuesOf } from "./queue-values.ts";
import { SaveFirst } from "./save-first.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";

const OptionRemoval = lazyPart(
  async () => (await import("./option-removal.tsx")).OptionRemoval,
  "over",
);
const TrialDialog = lazyPart(async () => (await import("./trial-dialog.tsx")).TrialDialog, "over");

type Props = {
  /** Null: a new one. */
  queue: Queue | null;
  /** All queues of the company. */
  queues: readonly Queue[];
  onClose: () => void;
};

/** What stands over the dialog; it closes first. */
type Overlay = { kind: "remove"; option: QueueOption } | { kind: "try" };

const FORM_ID = "queue-form";

/** Everything of a queue. The texts are saved together, the chatbot at each change. */
export function QueueDialog({ queue: opened, queues, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const hasHours = useSetting("scheduleType") === "queue";
  // Once the texts of a new one are saved, it is that one that goes on being edited.
  const [queue, setQueue] = useState(opened);
  const [tab, setTab] = useState<QueueTab>("general");
  const [file, setFile] = useState<AttachmentChange>({ kind: "keep" });
  const [overlay, setOverlay] = useState<Overlay | null>(null);
  const others = queues.filter(({ id }) => id !== queue?.id);
  const form = useForm<QueueValues>({
    defaultValues: valuesOf(queue, others),
    shouldFocusError: false,
  });
  const greetingMessage = useWatch({ control: form.control, name: "greetingMessage" });
  const hasChanges = form.formState.isDirty || file.kind !== "keep";

  // The chatbot is saved at each change; of a new queue the panel itself has the button.
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
            <Tabs.Panel value="general" className={classes["panel"] ?? ""}>
              <GeneralFields
                form={form}
                queue={queue}
                others={others}
                file={file}
                onFile={setFile}
              />
            </Tabs.Panel>
            {hasHours ? (
              <Tabs.Panel value="hours" className={classes["panel"] ?? ""}>
                {queue === null ? saveFirst(t("queues.saveForHours")) : <HoursFields form={form} />}
              </Tabs.Panel>
            ) : null}
          </form>
          <Tabs.Panel value="chatbot" className={classes["panel"] ?? ""}>
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
          <Button variant="default" onClick={onClose}>
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
