import { limits } from "@balcao/contract/limits";
import { TextInput } from "@mantine/core";
import {
  IconArrowDown,
  IconArrowUp,
  IconFile,
  IconPaperclip,
  IconTrash,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useRef } from "react";
import type { UseFormReturn } from "react-hook-form";
import { useFieldArray } from "react-hook-form";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { FieldGroup } from "../../ui/field-group.tsx";
import { IconButton } from "../../ui/index.ts";
import { formatBytes } from "../messages/index.ts";
import type { FileListValues } from "./file-list-dialog.tsx";
import classes from "./file-rows.module.css";

/** A file of the list as the form has it. */
export type FileRow = {
  /** Null until the list is saved with it. */
  optionId: number | null;
  /** The caption. */
  name: string;
  /** The stored file's name and size; null without one. */
  fileName: string | null;
  bytes: number | null;
  /** Chosen, and not uploaded yet. */
  file: File | null;
};

type Props = Pick<UseFormReturn<FileListValues>, "control" | "register" | "getValues"> & {
  /** How much of the chosen files is uploaded, from 0 to 1; null while nothing is. */
  uploaded: number | null;
};

/** The files of a list in their order, each with its caption. Saving the form uploads those that were chosen. */
export function FileRows({ control, register, getValues, uploaded }: Props): ReactNode {
  const { t } = useTranslation();
  const { fields, append, remove, move, update } = useFieldArray({ control, name: "files" });
  const list = useRef<HTMLOListElement>(null);
  const isBusy = uploaded !== null;
  const room = limits.fileListOptionsMax - fields.length;

  /** Moves a row by one place; its button keeps the focus, or the other one where the row is at an end. */
  function step(from: number, to: number): void {
    move(from, to);
    requestAnimationFrame(() => {
      const [up, down] = list.current?.children[to]?.querySelectorAll("button") ?? [];
      const [wanted, other] = to < from ? [up, down] : [down, up];
      (wanted?.disabled ? other : wanted)?.focus();
    });
  }

  return (
    <FieldGroup legend={t("fileLists.files")} help={t("fileLists.filesHelp")}>
      {fields.length === 0 ? null : (
        <ol ref={list} className={classes["rows"]}>
          {fields.map((row, at) => {
            const name = row.file?.name ?? row.fileName ?? t("fileLists.row", { at: at + 1 });
            const hasFile = row.file !== null || row.fileName !== null;
            return (
              <li key={row.id} className={classes["row"]}>
                <span className={classes["order"]}>
                  <IconButton
                    size="small"
                    label={t("fileLists.up", { name })}
                    icon={IconArrowUp}
                    disabled={at === 0 || isBusy}
                    onClick={() => step(at, at - 1)}
                  />
                  <IconButton
                    size="small"
                    label={t("fileLists.down", { name })}
                    icon={IconArrowDown}
                    disabled={at === fields.length - 1 || isBusy}
                    onClick={() => step(at, at + 1)}
                  />
                </span>
                <span className={classes["about"]}>
                  <span className={classes["file"]}>
                    <IconFile size={15} stroke={1.7} aria-hidden="true" />
                    {hasFile ? (
                      <>
                        <span className="bc-ellipsis" title={name}>
                          {name}
                        </span>
                        <span className="bc-meta bc-numbers">
                          {formatBytes(row.file?.size ?? row.bytes ?? 0)}
                        </span>
                      </>
                    ) : (
                      <span className={classes["missing"]}>{t("fileLists.noFile")}</span>
                    )}
                  </span>
                  <TextInput
                    {...register(`files.${at}.name`)}
                    aria-label={t("fileLists.captionOf", { name })}
                    placeholder={t("fileLists.caption")}
                    maxLength={limits.fileCaptionMax}
                    autoComplete="off"
                  />
                </span>
                <FileChoice
                  label={t(hasFile ? "fileLists.replace" : "fileLists.choose", { name })}
                  renderButton={(label, choose) => (
                    <IconButton
                      size="small"
                      label={label}
                      icon={IconPaperclip}
                      disabled={isBusy}
                      onClick={choose}
                    />
                  )}
                  onFiles={([file]) => {
                    if (file) update(at, { ...getValues(`files.${at}`), file });
                  }}
                />
                <IconButton
                  size="small"
                  label={t("fileLists.remove", { name })}
                  icon={IconTrash}
                  disabled={isBusy}
                  onClick={() => remove(at)}
                />
              </li>
            );
          })}
        </ol>
      )}
      <FileChoice
        label={t("fileLists.add")}
        isMultiple
        renderButton={(label, choose) => (
          <Button
            variant="default"
            leftSection={<IconPaperclip size={15} stroke={1.7} aria-hidden="true" />}
            disabled={room <= 0 || isBusy}
            onClick={choose}
          >
            {label}
          </Button>
        )}
        onFiles={(files) => append(files.slice(0, room).map(newRow), { shouldFocus: false })}
      />
      {room > 0 ? null : (
        <p className="bc-small">{t("fileLists.full", { max: limits.fileListOptionsMax })}</p>
      )}
      {uploaded === null ? null : (
        <div className={classes["upload"]} role="status">
          <span className="bc-small">{t("fileLists.uploading")}</span>
          <progress aria-label={t("fileLists.uploading")} value={uploaded} />
        </div>
      )}
    </FieldGroup>
  );
}

const newRow = (file: File): FileRow => ({
  ...{ optionId: null, name: "", fileName: null, bytes: null, file },
});

type ChoiceProps = {
  label: string;
  isMultiple?: true;
  renderButton: (label: string, choose: () => void) => ReactNode;
  onFiles: (files: readonly File[]) => void;
};

/** A button that opens the computer's choice of files. */
function FileChoice({ label, isMultiple, renderButton, onFiles }: ChoiceProps): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple={isMultiple}
        hidden
        aria-label={label}
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])]);
          currentTarget.value = "";
        }}
      />
      {renderButton(label, () => input.current?.click())}
    </>
  );
}
