import type { ReactNode } from "react";
import classes from "./count-badge.module.css";

const COUNT_MAX = 99;

/** A count on the corner of an icon button, whose name says it in words. Nothing for 0. */
export function CountBadge({ count }: { count: number }): ReactNode {
  if (count === 0) return null;
  return (
    <span className={classes["badge"]} aria-hidden="true">
      {count > COUNT_MAX ? `${COUNT_MAX}+` : count}
    </span>
  );
}
