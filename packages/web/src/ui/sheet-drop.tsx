import { IconAlertCircle, IconTableImport } from "@tabler/icons-react";
import type { DragEvent, ReactNode } from "react";
import { useEffect, useRef, useState } from "react";
import { ApiError } from "../api/client.ts";
import { formatNumber } from "../i18n/format.ts";
import type { TFunction } from "../i18n/index.ts";
import { isTextKey, useTranslation } from "../i18n/index.ts";
import { errorText } from "./error-text.ts";
import classes from "./sheet-drop.module.css";

const ACCEPTED = ".xlsx,.xls,.csv";

type DropProps = {
  /** What is wrong with the file that was chosen last. */
  fault: string | null;
  /** The largest file, and its most rows. */
  max: SheetMax;
  onFile: (file: File) => void;
  /** Fetches a spreadsheet to begin with. */
  onExample: () => void;
};

type SheetMax = { bytes: number; rows: number };

/** A place to drop a spreadsheet, or to choose one. */
export function SheetDrop({ fault, max, onFile, onExample }: DropProps): ReactNode {
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
            size: bytesText(max.bytes),
            rows: formatNumber(max.rows),
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
        <button type="button" className={classes["choose"]} onClick={onExample}>
          {t("imports.example")}
        </button>
      </p>
    </>
  );
}

type ProgressProps = {
  label: string;
  /** From 0 to 1; left out while it is unknown. */
  part?: number;
  children?: ReactNode;
};

/** What happens with a spreadsheet that was dropped. */
export function SheetProgress({ label, part, children }: ProgressProps): ReactNode {
  return (
    <Area>
      <p className={classes["headline"]} role="status">
        {label}
      </p>
      <progress className={classes["bar"]} aria-label={label} value={part} />
      {children}
    </Area>
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

/** A file that is not even sent. */
export const tooLarge = ({ size, name }: File): ApiError =>
  new ApiError({ status: 0, code: "ERR_FILE_TOO_LARGE", data: { name, size } });

const MEGABYTE = 1024 * 1024;

/** "3,1 MB", in the units in which the limit of a file is 25 MB. */
export function bytesText(bytes: number): string {
  if (bytes < MEGABYTE) return `${formatNumber(Math.ceil(bytes / 1024))} kB`;
  return `${formatNumber(Math.round((10 * bytes) / MEGABYTE) / 10)} MB`;
}

/** Why a file was not taken: a code with what the server, or `tooLarge`, knows of it. */
export function sheetFault(t: TFunction, error: Error, max: SheetMax): string {
  const { code, data } = error instanceof ApiError ? error : { code: "", data: null };
  const known: Readonly<Record<string, unknown>> =
    typeof data === "object" && data !== null ? { ...data } : {};
  const numberOf = (key: string): number => Number(known[key] ?? 0);
  if (code === "ERR_FILE_TOO_LARGE" && "size" in known) {
    const sizes = { size: bytesText(numberOf("size")), max: bytesText(max.bytes) };
    return t("imports.faults.fileTooLarge", sizes);
  }
  const { kind: of } = known;
  if (code === "ERR_SHEET_NOT_ONE" && typeof of === "string" && of !== "") {
    const key = `imports.faults.kinds.${of}`;
    const kind = isTextKey(key) ? t(key as "imports.faults.kinds.pdf") : null; // of the same kind
    const words = kind ?? t("imports.faults.unknownKind", { kind: of });
    return t("imports.faults.ERR_SHEET_NOT_ONE", { kind: words });
  }
  if (code === "ERR_SHEET_TOO_LARGE" && "maxBytes" in known) {
    return t("imports.faults.ERR_SHEET_TOO_LARGE", { size: bytesText(numberOf("maxBytes")) });
  }
  if (code === "ERR_SHEET_TOO_MANY_ROWS" && "rows" in known) {
    const [rows, most] = [formatNumber(numberOf("rows")), formatNumber(numberOf("max"))];
    return t("imports.faults.ERR_SHEET_TOO_MANY_ROWS", { rows, max: most });
  }
  return errorText(t, error);
}
