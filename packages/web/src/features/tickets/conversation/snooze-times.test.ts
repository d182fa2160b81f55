import { expect, test } from "vitest";
import type { OpenTimes } from "./snooze-times.ts";
import { snoozeTimes } from "./snooze-times.ts";

const ZONE = "America/Sao_Paulo";
const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday"];
/** Monday to Friday; closed on weekends. */
const office = [
  ...weekdays.map((weekdayEn) => ({ weekdayEn, startTime: "08:30", endTime: "18:00" })),
  ...["saturday", "sunday"].map((weekdayEn) => ({
    weekdayEn,
    startTime: "00:00",
    endTime: "00:00",
  })),
];

/** The offered times by the clock of São Paulo (UTC-3); Thursday is 2026-11-19. */
function offered(local: string, days: OpenTimes["days"] = []): string[] {
  return snoozeTimes(new Date(`${local}:00-03:00`), ZONE, { days, holidays: null }).map(
    ({ id, until }) =>
      until === null
        ? id
        : `${id} ${new Date(until.getTime() - 3 * 3_600_000).toISOString().slice(5, 16)}`,
  );
}

test.each<[string, string, string[]]>([
  [
    "in the morning",
    "2026-11-19T09:20",
    [
      "hour 11-19T10:20",
      "afternoon 11-19T14:00",
      "evening 11-19T18:00",
      "tomorrow 11-20T09:00",
      "nextWeek 11-23T09:00",
      "reply",
    ],
  ],
  [
    "in the afternoon",
    "2026-11-19T15:00",
    [
      "hour 11-19T16:00",
      "evening 11-19T18:00",
      "tomorrow 11-20T09:00",
      "nextWeek 11-23T09:00",
      "reply",
    ],
  ],
  [
    "at night",
    "2026-11-19T23:30",
    ["hour 11-20T00:30", "tomorrow 11-20T09:00", "nextWeek 11-23T09:00", "reply"],
  ],
  [
    "on a Sunday, when tomorrow is next week",
    "2026-11-22T20:00",
    ["hour 11-22T21:00", "tomorrow 11-23T09:00", "reply"],
  ],
])("without opening hours, %s", (_, now, expected) => {
  expect(offered(now)).toEqual(expected);
});

test.each<[string, string, string[]]>([
  [
    "the evening ends before closing time, mornings begin at the opening",
    "2026-11-19T11:00",
    [
      "hour 11-19T12:00",
      "afternoon 11-19T14:00",
      "evening 11-19T17:00",
      "tomorrow 11-20T08:30",
      "nextWeek 11-23T08:30",
      "reply",
    ],
  ],
  [
    "before a closed day the next opening is offered, once",
    "2026-11-20T16:30",
    ["hour 11-20T17:30", "opening 11-23T08:30", "reply"],
  ],
])("with opening hours %s", (_, now, expected) => {
  expect(offered(now, office)).toEqual(expected);
});
