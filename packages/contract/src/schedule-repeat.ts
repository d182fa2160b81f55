/** How a scheduled message repeats. Days are days of the company, `YYYY-MM-DD`; `until` is included. */
export type ScheduleRepeat =
  | { every: "day"; until: string }
  /** 0 is Sunday. */
  | { every: "week"; weekdays: number[]; until: string }
  /** 1 to 31; a month without that day has its last one. */
  | { every: "month"; day: number; until: string };

/** The most messages of one series. */
export const repeatSendsMax = 100;

const DAY_MS = 86_400_000;

/**
 * The days of a series, from `first` on. Null when they are none, more than `repeatSendsMax`, or reach further than a year.
 */
export function repeatDays(repeat: ScheduleRepeat, first: string): string[] | null {
  const { until } = repeat;
  if (until > lastRepeatDay(first)) return null;
  const days: string[] = [];
  for (let day = first; day <= until; day = addDays(day, 1)) {
    if (isDayOf(repeat, day)) days.push(day);
    if (days.length > repeatSendsMax) return null;
  }
  return days.length === 0 ? null : days;
}

/** The last day on which a series that begins on this day may end: a year later. */
export function lastRepeatDay(first: string): string {
  return `${Number(first.slice(0, 4)) + 1}${first.slice(4)}`.replace("02-29", "02-28");
}

/** The repetition after its message was moved from one day to another: all its days move with it. */
export function movedRepeat(repeat: ScheduleRepeat, from: string, to: string): ScheduleRepeat {
  const moved = Math.round((noonOf(to) - noonOf(from)) / DAY_MS);
  if (moved === 0) return repeat;
  const later = addDays(repeat.until, moved);
  const last = lastRepeatDay(to);
  const until = later > last ? last : later;
  switch (repeat.every) {
    case "day":
      return { ...repeat, until };
    case "week": {
      const weekdays = repeat.weekdays.map((weekday) => (((weekday + moved) % 7) + 7) % 7);
      return { ...repeat, weekdays: weekdays.toSorted((a, b) => a - b), until };
    }
    case "month":
      return { ...repeat, day: Number(to.slice(8)), until };
  }
}

/** The day so many days later. */
export function addDays(day: string, days: number): string {
  return new Date(noonOf(day) + days * DAY_MS).toISOString().slice(0, 10);
}

/** 0 is Sunday. */
export function weekdayOf(day: string): number {
  return new Date(noonOf(day)).getUTCDay();
}

function isDayOf(repeat: ScheduleRepeat, day: string): boolean {
  switch (repeat.every) {
    case "day":
      return true;
    case "week":
      return repeat.weekdays.includes(weekdayOf(day));
    case "month": {
      const ofMonth = Number(day.slice(8));
      const isLast = addDays(day, 1).endsWith("-01");
      return ofMonth === repeat.day || (isLast && ofMonth < repeat.day);
    }
  }
}

const noonOf = (day: string): number => Date.parse(`${day}T12:00:00Z`);
