import type { ContactImport } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { IconAlertCircle, IconTableImport } from "@tabler/icons-react";
import type { DragEvent, ReactNode } from "react";
import { useEffect, useRef, useState } from "react";
import { useMutation } from "@tanstack/react-query";
import { ApiError } from "../../api/client.ts";
import { saveFile } from "../../api/download.ts";
import { formatNumber } from "../../i18n/format.ts";
import type { TFunction } from "../../i18n/index.ts";
import { isTextKey, useTranslation } from "../../i18n/index.ts";
import { useLocation, useNavigate } from "../../router/index.tsx";
import { Button } from "../../ui/button.tsx";
import { errorText, notifyError } from "../../ui/index.ts";
import { deleteImport, uploadSheet } from "./api.ts";
import { addressOf } from "./import-news.tsx";
import { bytesText } from "./rules.ts";
import classes from "./upload-step.module.css";

const ACCEPTED = ".xlsx,.xls,.csv";

type Props = {
  contactListId: number | null;
  /** A file that is being read, or that could not be. */
  sent?: ContactImport;
};

/** The first step: a place to drop the spreadsheet. What is wrong with it is said below. */
export function UploadStep({ contactListId, sent }: Props): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { state } = useLocation();
  const [part, setPart] = useState(0);
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);
  const send = useMutation({
    mutationFn: (file: File) => {
      if (file.size > limits.sheetMaxBytes) throw tooLarge(file);
      setPart(0);
      running.current = new AbortController();
      return uploadSheet({
        ...{ file, contactListId, onProgress: setPart },
        signal: running.current.signal,
      });
    },
    onSuccess: (created) => {
      navigate(addressOf(created), { replace: true });
      const replaced = sent?.id ?? replacedIn(state);
      if (replaced !== null) deleteImport(replaced).catch(notifyError);
    },
  });
  const isReading = sent?.state === "reading";
  if (send.isPending) {
    const { name, size } = send.variables;
    const [done, whole] = [bytesText(size * part), bytesText(size)];
    return (
      <Area>
        <p className={classes["headline"]}>{t("imports.uploading", { name })}</p>
        <progress
          className={classes["bar"]}
          aria-label={t("imports.uploading", { name })}
          value={part}
        />
        <p className="bc-small bc-numbers">{t("imports.sent", { sent: done, size: whole })}</p>
        <Button variant="default" size="xs" onClick={() => running.current?.abort()}>
          {t("common.cancel")}
        </Button>
      </Area>
    );
  }
  if (isReading) {
    const { fileName: name, fileBytes } = sent;
    return (
      <Area>
        <p className={classes["headline"]} role="status">
          {t("imports.reading")}
        </p>
        <progress className={classes["bar"]} aria-label={t("imports.reading")} />
        <p className="bc-small">{t("imports.readingText", { name, size: bytesText(fileBytes) })}</p>
      </Area>
    );
  }
  const isAborted = send.error instanceof DOMException;
  const fault = send.error === null || isAborted ? faultOf(t, sent) : errorFault(t, send.error);
  return <DropArea fault={fault} onFile={send.mutate} />;
}

/** "Trocar planilha" leaves the draft that the new file replaces in the step of the history. */
function replacedIn(state: unknown): number | null {
  if (typeof state !== "object" || state === null || !("replaces" in state)) return null;
  return typeof state.replaces === "number" ? state.replaces : null;
}

type DropProps = { fault: string | null; onFile: (file: File) => void };

function DropArea({ fault, onFile }: DropProps): ReactNode {
  const { t } = useTranslation();
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setIsOver] = useState(false);
  useEffect(keepPageOnDrop, []);

  function drop(event: DragEvent): void {
    setIsOver(false);
    const [file] = event.dataTransfer.files;
    if (file) onFile(file);
  }

  return (
    <>
      <Area
        isOver={isOver}
        onDragOver={(event) => setIsOver(event.dataTransfer.types.includes("Files"))}
        onDragLeave={() => setIsOver(false)}
        onDrop={drop}
      >
        <span className={classes["icon"]} aria-hidden="true">
          <IconTableImport size={26} stroke={1.7} />
        </span>
        <p className={classes["headline"]}>
          {isOver ? (
            t("imports.dropNow")
          ) : (
            <>
              {t("imports.dropHere")}{" "}
              <button
                type="button"
                className={classes["choose"]}
                onClick={() => input.current?.click()}
              >
                {t("imports.choose")}
              </button>
            </>
          )}
        </p>
        <p className="bc-small">
          {t("imports.formats", {
            size: bytesText(limits.sheetMaxBytes),
            rows: formatNumber(limits.sheetRowsMax),
          })}
        </p>
        <input
          ref={input}
          type="file"
          accept={ACCEPTED}
          hidden
          aria-label={t("imports.steps.file")}
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            if (file) onFile(file);
            currentTarget.value = "";
          }}
        />
      </Area>
      <div role="alert">
        {fault === null ? null : (
          <p className={classes["fault"]}>
            <IconAlertCircle size={15} stroke={1.7} aria-hidden="true" />
            {fault}
          </p>
        )}
      </div>
      <p>
        <button
          type="button"
          className={classes["choose"]}
          onClick={() => void saveFile("GET /contact-imports/example", {}).catch(notifyError)}
        >
          {t("imports.example")}
        </button>
      </p>
    </>
  );
}

type AreaProps = {
  isOver?: boolean;
  onDragOver?: (event: DragEvent) => void;
  onDragLeave?: (event: DragEvent) => void;
  onDrop?: (event: DragEvent) => void;
  children: ReactNode;
};

function Area({ isOver = false, children, ...on }: AreaProps): ReactNode {
  return (
    <section className={classes["area"]} data-over={isOver || undefined} {...on}>
      {children}
    </section>
  );
}

/** A file that is dropped beside the area must not replace the page. Returns the way to stop. */
function keepPageOnDrop(): () => void {
  const keep = (event: Event): void => event.preventDefault();
  addEventListener("dragover", keep);
  addEventListener("drop", keep);
  return () => {
    removeEventListener("dragover", keep);
    removeEventListener("drop", keep);
  };
}

const tooLarge = ({ size, name }: File): ApiError =>
  new ApiError({ status: 0, code: "ERR_FILE_TOO_LARGE", data: { name, size } });

function errorFault(t: TFunction, error: Error): string {
  const { data, code } = error instanceof ApiError ? error : { data: null, code: "" };
  const size = typeof data === "object" && data !== null && "size" in data ? data.size : null;
  if (code !== "ERR_FILE_TOO_LARGE" || typeof size !== "number") return errorText(t, error);
  return t("imports.faults.fileTooLarge", {
    size: bytesText(size),
    max: bytesText(limits.sheetMaxBytes),
  });
}

/** Why a file could not be read, with what the server knows of it. */
export function faultOf(
  t: TFunction,
  sent: Pick<ContactImport, "errorCode" | "errorData"> | undefined,
): string | null {
  const { errorCode: code = null, errorData } = sent ?? {};
  if (code === null) return null;
  const of = (key: string): string => String(errorData?.[key] ?? "");
  const numberOf = (key: string): number => Number(errorData?.[key] ?? 0);
  if (code === "ERR_SHEET_NOT_ONE" && of("kind") !== "") {
    const key = `imports.faults.kinds.${of("kind")}`;
    const known = isTextKey(key) ? t(key as "imports.faults.kinds.pdf") : null; // of the same kind
    const kind = known ?? t("imports.faults.unknownKind", { kind: of("kind") });
    return t("imports.faults.ERR_SHEET_NOT_ONE", { kind });
  }
  if (code === "ERR_SHEET_TOO_LARGE" && errorData !== null) {
    return t("imports.faults.ERR_SHEET_TOO_LARGE", { size: bytesText(numberOf("maxBytes")) });
  }
  if (code === "ERR_SHEET_TOO_MANY_ROWS" && errorData !== null) {
    const [rows, max] = [formatNumber(numberOf("rows")), formatNumber(numberOf("max"))];
    return t("imports.faults.ERR_SHEET_TOO_MANY_ROWS", { rows, max });
  }
  return errorText(t, new ApiError({ status: 400, code }));
}
