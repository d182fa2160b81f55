import type { ScheduleEntry, Ticket } from "@balcao/contract";
import { hoursAt } from "@balcao/contract/hours-at";
import { limits } from "@balcao/contract/limits";
import type { Weekday } from "@balcao/contract/weekdays";
import { weekdays } from "@balcao/contract/weekdays";
import { IconClockOff } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { dayKey, formatTime } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { LiveNotice } from "../../realtime/index.ts";
import { useNow } from "../../ui/clock.ts";
import { NoticeStrip } from "../../ui/index.ts";
import { useSession } from "../auth/index.ts";
import { useCompany, useSetting } from "../settings/index.ts";
import { useQueues } from "./choices.ts";

/** What of a ticket decides whose hours count. */
export type HoursTicket = Pick<Ticket, "status" | "isGroup" | "queue">;

/** Says that the ticket's company or queue is closed now; else what is said of the live channel. */
export function HoursNotice({ ticket }: { ticket: HoursTicket }): ReactNode {
  const type = useSetting("scheduleType");
  // Groups are answered at any time, and nobody waits in what is resolved.
  if (ticket.isGroup || ticket.status === "closed") return <LiveNotice />;
  if (type === "company") return <CompanyHours />;
  if (type === "queue" && ticket.queue) return <QueueHours queueId={ticket.queue.id} />;
  return <LiveNotice />;
}

function CompanyHours(): ReactNode {
  const { user } = useSession();
  const { data } = useCompany(user.companyId);
  return <ClosedStrip days={data?.schedules} queueName={null} />;
}

function QueueHours({ queueId }: { queueId: number }): ReactNode {
  const queue = useQueues()?.find(({ id }) => id === queueId);
  return <ClosedStrip days={queue?.schedules} queueName={queue?.name ?? null} />;
}

type StripProps = {
  /** Undefined while unknown. */
  days: readonly ScheduleEntry[] | undefined;
  /** Null: the hours are the company's. */
  queueName: string | null;
};

function ClosedStrip({ days, queueName }: StripProps): ReactNode {
  const { t } = useTranslation();
  const { timeZone } = useSession().user.company;
  const nowMs = useNow(limits.timeLabelRefreshMs);
  const state = days === undefined ? null : hoursAt(days, new Date(nowMs), timeZone);
  if (state === null || state.isOpen) return <LiveNotice />;

  const opening = (): string => {
    const name = queueName ?? "";
    if (state.until === null) {
      return queueName === null
        ? t("settings.outOfHours.companyNever")
        : t("settings.outOfHours.queueNever", { name });
    }
    const when = whenText(state.until.toISOString());
    return queueName === null
      ? t("settings.outOfHours.company", { when })
      : t("settings.outOfHours.queue", { name, when });
  };

  function whenText(iso: string): string {
    const time = formatTime(iso);
    const day = dayKey(iso);
    if (day === dayKey(new Date(nowMs).toISOString())) {
      return t("settings.outOfHours.today", { time });
    }
    return t("settings.outOfHours.onDay", { day: t(`openingHours.days.${weekdayOf(day)}`), time });
  }

  return (
    <NoticeStrip tone="warn" icon={IconClockOff} title={t("settings.outOfHours.title")}>
      {opening()}
    </NoticeStrip>
  );
}

/** Of a calendar day YYYY-MM-DD. */
function weekdayOf(day: string): Weekday {
  const sundayFirst = new Date(`${day}T12:00:00Z`).getUTCDay();
  return weekdays[(sundayFirst + weekdays.length - 1) % weekdays.length] ?? "monday";
}
