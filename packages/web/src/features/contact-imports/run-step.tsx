import type { ContactImport, ImportProblem, ImportRow, ShownContactImport } from "@balcao/contract";
import { useThrottledCallback } from "@mantine/hooks";
import {
  IconAlertCircle,
  IconCheck,
  IconDownload,
  IconPlayerPause,
  IconPlayerPlay,
} from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Suspense, useEffect, useState } from "react";
import { saveFile } from "../../api/download.ts";
import { ApiError } from "../../api/client.ts";
import { formatNumber } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { useCompanyEvent } from "../../realtime/index.ts";
import { Link, useSearchParams } from "../../router/index.tsx";
import { Button, buttonLook } from "../../ui/button.tsx";
import { epochMs } from "../../ui/clock.ts";
import { errorText, notifyError } from "../../ui/index.ts";
import { RecordTable } from "../../ui/page/record-table.tsx";
import type { Column } from "../../ui/page/record-table.tsx";
import { EmptyCell } from "../../ui/page/cells.tsx";
import { act, readNewRows, refusedRows } from "./api.ts";
import type { ImportAct } from "./api.ts";
import { ActionQuestion, useWaitReason } from "./import-list.tsx";
import type { Sample } from "./rules.ts";
import { counted, countImported, percentOf } from "./import-news.tsx";
import { bookAddress, durationText, secondsLeft, problemIn } from "./rules.ts";
import classes from "./run-step.module.css";

/** The third step: how far the import is, or how it went, and the rows that were refused. */
export function RunStep({ one }: { one: ShownContactImport }): ReactNode {
  return (
    <>
      <Progress one={one} />
      {one.trial !== null && one.trial.refused === 0 && one.refused === 0 ? null : (
        <RefusedRows one={one} />
      )}
    </>
  );
}

const SAMPLES_MAX = 30;

/** The seconds that are left; null until that can be told. */
function useSecondsLeft({ id, state }: ContactImport): number | null {
  const [speed, setSpeed] = useState<{ samples: Sample[]; left: number | null }>(unknownSpeed);
  useCompanyEvent("contactImport", (event) => {
    if (event.action === "delete" || event.record.id !== id) return;
    const { state: next, done, rows } = event.record;
    if (next !== "running") return setSpeed(unknownSpeed);
    const samples = [...speed.samples, { atMs: epochMs(), done }].slice(-SAMPLES_MAX);
    return setSpeed({ samples, left: secondsLeft(samples, rows) ?? speed.left });
  });
  return state === "running" ? speed.left : null;
}

const unknownSpeed = { samples: [], left: null };

/** When nothing has moved for so long, the server goes on with it after a restart. */
const QUIET_MS = 4_000;

/** Says so when it is shown for long; shown anew with each step of the import. */
function Resuming(): ReactNode {
  const { t } = useTranslation();
  const [isQuiet, setIsQuiet] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsQuiet(true), QUIET_MS);
    return () => clearTimeout(timer);
  }, []);
  return isQuiet ? `${t("imports.resuming")} ` : null;
}

function Progress({ one }: { one: ShownContactImport }): ReactNode {
  const { t } = useTranslation();
  const { id, state, done, rows } = one;
  const left = useSecondsLeft(one);
  const percent = percentOf(one);
  const shownPercent = t("imports.percent", { n: percent });
  const { title, text } = useWords(one);
  const isOver = state === "done" || state === "stopped";
  return (
    <section className={classes["card"]} aria-labelledby="import-state">
      <div className={classes["head"]}>
        <div className={classes["words"]}>
          <h2 id="import-state" className={classes["title"]} data-state={state}>
            {state === "done" ? <IconCheck size={19} stroke={1.9} aria-hidden="true" /> : null}
            {title}
          </h2>
          <p className="bc-small">
            {state === "running" && done > 0 ? <Resuming key={done} /> : null}
            {text}
          </p>
        </div>
        <div className={classes["actions"]}>
          {isOver ? <Results one={one} /> : <Controls id={id} name={one.fileName} state={state} />}
        </div>
      </div>
      <div
        className={classes["bar"]}
        data-state={state}
        role="progressbar"
        aria-label={title}
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <span style={{ width: `${percent}%` }} />
      </div>
      <p className={classes["rows"]}>
        <span>
          <strong>{formatNumber(done)}</strong> {t("imports.ofRows", counted(rows))}
        </span>
        <span>
          {left === null || state !== "running"
            ? shownPercent
            : `${shownPercent}, ${t("imports.left", { time: durationText(left, { isRough: true }) })}`}
        </span>
      </p>
      {/* Said at each tenth, not at each step. */}
      <p className="bc-hidden-text" role="status">
        {state === "running" ? t("imports.progress", { percent: percent - (percent % 10) }) : title}
      </p>
      <Counts one={one} />
    </section>
  );
}

/** What happens to the import, in words. */
function useWords(one: ContactImport): { title: string; text: string } {
  const { t } = useTranslation();
  const { fileName: name, state, startedAt, finishedAt, errorCode } = one;
  const wait = useWaitReason();
  if (state === "done") {
    const ms = Date.parse(finishedAt ?? "") - Date.parse(startedAt ?? "");
    const time = durationText(ms / 1000);
    return { title: t("imports.imported", { ...counted(countImported(one)), time }), text: name };
  }
  if (state === "stopped") {
    const why = errorCode === null ? "" : `${errorText(t, codeError(errorCode))} `;
    return { title: t("imports.stopped", { name }), text: why + t("imports.stoppedText") };
  }
  if (state === "paused") {
    return { title: t("imports.paused", { name }), text: t("imports.pausedText") };
  }
  if (state === "waiting") return { title: t("imports.waiting", { name }), text: wait };
  return { title: t("imports.running", { name }), text: t("imports.mayLeave") };
}

const codeError = (code: string): ApiError => new ApiError({ status: 400, code });

type ControlProps = { id: number; name: string; state: ContactImport["state"] };

function Controls({ id, name, state }: ControlProps): ReactNode {
  const { t } = useTranslation();
  const [isAsking, setIsAsking] = useState(false);
  const change = useMutation({
    mutationFn: (what: ImportAct) => act(id, what),
    onError: notifyError,
  });
  const isPaused = state === "paused";
  const Icon = isPaused ? IconPlayerPlay : IconPlayerPause;
  return (
    <>
      {/* One button, so that the focus stays when it changes its name. */}
      <Button
        variant={isPaused ? "filled" : "default"}
        loading={change.isPending}
        leftSection={<Icon size={15} stroke={1.7} aria-hidden="true" />}
        onClick={() => change.mutate(isPaused ? "resume" : "pause")}
      >
        {t(isPaused ? "imports.resume" : "imports.pause")}
      </Button>
      <Button variant="subtle" onClick={() => setIsAsking(true)}>
        {t("imports.stop")}
      </Button>
      <Suspense fallback={null}>
        {isAsking ? (
          <ActionQuestion
            isDestructive
            title={t("imports.stopTitle", { name })}
            text={t("imports.stoppedText")}
            confirm={t("imports.stop")}
            run={() => act(id, "stop")}
            onDone={() => undefined}
            onClose={() => setIsAsking(false)}
          />
        ) : null}
      </Suspense>
    </>
  );
}

function Results({ one }: { one: ContactImport }): ReactNode {
  const { t } = useTranslation();
  const { id, refused, contactListId } = one;
  const look = buttonLook({});
  return (
    <>
      {refused === 0 ? null : (
        <DownloadRefused id={id} label={t("imports.download", counted(refused))} />
      )}
      <Link
        to={bookAddress(contactListId)}
        {...look}
        className={`${look.className} ${classes["primary"]}`}
      >
        {t("imports.showContacts")}
      </Link>
    </>
  );
}

type DownloadProps = { id: number; label: string; variant?: "default" | "subtle" };

/** The rows that are not imported as a spreadsheet. */
export function DownloadRefused({ id, label, variant = "default" }: DownloadProps): ReactNode {
  const { mutate, isPending } = useMutation({
    mutationFn: () =>
      saveFile("GET /contact-imports/:contactImportId/refused", {
        params: { contactImportId: id },
      }),
    onError: notifyError,
  });
  return (
    <Button
      variant={variant}
      loading={isPending}
      leftSection={<IconDownload size={15} stroke={1.7} aria-hidden="true" />}
      onClick={() => mutate()}
    >
      {label}
    </Button>
  );
}

function Counts({ one }: { one: ShownContactImport }): ReactNode {
  const { t } = useTranslation();
  const { added, filled, kept, refused, rows, done, settings, state } = one;
  const isReplaced = settings?.rule === "replace";
  const counts = [
    ["added", added, t("imports.added", { count: added })],
    [
      "filled",
      settings?.rule === "keep" && filled === 0 ? null : filled,
      t(isReplaced ? "imports.replaced" : "imports.filled", { count: filled }),
    ],
    ["kept", kept === 0 ? null : kept, t("imports.kept", { count: kept })],
    ["refused", refused, t("imports.refused", { count: refused })],
    ["left", state === "done" ? null : rows - done, t("imports.toRead")],
  ] as const;
  return (
    <dl className={classes["counts"]}>
      {counts.map(([of, count, words]) =>
        count === null ? null : (
          <div key={of} data-of={count > 0 ? of : undefined}>
            <dt>{words}</dt>
            <dd>{formatNumber(count)}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

/** Problems are read again at most so often while an import runs. */
const ROWS_EVERY_MS = 2_000;

function RefusedRows({ one }: { one: ShownContactImport }): ReactNode {
  const { t } = useTranslation();
  const [params, setParams] = useSearchParams();
  const problem = problemIn(params);
  const of = { importId: one.id, problem };
  const pages = refusedRows.usePages(of);
  const readEnd = useThrottledCallback(
    () => void readNewRows(of).catch(notifyError),
    ROWS_EVERY_MS,
  );
  useCompanyEvent("contactImport", (event) => {
    if (event.action === "delete" || event.record.id !== one.id) return;
    if (event.record.refused !== one.refused) readEnd();
  });
  const known = one.trial?.problems ?? [];
  // How many there are of each is known only for the whole sheet.
  const isWhole = one.refused === known.reduce((sum, { count }) => sum + count, 0);
  const choose = (next: ImportProblem | null): void =>
    setParams(next === null ? {} : { problem: next }, { replace: true });
  return (
    <section className={classes["refused"]} aria-labelledby="refused-rows">
      <div className={classes["refusedHead"]}>
        <h2 id="refused-rows">
          {t("imports.refusedRows")} <span>{formatNumber(one.refused)}</span>
        </h2>
        <DownloadRefused id={one.id} label={t("imports.downloadSheet")} />
      </div>
      {known.length < 2 ? null : (
        <div role="group" aria-label={t("imports.filter")} className={classes["chips"]}>
          <Chip
            label={t("imports.all")}
            count={one.refused}
            isOn={problem === null}
            onPress={() => choose(null)}
          />
          {known.map(({ problem: one, count }) => (
            <Chip
              key={one}
              label={t(`imports.problems.${one}`)}
              count={isWhole ? count : null}
              isOn={problem === one}
              onPress={() => choose(one)}
            />
          ))}
        </div>
      )}
      <RecordTable
        label={t("imports.refusedRows")}
        pages={pages}
        columns={useColumns()}
        sort={null}
        onSort={() => undefined}
        identify={({ line }) => line}
        renderActions={null}
        empty={{ icon: IconCheck, title: t("imports.noneRefused") }}
      />
    </section>
  );
}

type ChipProps = { label: string; count: number | null; isOn: boolean; onPress: () => void };

function Chip({ label, count, isOn, onPress }: ChipProps): ReactNode {
  return (
    <button type="button" className={classes["chip"]} aria-pressed={isOn} onClick={onPress}>
      {label} {count === null ? null : <strong>{formatNumber(count)}</strong>}
    </button>
  );
}

function useColumns(): readonly Column<ImportRow>[] {
  const { t } = useTranslation();
  return [
    {
      id: "line",
      fit: "content",
      title: t("imports.line"),
      renderCell: ({ line }) => <span className={classes["number"]}>{formatNumber(line)}</span>,
    },
    {
      id: "name",
      title: t("contacts.name"),
      renderCell: ({ name }) => (name === "" ? <EmptyCell /> : name),
      isName: true,
    },
    {
      id: "sheet",
      title: t("imports.inSheet"),
      renderCell: ({ writtenNumber }) =>
        writtenNumber === "" ? (
          <span className={classes["number"]}>{t("contacts.empty")}</span>
        ) : (
          writtenNumber
        ),
    },
    {
      id: "problem",
      title: t("imports.reason"),
      renderCell: ({ problem }) =>
        problem === null ? null : (
          <span className={classes["problem"]}>
            <IconAlertCircle size={15} stroke={1.7} aria-hidden="true" />
            {t(`imports.problems.${problem}`)}
          </span>
        ),
    },
    {
      id: "todo",
      title: t("imports.whatToDo"),
      renderCell: ({ problem, sameAs }) => {
        if (problem === null) return null;
        if (problem !== "repeated") return t(`imports.todo.${problem}`);
        return sameAs === null
          ? t("imports.why.repeated")
          : t("imports.todo.repeated", { line: formatNumber(sameAs) });
      },
    },
  ];
}
