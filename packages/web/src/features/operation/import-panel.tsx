import type {
  WhaticketCompany,
  WhaticketImport,
  WhaticketProblem,
  WhaticketProblemValue,
  WhaticketRun,
} from "@balcao/contract";
import { Checkbox } from "@mantine/core";
import { IconFileImport, IconServerOff } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { formatNumber } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import type { TFunction } from "../../i18n/index.ts";
import { agoWords } from "../../ui/ago-words.ts";
import { Button } from "../../ui/button.tsx";
import { useNow } from "../../ui/clock.ts";
import { EmptyState, ListSkeleton, LoadFailed, notifyError, notifyInfo } from "../../ui/index.ts";
import { Pill } from "../../ui/marks.tsx";
import classes from "./backups-panel.module.css";

/** How often the state is read while a run goes on. */
const RUNNING_MS = 2_000;

const queryKey = ["operation", "whaticket"];
const tones = {
  ...({ waiting: "info", running: "info", done: "ok", failed: "bad" } as const),
  interrupted: "warn",
} as const;
/** The kinds of rows whose numbers are shown for each company; the report has all. */
const kinds = ["user", "connection", "queue", "contact", "ticket", "message"] as const;

const goesOn = (read: WhaticketImport | undefined): boolean =>
  read?.run?.state === "waiting" || read?.run?.state === "running";

/** The import of a Whaticket database: a trial, the choice of companies, the import and its report. */
export function ImportPanel(): ReactNode {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => call("GET /operation/whaticket", {}, { signal }),
    refetchInterval: ({ state }) => (goesOn(state.data) ? RUNNING_MS : false),
    staleTime: 0,
    retry: false,
  });
  const starting = useMutation({
    mutationFn: (companyIds: string[]) =>
      call("POST /operation/whaticket", {
        body: companyIds.length === 0 ? { kind: "trial" } : { kind: "import", companyIds },
      }),
    onError: notifyError,
    onSuccess: ({ isStarted }) => {
      if (!isStarted) notifyInfo(t("operation.import.notStarted"));
    },
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
  if (data === undefined) {
    return error === null ? (
      <ListSkeleton rows={6} />
    ) : (
      <LoadFailed icon={IconServerOff} error={error} onRetry={() => void refetch()} />
    );
  }
  const { run } = data;
  if (!data.isConfigured && run === null) {
    return (
      <EmptyState
        icon={IconFileImport}
        title={t("operation.import.empty")}
        text={t("operation.import.howTo")}
      />
    );
  }
  const isBusy = goesOn(data) || starting.isPending;
  const mayContinue =
    run?.kind === "import" && (run.state === "failed" || run.state === "interrupted");
  return (
    <div className={classes["panel"]}>
      <div className={classes["bar"]}>
        <div className={classes["words"]}>
          <p className={classes["last"]}>{t("operation.import.title")}</p>
          <p className={classes["small"]}>
            {t(data.isConfigured ? "operation.import.explain" : "operation.import.howTo")}
          </p>
          {data.isConfigured && !data.hasMedia ? (
            <p className={classes["small"]}>{t("operation.import.noMedia")}</p>
          ) : null}
        </div>
        {data.isConfigured ? (
          <Button disabled={isBusy} onClick={() => starting.mutate([])}>
            {t("operation.import.try")}
          </Button>
        ) : null}
        {data.isConfigured && mayContinue ? (
          <Button disabled={isBusy} onClick={() => starting.mutate(run.companyIds)}>
            {t("operation.import.again")}
          </Button>
        ) : null}
      </div>
      {run === null ? null : <Run run={run} />}
      {run?.report ? (
        <Companies
          key={run.startedAt}
          companies={run.report.companies}
          canImport={data.isConfigured && run.kind === "trial"}
          isBusy={isBusy}
          onImport={(ids) => starting.mutate(ids)}
        />
      ) : null}
    </div>
  );
}

function Run({ run }: { run: WhaticketRun }): ReactNode {
  const { t } = useTranslation();
  const nowMs = useNow(30_000);
  return (
    <section className={classes["bar"]} aria-label={t(`operation.import.run.${run.kind}`)}>
      <div className={classes["words"]}>
        <div className={classes["head"]}>
          <strong>{t(`operation.import.run.${run.kind}`)}</strong>
          <Pill tone={tones[run.state]}>{t(`operation.import.state.${run.state}`)}</Pill>
          <span className={classes["small"]}>{agoWords(t, run.startedAt, nowMs)}</span>
        </div>
        <p className={classes["small"]} aria-live="polite">
          {run.state === "done" ? "" : run.progress}
        </p>
        {run.state === "failed" ? (
          <p className={classes["error"]}>
            {t("operation.import.failed", { code: run.error ?? "" })}
          </p>
        ) : null}
        {run.state === "interrupted" ? (
          <p className={classes["small"]}>{t("operation.import.interrupted")}</p>
        ) : null}
      </div>
      {run.report === null ? null : (
        <Button variant="default" onClick={() => saveReport(run)}>
          {t("operation.import.report")}
        </Button>
      )}
    </section>
  );
}

type CompaniesProps = {
  companies: readonly WhaticketCompany[];
  canImport: boolean;
  isBusy: boolean;
  onImport: (ids: string[]) => void;
};

function Companies({ companies, canImport, isBusy, onImport }: CompaniesProps): ReactNode {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  return (
    <>
      <ul className={classes["list"]} aria-label={t("operation.import.companies")}>
        {companies.map((company) => (
          <li key={company.id} className={classes["row"]}>
            {canImport && company.state === "dry" ? (
              <Checkbox
                label={nameOf(company)}
                checked={chosen.includes(company.id)}
                onChange={({ currentTarget: { checked } }) =>
                  setChosen((ids) =>
                    checked ? [...ids, company.id] : ids.filter((id) => id !== company.id),
                  )
                }
              />
            ) : (
              <strong>{company.newName}</strong>
            )}
            {company.state === "known" ? (
              <p className={classes["small"]}>{t("operation.import.known")}</p>
            ) : null}
            <p className={classes["small"]}>
              {kinds
                .map((kind) =>
                  t(`operation.import.amounts.${kind}`, {
                    amount: formatNumber(company.counts[kind]?.read ?? 0),
                  }),
                )
                .join(" · ")}
            </p>
            {company.problems.length === 0 ? null : (
              <details>
                <summary>
                  {t("operation.import.problems", {
                    count: company.problems.reduce((sum, { count }) => sum + count, 0),
                  })}
                </summary>
                {company.problems.map((problem) => (
                  <p key={JSON.stringify(problem)} className={classes["small"]}>
                    {t(`operation.import.kind.${problem.kind}`)}: {sentenceOf(t, problem)} (
                    {formatNumber(problem.count)})
                  </p>
                ))}
              </details>
            )}
          </li>
        ))}
      </ul>
      {canImport && companies.length > 0 ? (
        <div>
          <Button disabled={isBusy || chosen.length === 0} onClick={() => onImport([...chosen])}>
            {t("operation.import.start")}
          </Button>
        </div>
      ) : null}
    </>
  );
}

/** Each sentence names some of these. */
const noValues = {
  ...{ name: "", email: "", newEmail: "", type: "", channel: "", status: "" },
  ...{ column: "", reason: "", text: "" },
} satisfies Record<WhaticketProblemValue, string>;

const sentenceOf = (t: TFunction, { code, values }: WhaticketProblem): string =>
  t(`operation.import.problem.${code}`, { ...noValues, ...values });

/** With the name that it gets here, where that is another: two of the same name are told apart. */
const nameOf = ({ name, newName }: WhaticketCompany): string =>
  name === newName ? name : `${name} → ${newName}`;

/** The browser reads the file after the press of the link has returned. */
const KEPT_FOR_SAVING_MS = 60_000;

function saveReport(run: WhaticketRun): void {
  const text = JSON.stringify(run, null, 2);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = `whaticket-${run.startedAt.slice(0, 10)}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_FOR_SAVING_MS);
}
