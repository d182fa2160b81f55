import type { Connection } from "@balcao/contract";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { formatDayLabel, formatTime } from "../../i18n/format.ts";
import { ConnectionPill } from "../../ui/index.ts";
import { reasonKey } from "./connection-rules.ts";
import classes from "./connections-page.module.css";

type Status = Pick<Connection, "status" | "closeReason" | "connectedAt" | "disconnectedAt">;

/** The status in words, and why it is away. */
export function ConnectionState({
  connection,
}: {
  connection: Pick<Status, "status" | "closeReason">;
}): ReactNode {
  const { t } = useTranslation();
  const { status, closeReason } = connection;
  const isExplained = closeReason !== null && status !== "CONNECTED";
  return (
    <span className={classes["state"]}>
      <ConnectionPill status={status} />
      {isExplained ? <span className={classes["why"]}>{t(reasonKey(closeReason))}</span> : null}
    </span>
  );
}

/** Since when it is connected, or since when it no longer is. */
export function Since({ connection }: { connection: Status }): ReactNode {
  const { t } = useTranslation();
  const { status, connectedAt, disconnectedAt } = connection;
  const iso = status === "CONNECTED" ? connectedAt : disconnectedAt;
  if (iso === null) return t("connections.noSince");
  return (
    <>
      <span className={classes["narrow"]}>{t("connections.since")} </span>
      <Moment iso={iso} />
    </>
  );
}

export function Moment({ iso }: { iso: string }): ReactNode {
  const { t } = useTranslation();
  return (
    <time dateTime={iso} className={classes["moment"]}>
      {t("connections.sinceMoment", { day: formatDayLabel(iso), time: formatTime(iso) })}
    </time>
  );
}
