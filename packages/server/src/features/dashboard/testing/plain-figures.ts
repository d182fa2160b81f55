import type { Measures } from "@balcao/contract";

// The dashboard's formulas a second time, in plain TypeScript: no SQL, no sums by group, the local time of each moment from
// the runtime's own calendar.

export type PlainAttendance = {
  id: number;
  ticketId: number | null;
  userId: number | null;
  queueId: number | null;
  connectionId: number | null;
  createdAt: Date;
  queuedAt: Date;
  startedAt: Date | null;
  askedAt: Date | null;
  answeredAt: Date | null;
  ratingAt: Date | null;
  finishedAt: Date | null;
  rate: number | null;
  isFirst: boolean;
  isReopened: boolean;
};

export type Local = { day: string; hour: number; weekday: number };

export function localTimes(timeZone: string): (moment: Date) => Local {
  const format = new Intl.DateTimeFormat("en-CA", {
    ...{ timeZone, year: "numeric", month: "2-digit", day: "2-digit" },
    ...{ hour: "2-digit", hourCycle: "h23" },
  });
  return (moment) => {
    const parts = new Map(format.formatToParts(moment).map(({ type, value }) => [type, value]));
    const day = `${parts.get("year")}-${parts.get("month")}-${parts.get("day")}`;
    return { day, hour: Number(parts.get("hour")), weekday: weekdayOf(day) };
  };
}

/** 0 is Monday. */
const weekdayOf = (day: string): number => (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;

export function addDays(day: string, days: number): string {
  const moment = new Date(`${day}T00:00:00Z`);
  moment.setUTCDate(moment.getUTCDate() + days);
  return moment.toISOString().slice(0, 10);
}

const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000) + 1;

export const resolvedAt = (a: PlainAttendance): Date | null => a.ratingAt ?? a.finishedAt;

const spans = {
  wait: (a: PlainAttendance) => [a.queuedAt, a.startedAt],
  firstAnswer: (a: PlainAttendance) => [a.askedAt, a.answeredAt],
  support: (a: PlainAttendance) => [a.startedAt, resolvedAt(a)],
} as const;

export function msOf(a: PlainAttendance, name: keyof typeof spans): number | null {
  const [from, to] = spans[name](a);
  const ms = from && to ? to.getTime() - from.getTime() : 0;
  return ms > 0 ? ms : null;
}

export function measure(list: readonly PlainAttendance[]): Measures {
  const average = (name: keyof typeof spans) => {
    const all = list.map((a) => msOf(a, name)).filter((ms) => ms !== null);
    const sum = all.reduce((total, ms) => total + ms, 0);
    return { seconds: all.length === 0 ? null : sum / all.length / 1000, count: all.length };
  };
  const rates = list.map(({ rate }) => rate).filter((rate) => rate !== null);
  const given = (rate: number): number => rates.filter((one) => one === rate).length;
  const resolved = list.filter((a) => resolvedAt(a) !== null).length;
  return {
    attendances: list.length,
    resolved,
    running: list.length - resolved,
    reopened: list.filter(({ isReopened }) => isReopened).length,
    newContacts: list.filter(({ isFirst }) => isFirst).length,
    wait: average("wait"),
    firstAnswer: average("firstAnswer"),
    support: average("support"),
    ratings: {
      average:
        rates.length === 0 ? null : rates.reduce((sum, rate) => sum + rate, 0) / rates.length,
      count: rates.length,
      counts: [given(1), given(2), given(3)],
    },
  };
}

export function heatMap(list: readonly PlainAttendance[], local: (moment: Date) => Local) {
  const cells = Array.from({ length: 7 }, () => Array.from({ length: 24 }, () => 0));
  for (const { queuedAt } of list) {
    const { weekday, hour } = local(queuedAt);
    const day = cells[weekday];
    if (day) day[hour] = (day[hour] ?? 0) + 1;
  }
  return cells;
}

/** The bars of a chart: hours of one day, days up to a year, weeks from Monday above. */
export function bars(
  list: readonly PlainAttendance[],
  { from, to }: { from: string; to: string },
  local: (moment: Date) => Local,
) {
  const days = daysBetween(from, to);
  const places: { from: string; to: string; hour: number | null }[] = [];
  if (days === 1) for (let hour = 0; hour < 24; hour += 1) places.push({ from, to, hour });
  else if (days <= 366) {
    for (let day = from; day <= to; day = addDays(day, 1))
      places.push({ from: day, to: day, hour: null });
  } else {
    for (let day = from; day <= to;) {
      const sunday = addDays(day, 6 - weekdayOf(day));
      places.push({ from: day, to: sunday < to ? sunday : to, hour: null });
      day = addDays(sunday, 1);
    }
  }
  return places.map((place) => {
    const its = list.filter((a) => {
      const { day, hour } = local(a.queuedAt);
      return day >= place.from && day <= place.to && (place.hour === null || hour === place.hour);
    });
    const resolved = its.filter((a) => resolvedAt(a) !== null).length;
    return { ...place, attendances: its.length, resolved };
  });
}
