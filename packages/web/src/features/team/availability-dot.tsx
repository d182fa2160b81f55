import type { Availability } from "@balcao/contract";
import type { ReactNode } from "react";
import classes from "./availability-dot.module.css";

/** Full: available; full in another colour: paused; a ring: away. Its word always stands beside it. */
export function AvailabilityDot({ state }: { state: Availability | "offline" }): ReactNode {
  return <span className={classes["dot"]} data-state={state} aria-hidden="true" />;
}
