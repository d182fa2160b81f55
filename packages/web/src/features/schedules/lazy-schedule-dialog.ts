import { lazy } from "react";
import { withPageTexts } from "../../i18n/index.ts";

/** The dialog of a scheduled message for other features; it is fetched when it is first shown. */
export const LazyScheduleDialog = lazy(async () => ({
  default: (await withPageTexts(import("./schedule-dialog.tsx"))).ScheduleDialog,
}));
