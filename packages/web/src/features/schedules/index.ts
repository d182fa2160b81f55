export { contactSchedules, sentSchedules } from "./api.ts";
export { ContactSchedules, ScheduleRows } from "./contact-schedules.tsx";
export { LazyScheduleDialog } from "./lazy-schedule-dialog.ts";
