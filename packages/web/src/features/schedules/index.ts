export { ContactSchedules } from "./contact-schedules.tsx";
export { LazyScheduleDialog } from "./lazy-schedule-dialog.ts";
