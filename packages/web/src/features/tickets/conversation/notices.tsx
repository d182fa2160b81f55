import type { Holiday } from "@balcao/contract/holidays";
import { hoursAt } from "@balcao/contract/hours-at";
import { limits } from "@balcao/contract/limits";
import type { Weekday } from "@balcao/contract/weekdays";
import { weekdays } from "@balcao/contract/weekdays";
import { IconClockOff, IconEye, IconMessageOff } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { dayKey, formatDayLabel, formatHour } from "../../../i18n/format.ts";
import type { TFunction } from "../../../i18n/index.ts";
import { useTranslation } from "../../../i18n/index.ts";
import { useNow } from "../../../ui/clock.ts";
import { NoticeStrip } from "../../../ui/index.ts";
import { useSession } from "../../auth/index.ts";
import { useQueues } from "../../queues/index.ts";
import { useCompany } from "../../settings/index.ts";

/** Six days. */
const NEAR_MS = 518_400_000;

type Props = {
  /** Null: the hours are the company's. */
  queueId: number | null;
};

/** Shows that the company or the queue is closed, by hours or holiday, and until when; nothing while it is open. */
export function ClosedNotice({ queueId }: Props): ReactNode {
  const { user } = useSession();
  const { data: company } = useCompany(user.companyId);
  const queue = useQueues()?.find(({ id }) => id === queueId);
  const nowMs = useNow(limits.timeLabelRefreshMs);
  const days = queueId === null ? company?.schedules : queue?.schedules;
  if (days === undefined || company === undefined) return null;
  const hours = hoursAt(days, new Date(nowMs), user.company.timeZone, company.holidays);
  if (hours.isOpen) return null;
  return <Closed {...hours} queueName={queue?.name ?? null} nowMs={nowMs} />;
}

type ClosedProps = {
  /** The next opening; null if no day of the weeks to come has one. */
  until: Date | null;
  holiday: Holiday | null;
  queueName: string | null;
  nowMs: number;
};

function Closed({ until, holiday, queueName, nowMs }: ClosedProps): ReactNode {
  const { t } = useTranslation();

  const opening = (): string => {
    const name = queueName ?? "";
    if (until === null) {
      return queueName === null
        ? t("settings.outOfHours.companyNever")
        : t("settings.outOfHours.queueNever", { name });
    }
    const when = openingText(t, until.toISOString(), nowMs);
    return queueName === null
      ? t("settings.outOfHours.company", { when })
      : t("settings.outOfHours.queue", { name, when });
  };

  return (
    <NoticeStrip tone="warn" icon={IconClockOff} title={title()}>
      {opening()}
    </NoticeStrip>
  );

  function title(): string {
    if (holiday === null) return t("settings.outOfHours.title");
    const name = "name" in holiday ? holiday.name : t(`openingHours.holidays.${holiday.key}`);
    return t("settings.outOfHours.holiday", { name });
  }
}

/** When something opens, inside a sentence: with the hour today, else with the day of the week or the date. */
export function openingText(t: TFunction, iso: string, nowMs: number): string {
  const time = formatHour(iso);
  const day = dayKey(iso);
  const isToday = day === dayKey(new Date(nowMs).toISOString());
  if (isToday) return t("settings.outOfHours.today", { time });
  // A weekday beyond the next six days would be taken for one of them.
  const isNear = Date.parse(iso) - nowMs < NEAR_MS;
  if (!isNear) return t("settings.outOfHours.onDate", { date: formatDayLabel(iso), time });
  return t("settings.outOfHours.onDay", {
    day: t(`settings.outOfHours.days.${weekdayOf(day)}`),
    time,
  });
}

/** For a calendar day YYYY-MM-DD. */
function weekdayOf(day: string): Weekday {
  const sundayFirst = new Date(`${day}T12:00:00Z`).getUTCDay();
  return weekdays[(sundayFirst + weekdays.length - 1) % weekdays.length] ?? "monday";
}

/** Shows that a waiting ticket is only looked at. */
export function PreviewNotice(): ReactNode {
  const { t } = useTranslation();
  return (
    <NoticeStrip tone="info" icon={IconEye} title={t("tickets.preview.title")}>
      {t("tickets.preview.text")}
    </NoticeStrip>
  );
}

/** Shows that campaigns and scheduled messages leave the contact out. */
export function OptedOutNotice(): ReactNode {
  const { t } = useTranslation();
  return (
    <NoticeStrip tone="info" icon={IconMessageOff} title={t("contacts.optOut.title")}>
      {t("contacts.optOut.effect")}
    </NoticeStrip>
  );
}
