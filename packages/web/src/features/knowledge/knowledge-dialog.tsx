import type { KnowledgeItem, KnowledgeKind } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { Textarea, TextInput } from "@mantine/core";
import { IconBook2, IconFile, IconUpload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { DragEvent, ReactNode } from "react";
import { useEffect, useRef, useState } from "react";
import type { UseFormReturn } from "react-hook-form";
import { useWatch } from "react-hook-form";
import { ApiError } from "../../api/client.ts";
import { formatNumber } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { DialogFrame } from "../../ui/dialogs/dialog-frame.tsx";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { SegmentedField } from "../../ui/dialogs/segmented-field.tsx";
import { SwitchField } from "../../ui/dialogs/switch-field.tsx";
import { useRecordForm } from "../../ui/dialogs/use-record-form.ts";
import { errorText, ListSkeleton, LoadFailed } from "../../ui/index.ts";
import { formatBytes } from "../messages/index.ts";
import { readFile, saveItem, textQuery } from "./api.ts";
import classes from "./knowledge.module.css";

type Props = {
  /** Null: a new one. */
  item: KnowledgeItem | null;
  onClose: () => void;
};

/** The form of an item, once its text is there. */
export function KnowledgeDialog({ item, onClose }: Props): ReactNode {
  if (item === null) return <ItemForm item={null} text="" onClose={onClose} />;
  return <KnownItem item={item} onClose={onClose} />;
}

function KnownItem({ item, onClose }: { item: KnowledgeItem; onClose: () => void }): ReactNode {
  const { t } = useTranslation();
  const { data: text, error, refetch } = useQuery(textQuery(item));
  if (text !== undefined) return <ItemForm item={item} text={text} onClose={onClose} />;
  return (
    <DialogFrame opened size={640} title={t("knowledge.editTitle")} onClose={onClose}>
      {error === null ? (
        <ListSkeleton />
      ) : (
        <LoadFailed icon={IconBook2} error={error} onRetry={() => void refetch()} />
      )}
    </DialogFrame>
  );
}

type Values = {
  kind: KnowledgeKind;
  title: string;
  text: string;
  isActive: boolean;
  fileName: string;
  fileBytes: number;
};

const kinds = ["article", "question", "file"] as const;
const TEXT_ROWS = 12;

function ItemForm({ item, text, onClose }: Props & { text: string }): ReactNode {
  const { t } = useTranslation();
  const { dialog, ...form } = useRecordForm<Values, KnowledgeItem>({
    id: item?.id ?? null,
    values: {
      ...{ kind: item?.kind ?? "article", title: item?.title ?? "", text },
      isActive: item?.isActive ?? true,
      ...{ fileName: item?.fileName ?? "", fileBytes: item?.fileBytes ?? 0 },
    },
    save: (id, { fileName, fileBytes, ...values }) =>
      saveItem(id, {
        ...{ ...values, title: values.title.trim(), text: values.text.trim() },
        ...(values.kind === "file" ? { fileName, fileBytes } : {}),
      }),
    savedText: t("knowledge.saved"),
    onClose,
  });
  const { register, control, errors } = form;
  const [kind, fileName] = useWatch({ control, name: ["kind", "fileName"] });
  const length = useWatch({ control, name: "text" }).trim().length;
  const isQuestion = kind === "question";
  const isUnread = kind === "file" && fileName === "";
  const required = (value: string) => value.trim() !== "" || t("knowledge.required");
  return (
    <FormDialog
      {...dialog}
      size={640}
      // There is nothing to save before a file was read.
      submitLabel={isUnread ? null : dialog.submitLabel}
      cancelLabel={t("common.cancel")}
      title={t(item === null ? "knowledge.newTitle" : "knowledge.editTitle")}
    >
      {item === null ? (
        <SegmentedField
          control={control}
          name="kind"
          label={t("knowledge.kind")}
          choices={kinds.map((value) => ({ value, label: t(`knowledge.kinds.${value}`) }))}
          description={t(`knowledge.kindHelp.${kind}`)}
        />
      ) : null}
      {kind === "file" ? <FileField form={form} /> : null}
      {isUnread ? null : (
        <>
          <TextInput
            {...register("title", { validate: required })}
            label={t(isQuestion ? "knowledge.question" : "knowledge.itemTitle")}
            placeholder={t(isQuestion ? "knowledge.questionHint" : "knowledge.titleHint")}
            error={errors.title?.message}
            maxLength={limits.knowledgeTitleMax}
            autoComplete="off"
            data-autofocus
          />
          <Textarea
            {...register("text", { validate: required })}
            label={t(isQuestion ? "knowledge.answer" : "knowledge.text")}
            description={t(kind === "file" ? "knowledge.correct" : "knowledge.textHelp", {
              length: formatNumber(length),
              max: formatNumber(limits.knowledgeTextMax),
            })}
            error={errors.text?.message}
            rows={isQuestion ? TEXT_ROWS / 2 : TEXT_ROWS}
            maxLength={limits.knowledgeTextMax}
          />
          <SwitchField
            control={control}
            name="isActive"
            label={t("knowledge.isActive")}
            description={t("knowledge.isActiveHelp")}
          />
        </>
      )}
    </FormDialog>
  );
}

/** What becomes of the chosen file. */
type Reading = { file: File; part: number } | { error: Error } | { isCut: boolean } | null;

const ACCEPTED = ".pdf,.txt,.md,application/pdf,text/plain,text/markdown";

/** Has a file read, and puts its text into the form, where it is corrected. */
function FileField({
  form,
}: {
  form: Pick<UseFormReturn<Values>, "setValue" | "getValues" | "control">;
}): ReactNode {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  const running = useRef<AbortController | null>(null);
  const [reading, setReading] = useState<Reading>(null);
  const [isOver, setIsOver] = useState(false);
  const [fileName, fileBytes] = useWatch({
    control: form.control,
    name: ["fileName", "fileBytes"],
  });
  useEffect(() => () => running.current?.abort(), []);
  const max = limits.knowledgeFileMaxBytes;

  async function read(file: File): Promise<void> {
    running.current?.abort();
    const mine = new AbortController();
    running.current = mine;
    try {
      if (file.size > max)
        throw new ApiError({ status: 0, code: "ERR_FILE_TOO_LARGE", data: null });
      setReading({ file, part: 0 });
      const onProgress = (part: number): void => {
        if (!mine.signal.aborted) setReading({ file, part });
      };
      const found = await readFile(file, { signal: mine.signal, onProgress });
      const change = { shouldDirty: true, shouldValidate: false } as const;
      form.setValue("fileName", found.fileName, change);
      form.setValue("fileBytes", found.fileBytes, change);
      form.setValue("text", found.text, change);
      if (form.getValues("title").trim() === "")
        form.setValue("title", nameOf(found.fileName), change);
      setReading({ isCut: found.isCut });
    } catch (error) {
      if (mine.signal.aborted) return;
      setReading({ error: error instanceof Error ? error : new Error(String(error)) });
    }
  }

  function drop(event: DragEvent): void {
    event.preventDefault();
    setIsOver(false);
    const [file] = event.dataTransfer.files;
    if (file) void read(file);
  }

  const isBusy = reading !== null && "file" in reading;
  return (
    <section
      className={classes["drop"]}
      data-over={isOver || undefined}
      aria-label={t("knowledge.kinds.file")}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(event.dataTransfer.types.includes("Files"));
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      {fileName === "" ? null : (
        <p className={classes["file"]}>
          <IconFile size={15} stroke={1.7} aria-hidden="true" />
          <span className="bc-ellipsis">{fileName}</span>
          <span className="bc-meta">{formatBytes(fileBytes)}</span>
        </p>
      )}
      <input
        ref={input}
        type="file"
        accept={ACCEPTED}
        hidden
        aria-label={t("knowledge.choose")}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file) void read(file);
          currentTarget.value = "";
        }}
      />
      <Button
        variant="default"
        disabled={isBusy}
        leftSection={<IconUpload size={15} stroke={1.7} aria-hidden="true" />}
        onClick={() => input.current?.click()}
      >
        {t(fileName === "" ? "knowledge.choose" : "knowledge.chooseOther")}
      </Button>
      <p className="bc-meta">{t("knowledge.formats", { size: formatBytes(max) })}</p>
      <div role="status" className={classes["reading"]}>
        {isBusy ? (
          <>
            <span>{t("knowledge.reading", { name: reading.file.name })}</span>
            <progress
              aria-label={t("knowledge.reading", { name: reading.file.name })}
              // Received, it is being read.
              value={reading.part < 1 ? reading.part : undefined}
            />
          </>
        ) : null}
        {reading !== null && "isCut" in reading && reading.isCut ? t("knowledge.isCut") : null}
      </div>
      {reading !== null && "error" in reading ? (
        <p className="bc-failure" role="alert">
          {errorText(t, reading.error)}
        </p>
      ) : null}
    </section>
  );
}

/** "trocas-2026.pdf" is named "trocas-2026". */
const nameOf = (fileName: string): string =>
  fileName.replace(/\.[a-z0-9]{1,8}$/i, "").slice(0, limits.knowledgeTitleMax);
