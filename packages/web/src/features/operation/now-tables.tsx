import type { OperationNow } from "@balcao/contract";
import type { ReactNode } from "react";
import { useId } from "react";
import { formatNumber } from "../../i18n/format.ts";
import type { TFunction } from "../../i18n/index.ts";
import { useTranslation } from "../../i18n/index.ts";
import { agoWords } from "../../ui/ago-words.ts";
import { Pill } from "../../ui/marks.tsx";
import { bytesText } from "../../ui/sheet-drop.tsx";
import classes from "./now-panel.module.css";

const COUNTED_MAX = 10_000;

/** The processes of the installation with what each alone knows. */
export function Processes({ now }: { now: OperationNow }): ReactNode {
  const { t } = useTranslation();
  const atMs = Date.parse(now.at);
  return (
    <TableCard
      title={t("operation.now.figures.processes")}
      head={[
        t("operation.now.columns.process"),
        t("operation.now.columns.state"),
        t("operation.now.columns.roles"),
        t("operation.now.columns.connections"),
        t("operation.now.columns.eventLoop"),
        t("operation.now.columns.memory"),
        t("operation.now.columns.disk"),
        t("operation.now.columns.pool"),
        t("operation.now.columns.started"),
      ]}
      rows={now.processes.map((one) => ({
        id: one.id,
        cells: [
          `${one.host} ${one.pid}`,
          <Pill key="state" tone={one.isAlive ? "ok" : "bad"}>
            {one.isAlive
              ? t("operation.now.alive")
              : t("operation.now.silent", { time: agoWords(t, one.seenAt, atMs) })}
          </Pill>,
          one.roles.join(", "),
          formatNumber(one.connections),
          `${formatNumber(one.eventLoopP99Ms)} ms`,
          sizeText(one.memoryBytes),
          one.diskFreeBytes === null ? "" : sizeText(one.diskFreeBytes),
          t("operation.now.poolUse", { used: one.poolUsed, open: one.poolOpen }),
          `${agoWords(t, one.startedAt, atMs)} (${one.version})`,
        ],
      }))}
    />
  );
}

/** What is due of each queue of work. */
export function Queues({ now }: { now: OperationNow }): ReactNode {
  const { t } = useTranslation();
  return (
    <TableCard
      title={t("operation.now.queues")}
      head={[
        t("operation.now.columns.queue"),
        t("operation.now.columns.waiting"),
        t("operation.now.columns.oldest"),
        t("operation.now.columns.failed"),
      ]}
      rows={now.queues.map(({ queue, waiting, lagSeconds, failed }) => ({
        id: queue,
        cells: [
          t(`operation.now.queue.${queue}`),
          countText(waiting),
          lagSeconds === null ? "" : spanText(lagSeconds),
          failed === 0 ? "" : countText(failed),
        ],
      }))}
    />
  );
}

/** The database, and the connections of companies by state. */
export function DatabaseFacts({ now }: { now: OperationNow }): ReactNode {
  const { t } = useTranslation();
  const { database, connections } = now;
  const { deadRows, replicaLagSeconds } = database;
  const facts = [
    [t("operation.now.facts.size"), sizeText(database.bytes)],
    [
      t("operation.now.facts.connections"),
      t("operation.now.facts.of", {
        some: formatNumber(database.connections),
        all: formatNumber(database.connectionsLimit),
      }),
    ],
    [
      t("operation.now.facts.dead"),
      deadRows === null
        ? t("operation.now.none")
        : `${deadRows.table}: ${formatNumber(deadRows.dead)} / ${formatNumber(deadRows.live)}`,
    ],
    ...(replicaLagSeconds === null
      ? []
      : [[t("operation.now.facts.replica"), spanText(replicaLagSeconds)] as const]),
    [t("operation.now.facts.connected"), formatNumber(connections.connected)],
    [t("operation.now.facts.connecting"), formatNumber(connections.connecting)],
    [t("operation.now.facts.toLink"), formatNumber(connections.toLink)],
    [t("operation.now.facts.lost"), formatNumber(connections.lost)],
    [t("operation.now.facts.unowned"), formatNumber(connections.unowned)],
  ] as const;
  return (
    <Card title={t("operation.now.databaseAndConnections")}>
      <dl className={classes["facts"]}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

/** The errors of the last hour by place and code. */
export function Errors({ now }: { now: OperationNow }): ReactNode {
  const { t } = useTranslation();
  const atMs = Date.parse(now.at);
  return (
    <TableCard
      title={t("operation.now.errors")}
      none={t("operation.now.noErrors")}
      head={[
        t("operation.now.columns.place"),
        t("operation.now.columns.code"),
        t("operation.now.columns.times"),
        t("operation.now.columns.last"),
        t("operation.now.columns.request"),
      ]}
      rows={now.incidents.map((one) => ({
        id: `${one.kind} ${one.place} ${one.code}`,
        cells: [
          `${t(`operation.now.kind.${one.kind}`)}: ${one.place}`,
          <code key="code">{one.code}</code>,
          formatNumber(one.count),
          agoWords(t, one.lastAt, atMs),
          <code key="request">{one.requestId ?? ""}</code>,
        ],
      }))}
    />
  );
}

/** The statements that took the most time over the limit. */
export function SlowStatements({ now }: { now: OperationNow }): ReactNode {
  const { t } = useTranslation();
  const atMs = Date.parse(now.at);
  return (
    <TableCard
      title={t("operation.now.slow")}
      none={t("operation.now.noSlow")}
      head={[
        t("operation.now.columns.statement"),
        t("operation.now.columns.times"),
        t("operation.now.columns.average"),
        t("operation.now.columns.longest"),
        t("operation.now.columns.last"),
      ]}
      rows={now.slowStatements.map((one) => ({
        id: one.name,
        cells: [
          <code key="name">{one.name}</code>,
          formatNumber(one.count),
          `${formatNumber(Math.round(one.averageMs))} ms`,
          `${formatNumber(Math.round(one.longestMs))} ms`,
          agoWords(t, one.lastAt, atMs),
        ],
      }))}
    />
  );
}

/** The periodic jobs, those that fail first. */
export function Jobs({ now }: { now: OperationNow }): ReactNode {
  const { t } = useTranslation();
  const atMs = Date.parse(now.at);
  const stateOf = (job: OperationNow["jobs"][number]): ReactNode => {
    if (job.failures > 0) {
      const count = job.failures;
      return <Pill tone="bad">{`${t("operation.now.fails", { count })} ${job.fault ?? ""}`}</Pill>;
    }
    return (
      <Pill tone={job.isRunning ? "info" : "ok"}>
        {t(job.isRunning ? "operation.now.running" : "operation.now.ready")}
      </Pill>
    );
  };
  return (
    <TableCard
      title={t("operation.now.jobs")}
      head={[
        t("operation.now.columns.job"),
        t("operation.now.columns.state"),
        t("operation.now.columns.last"),
        t("operation.now.columns.took"),
        t("operation.now.columns.next"),
      ]}
      rows={now.jobs.map((job) => ({
        id: job.name,
        cells: [
          <code key="name">{job.name}</code>,
          stateOf(job),
          job.endedAt === null ? t("operation.now.never") : agoWords(t, job.endedAt, atMs),
          // After a start the end is that of the run before.
          job.tookSeconds === null || job.tookSeconds < 0 ? "" : spanText(job.tookSeconds),
          nextText(t, (Date.parse(job.dueAt) - atMs) / 1_000),
        ],
      }))}
    />
  );
}

function nextText(t: TFunction, inSeconds: number): string {
  return inSeconds <= 0
    ? t("operation.now.due")
    : t("operation.now.in", { time: spanText(inSeconds) });
}

/** A titled card. */
export function Card({ title, children }: { title: string; children: ReactNode }): ReactNode {
  const id = useId();
  return (
    <section className={classes["card"]} aria-labelledby={id}>
      <h2 id={id} className={classes["title"]}>
        {title}
      </h2>
      {children}
    </section>
  );
}

type TableProps = {
  title: string;
  head: readonly string[];
  rows: readonly { id: string; cells: readonly ReactNode[] }[];
  /** Said where there is no row. */
  none?: string;
};

/** A table in a card; on a narrow screen it scrolls sideways, also by the keyboard. */
function TableCard({ title, head, rows, none }: TableProps): ReactNode {
  return (
    <Card title={title}>
      {rows.length === 0 && none !== undefined ? (
        <p className={classes["none"]}>{none}</p>
      ) : (
        <div className={classes["sideways"]} role="group" aria-label={title} tabIndex={0}>
          <table className={classes["table"]}>
            <thead>
              <tr>
                {head.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ id, cells: [first, ...others] }) => (
                <tr key={id}>
                  <th scope="row">{first}</th>
                  {others.map((cell, place) => (
                    <td key={head[place + 1]}>{cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Card>
  );
}

/** "1.234"; more than are counted end with a plus. */
export const countText = (count: number): string =>
  count >= COUNTED_MAX ? `${formatNumber(COUNTED_MAX)}+` : formatNumber(count);

/** "380 MB", "69,7 GB". */
export const sizeText = (bytes: number): string =>
  bytes < 1e9 ? bytesText(bytes) : `${formatNumber(Math.round(bytes / 1e8) / 10)} GB`;

/** "850 ms", "12 s", "3 min", "2 h", "4 d": the same units in all languages. */
export function spanText(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1_000)} ms`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  const hours = Math.floor(seconds / 3_600);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}
