import type { ReactNode } from "react";
import { useTranslation } from "../../i18n/index.ts";
import classes from "./message-skeleton.module.css";

/** Shapes of bubbles to come: side and width in percent. */
const shapes = [
  ["in", 46],
  ["in", 30],
  ["out", 52],
  ["in", 38],
  ["out", 28],
] as const;

/** Stands for a conversation that takes more than 150 ms. */
export function MessageSkeleton(): ReactNode {
  const { t } = useTranslation();
  return (
    <div className={classes["skeleton"]} role="status" aria-label={t("common.loading")}>
      {shapes.map(([side, width]) => (
        <span
          key={width}
          className={classes["bubble"]}
          data-side={side}
          style={{ width: `${width}%` }}
        />
      ))}
    </div>
  );
}
