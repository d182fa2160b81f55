import type { SameShape } from "../same-shape.ts";
import type { openingHours as pt } from "../pt/opening-hours.ts";

export const openingHours: SameShape<typeof pt> = {
  days: {
    monday: "Monday",
    tuesday: "Tuesday",
    wednesday: "Wednesday",
    thursday: "Thursday",
    friday: "Friday",
    saturday: "Saturday",
    sunday: "Sunday",
  },
  states: { open: "Open", closed: "Closed", unset: "No hours" },
  state: "Service, {{day}}",
  startTime: "Start, {{day}}",
  endTime: "End, {{day}}",
  until: "to",
  meaning: { closed: "Closed all day", unset: "Hours are not checked on this day" },
  overMidnight: "Over midnight: until {{time}} of the next day ({{day}})",
  wrong: "Enter a time from 00:00 to 23:59",
  missing: "Enter both start and end",
  copyMonday: "Copy Monday to the weekdays",
};
