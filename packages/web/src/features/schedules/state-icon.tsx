import type { CalendarState, Schedule } from "@balcao/contract";
import type { Icon } from "@tabler/icons-react";
import { IconAlertCircle, IconCheck, IconClock, IconMessageOff } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Loader } from "../../ui/loader.tsx";
import { stateOf } from "./calendar-view.ts";

export const stateIcons: Readonly<Record<CalendarState, Icon>> = {
  waiting: IconClock,
  sent: IconCheck,
  failed: IconAlertCircle,
  optedOut: IconMessageOff,
};

/** The state of a message as an icon; a spinner while it is being sent. The words stand beside it or are read out. */
export function StateIcon({
  schedule,
}: {
  schedule: Pick<Schedule, "status" | "contact">;
}): ReactNode {
  if (schedule.status === "AGENDADA") {
    return (
      <span className="sc-spinner" aria-hidden="true">
        <Loader />
      </span>
    );
  }
  const Sign = stateIcons[stateOf(schedule)];
  return <Sign size={14} stroke={1.9} aria-hidden="true" />;
}
