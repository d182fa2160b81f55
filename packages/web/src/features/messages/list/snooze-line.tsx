import type { ReactNode } from "react";
import { formatDayLabel, formatTime } from "../../../i18n/format.ts";
import { useTranslation } from "../../../i18n/index.ts";
import type { TimelineSnooze } from "../history/timeline.ts";

/** The words of a line of the timeline: the ticket was put off, or came back. */
export function SnoozeLine({ kind, snooze }: TimelineSnooze): ReactNode {
  const { t } = useTranslation();
  const { user, until, ended } = snooze;
  if (kind === "back") return t(`messages.snoozes.${ended ?? "time"}`);
  const name = user?.name ?? t("messages.snoozes.someone");
  if (until === null) return t("messages.snoozes.untilAnswer", { name });
  const when = `${formatDayLabel(until)}, ${formatTime(until)}`;
  return t("messages.snoozes.until", { name, when });
}
