import { limits } from "@balcao/contract/limits";
import { IconClockHour4 } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { useNow } from "../../ui/clock.ts";
import { timeLeft } from "./free-text-window.ts";
import classes from "./window-chip.module.css";

/** The time left for free text to the customer. */
export function WindowChip({ until }: { until: string }): ReactNode {
  const { t } = useTranslation();
  const { hours, minutes } = timeLeft(until, useNow(limits.timeLabelRefreshMs));
  const left =
    hours === 0
      ? t("templates.minutesLeft", { minutes })
      : t("templates.hoursLeft", { hours, minutes });
  return (
    <p className={classes["chip"]} title={t("templates.windowHelp")}>
      <IconClockHour4 size={15} stroke={1.7} aria-hidden="true" />
      {t("templates.window", { left })}
    </p>
  );
}
