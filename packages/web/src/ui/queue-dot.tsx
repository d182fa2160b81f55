import type { ReactNode } from "react";
import classes from "./queue-dot.module.css";

/** The colour of a queue, which comes from data; the queue's name always stands beside it. */
export function QueueDot({ color }: { color: string }): ReactNode {
  return <span className={classes["dot"]} style={{ background: color }} aria-hidden="true" />;
}
