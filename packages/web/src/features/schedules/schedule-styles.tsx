import type { ReactNode } from "react";
import ours from "./schedules.css?inline";

/** The styles of the page and the dialog. They come with its code: the product's own sheet is read by every first visit. */
export function ScheduleStyles(): ReactNode {
  return (
    <style href="schedules" precedence="low">
      {ours}
    </style>
  );
}
