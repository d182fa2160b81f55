import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import { useLiveStatus } from "../../realtime/index.ts";
import classes from "./top-bar.module.css";

/** Whether what is on the screen is live, in a dot and a word. */
export function LivePill(): ReactNode {
  const { t } = useTranslation();
  const { state } = useLiveStatus();
  return (
    <span className={classes["live"]} data-state={state}>
      {t(`shell.${state}`)}
    </span>
  );
}
