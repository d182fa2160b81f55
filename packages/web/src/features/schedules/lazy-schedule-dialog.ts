import { lazyPart } from "../../ui/lazy-part.tsx";

/** The dialog of a scheduled message for other features; it is fetched when it is first shown. */
export const LazyScheduleDialog = lazyPart(
  async () => (await import("./schedule-dialog.tsx")).ScheduleDialog,
  "over",
);
