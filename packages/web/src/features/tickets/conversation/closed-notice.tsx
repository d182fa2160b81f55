import type { Weekday } from "@balcao/contract/weekdays";
import { weekdays } from "@balcao/contract/weekdays";
import { IconClockOff } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { dayKey, formatHour } from "../../../i18n/format.ts";
import { useTranslation } from "../../../i18n/index.ts";
import { NoticeStrip } from "../../../ui/index.ts";

type Props = {
  /** The next opening; null if no day of the week has one. */
  until: Date | null;
  /** Null: the hours are the company's. */
  queueName: string | null;
  nowMs: number;
};

/** Shows that the company or the queue is closed, and until when. */
export function ClosedNotice({ until, queueName, nowMs }: Props): ReactNode {
  const { t } = useTranslation();

  const opening = (): string => {
    const name = queueName ?? "";
    if (until === null) {
      return queueName === null
        ? t("settings.outOfHours.companyNever")
        : t("settings.outOfHours.queueNever", { name });
    }
    const when = whenText(until.toISOString());
    return queueName === null
      ? t("settings.outOfHours.company", { when })
      : t("settings.outOfHours.queue", { name, when });
  };

  function whenText(iso: string): string {
    const time = formatHour(iso);
    const day = dayKey(iso);
    if (day === dayKey(new Date(nowMs).toISOString())) {
      return t("settings.outOfHours.today", { time });
    }
    return t("settings.outOfHours.onDay", {
      day: t(`settings.outOfHours.days.${weekdayOf(day)}`),
      time,
    });
  }

  return (
    <NoticeStrip tone="warn" icon={IconClockOff} title={t("settings.outOfHours.title")}>
      {opening()}
    </NoticeStrip>
  );
}

/** For a calendar day YYYY-MM-DD. */
function weekdayOf(day: string): Weekday {
  const sundayFirst = new Date(`${day}T12:00:00Z`).getUTCDay();
  return weekdays[(sundayFirst + weekdays.length - 1) % weekdays.length] ?? "monday";
}
