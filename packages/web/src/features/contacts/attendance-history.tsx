import type { Attendance } from "@balcao/contract";
import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { formatDayLabel, formatTime } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { errorText, QueueDot } from "../../ui/index.ts";
import { useAttendances } from "./api.ts";
import classes from "./attendance-history.module.css";

/** The contact's attendances on all connections, the newest first. */
export function AttendanceHistory({ contactId }: { contactId: number }): ReactNode {
  const { t } = useTranslation();
  const pages = useAttendances(contactId);
  if (pages.error !== null) {
    return (
      <p className={classes["failure"]} role="alert">
        {errorText(t, pages.error)}
      </p>
    );
  }
  if (pages.rows?.length === 0)
    return <p className={classes["empty"]}>{t("contacts.noHistory")}</p>;
  return (
    <>
      <ol className={classes["list"]}>
        {pages.rows?.map((attendance) => (
          <Row key={attendance.id} attendance={attendance} />
        ))}
      </ol>
      {pages.hasMore ? (
        <Button size="xs" variant="subtle" loading={pages.isLoadingMore} onClick={pages.loadMore}>
          {t("contacts.moreHistory")}
        </Button>
      ) : null}
    </>
  );
}

function Row({ attendance }: { attendance: Attendance }): ReactNode {
  const { t } = useTranslation();
  const { queue, user, whatsapp, startedAt, finishedAt, createdAt } = attendance;
  const began = startedAt ?? createdAt;
  return (
    <li>
      <Link className={classes["row"] ?? ""} to={`/tickets/${attendance.ticketUuid}`}>
        <span className={classes["when"]}>
          {formatDayLabel(began)}, {formatTime(began)}
        </span>
        <span className={classes["state"]}>{t(stateOf(attendance))}</span>
        <span className={classes["where"]}>
          {queue === null ? null : <QueueDot color={queue.color} />}
          {[queue?.name, user?.name, whatsapp?.name].filter(Boolean).join(" · ")}
        </span>
        {finishedAt === null ? null : (
          <span className={classes["until"]}>
            {t("contacts.until", {
              moment: `${formatDayLabel(finishedAt)}, ${formatTime(finishedAt)}`,
            })}
          </span>
        )}
      </Link>
    </li>
  );
}

function stateOf({ startedAt, finishedAt }: Attendance) {
  if (finishedAt !== null) return "contacts.finished";
  return startedAt === null ? "contacts.waiting" : "contacts.serving";
}
