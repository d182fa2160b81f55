import type { OperationNow, OperationProblem } from "@balcao/contract";
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
  IconServerOff,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { formatNumber } from "../../i18n/format.ts";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { agoWords, formatSecond } from "../../ui/ago-words.ts";
import { Button } from "../../ui/button.tsx";
import { ListSkeleton, LoadFailed, NoticeStrip } from "../../ui/index.ts";
import classes from "./now-panel.module.css";
import {
  Card,
  countText,
  DatabaseFacts,
  Errors,
  Jobs,
  Processes,
  Queues,
  sizeText,
  SlowStatements,
  spanText,
} from "./now-tables.tsx";

/** There are no live events of the whole installation: the figures are read again and again while the page is seen. */
const REFRESH_MS = 5_000;

/** What goes on in the installation at this moment, and what is wrong with it. */
export function NowPanel(): ReactNode {
  const { t } = useTranslation();
  const [isPaused, setPaused] = useState(false);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ["operation", "now"],
    queryFn: ({ signal }) => call("GET /operation/now", {}, { signal }),
    refetchInterval: isPaused ? false : REFRESH_MS,
    staleTime: 0,
    retry: false,
  });
  if (data === undefined) {
    return error === null ? (
      <ListSkeleton rows={6} />
    ) : (
      <LoadFailed icon={IconServerOff} error={error} onRetry={() => void refetch()} />
    );
  }
  const PauseIcon = isPaused ? IconPlayerPlay : IconPlayerPause;
  return (
    <div className={classes["now"]}>
      {error === null ? null : (
        <NoticeStrip
          tone="warn"
          icon={IconAlertTriangle}
          title={t("operation.now.stale", { time: formatSecond(data.at) })}
          action={{ label: t("common.retry"), onClick: () => void refetch() }}
        >
          {t("operation.now.staleText")}
        </NoticeStrip>
      )}
      <div className={classes["bar"]}>
        <span className={classes["at"]}>
          {t(isPaused ? "operation.now.pausedAt" : "operation.now.readAt", {
            time: formatSecond(data.at),
          })}
        </span>
        {isPaused ? (
          <Button
            variant="default"
            size="xs"
            loading={isFetching}
            leftSection={<IconRefresh size={15} stroke={1.7} aria-hidden="true" />}
            onClick={() => void refetch()}
          >
            {t("operation.now.refresh")}
          </Button>
        ) : null}
        <Button
          variant="default"
          size="xs"
          leftSection={<PauseIcon size={15} stroke={1.7} aria-hidden="true" />}
          onClick={() => setPaused(!isPaused)}
        >
          {t(isPaused ? "operation.now.resume" : "operation.now.pause")}
        </Button>
      </div>
      <Problems problems={data.problems} />
      <Figures now={data} />
      <Processes now={data} />
      <div className={classes["pair"]}>
        <Queues now={data} />
        <DatabaseFacts now={data} />
      </div>
      <Errors now={data} />
      <SlowStatements now={data} />
      <Jobs now={data} />
    </div>
  );
}

function Problems({ problems }: { problems: readonly OperationProblem[] }): ReactNode {
  const { t } = useTranslation();
  if (problems.length === 0) {
    return (
      <p className={classes["fine"]} role="status">
        <IconCircleCheck size={22} stroke={1.7} aria-hidden="true" />
        <span>
          <strong>{t("operation.now.fine")}</strong> {t("operation.now.fineText")}
        </span>
      </p>
    );
  }
  return (
    <Card title={t("operation.now.problems", { count: problems.length })}>
      <ul className={classes["problems"]}>
        {problems.map((problem) => (
          <li key={`${problem.code} ${problem.subject}`}>
            <IconAlertTriangle
              size={19}
              stroke={1.7}
              className={classes["sign"]}
              data-tone={problem.level}
              aria-hidden="true"
            />
            <div>
              <p className={classes["sentence"]}>
                <span className="bc-hidden-text">
                  {t(problem.level === "bad" ? "operation.now.bad" : "operation.now.warn")}:{" "}
                </span>
                {sentenceOf(t, problem)}
              </p>
              <p className={classes["advice"]}>{t(`operation.now.advice.${problem.code}`)}</p>
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function sentenceOf(t: TFunction, { code, subject, value }: OperationProblem): string {
  const time = spanText(value);
  switch (code) {
    case "processSilent":
    case "longTransaction":
      return t(`operation.now.problem.${code}`, { subject, time });
    case "jobLate":
      return t("operation.now.problem.jobLate", { subject, time });
    case "roleMissing":
      return t("operation.now.problem.roleMissing", { subject });
    case "inboundLag":
    case "outboundLag":
      return t(`operation.now.problem.${code}`, { time });
    case "workLag":
      return t("operation.now.problem.workLag", {
        queue: t(`operation.now.queue.${subject as OperationNow["queues"][number]["queue"]}`),
        time,
      });
    case "jobFails":
      return t("operation.now.problem.jobFails", { subject, count: value });
    case "poolWaits":
      return t("operation.now.problem.poolWaits", { subject, count: value });
    case "diskFull":
      return t("operation.now.problem.diskFull", { subject, bytes: sizeText(value) });
    case "eventLoop":
      return t("operation.now.problem.eventLoop", { subject, ms: formatNumber(value) });
    case "backupOld":
      return t("operation.now.problem.backupOld", { time: spanText(value * 3_600) });
    case "backupFailed":
    case "backupNone":
      return t(`operation.now.problem.${code}`);
    case "leasesUnowned":
    case "connectionsLost":
    case "errors":
    case "databaseConnections":
    case "inboundFailed":
    case "mailsHeld":
      return t(`operation.now.problem.${code}`, { count: value });
  }
}

function Figures({ now }: { now: OperationNow }): ReactNode {
  const { t } = useTranslation();
  const { processes, connections, queues, incidents, database, backup } = now;
  const alive = processes.filter(({ isAlive }) => isAlive).length;
  const errors = incidents.reduce((sum, { count }) => sum + count, 0);
  const queueOf = (name: string) => queues.find(({ queue }) => queue === name);
  const lagNote = (name: string): string => {
    const lag = queueOf(name)?.lagSeconds ?? null;
    return lag === null
      ? t("operation.now.empty")
      : t("operation.now.lag", { time: spanText(lag) });
  };
  const cells = [
    {
      label: t("operation.now.figures.processes"),
      value: formatNumber(alive),
      note: t("operation.now.version", { version: now.version }),
    },
    {
      label: t("operation.now.figures.connections"),
      value: `${formatNumber(connections.connected)} / ${formatNumber(connections.wanted)}`,
      note: t("operation.now.lost", { count: connections.lost }),
    },
    {
      label: t("operation.now.queue.inbound"),
      value: countText(queueOf("inbound")?.waiting ?? 0),
      note: lagNote("inbound"),
    },
    {
      label: t("operation.now.queue.outbound"),
      value: countText(queueOf("outbound")?.waiting ?? 0),
      note: lagNote("outbound"),
    },
    {
      label: t("operation.now.figures.errors"),
      value: formatNumber(errors),
      note: t("operation.now.lastHour"),
    },
    {
      label: t("operation.now.figures.database"),
      value: `${formatNumber(database.connections)} / ${formatNumber(database.connectionsLimit)}`,
      note: sizeText(database.bytes),
    },
    {
      label: t("operation.now.figures.backup"),
      value:
        backup?.lastGoodAt == null
          ? t("operation.now.none")
          : agoWords(t, backup.lastGoodAt, Date.parse(now.at)),
      note: backup?.bytes == null ? "" : sizeText(backup.bytes),
    },
  ];
  return (
    <dl className={classes["figures"]}>
      {cells.map(({ label, value, note }) => (
        <div key={label} className={classes["figure"]}>
          <dt>{label}</dt>
          <dd>
            <strong>{value}</strong>
            <span>{note}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}
