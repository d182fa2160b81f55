import type { CompanyExport } from "@balcao/contract";
import { IconDownload } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ApiError, call } from "../../api/client.ts";
import { saveFile } from "../../api/download.ts";
import { formatMoment } from "../../i18n/format.ts";
import { currentLanguage, useTranslation } from "../../i18n/index.ts";
import { localeTags } from "../../i18n/languages.ts";
import { Button } from "../../ui/button.tsx";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { errorText } from "../../ui/index.ts";
import classes from "./companies.module.css";
import { gigabytes } from "./usage-section.tsx";

type Props = { company: { id: number; name: string }; onClose: () => void };

/** While an archive is written. */
const READ_EVERY_MS = 2_000;
const isOpen = ({ state }: CompanyExport): boolean => state === "waiting" || state === "running";

/** Has everything of a company written to an archive, and offers it to the user who asked for it. */
export function CompanyExports({ company, onClose }: Props): ReactNode {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { id: companyId, name } = company;
  const key = ["companies", companyId, "exports"];
  const list = useQuery({
    queryKey: key,
    queryFn: ({ signal }) =>
      call("GET /companies/:companyId/exports", { params: { companyId } }, { signal }),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.exports.some(isOpen) ? READ_EVERY_MS : false),
  });
  const exports = list.data?.exports ?? [];
  const starting = useMutation({
    mutationFn: () => call("POST /companies/:companyId/exports", { params: { companyId } }),
    onSuccess: () => client.invalidateQueries({ queryKey: key }),
  });
  const saving = useMutation({
    mutationFn: (companyExportId: string) =>
      saveFile("GET /companies/:companyId/exports/:companyExportId/file", {
        params: { companyId, companyExportId },
      }),
    onError: () => client.invalidateQueries({ queryKey: key }),
  });
  const error = saving.error ?? starting.error ?? list.error;
  const isGone = error instanceof ApiError && error.code === "ERR_NO_FILE_FOUND";
  const isBusy = starting.isPending || exports.some(isOpen);

  return (
    <FormDialog
      title={t("companies.exports.title", { name })}
      isBusy={isBusy}
      error={error && (isGone ? t("companies.exports.gone") : errorText(t, error))}
      submitLabel={t("companies.exports.start")}
      cancelLabel={t("common.close")}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) starting.mutate();
      }}
      onClose={onClose}
    >
      <p>{t("companies.exports.text")}</p>
      <p className="bc-small">{t("companies.exports.without")}</p>
      {exports.length === 0 ? null : (
        <ul className={classes["exports"]} aria-label={t("companies.exports.list")}>
          {exports.map((one) => (
            <li key={one.id}>
              <Line
                of={one}
                isSaving={saving.isPending && saving.variables === one.id}
                onSave={() => saving.mutate(one.id)}
              />
            </li>
          ))}
        </ul>
      )}
    </FormDialog>
  );
}

/** "45,4 MB", and from a gigabyte on "1,2 GB". */
function sizeOf(bytes: number): string {
  if (bytes >= 1e9) return gigabytes(bytes);
  const style = { style: "unit", unit: "megabyte", maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(localeTags[currentLanguage()], style).format(bytes / 1e6);
}

type LineProps = { of: CompanyExport; isSaving: boolean; onSave: () => void };

function Line({ of, isSaving, onSave }: LineProps): ReactNode {
  const { t } = useTranslation();
  const { state, progress, bytes, requesterName, isMine, createdAt, expiresAt } = of;
  const words = t(`companies.exports.states.${state}`, { progress });
  return (
    <>
      <div>
        <strong>{formatMoment(createdAt)}</strong>{" "}
        <span className="bc-small">{t("companies.exports.by", { name: requesterName })}</span>
        <p role={isOpen(of) ? "status" : undefined}>
          {words}
          {state === "done" ? ` · ${sizeOf(bytes)}` : null}
          {expiresAt === null
            ? null
            : ` · ${t("companies.exports.until", { moment: formatMoment(expiresAt) })}`}
        </p>
        {isOpen(of) ? <progress aria-label={words} value={progress} max={100} /> : null}
        {state === "done" && !isMine ? (
          <p className="bc-small">{t("companies.exports.others")}</p>
        ) : null}
      </div>
      {state === "done" && isMine ? (
        <Button
          variant="default"
          loading={isSaving}
          leftSection={<IconDownload size={15} stroke={1.7} aria-hidden="true" />}
          onClick={onSave}
        >
          {t("companies.exports.download")}
        </Button>
      ) : null}
    </>
  );
}
