import type { CompanySheetColumn } from "@balcao/contract/company-choices";
import { companySheetColumns } from "@balcao/contract/company-choices";
import { limits } from "@balcao/contract/limits";
import { IconDownload, IconTableImport } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useEffect, useRef, useState } from "react";
import { ApiError } from "../../api/client.ts";
import { saveFile } from "../../api/download.ts";
import { formatNumber } from "../../i18n/format.ts";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { nowIso } from "../../ui/clock.ts";
import { FormDialog } from "../../ui/dialogs/form-dialog.tsx";
import { errorText, notifyError } from "../../ui/index.ts";
import { sheetFault, SheetDrop, SheetProgress, tooLarge } from "../../ui/sheet-drop.tsx";
import { useSession } from "../auth/index.ts";
import { usePlans } from "../plans/index.ts";
import type { BatchResult, SheetRow } from "./api.ts";
import { addMonths, companyPages, createBatch, dayOf, dayWords, readSheet } from "./api.ts";
import classes from "./company-sheet.module.css";

const max = { bytes: limits.companySheetMaxBytes, rows: limits.companySheetRowsMax };
/** Rows that are shown whatever is in them, and with errors. */
const FIRST_ROWS = 5;
const FAULTY_ROWS = 20;

/** Companies from a spreadsheet: its file, its rows with what is wrong in them, and what came of it. */
export function CompanySheet({ onClose }: { onClose: () => void }): ReactNode {
  const { t } = useTranslation();
  const [rows, setRows] = useState<readonly SheetRow[]>([]);
  const ready = rows.flatMap(({ company }) => (company === null ? [] : [company]));
  const { results, step, error, run, stop } = useCreation(ready);
  const isBusy = step === "running";
  const refused = step === "over" ? refusedOf(t, rows, results) : [];
  const submitLabel =
    results.length === 0
      ? t("companies.sheet.create", { count: ready.length })
      : t("companies.sheet.goOn");

  function renderStartAction(): ReactNode {
    if (refused.length > 0) return <DownloadRefused refused={refused} />;
    if (rows.length === 0 || step !== "ready" || results.length > 0) return null;
    return (
      <Button
        variant="default"
        leftSection={<IconTableImport size={15} stroke={1.7} aria-hidden="true" />}
        onClick={() => setRows([])}
      >
        {t("companies.sheet.change")}
      </Button>
    );
  }

  function renderContent(): ReactNode {
    if (rows.length === 0) return <FileStep onRows={setRows} />;
    if (step === "over") return <Outcome results={results} refused={refused} />;
    if (step === "ready") return <Preview rows={rows} ready={ready.length} />;
    const [done, all] = [formatNumber(results.length), formatNumber(ready.length)];
    return (
      <SheetProgress
        label={t("companies.sheet.creating", { done, all })}
        part={results.length / ready.length}
      />
    );
  }

  return (
    <FormDialog
      size={960}
      title={t("companies.sheet.title")}
      isBusy={isBusy}
      error={error && errorText(t, error)}
      submitLabel={ready.length === 0 || step === "over" ? null : submitLabel}
      cancelLabel={cancelLabelOf(t, step)}
      startAction={renderStartAction()}
      onSubmit={(event) => {
        event.preventDefault();
        if (step === "ready" && ready.length > 0) run();
      }}
      onClose={isBusy ? stop : onClose}
    >
      {renderContent()}
    </FormDialog>
  );
}

function cancelLabelOf(t: TFunction, step: "ready" | "running" | "over"): string {
  if (step === "running") return t("companies.sheet.stop");
  return t(step === "over" ? "common.close" : "common.cancel");
}

/** Creates companies in portions, until all are, or somebody stops it. After a failure it goes on where it was. */
function useCreation(ready: readonly NonNullable<SheetRow["company"]>[]) {
  // In the order of `ready`; what is missing was not tried.
  const [results, setResults] = useState<readonly BatchResult[]>([]);
  const isStopped = useRef(false);
  useEffect(
    () => () => {
      isStopped.current = true;
    },
    [],
  );
  const creating = useMutation({
    async mutationFn() {
      isStopped.current = false;
      const known = [...results];
      while (known.length < ready.length && !isStopped.current) {
        const some = ready.slice(known.length, known.length + limits.companyBatchMax);
        known.push(...(await createBatch(some)));
        setResults([...known]);
      }
    },
    onSettled: () => companyPages.readAgain(),
  });
  const stop = (): void => {
    isStopped.current = true;
  };
  const steps = { idle: "ready", error: "ready", pending: "running", success: "over" } as const;
  return {
    results,
    step: steps[creating.status],
    error: creating.error,
    run: () => creating.mutate(),
    stop,
  };
}

function FileStep({ onRows }: { onRows: (rows: readonly SheetRow[]) => void }): ReactNode {
  const { t } = useTranslation();
  const plans = usePlans();
  const { user } = useSession();
  const reading = useMutation({
    mutationFn: async (file: File) => {
      if (file.size > max.bytes) throw tooLarge(file);
      return readSheet(file);
    },
    onSuccess: onRows,
  });

  function saveTemplate(): void {
    const plan = plans?.[0]?.name ?? t("companies.plan");
    const dueDate = dayWords(addMonths(dayOf(nowIso(), user.company.timeZone), 1));
    const example: Record<CompanySheetColumn, string> = {
      ...{ name: t("companies.sheet.exampleName"), email: "contato@exemplo.com.br" },
      ...{ phone: "(48) 99812-4471", plan, dueDate },
      ...{ recurrence: t("companies.recurrences.MENSAL"), campaigns: t("companies.sheet.yes") },
    };
    const lines = [titlesOf(t), companySheetColumns.map((column) => example[column])];
    saveRows(t("companies.sheet.templateFile"), lines);
  }

  if (reading.isPending) {
    return <SheetProgress label={t("companies.sheet.reading", { name: reading.variables.name })} />;
  }
  return (
    <>
      <SheetDrop
        fault={reading.error && sheetFault(t, reading.error, max)}
        max={max}
        onFile={reading.mutate}
        onExample={saveTemplate}
      />
      <p className="bc-small">{t("companies.sheet.help")}</p>
    </>
  );
}

/** A row that is no company, with why. */
type Refused = { row: SheetRow; reason: string };

/** The first rows, and further ones with errors, which stand below their cells. */
function Preview({ rows, ready }: { rows: readonly SheetRow[]; ready: number }): ReactNode {
  const { t } = useTranslation();
  const faulty = rows.length - ready;
  const shown = [
    ...rows.slice(0, FIRST_ROWS),
    ...rows
      .slice(FIRST_ROWS)
      .filter(({ company }) => company === null)
      .slice(0, FAULTY_ROWS),
  ];
  const more = rows.length - shown.length;
  return (
    <>
      <p role="status">
        {t("companies.sheet.ready", { count: ready })}{" "}
        {faulty === 0 ? null : (
          <strong className={classes["bad"]}>
            {t("companies.sheet.faulty", { count: faulty })}
          </strong>
        )}
      </p>
      <Rows label={t("companies.sheet.preview")} rows={shown} />
      <p className="bc-small">
        {more === 0 ? null : t("companies.sheet.more", { count: more })} {t("companies.sheet.help")}
      </p>
    </>
  );
}

function Rows({ label, rows }: { label: string; rows: readonly SheetRow[] }): ReactNode {
  const { t } = useTranslation();
  return (
    // It may be wider than the dialog, and is then scrolled by the keyboard too.
    <section className={classes["sideways"]} aria-label={label} tabIndex={0}>
      <table className={classes["table"]}>
        <thead>
          <tr>
            <th scope="col">
              <span className="bc-hidden-text">{t("companies.sheet.line")}</span>
            </th>
            {titlesOf(t).map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ line, cells, faults }) => (
            <tr key={line}>
              <th scope="row">{formatNumber(line)}</th>
              {companySheetColumns.map((column) => {
                const fault = faults[column];
                return (
                  <td key={column} data-bad={fault !== undefined || undefined}>
                    <span className={classes["cell"]}>{cells[column]}</span>
                    {fault === undefined ? null : (
                      <span className={classes["why"]}>{t(`companies.sheet.faults.${fault}`)}</span>
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

type OutcomeProps = { results: readonly BatchResult[]; refused: readonly Refused[] };

function Outcome({ results, refused }: OutcomeProps): ReactNode {
  const { t } = useTranslation();
  const created = results.filter(({ isNew }) => isNew).length;
  const existed = results.filter(({ companyId, isNew }) => companyId !== null && !isNew).length;
  return (
    <>
      <p role="status">
        <strong>{t("companies.sheet.created", { count: created })}</strong>{" "}
        {existed === 0 ? null : t("companies.sheet.existed", { count: existed })}{" "}
        {refused.length === 0 ? null : (
          <strong className={classes["bad"]}>
            {t("companies.sheet.refused", { count: refused.length })}
          </strong>
        )}
      </p>
      {refused.length === 0 ? null : (
        <ul className={classes["refused"]} aria-label={t("companies.sheet.refusedRows")}>
          {refused.slice(0, FAULTY_ROWS).map(({ row, reason }) => (
            <li key={row.line}>
              <span>
                {t("companies.sheet.line")} {formatNumber(row.line)}
              </span>
              <strong>{row.cells.name}</strong>
              <span>{reason}</span>
            </li>
          ))}
        </ul>
      )}
      {refused.length <= FAULTY_ROWS ? null : (
        <p className="bc-small">
          {t("companies.sheet.more", { count: refused.length - FAULTY_ROWS })}
        </p>
      )}
    </>
  );
}

function DownloadRefused({ refused }: { refused: readonly Refused[] }): ReactNode {
  const { t } = useTranslation();
  const lines = [
    [...titlesOf(t), t("companies.sheet.reason")],
    ...refused.map(({ row, reason }) => [
      ...companySheetColumns.map((column) => row.cells[column]),
      reason,
    ]),
  ];
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={15} stroke={1.7} aria-hidden="true" />}
      onClick={() => saveRows(t("companies.sheet.refusedFile"), lines)}
    >
      {t("companies.sheet.download")}
    </Button>
  );
}

function saveRows(name: string, rows: string[][]): void {
  const body = { name, rows };
  void saveFile("POST /companies/spreadsheet/file", { body }).catch(notifyError);
}

const titlesOf = (t: TFunction): string[] =>
  companySheetColumns.map((column) =>
    column === "email" ? t("users.email") : t(`companies.${column}`),
  );

/** The rows that are no companies: with errors, refused by the server, or after the stop. */
function refusedOf(
  t: TFunction,
  rows: readonly SheetRow[],
  results: readonly BatchResult[],
): Refused[] {
  const titles = titlesOf(t);
  const left = [...results];
  return rows.flatMap((row): Refused[] => {
    if (row.company === null) {
      const faults = companySheetColumns.flatMap((column, place) => {
        const fault = row.faults[column];
        return fault === undefined
          ? []
          : [`${titles[place]}: ${t(`companies.sheet.faults.${fault}`)}`];
      });
      return [{ row, reason: faults.join("; ") }];
    }
    const result = left.shift();
    if (result === undefined) return [{ row, reason: t("companies.sheet.notTried") }];
    const { code } = result;
    return code === null
      ? []
      : [{ row, reason: errorText(t, new ApiError({ status: 400, code })) }];
  });
}
