import { lazy } from "react";

/** The dialog of a scheduled message for other features; it is fetched when it is first shown. */
export const LazyScheduleDialog = lazy(async () => ({
  default: (await import("./schedule-dialog.tsx")).ScheduleDialog,
}));
