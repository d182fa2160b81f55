import type { Backup, BackupList } from "@balcao/contract";
import { IconDatabaseExport, IconServerOff } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { call } from "../../api/client.ts";
import { formatDayLabel, formatNumber, formatTime } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { agoWords } from "../../ui/ago-words.ts";
import { Button } from "../../ui/button.tsx";
import { useNow } from "../../ui/clock.ts";
import { EmptyState, ListSkeleton, LoadFailed, notifyError, notifyInfo } from "../../ui/index.ts";
import { Pill } from "../../ui/marks.tsx";
import { bytesText } from "../../ui/sheet-drop.tsx";
import classes from "./backups-panel.module.css";

/** How often the list is read while a backup is being made, and otherwise. */
const RUNNING_MS = 2_000;
const RESTING_MS = 5_000;

const queryKey = ["operation", "backups"];
const tones = { running: "info", whole: "ok", failed: "bad", interrupted: "warn" } as const;

/** The backups of the installation: which there are, how old the last one is, and one now. */
export function BackupsPanel(): ReactNode {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => call("GET /operation/backups", {}, { signal }),
    refetchInterval: ({ state }) => (isRunning(state.data) ? RUNNING_MS : RESTING_MS),
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
  if (data.schedule === null && data.backups.length === 0) {
    return (
      <EmptyState
        icon={IconDatabaseExport}
        title={t("operation.backups.empty")}
        text={t("operation.backups.howTo")}
      />
    );
  }
  return (
    <div className={classes["panel"]}>
      <Schedule list={data} />
      {data.backups.length === 0 ? (
        <p className={classes["none"]}>{t("operation.backups.noneYet")}</p>
      ) : (
        <ul className={classes["list"]} aria-label={t("operation.tabs.backups")}>
          {data.backups.map((backup) => (
            <BackupRow key={backup.id} backup={backup} />
          ))}
        </ul>
      )}
    </div>
  );
}

const isRunning = (list: BackupList | undefined): boolean =>
  list?.backups.some(({ state }) => state === "running") === true;

function Schedule({ list }: { list: BackupList }): ReactNode {
  const { t } = useTranslation();
  const client = useQueryClient();
  const nowMs = useNow(30_000);
  const { schedule, backups } = list;
  const good = backups.find(({ state }) => state === "whole");
  const starting = useMutation({
    mutationFn: () => call("POST /operation/backups", {}),
    onError: notifyError,
    onSuccess: ({ isStarted }) => {
      if (!isStarted) notifyInfo(t("operation.backups.notStarted"));
    },
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
  const isBusy = isRunning(list);
  return (
    <div className={classes["bar"]}>
      <div className={classes["words"]}>
        <p className={classes["last"]} data-tone={good === undefined ? "bad" : undefined}>
          {good === undefined
            ? t("operation.backups.noGood")
            : t("operation.backups.lastGood", { ago: agoWords(t, ended(good), nowMs) })}
        </p>
        <p className={classes["small"]}>
          {schedule === null
            ? t("operation.backups.howTo")
            : t("operation.backups.schedule", {
                place: schedule.place,
                next: schedule.nextAt === null ? "–" : whenText(schedule.nextAt, nowMs),
                count: schedule.keep,
              })}
        </p>
        {schedule === null || schedule.isEncrypted ? null : (
          <p className={classes["small"]}>{t("operation.backups.unencrypted")}</p>
        )}
      </div>
      {schedule === null ? null : (
        <Button loading={starting.isPending} disabled={isBusy} onClick={() => starting.mutate()}>
          {t(isBusy ? "operation.backups.making" : "operation.backups.now")}
        </Button>
      )}
    </div>
  );
}

const ended = ({ endedAt, startedAt }: Backup): string => endedAt ?? startedAt;

const whenText = (iso: string, nowMs: number): string =>
  `${formatDayLabel(iso, nowMs)} ${formatTime(iso)}`;

function BackupRow({ backup }: { backup: Backup }): ReactNode {
  const { t } = useTranslation();
  const nowMs = useNow(30_000);
  const { state, bytes, rows, files, missingFiles, error } = backup;
  const seconds = Math.round((Date.parse(ended(backup)) - Date.parse(backup.startedAt)) / 1_000);
  const facts = [
    bytesText(bytes),
    t("operation.backups.rows", { count: rows, amount: formatNumber(rows) }),
    t("operation.backups.files", { count: files, amount: formatNumber(files) }),
    ...(state === "whole" ? [t("operation.backups.took", { seconds: formatNumber(seconds) })] : []),
    t(`operation.backups.origin.${backup.origin}`),
  ];
  return (
    <li className={classes["row"]}>
      <div className={classes["head"]}>
        <strong>{whenText(backup.startedAt, nowMs)}</strong>
        <span className={classes["small"]}>{agoWords(t, backup.startedAt, nowMs)}</span>
        <Pill tone={tones[state]}>{t(`operation.backups.state.${state}`)}</Pill>
        {backup.verifiedAt === null ? null : (
          <Pill tone="ok">{t("operation.backups.verified")}</Pill>
        )}
        {backup.isEncrypted ? <Pill tone="info">{t("operation.backups.encrypted")}</Pill> : null}
        {backup.removedAt === null ? null : (
          <Pill tone={undefined}>{t("operation.backups.removed")}</Pill>
        )}
      </div>
      <p className={classes["small"]}>{facts.join(" · ")}</p>
      <p className={classes["place"]}>
        {backup.place}
        {backup.name === null ? "" : `/${backup.name}`}
      </p>
      {missingFiles === 0 ? null : (
        <p className={classes["small"]}>
          {t("operation.backups.missing", {
            count: missingFiles,
            amount: formatNumber(missingFiles),
          })}
        </p>
      )}
      {state === "failed" ? <p className={classes["error"]}>{error}</p> : null}
    </li>
  );
}
