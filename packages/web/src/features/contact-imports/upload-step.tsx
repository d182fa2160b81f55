import type { ContactImport } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import type { ReactNode } from "react";
import { useEffect, useRef, useState } from "react";
import { useMutation } from "@tanstack/react-query";
import { ApiError } from "../../api/client.ts";
import { saveFile } from "../../api/download.ts";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { useLocation, useNavigate } from "../../router/index.tsx";
import { Button } from "../../ui/button.tsx";
import { notifyError } from "../../ui/index.ts";
import { bytesText, sheetFault, SheetDrop, SheetProgress, tooLarge } from "../../ui/sheet-drop.tsx";
import { deleteImport, uploadSheet } from "./api.ts";
import { addressOf } from "./import-news.tsx";

const max = { bytes: limits.sheetMaxBytes, rows: limits.sheetRowsMax };

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
      <SheetProgress label={t("imports.uploading", { name })} part={part}>
        <p className="bc-small bc-numbers">{t("imports.sent", { sent: done, size: whole })}</p>
        <Button variant="default" size="xs" onClick={() => running.current?.abort()}>
          {t("common.cancel")}
        </Button>
      </SheetProgress>
    );
  }
  if (isReading) {
    const { fileName: name, fileBytes } = sent;
    return (
      <SheetProgress label={t("imports.reading")}>
        <p className="bc-small">{t("imports.readingText", { name, size: bytesText(fileBytes) })}</p>
      </SheetProgress>
    );
  }
  const isAborted = send.error instanceof DOMException;
  const isRefused = send.error !== null && !isAborted;
  return (
    <SheetDrop
      fault={isRefused ? sheetFault(t, send.error, max) : faultOf(t, sent)}
      max={max}
      onFile={send.mutate}
      onExample={() => void saveFile("GET /contact-imports/example", {}).catch(notifyError)}
    />
  );
}

/** "Trocar planilha" leaves the draft that the new file replaces in the step of the history. */
function replacedIn(state: unknown): number | null {
  if (typeof state !== "object" || state === null || !("replaces" in state)) return null;
  return typeof state.replaces === "number" ? state.replaces : null;
}

/** Why a file that was sent could not be read. */
export function faultOf(
  t: TFunction,
  sent: Pick<ContactImport, "errorCode" | "errorData"> | undefined,
): string | null {
  const { errorCode: code = null, errorData: data = null } = sent ?? {};
  return code === null ? null : sheetFault(t, new ApiError({ status: 400, code, data }), max);
}
