import type { ImportSettings, ImportTrial, ShownContactImport } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { NativeSelect } from "@mantine/core";
import { useDebouncedCallback, useMediaQuery } from "@mantine/hooks";
import { IconInfoCircle, IconTableImport } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useState } from "react";
import { formatNumber } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { useNavigate, useSearchParams } from "../../router/index.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorWords, notifyError } from "../../ui/index.ts";
import { bytesText } from "../../ui/sheet-drop.tsx";
import { act, deleteImport, refusedRows, saveSettings } from "./api.ts";
import classes from "./columns-step.module.css";
import type { Draft, Mapping } from "./mapping.tsx";
import { MappingList, MappingTable } from "./mapping.tsx";
import { addressOf, counted, startAddress } from "./import-news.tsx";
import { bookAddress, countToImport, isComplete, problemIn } from "./rules.ts";
import { DownloadRefused } from "./run-step.tsx";
import { Options, Trial } from "./trial.tsx";

/** Changes are sent this long after the last one. */
const SENT_AFTER_MS = 500;

type Props = {
  draft: Draft;
  renderFrame: (content: ReactNode, foot: ReactNode) => ReactNode;
};

/** The second step: what each column is, how known contacts are treated, and what the import would do. Nothing is stored yet. */
export function ColumnsStep({ draft, renderFrame }: Props): ReactNode {
  const { t } = useTranslation();
  const { settings, change, isSaving, error, retry } = useSettings(draft);
  const trial = useKnownTrial(draft);
  const isStale = isSaving || draft.trial === null;
  const mapping = useMapping(draft, settings, isSaving, (columns) => change({ columns }));
  const isNarrow = useMediaQuery(`(max-width: ${limits.drawerOverlayBelowPx - 1}px)`, false, {
    getInitialValueInEffect: false,
  });
  const isReady = isComplete(settings.columns);
  const hasNumber = settings.columns.some(({ target }) => target === "number");
  const fault = hasNumber ? t("errors.ERR_IMPORT_SETTINGS") : t("imports.needsNumber");
  const hasFewTags = (trial?.newTags.length ?? 0) <= limits.importNewTagsMax;
  const options = (
    <Options key="options" settings={settings} newTags={trial?.newTags ?? []} onChange={change} />
  );
  const rehearsal = (
    <Trial
      key="trial"
      trial={trial}
      rule={settings.rule}
      isStale={isStale}
      fault={isReady ? null : fault}
    />
  );
  return renderFrame(
    <div className={classes["step"]}>
      <FileCard
        draft={draft}
        titleRow={settings.titleRow}
        onTitleRow={(titleRow) => change({ titleRow })}
      />
      {error === null ? null : (
        <p className="bc-failure" role="alert">
          <ErrorWords error={error} />
          <button type="button" className="bc-retry" onClick={retry}>
            {t("common.retry")}
          </button>
        </p>
      )}
      {isNarrow ? <MappingList {...mapping} /> : <MappingTable {...mapping} />}
      <div className={classes["cards"]}>
        {isNarrow ? [rehearsal, options] : [options, rehearsal]}
      </div>
      {isNarrow ? <Note /> : null}
    </div>,
    <Foot
      draft={draft}
      settings={settings}
      trial={trial}
      mayStart={isReady && !isStale && hasFewTags}
    />,
  );
}

/** The settings as they are on the screen, and what of them is still on its way to the server. */
function useSettings(draft: Draft) {
  const [edited, setEdited] = useState<ImportSettings | null>(null);
  const save = useMutation({
    // One after the other: the last one counts.
    scope: { id: `contact-import ${draft.id}` },
    mutationFn: (next: ImportSettings) => saveSettings(draft.id, next),
    onSuccess: (_, sent) => setEdited((now) => (now === sent ? null : now)),
  });
  const send = useDebouncedCallback(save.mutate, { delay: SENT_AFTER_MS, flushOnUnmount: true });
  const settings = edited ?? draft.settings;
  return {
    settings,
    change(part: Partial<ImportSettings>): void {
      const next = { ...settings, ...part };
      setEdited(next);
      send(next);
    },
    isSaving: edited !== null,
    error: save.error,
    retry: () => edited && save.mutate(edited),
  };
}

/** The last trial that was counted: its numbers stay while the next is. */
function useKnownTrial({ trial }: ShownContactImport): ImportTrial | null {
  const [known, setKnown] = useState(trial);
  if (trial !== null && trial !== known) setKnown(trial);
  return trial ?? known;
}

/** The rows of the preview: the first ones, or the first with a problem that was chosen in the trial. */
function useMapping(
  draft: Draft,
  settings: ImportSettings,
  isSaving: boolean,
  onChange: (columns: ImportSettings["columns"]) => void,
): Mapping {
  const [params, setParams] = useSearchParams();
  const problem = problemIn(params);
  const of = { importId: draft.id, problem };
  const { rows } = refusedRows.usePages(of, { enabled: problem !== null });
  return {
    draft,
    settings,
    isSaving,
    rows: (problem === null ? draft.preview : rows)?.slice(0, ROWS_SHOWN) ?? null,
    problem,
    onShowFirst: () => setParams({}, { replace: true }),
    onColumn: (index, part) =>
      onChange(settings.columns.map((one, at) => (at === index ? { ...one, ...part } : one))),
  };
}

const ROWS_SHOWN = 5;

type FileProps = { draft: Draft; titleRow: number; onTitleRow: (row: number) => void };

function FileCard({ draft, titleRow, onTitleRow }: FileProps): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { id, fileName, fileBytes, rows, columns, sheetName, contactListId } = draft;
  const info = t("imports.sheetInfo", {
    ...{ rows: formatNumber(rows), columns: columns.length, size: bytesText(fileBytes) },
  });
  const sheet = sheetName === null ? "" : ` ${t("imports.sheetName", { name: sheetName })}`;
  const rowsOfTitles = Array.from({ length: limits.importTitleRowMax }, (_, index) => index + 1);
  return (
    <section className={classes["file"]}>
      <span className={classes["icon"]} aria-hidden="true">
        <IconTableImport size={19} stroke={1.7} />
      </span>
      <div className={classes["about"]}>
        <h2 className={classes["fileName"]}>{fileName}</h2>
        <p className="bc-small">{info + sheet}</p>
      </div>
      <label className={classes["titles"]}>
        {t("imports.titleRow")}
        <NativeSelect
          value={titleRow}
          onChange={({ currentTarget }) => onTitleRow(Number(currentTarget.value))}
          data={[
            ...rowsOfTitles.map((row) => ({ value: String(row), label: String(row) })),
            { value: "0", label: t("imports.noTitles") },
          ]}
        />
      </label>
      <Button
        variant="default"
        onClick={() => navigate(startAddress(contactListId), { state: { replaces: id } })}
      >
        {t("imports.change")}
      </Button>
    </section>
  );
}

function Note(): ReactNode {
  const { t } = useTranslation();
  return (
    <p className={classes["note"]}>
      <IconInfoCircle size={15} stroke={1.7} aria-hidden="true" />
      {t("imports.note")}
    </p>
  );
}

type FootProps = {
  draft: Draft;
  settings: ImportSettings;
  trial: ImportTrial | null;
  mayStart: boolean;
};

function Foot({ draft, settings, trial, mayStart }: FootProps): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { id, contactListId } = draft;
  const start = useMutation({
    mutationFn: () => act(id, "start"),
    // Without the problem whose rows the preview shows.
    onSuccess: () => navigate(addressOf(draft), { replace: true }),
    onError: notifyError,
  });
  function cancel(): void {
    // First, since this page would say that the import is gone.
    navigate(bookAddress(contactListId));
    deleteImport(id).catch(notifyError);
  }
  const count = trial === null ? 0 : countToImport(trial, settings.rule, draft);
  const refused = trial?.refused ?? 0;
  return (
    <footer className={classes["foot"]}>
      <div className={classes["footRow"]}>
        <div className={classes["footNote"]}>
          <Note />
        </div>
        {refused === 0 || !mayStart ? null : (
          <DownloadRefused
            variant="subtle"
            id={id}
            label={t("imports.download", counted(refused))}
          />
        )}
        <Button variant="default" onClick={cancel}>
          {t("common.cancel")}
        </Button>
        <Button
          loading={start.isPending}
          disabled={!mayStart || count === 0}
          onClick={() => start.mutate()}
        >
          {t("imports.start", counted(count))}
        </Button>
      </div>
    </footer>
  );
}
