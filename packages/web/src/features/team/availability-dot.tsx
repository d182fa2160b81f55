import type { Availability, TeamMember } from "@balcao/contract";
import type { ReactNode } from "react";
import { AppAvatar } from "../../ui/index.ts";
import classes from "./availability-dot.module.css";

/** Full: available; full in another colour: paused; a ring: away. Its word always stands beside it. */
export function AvailabilityDot({ state }: { state: Availability | "offline" }): ReactNode {
  return <span className={classes["dot"]} data-state={state} aria-hidden="true" />;
}

/** A colleague's avatar with the state on its corner. */
export function MemberAvatar({ member, size }: { member: TeamMember; size: number }): ReactNode {
  return (
    <span className={classes["avatar"]}>
      <AppAvatar name={member.name} id={member.id} size={size} />
      <span className={classes["corner"]}>
        <AvailabilityDot state={member.online ? member.availability : "offline"} />
      </span>
    </span>
  );
}
