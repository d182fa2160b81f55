import "@mantine/core/styles/Tabs.layer.css";
import type { Queue, QueueOption, ReplyOf } from "@balcao/contract";
import { NativeSelect, Tabs } from "@mantine/core";
import { IconDeviceFloppy } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { FormEvent, ReactNode, SyntheticEvent } from "react";
import { Suspense, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { call } from "../../api/client.ts";
import { upload } from "../../api/upload.ts";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import type { AttachmentChange } from "../../ui/attachment-field.tsx";
import { Button } from "../../ui/button.tsx";
import { DialogFrame } from "../../ui/dialogs/dialog-frame.tsx";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { useRecordForm } from "../../ui/dialogs/use-record-form.ts";
import { EmptyState, errorText, ListSkeleton, notifySuccess } from "../../ui/index.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { focusWrongTime } from "../../ui/opening-hours/opening-hours.tsx";
import { useSetting } from "../settings/index.ts";
import type { QueueBody } from "./api.ts";
import { queueList } from "./api.ts";
import { ChatbotEditor } from "./chatbot-editor.tsx";
import type { BotFile } from "./chatbot-preview.tsx";
import { fileOf } from "./chatbot-preview.tsx";
import { DiscardQuestion, PublishDialog } from "./chatbot-publishing.tsx";
import { OptionRemoval } from "./option-fields.tsx";
import type { QueueTab } from "./queue-fields.tsx";
import {
  bodyOf,
  fieldsOfErrors,
  GeneralFields,
  HoursFields,
  queueTabs,
  tabOf,
  valuesOf,
} from "./queue-fields.tsx";
import classes from "./queues.module.css";

const TrialDialog = lazyPart(async () => (await import("./trial-dialog.tsx")).TrialDialog, "over");

type QueueDialogProps = {
  /** Null: a new one. */
  queue: Queue | null;
  /** All queues of the company. */
  queues: readonly Queue[];
  onClose: () => void;
};

/** A dialog over this one; it closes first. */
type Overlay =
  | { kind: "remove"; option: QueueOption }
  | { kind: "try" }
  | { kind: "publish" }
  | { kind: "discard" };

/** All settings of a queue. The texts are saved together; each change of the chatbot is saved in its draft. */
export function QueueDialog({ queue: opened, queues, onClose }: QueueDialogProps): ReactNode {
  const { t } = useTranslation();
  const hasHours = useSetting("scheduleType") === "queue";
  // A new queue becomes this one once its texts are saved.
  const [queue, setQueue] = useState(opened);
  const [tab, setTab] = useState<QueueTab>("general");
  const [file, setFile] = useState<AttachmentChange>({ kind: "keep" });
  const [overlay, setOverlay] = useState<Overlay | null>(null);
  const staysOpen = useRef(false);
  const others = queues.filter(({ id }) => id !== queue?.id);
  const { dialog, ...form } = useRecordForm({
    id: opened?.id ?? null,
    values: valuesOf(queue, others),
    async save(id, values) {
      const saved = await saveQueue(id, bodyOf(values, { isNew: id === null, hasHours }));
      setQueue(saved);
      return saved;
    },
    async saveFile(id) {
      if (file.kind !== "keep") setQueue(await saveGreetingFile(id, file));
    },
    savedText: t("queues.saved"),
    fieldErrors: fieldsOfErrors,
    reveal(field) {
      // A hidden field cannot be focused.
      flushSync(() => setTab(tabOf(field)));
      if (tabOf(field) === "hours") focusWrongTime();
      else form.setFocus(field);
    },
    onSaved(saved) {
      if (!staysOpen.current) {
        onClose();
        return;
      }
      setFile({ kind: "keep" });
      form.reset(valuesOf(saved, others));
    },
    onClose,
  });
  const hasChanges = form.formState.isDirty || file.kind !== "keep";

  // The chatbot is saved at each change; for a new queue the panel has its own button.
  const isSavedElsewhere = queue === null ? tab !== "general" : tab === "chatbot" && !hasChanges;

  function submit(event: SyntheticEvent, next: "close" | "stay"): void {
    staysOpen.current = next === "stay";
    dialog.onSubmit(event);
  }

  const saveFirst = (text: string): ReactNode => (
    <SaveFirst text={text} isBusy={dialog.isBusy} onSave={(event) => submit(event, "stay")} />
  );
  return (
    <>
      <FormDialog
        {...dialog}
        size={tab === "chatbot" && queue !== null ? 960 : 640}
        title={queue === null ? t("queues.newTitle") : t("queues.editTitle", { name: queue.name })}
        submitLabel={isSavedElsewhere ? null : dialog.submitLabel}
        cancelLabel={t(isSavedElsewhere && queue !== null ? "common.close" : "common.cancel")}
        onSubmit={(event) => submit(event, "close")}
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
          <Tabs.Panel value="general" className="bc-form bc-panel">
            <GeneralFields form={form} queue={queue} others={others} file={file} onFile={setFile} />
          </Tabs.Panel>
          {hasHours ? (
            <Tabs.Panel value="hours" className="bc-form bc-panel">
              {queue === null ? saveFirst(t("queues.saveForHours")) : <HoursFields form={form} />}
            </Tabs.Panel>
          ) : null}
          <Tabs.Panel value="chatbot" className="bc-form bc-panel">
            {queue === null ? saveFirst(t("queues.saveForChatbot")) : null}
            {queue !== null && tab === "chatbot" ? (
              <ChatbotEditor
                queueId={queue.id}
                name={queue.name}
                file={greetingFile(queue, file)}
                onRemove={(option) => setOverlay({ kind: "remove", option })}
                onTry={() => setOverlay({ kind: "try" })}
                onPublish={() => setOverlay({ kind: "publish" })}
                onDiscard={() => setOverlay({ kind: "discard" })}
              />
            ) : null}
          </Tabs.Panel>
        </Tabs>
      </FormDialog>
      {overlay?.kind === "remove" ? (
        <OptionRemoval option={overlay.option} onClose={() => setOverlay(null)} />
      ) : null}
      {overlay?.kind === "publish" && queue !== null ? (
        <PublishDialog queueId={queue.id} name={queue.name} onClose={() => setOverlay(null)} />
      ) : null}
      {overlay?.kind === "discard" && queue !== null ? (
        <DiscardQuestion queueId={queue.id} name={queue.name} onClose={() => setOverlay(null)} />
      ) : null}
      <Suspense fallback={null}>
        {overlay?.kind === "try" && queue !== null ? (
          <TrialDialog queue={queue} onClose={() => setOverlay(null)} />
        ) : null}
      </Suspense>
    </>
  );
}

/** The file of the greeting after saving. */
function greetingFile(queue: Queue, change: AttachmentChange): BotFile | null {
  if (change.kind === "remove") return null;
  if (change.kind === "keep") return fileOf(queue);
  return { name: change.file.name, mime: null, url: null };
}

type SaveFirstProps = { text: string; isBusy: boolean; onSave: (event: SyntheticEvent) => void };

/** Stands in a tab that needs a saved queue. */
function SaveFirst({ text, isBusy, onSave }: SaveFirstProps): ReactNode {
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

type RemovalProps = { queue: Queue; others: readonly Queue[]; onClose: () => void };

/** Asks before a queue is deleted, says what belongs to it and asks where its tickets go. */
export function QueueRemoval({ queue, others, onClose }: RemovalProps): ReactNode {
  const { t } = useTranslation();
  const { id, name } = queue;
  const { data: use, error, refetch } = useQueueUse(id);
  const [target, setTarget] = useState("");
  const removal = useMutation({
    mutationFn: () => deleteQueue(id, target === "" ? null : Number(target)),
    onSuccess: () => {
      notifySuccess(t("queues.deleted"));
      onClose();
    },
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (use) removal.mutate();
  }

  const failure = removal.error ?? error;
  return (
    <DialogFrame opened onClose={onClose} title={t("queues.deleteTitle", { name })}>
      <form noValidate className="bc-form" onSubmit={submit}>
        {use || error ? null : <ListSkeleton rows={3} />}
        {use ? (
          <ul className={classes["use"]}>
            {usesOf(t, use).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        ) : null}
        {use && use.tickets > 0 ? (
          <NativeSelect
            label={t("queues.ticketsGoTo")}
            value={target}
            onChange={(event) => setTarget(event.currentTarget.value)}
            data={[
              { value: "", label: t("queues.noTarget") },
              ...others.map((other) => ({ value: String(other.id), label: other.name })),
            ]}
          />
        ) : null}
        {failure === null ? null : (
          <p className="bc-failure" role="alert">
            {errorText(t, failure)}
          </p>
        )}
        <div className={classes["removalActions"]}>
          <Button variant="default" data-autofocus onClick={onClose}>
            {t("common.cancel")}
          </Button>
          {error && !use ? (
            <Button onClick={() => void refetch()}>{t("common.retry")}</Button>
          ) : (
            <Button type="submit" color="bad" loading={removal.isPending} disabled={!use}>
              {t("common.deleteConfirm")}
            </Button>
          )}
        </div>
      </form>
    </DialogFrame>
  );
}

/** The consequences of the deletion, one line each. */
function usesOf(t: TFunction, { tickets, users, connections, options }: QueueUse): string[] {
  return [
    tickets === 0 ? t("queues.useNoTickets") : t("queues.useTickets", { count: tickets }),
    ...(users === 0 ? [] : [t("queues.useUsers", { count: users })]),
    ...(connections.length === 0
      ? []
      : [t("queues.useConnections", { names: connections.map(({ name }) => name).join(", ") })]),
    ...(options === 0 ? [] : [t("queues.useOptions", { count: options })]),
    t("queues.useForGood"),
  ];
}

/** Saves a new (`id` null) or known queue. */
async function saveQueue(id: number | null, body: QueueBody): Promise<Queue> {
  const saved =
    id === null
      ? await call("POST /queue", { body })
      : await call("PUT /queue/:queueId", { params: { queueId: id }, body });
  queueList.apply({ row: saved });
  queueList.readAgain();
  return saved;
}

/** Saves the file that follows the greeting; the reply is the queue with it. */
async function saveGreetingFile(queueId: number, file: AttachmentChange): Promise<Queue> {
  const params = { queueId };
  if (file.kind === "attach") {
    await upload("POST /queue/:queueId/media-upload", { params, files: { file: [file.file] } });
  }
  if (file.kind === "remove") await call("DELETE /queue/:queueId/media-upload", { params });
  const saved = await call("GET /queue/:queueId", { params });
  queueList.apply({ row: saved });
  queueList.readAgain();
  return saved;
}

type QueueUse = ReplyOf<"GET /queue/:queueId/use">;

/** The tickets, users, connections and options that belong to a queue now. */
function useQueueUse(queueId: number) {
  return useQuery({
    queryKey: ["queue-use", queueId],
    queryFn: ({ signal }) => call("GET /queue/:queueId/use", { params: { queueId } }, { signal }),
    staleTime: 0,
    gcTime: 0,
  });
}

/** Deletes a queue. Its waiting and open tickets move to `targetQueueId`, or wait without a queue. */
async function deleteQueue(queueId: number, targetQueueId: number | null): Promise<void> {
  const query = targetQueueId === null ? {} : { targetQueueId };
  await call("DELETE /queue/:queueId", { params: { queueId }, query });
  queueList.apply({ removedId: queueId });
  queueList.readAgain();
}
