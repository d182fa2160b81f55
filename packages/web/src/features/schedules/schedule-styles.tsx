import type { ReactNode } from "react";
import calendar from "@fullcalendar/react/skeleton.css?inline";
import ours from "./schedules.css?inline";

/** The styles of the calendar and its dialog. They come with its code: the product's own sheet is read by every first visit. */
export function ScheduleStyles(): ReactNode {
  return (
    <style href="schedules" precedence="low">
      {ours}
    </style>
  );
}

/** The styles that the calendar library needs. */
export function CalendarStyles(): ReactNode {
  return (
    <style href="calendar" precedence="low">
      {calendar}
    </style>
  );
}
