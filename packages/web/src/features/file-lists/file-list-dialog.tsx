import type { FileList, ListedFileList } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { Textarea, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { useRef, useState } from "react";
import { ApiError } from "../../api/client.ts";
import { useTranslation } from "../../i18n/index.ts";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { useRecordForm } from "../../ui/dialogs/use-record-form.ts";
import { errorText, ListSkeleton } from "../../ui/index.ts";
import type { OptionFile } from "./api.ts";
import { saveFileList, uploadOptionFiles, useFileList } from "./api.ts";
import type { FileRow } from "./file-rows.tsx";
import { FileRows } from "./file-rows.tsx";

type Props = {
  /** Null: a new one. */
  listed: ListedFileList | null;
  onClose: () => void;
};

/** Name, message and files of a list. */
export function FileListDialog({ listed, onClose }: Props): ReactNode {
  return listed === null ? (
    <FileListForm fileList={null} onClose={onClose} />
  ) : (
    <Editing id={listed.id} onClose={onClose} />
  );
}

function Editing({ id, onClose }: { id: number; onClose: () => void }): ReactNode {
  const { t } = useTranslation();
  const { data, error } = useFileList(id);
  if (data) return <FileListForm fileList={data} onClose={onClose} />;
  return (
    <FormDialog
      title={t("fileLists.editTitle")}
      size={640}
      submitLabel={null}
      isBusy={false}
      error={error === null ? null : errorText(t, error)}
      onSubmit={(event) => event.preventDefault()}
      onClose={onClose}
    >
      {error === null ? <ListSkeleton /> : null}
    </FormDialog>
  );
}

export type FileListValues = { name: string; message: string; files: FileRow[] };

type FormProps = { fileList: FileList | null; onClose: () => void };

function FileListForm({ fileList, onClose }: FormProps): ReactNode {
  const { t } = useTranslation();
  // Files that are to be uploaded once the list is saved.
  const waiting = useRef<OptionFile[]>([]);
  const [part, setPart] = useState<number | null>(null);

  async function save(id: number | null, values: FileListValues): Promise<FileList> {
    const saved = await saveFileList(id, {
      ...{ name: values.name.trim(), message: values.message.trim() },
      options: values.files.map(({ optionId, name }) => ({ id: optionId, name: name.trim() })),
    });
    // A second try after an upload failed changes these options instead of making them again.
    const files = values.files.map((row, at) => ({
      ...row,
      optionId: saved.options[at]?.id ?? row.optionId,
    }));
    form.setValue("files", files);
    waiting.current = files.flatMap(({ optionId, file }) =>
      optionId === null || file === null ? [] : [{ optionId, file }],
    );
    return saved;
  }

  async function saveFiles(id: number): Promise<void> {
    if (waiting.current.length === 0) return;
    setPart(0);
    try {
      await uploadOptionFiles(id, waiting.current, keep, setPart);
    } finally {
      setPart(null);
    }
  }

  /** These files are stored; a second try leaves them out. */
  function keep(stored: readonly OptionFile[]): void {
    const ids = new Set(stored.map(({ optionId }) => optionId));
    const known = (row: FileRow): FileRow =>
      row.file !== null && row.optionId !== null && ids.has(row.optionId)
        ? { ...row, fileName: row.file.name, bytes: row.file.size, file: null }
        : row;
    form.setValue("files", form.getValues("files").map(known));
  }

  const form = useRecordForm<FileListValues, FileList>({
    id: fileList?.id ?? null,
    values: {
      name: fileList?.name ?? "",
      message: fileList?.message ?? "",
      files: (fileList?.options ?? []).map(({ id, name, fileName, bytes }) => ({
        ...{ optionId: id, name, fileName, bytes, file: null },
      })),
    },
    save,
    saveFile: saveFiles,
    savedText: t("fileLists.saved"),
    fieldErrors: { ERR_RATING_NAME_ALREADY_EXISTS: "name" },
    textOf: (error) => withFileName(error, errorText(t, error)),
    onClose,
  });
  const { register, control, getValues, errors, dialog } = form;
  return (
    <FormDialog
      {...dialog}
      size={640}
      title={t(fileList === null ? "fileLists.newTitle" : "fileLists.editTitle")}
    >
      <TextInput
        {...register("name", {
          validate: (value) =>
            value.trim().length >= limits.fileListNameMin || t("fileLists.nameShort"),
        })}
        label={t("contacts.name")}
        error={errors.name?.message}
        maxLength={limits.nameMax}
        autoComplete="off"
        data-autofocus
      />
      <Textarea
        {...register("message", {
          validate: (value) => value.trim() !== "" || t("fileLists.messageRequired"),
        })}
        label={t("fileLists.message")}
        description={errors.message ? undefined : t("fileLists.messageHelp")}
        error={errors.message?.message}
        maxLength={limits.messageBodyMax}
        rows={2}
      />
      <FileRows {...{ control, register, getValues }} uploaded={part} />
    </FormDialog>
  );
}

/** Says which file was refused. */
function withFileName(error: Error, text: string): string {
  const data = error instanceof ApiError ? error.data : undefined;
  const isNamed = typeof data === "object" && data !== null && "name" in data;
  return isNamed && typeof data.name === "string" ? `${data.name}: ${text}` : text;
}
