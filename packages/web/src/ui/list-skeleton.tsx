import type { ReactNode } from "react";
import { useTranslation } from "../i18n/index.ts";
import classes from "./list-skeleton.module.css";

/** Width of both lines in percent, so that the rows do not look like a table. */
const widths: readonly (readonly [number, number])[] = [
  [42, 76],
  [32, 60],
  [50, 86],
  [38, 68],
  [46, 80],
  [34, 56],
];

/** Rows that look like those to come. Appears only after 150 ms. */
export function ListSkeleton({ rows = 4 }: { rows?: 3 | 4 | 5 | 6 }): ReactNode {
  const { t } = useTranslation();
  return (
    <div className={classes["list"]} role="status" aria-label={t("common.loading")}>
      {widths.slice(0, rows).map(([first, second]) => (
        <div key={first} className={classes["row"]}>
          <span className={classes["circle"]} />
          <span className={classes["lines"]}>
            <span className={classes["line"]} style={{ width: `${first}%` }} />
            <span className={classes["line"]} style={{ width: `${second}%` }} />
          </span>
        </div>
      ))}
    </div>
  );
}
