import type { Schedule } from "@balcao/contract";
import { IconPencil, IconTrash } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Suspense, useState } from "react";
import { ApiError } from "../../api/client.ts";
import { formatDayLabel, formatTime } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { errorText, IconButton, notifyError, notifySuccess } from "../../ui/index.ts";
import { useSession } from "../auth/index.ts";
import { contactSchedules, deleteSchedule } from "./api.ts";
import classes from "./contact-schedules.module.css";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Button } from "../../ui/button.tsx";

const ScheduleDialog = lazyPart(
  async () => (await import("./schedule-dialog.tsx")).ScheduleDialog,
  "over",
);

type Props = {
  contact: { id: number; name: string };
  /** The heading, when there is something below it. */
  title: ReactNode;
};

/** The scheduled messages of a contact, with edit and delete. Renders nothing if there are none. */
export function ContactSchedules({ contact, title }: Props): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  const { rows, hasMore, isLoadingMore, loadMore } = contactSchedules.usePages(contact.id, {
    enabled: can("schedules:use"),
  });
  if (rows === undefined || rows.length === 0) return null;
  return (
    <section className={classes["section"]}>
      {title}
      <ScheduleRows contact={contact} rows={rows} />
      {hasMore ? (
        <Button
          size="xs"
          variant="subtle"
          style={{ marginTop: 8 }}
          loading={isLoadingMore}
          onClick={loadMore}
        >
          {t("schedules.moreFound")}
        </Button>
      ) : null}
    </section>
  );
}

type RowsProps = Pick<Props, "contact"> & { rows: readonly Schedule[] };

/** Scheduled messages of one contact; those that were not sent can be edited and deleted. */
export function ScheduleRows({ contact, rows }: RowsProps): ReactNode {
  const [edited, setEdited] = useState<Schedule | null>(null);
  return (
    <>
      <ul className={classes["list"]}>
        {rows.map((schedule) => (
          <Row key={schedule.id} schedule={schedule} onEdit={() => setEdited(schedule)} />
        ))}
      </ul>
      {edited === null ? null : (
        <Suspense fallback={null}>
          <ScheduleDialog contact={contact} schedule={edited} onClose={() => setEdited(null)} />
        </Suspense>
      )}
    </>
  );
}

function Row({ schedule, onEdit }: { schedule: Schedule; onEdit: () => void }): ReactNode {
  const { t } = useTranslation();
  const remove = useMutation({ mutationFn: (id: number) => deleteSchedule(id) });
  const moment = `${formatDayLabel(schedule.sendAt)}, ${formatTime(schedule.sendAt)}`;
  const willNotGo = schedule.status === "PENDENTE" && schedule.contact.optedOut;
  const isEditable = schedule.sentAt === null && schedule.status !== "AGENDADA";
  return (
    <li className={classes["row"]} data-failed={schedule.status === "ERRO" || undefined}>
      <div className="bc-fill">
        <p className={classes["body"]}>{schedule.body}</p>
        <p className="bc-meta">
          {moment} · {t(`schedules.status.${willNotGo ? "OPTED_OUT" : schedule.status}`)}
        </p>
        {willNotGo ? (
          <p className={classes["reason"]} data-tone="warn">
            {t("contacts.page.scheduleOptedOut")}
          </p>
        ) : null}
        {schedule.errorCode === null ? null : (
          <p className={classes["reason"]}>
            {errorText(t, new ApiError({ status: 400, code: schedule.errorCode }))}
          </p>
        )}
      </div>
      {isEditable ? (
        <>
          <IconButton
            size="small"
            label={t("schedules.edit", { moment })}
            icon={IconPencil}
            onClick={onEdit}
          />
          <IconButton
            size="small"
            label={t("schedules.delete", { moment })}
            icon={IconTrash}
            disabled={remove.isPending}
            onClick={() =>
              remove.mutate(schedule.id, {
                onSuccess: () => notifySuccess(t("schedules.deleted")),
                onError: notifyError,
              })
            }
          />
        </>
      ) : null}
    </li>
  );
}
